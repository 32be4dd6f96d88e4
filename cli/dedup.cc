// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "bochner/duplicates.h"
#include "clock.h"
#include "commands.h"
#include "csv_line.h"
#include "neighbor_words.h"
#include "output.h"

namespace bochner {

namespace {

struct DedupWords {
  InputWords input;
  std::string metric = "jaccard";
  double threshold = 0.8;
  bool pairs = false;
};

void write_duplicates(const std::string& path, const std::vector<Duplicate>& found) {
  Output output(path);
  output.write("row,of,similarity\n");
  std::string line;
  for (const Duplicate& each : found) {
    line = fmt::format("{},{},", each.row, each.of);
    append_number(line, each.similarity);
    line += '\n';
    output.write(line);
  }
  output.finish();
}

void run_dedup(const DedupWords& words) {
  Clock clock;
  Messages messages(words.input.run.quiet);
  check_text_name(words.input.output);
  const DuplicateOptions options{.metric = metric_word(words.metric),
                                 .threshold = words.threshold,
                                 .pairs = words.pairs,
                                 .execution = words.input.run.execution(messages)};
  const std::unique_ptr<Rows> rows = words.input.open(messages);
  const std::vector<Duplicate> found = find_duplicates(*rows, options);
  write_duplicates(words.input.output, found);
  messages.say(
      fmt::format("{} of similarity {} or more{}, {}, {:.2f} s",
                  words.pairs ? counted(found.size(), "pair") : counted(found.size(), "row") + " with an earlier one",
                  words.threshold, is_stdout(words.input.output) ? "" : " in " + words.input.output,
                  counted(duplicate_groups(found), "group"), clock.lap()));
  if (options.metric == Metric::jaccard && !words.pairs && found.size() > 1 && found.size() + 1 == count_rows(*rows))
    messages.say(
        "warning: all rows have nearly the same inputs other than 0, which is what jaccard compares; --metric cosine "
        "compares numbers");
}

}  // namespace

void add_dedup(Command& app, Job& job) {
  Command* command = app.add_subcommand("dedup", "Find the rows of a file that are nearly the same as earlier ones");
  auto words = std::make_shared<DedupWords>();
  command->add_option("FILE", words->input.file, "Rows: csv, svmlight or npy, plain or .gz, .xz, .zst")
      ->required()
      ->type_name("");
  command->add_option("--threshold", words->threshold, "Similarity from which rows are duplicates; default 0.8")
      ->type_name("T");
  command
      ->add_option("--metric", words->metric,
                   "jaccard (a row is the set of its inputs that are not 0; the default) or cosine")
      ->type_name("M");
  command->add_flag("--pairs", words->pairs, "Write all pairs, not the most similar earlier row alone");
  command
      ->add_option("-o,--output", words->input.output,
                   "Where to write row,of,similarity: .csv or .csv.gz; - or nothing is stdout")
      ->type_name("OUT");
  words->input.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner text mails/ --ngrams 3 -o mails.svm\n"
      "  bochner dedup mails.svm --threshold 0.8 -o same.csv\n"
      "Rows are numbered from 0. Leave out the rows that are named first, and of all that are alike the earliest stay. "
      "None is\n"
      "missed: no sketches are compared, but the rows themselves.");
  command->callback([words, &job] { job = [words] { run_dedup(*words); }; });
}

}  // namespace bochner
