// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbor_words.h"

#include <algorithm>
#include <cmath>

#include "csv_line.h"
#include "feature_words.h"
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
  app.add_option("--seed", seed, "Seed of everything random; the same seed gives the same result")->type_name("N");
  scale.add(app);
  InputWords::add(app);
}

void ScaleWords::add(Command& app) {
  add_repeatable(
      app, "--scale", scales,
      "auto (by column, as kmeans), standardize, minmax, log, quantile, whiten or none, for all inputs or NAME=METHOD "
      "for one; default: inputs are compared as they are")
      ->type_name("METHOD")
      ->group(kColumns);
}

namespace {

// The spread of every input over the first rows, ascending; inputs that do not vary are left out.
std::vector<std::pair<double, std::size_t>> spreads_of(Rows& rows) {
  constexpr std::size_t kLookedAt = 1024;
  std::vector<std::pair<double, std::size_t>> spreads;
  RowBlock<double> block;
  rows.rewind();
  if (!rows.next(kLookedAt, block) || block.sparse()) return spreads;
  for (std::size_t j = 0; j < block.cols; ++j) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < block.rows; ++i) mean += block.values[i * block.stride + j] / double(block.rows);
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double off = block.values[i * block.stride + j] - mean;
      squares += off * off / double(block.rows);
    }
    if (squares > 0) spreads.emplace_back(std::sqrt(squares), j);
  }
  std::sort(spreads.begin(), spreads.end());
  return spreads;
}

void warn_of_spreads(Rows& rows, Messages& messages) {
  constexpr double kDifferent = 30;
  if (rows.schema().columns.empty() || rows.schema().sparse) return;
  const auto spreads = spreads_of(rows);
  if (spreads.size() < 2) return;
  const auto& [most, largest] = spreads.back();
  const auto& [usual, other] = spreads[(spreads.size() - 1) / 2];
  if (most < kDifferent * usual) return;
  const std::vector<std::string> names = rows.schema().input_names();
  messages.say(
      fmt::format("warning: columns have different units: '{}' spreads by {:.3g}, '{}' by {:.3g}, so that the "
                  "first decides what is near; --scale auto brings them to one scale",
                  names[largest], most, names[other], usual));
}

}  // namespace

MapPtr ScaleWords::chosen(Rows& rows, Metric metric, const Execution& execution, Messages& messages) const {
  if (scales.empty()) {
    if (metric != Metric::hamming && metric != Metric::jaccard) warn_of_spreads(rows, messages);
    return nullptr;
  }
  require(metric != Metric::hamming && metric != Metric::jaccard,
          "--scale: {} compares inputs as they are, expected --metric euclidean, cosine or inner", metric_name(metric));
  FeatureOptions options;
  std::vector<std::string> given;
  for (const std::string& word : split_lists(scales))
    if (word != "auto") given.push_back(word);
  parse_scales(given, options);
  options.execution = execution;
  options.say = [&](const std::string& note) { messages.say(note); };
  return column_scaling(rows, options);
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

RowsOptions InputWords::reading() const {
  RowsOptions reading = format.rows(run);
  reading.inputs_only = true;
  reading.targets = split_lists(targets);
  columns.apply(reading);
  reading.missing = parse_word<Missing>("--missing", missing, {{"mean", Missing::mean}, {"error", Missing::error}});
  return reading;
}

std::unique_ptr<Rows> InputWords::open(Messages& messages) const {
  check_output(output, {file});
  std::unique_ptr<Rows> rows = open_rows(file, reading());
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
