// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbor_words.h"

#include <algorithm>

#include "csv_line.h"
#include "ordered_text.h"
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

namespace {

constexpr std::size_t kRowsOfPiece = 256;

void append_count(std::string& text, std::size_t number) {
  const fmt::format_int digits(number);
  text.append(digits.data(), digits.size());
  text += ',';
}

void append_neighbors(std::string& text, const Neighbors& found, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin * found.k; i < end * found.k; ++i) {
    if (found.rows[i] < 0) continue;
    append_count(text, i / found.k);
    append_count(text, i % found.k + 1);
    append_count(text, std::size_t(found.rows[i]));
    append_number(text, found.distances[i]);
    text += '\n';
  }
}

}  // namespace

void write_neighbors(const std::string& path, const Neighbors& found, int threads) {
  Output output(path);
  output.write("query,rank,row,distance\n");
  const std::size_t queries = found.queries();
  write_in_order(output, (queries + kRowsOfPiece - 1) / kRowsOfPiece, threads,
                 [&](std::size_t piece, std::string& text) {
                   append_neighbors(text, found, piece * kRowsOfPiece, std::min(queries, (piece + 1) * kRowsOfPiece));
                 });
  output.finish();
}

}  // namespace bochner
