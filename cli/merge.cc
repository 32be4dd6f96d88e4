// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "bochner/parts.h"
#include "commands.h"
#include "messages.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct MergeWords {
  std::vector<std::string> sums;
  std::string output;
  bool quiet = false;
};

void run_merge(const MergeWords& words) {
  Messages messages(words.quiet);
  for (const std::string& file : words.sums) check_output(words.output, {file});
  Sum all = load_sum(words.sums[0]);
  for (std::size_t i = 1; i < words.sums.size(); ++i) {
    all.merge(load_sum(words.sums[i]));
    messages.progress("merge", double(i + 1) / double(words.sums.size()));
  }
  all.save(words.output);
  const bool survey = all.kind() == Sum::Kind::survey;
  messages.say(fmt::format("{} of {} rows in {} parts in {}", survey ? "survey" : "sums", all.rows(), all.parts(),
                           words.output));
  if (all.machines().size() > 1)
    messages.say(
        fmt::format("these sums were made on {} kinds of processor ({}): the last bits of the model depend on which "
                    "part was summed "
                    "where",
                    all.machines().size(), fmt::join(all.machines(), "; ")));
  messages.say(survey ? fmt::format("next: `bochner accumulate PART --spec {} -o PART.sum` for each part", words.output)
                      : fmt::format("next: `bochner solve {} -o MODEL`", words.output));
}

}  // namespace

void add_merge(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("merge", "Merge the sums of parts; the same bytes in any order");
  auto words = std::make_shared<MergeWords>();
  command->add_option("SUM", words->sums, "Files that `bochner accumulate` or `bochner merge` saved, all of one round")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", words->output, "Where to save the merged sum")->required()->type_name("SUM");
  command->add_flag("-q,--quiet", words->quiet, "No messages and no progress");
  command->footer(
      "Examples:\n"
      "  bochner merge *.survey -o all.survey\n"
      "  bochner merge *.sum -o all.sum\n"
      "See `bochner accumulate --help` for the two rounds.");
  command->callback([words, &job] { job = [words] { run_merge(*words); }; });
}

}  // namespace bochner
