// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "bochner/groups.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "rows_words.h"

namespace bochner {

namespace {

constexpr std::size_t kFeatures = 256;  // features of a mean: groups are few where rows are many

struct EmbedWords {
  std::string group;
  MappedWords mapped;
};

void run_embed(EmbedWords embed) {
  MappedWords& words = embed.mapped;
  if (!embed.group.empty()) words.rows.columns.ignore.push_back(embed.group);
  Clock clock;
  Messages messages(words.rows.run.quiet);
  FeatureOptions options = words.options(messages);
  if (options.features == 0) options.features = kFeatures;
  const std::unique_ptr<Rows> rows = words.open();
  const Model model = feature_model(*rows, options);
  words.rows.save(model);
  messages.say(fmt::format("{} of {} in {}, {:.2f} s", model.report().map, counted(model.report().rows, "row"),
                           words.rows.output, clock.lap()));
}

}  // namespace

void add_embed(Command& app, Job& job) {
  Command* command =
      app.add_subcommand("embed", "Make features of rows, whose means stand for distributions of groups of rows");
  auto words = std::make_shared<EmbedWords>();
  words->mapped.map = "fourier";
  words->mapped.add(*command, MappedWords::Targets::optional,
                    "Column that `transform --group` carries along: the mean of numbers, or the class of a group");
  command->add_option("--group", words->group, "Column that tells groups apart, which is no input")
      ->type_name("COLUMN");
  command->footer(
      "Examples:\n"
      "  bochner embed visits.csv --target age --group patient -o visits.embed\n"
      "  bochner transform visits.embed visits.csv --group patient -o patients.csv    a row for each patient\n"
      "  bochner train patients.csv --target age --ignore patient -o age.model        from distributions to numbers\n"
      "  bochner transform visits.embed new.csv --group patient -o new-patients.csv\n"
      "  bochner predict age.model new-patients.csv\n"
      "The mean of a kernel's features over rows stands for their distribution: what is learnt from it may depend on\n"
      "spread and shape, not on means alone. --features 256 and --bandwidth median are the defaults.");
  command->callback([words, &job] { job = [words] { run_embed(*words); }; });
}

}  // namespace bochner
