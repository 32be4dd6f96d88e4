// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbor_words.h"

#include "csv_line.h"
#include "output.h"
#include "require.h"

namespace bochner {

void SearchWords::add(Command& app) {
  app.add_option("FILE", file, "Rows: csv, svmlight or npy, plain or .gz, .xz, .zst")->required()->type_name("");
  app.add_option("--metric", metric,
                 "euclidean, cosine, inner (product), hamming (inputs of 0 and 1) or jaccard (sets)")
      ->type_name("M");
  app.add_option(
         "--method", method,
         "auto, exact (every pair), project (in fewer coordinates), lsh (hash tables) or forest (random trees); "
         "auto is exact where rows are few or sparse")
      ->type_name("M");
  app.add_option("--hash", hash,
                 "lsh: stable or cauchy (cells), crosspolytope or hyperplane (angles), minhash; default: the metric's")
      ->type_name("H");
  app.add_option("--recall", recall,
                 "Share of the true neighbours to find where not every pair is compared, measured on a sample")
      ->type_name("R");
  app.add_option("--seed", seed, "Of everything random; the same seed gives the same result")->type_name("N");
  InputWords::add(app);
}

void InputWords::add(Command& app) {
  add_repeatable(app, "-t,--target", targets, "Column that is no input, by name or index from 0; several: a,b or again")
      ->type_name("NAME|INDEX")
      ->group(kColumns);
  app.add_option("--missing", missing, "Missing cells: mean (of numbers) or error")->type_name("M")->group(kColumns);
  columns.add(app);
  format.add(app);
  run.add(app);
}

Metric metric_word(const std::string& word) {
  return parse_word<Metric>("--metric", word,
                            {{"euclidean", Metric::euclidean},
                             {"cosine", Metric::cosine},
                             {"inner", Metric::inner},
                             {"hamming", Metric::hamming},
                             {"jaccard", Metric::jaccard}});
}

IndexOptions SearchWords::options(Messages& messages) const {
  using Method = IndexOptions::Method;
  IndexOptions options;
  options.metric = metric_word(metric);
  options.method = parse_word<Method>("--method", method,
                                      {{"auto", Method::automatic},
                                       {"exact", Method::exact},
                                       {"project", Method::project},
                                       {"lsh", Method::lsh},
                                       {"forest", Method::forest}});
  if (!hash.empty()) {
    require(options.method == Method::lsh, "--hash: is for --method lsh; leave it out");
    options.hash = parse_hash_name(hash);
  }
  options.recall = recall;
  options.seed = seed;
  options.execution = run.execution(messages);
  return options;
}

std::unique_ptr<Rows> InputWords::open(Messages& messages) const {
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
  using Method = IndexOptions::Method;
  if (report.method == "exact")
    return options.method == Method::exact || options.method == Method::automatic
               ? "exact"
               : "exact, since the method would compare as many";
  const std::string how =
      report.method == "lsh"
          ? fmt::format("{} of {} {} functions, {} looked up, about {} candidates compared",
                        counted(report.tables, "table"), report.hashes, report.hash, counted(report.probes, "key"),
                        report.candidates)
          : fmt::format("{} of {} inputs, {} candidates compared", report.dims, report.inputs, report.candidates);
  const std::string trees = report.cells > 0   ? fmt::format("{} of {} cells over ", report.nearest, report.cells)
                            : report.trees > 0 ? counted(report.trees, "tree") + " over "
                                               : "";
  return fmt::format("{}{}, recall {:.3f} on a sample", trees, how, report.recall);
}

void write_neighbors(const std::string& path, const Neighbors& found) {
  Output output(path);
  output.write("query,rank,row,distance\n");
  std::string line;
  const auto append = [&](std::size_t number) {
    const fmt::format_int text(number);
    line.append(text.data(), text.size());
    line += ',';
  };
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    if (found.rows[i] < 0) continue;
    line.clear();
    append(i / found.k);
    append(i % found.k + 1);
    append(std::size_t(found.rows[i]));
    append_number(line, found.distances[i]);
    line += '\n';
    output.write(line);
  }
  output.finish();
}

}  // namespace bochner
