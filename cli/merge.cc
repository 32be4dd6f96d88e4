// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "bochner/parts.h"
#include "bochner/svd.h"
#include "bochner/text.h"
#include "commands.h"
#include "load_as.h"
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

// Counts of documents, by `bochner text`.
void merge_counts(const MergeWords& words, Messages& messages) {
  TextCounts all = load_as<TextCounts>(words.sums[0]);
  for (std::size_t i = 1; i < words.sums.size(); ++i) {
    try {
      all.merge(load_as<TextCounts>(words.sums[i]));
    } catch (const std::invalid_argument&) {
      fail(Error::Kind::data, "{}: counts other terms than {}; give all parts the same --ngrams and --hashed",
           words.sums[i], words.sums[0]);
    } catch (const Error& error) {
      fail(error.kind(), "{}: {}", words.sums[i], error.what());
    }
    messages.progress("merge", double(i + 1) / double(words.sums.size()));
  }
  all.save(words.output);
  messages.say(fmt::format("counts of {} in {} in {}", counted(all.documents(), "document"),
                           counted(all.parts(), "part"), words.output));
  messages.say(fmt::format("next: `bochner text PART --counts {} -o PART.svm` for each part", words.output));
}

// Moments or sketches of `bochner svd`.
void merge_factors(const MergeWords& words, Messages& messages) {
  FactorSum all = load_as<FactorSum>(words.sums[0]);
  for (std::size_t i = 1; i < words.sums.size(); ++i) {
    all.merge(load_as<FactorSum>(words.sums[i]));
    messages.progress("merge", double(i + 1) / double(words.sums.size()));
  }
  all.save(words.output);
  const bool moments = all.kind() == FactorSum::Kind::moments;
  messages.say(fmt::format("{} of {} in {} in {}", moments ? "moments" : "sketch", counted(all.rows(), "row"),
                           counted(all.parts(), "part"), words.output));
  messages.say(moments
                   ? fmt::format("next: `bochner svd PART --spec {} --rank R -o PART.sketch` for each", words.output)
                   : fmt::format("next: `bochner solve {} -o MODEL`", words.output));
}

void run_merge(const MergeWords& words) {
  Messages messages(words.quiet);
  for (const std::string& file : words.sums) check_output(words.output, {file});
  if (TextCounts::is_file(words.sums[0])) return merge_counts(words, messages);
  if (FactorSum::is_file(words.sums[0])) return merge_factors(words, messages);
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

void add_merge(Command& app, Job& job) {
  Command* command = app.add_subcommand("merge", "Merge the sums of parts; the same bytes in any order");
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
      "  bochner merge *.counts -o all.counts            of `bochner text`\n"
      "  bochner merge *.sketch -o all.sketch            of `bochner svd`\n"
      "See `bochner accumulate --help` for the two rounds.");
  command->callback([words, &job] { job = [words] { run_merge(*words); }; });
}

}  // namespace bochner
