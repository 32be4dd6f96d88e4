// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <limits>

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
  std::string metric, threshold;
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

// The rows of a table so that every cell counts: a missing number equals no number, and the texts of a column with too
// many to have an input each go along as they are.
std::unique_ptr<Rows> open_cells(const InputWords& input, std::unique_ptr<Rows> scanned, KeptCells& cells) {
  Schema schema = scanned->schema();
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    Column& column = schema.columns[c];
    column.fill = std::numeric_limits<double>::quiet_NaN();
    if (column.kind == Column::Kind::category && column.levels.size() >= schema.max_levels)
      cells.columns.push_back(std::to_string(c));
  }
  if (schema.columns.empty()) return scanned;
  RowsOptions reading = input.reading();
  if (!cells.columns.empty()) reading.kept = &cells;
  return open_rows(input.file, schema, reading);
}

// What most of a file's rows are named for.
std::string much_text(std::size_t named, std::size_t rows, std::optional<Metric> metric) {
  return fmt::format("warning: {:.0f} % of the rows are named: {}", 100 * double(named) / double(rows),
                     metric == Metric::cosine
                         ? "cosine compares directions of rows, which are alike if columns are far from 0 or of "
                           "different units; leave --metric out to find rows that are equal"
                         : "jaccard compares which inputs are not 0, not their values; leave --metric out to find rows "
                           "of a table that are equal");
}

void run_dedup(const DedupWords& words) {
  Clock clock;
  Messages messages(words.input.run.quiet);
  check_text_name(words.input.output);
  DuplicateOptions options{.pairs = words.pairs, .execution = words.input.run.execution(messages)};
  if (!words.threshold.empty()) options.threshold = parse_number("--threshold", words.threshold);
  if (!words.metric.empty()) options.metric = metric_word(words.metric);
  KeptCells cells;
  std::unique_ptr<Rows> rows = words.input.open(messages);
  const bool equality = words.metric.empty() && !rows->schema().sparse;
  if (equality) rows = open_cells(words.input, std::move(rows), cells);
  if (!cells.columns.empty()) options.cells = &cells;
  const std::vector<Duplicate> found = find_duplicates(*rows, options);
  write_duplicates(words.input.output, found);
  const std::size_t count = count_rows(*rows);
  const std::string alike =
      equality ? "equal in every cell" : fmt::format("of similarity {} or more", options.threshold.value_or(0.8));
  messages.say(fmt::format("{} {}{}, {}, {:.2f} s",
                           words.pairs
                               ? counted(found.size(), "pair")
                               : fmt::format("{} of {} have an earlier one", found.size(), counted(count, "row")),
                           alike, is_stdout(words.input.output) ? "" : " in " + words.input.output,
                           counted(duplicate_groups(found), "group"), clock.lap()));
  if (!equality && !words.pairs && 2 * found.size() > count)
    messages.say(much_text(found.size(), count, options.metric));
}

}  // namespace

void add_dedup(Command& app, Job& job) {
  Command* command =
      app.add_subcommand("dedup", "Find the rows of a file that are the same as earlier ones, or nearly");
  auto words = std::make_shared<DedupWords>();
  command->add_option("FILE", words->input.file, "Rows: csv, svmlight or npy, plain or .gz, .xz, .zst")
      ->required()
      ->type_name("");
  command
      ->add_option("--threshold", words->threshold,
                   "jaccard and cosine: similarity from which rows are duplicates; default 0.8")
      ->type_name("T");
  command
      ->add_option(
          "--metric", words->metric,
          "jaccard (a row is the set of its inputs that are not 0) or cosine; default: jaccard for svmlight, and for "
          "tables equality of every cell")
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
      "  bochner dedup customers.csv --ignore id -o same.csv      rows of a table that are equal\n"
      "Rows are numbered from 0. Leave out the rows that are named first, and of all that are alike the earliest stay. "
      "None is\n"
      "missed: no sketches are compared, but the rows themselves.");
  command->callback([words, &job] { job = [words] { run_dedup(*words); }; });
}

}  // namespace bochner
