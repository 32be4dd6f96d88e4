// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbor_words.h"

#include "csv_line.h"
#include "output.h"

namespace bochner {

void SearchWords::add(CLI::App& app) {
  app.add_option("FILE", file, "Rows: csv, svmlight or npy, plain or .gz, .xz, .zst")->required()->type_name("");
  app.add_option("--metric", metric, "euclidean, cosine or inner (product)")->type_name("M");
  app.add_option("--method", method,
                 "auto, exact (every pair) or forest (random trees); auto is exact where rows are few or sparse")
      ->type_name("M");
  app.add_option("--recall", recall, "forest: share of the true neighbours to find, measured on a sample of the rows")
      ->type_name("R");
  app.add_option("--seed", seed, "Of everything random; the same seed gives the same result")->type_name("N");
  add_repeatable(app, "-t,--target", targets, "Column that is no input, by name or index from 0; several: a,b or again")
      ->type_name("NAME|INDEX")
      ->group(kColumns);
  app.add_option("--missing", missing, "Missing cells: mean (of numbers) or error")->type_name("M")->group(kColumns);
  columns.add(app);
  format.add(app);
  run.add(app);
}

IndexOptions SearchWords::options(Messages& messages) const {
  using Method = IndexOptions::Method;
  IndexOptions options;
  options.metric = parse_word<Metric>(
      "--metric", metric, {{"euclidean", Metric::euclidean}, {"cosine", Metric::cosine}, {"inner", Metric::inner}});
  options.method = parse_word<Method>(
      "--method", method, {{"auto", Method::automatic}, {"exact", Method::exact}, {"forest", Method::forest}});
  options.recall = recall;
  options.seed = seed;
  options.execution = run.execution(messages);
  return options;
}

std::unique_ptr<Rows> SearchWords::open(Messages& messages) const {
  RowsOptions reading = format.rows(run);
  reading.inputs_only = true;
  reading.targets = split_lists(targets);
  columns.apply(reading);
  reading.missing = parse_word<Missing>("--missing", missing, {{"mean", Missing::mean}, {"error", Missing::error}});
  check_output(output, {file});
  std::unique_ptr<Rows> rows = open_rows(file, reading);
  for (const std::string& note : rows->notes()) messages.say(note);
  return rows;
}

std::string search_text(const IndexReport& report, const IndexOptions& options) {
  if (report.method == "exact")
    return options.method == IndexOptions::Method::forest ? "exact, since a forest would compare as many" : "exact";
  return fmt::format("{} over {} of {} inputs, {} candidates compared, recall {:.3f} on a sample",
                     counted(report.trees, "tree"), report.dims, report.inputs, report.candidates, report.recall);
}

void write_neighbors(const std::string& path, const Neighbors& found) {
  Output output(path);
  output.write("query,rank,row,distance\n");
  std::string line;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    if (found.rows[i] < 0) continue;
    line = fmt::format("{},{},{},", i / found.k, i % found.k + 1, found.rows[i]);
    append_number(line, found.distances[i]);
    line += '\n';
    output.write(line);
  }
  output.finish();
}

}  // namespace bochner
