// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/neighbors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "clock.h"
#include "commands.h"
#include "load_as.h"
#include "neighbor_words.h"
#include "output.h"
#include "require.h"
#include "signals.h"

namespace bochner {

namespace {

constexpr const char* kNeighborsHelp =
    "Where to write query,rank,row,distance: .csv or .csv.gz; - or nothing is stdout";

std::string place_text(const std::string& output) { return is_stdout(output) ? "" : " in " + output; }

struct NeighborsWords {
  std::string index, file, output, metric, only, without;
  std::size_t k = 10;
  ScaleWords scale;
  RunOptions run;
  FileOptions format;
};

// Numbers of rows from a file: whole numbers with spaces or ends of lines between.
std::vector<std::uint64_t> read_numbers(const std::string& option, const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(Error::Kind::io, "{}: cannot read {}", option, path);
  std::vector<std::uint64_t> numbers;
  for (std::string word; file >> word;) {
    std::uint64_t number = 0;
    const char* const end = word.data() + word.size();
    if (const auto read = std::from_chars(word.data(), end, number); read.ec != std::errc() || read.ptr != end)
      fail(Error::Kind::data, "{}: number {} is '{}', expected the whole number of a row; one a line", path,
           numbers.size() + 1, word.substr(0, 40));
    numbers.push_back(number);
  }
  if (file.bad()) fail(Error::Kind::io, "{}: cannot read {} to its end", option, path);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

RowFilter row_filter(const NeighborsWords& words) {
  require(words.only.empty() || words.without.empty(), "--only: found --without too, expected one of them");
  if (words.only.empty() && words.without.empty()) return {};
  const bool only = !words.only.empty();
  auto numbers = std::make_shared<std::vector<std::uint64_t>>(only ? read_numbers("--only", words.only)
                                                                   : read_numbers("--without", words.without));
  return
      [numbers, only](std::uint64_t row) { return std::binary_search(numbers->begin(), numbers->end(), row) == only; };
}

// Rows without an index, which need not fit into memory.
Neighbors stream(const NeighborsWords& words, const RowsOptions& reading, Messages& messages) {
  require(words.only.empty() && words.without.empty(), "--metric: found {}, which goes with an index",
          words.only.empty() ? "--without" : "--only");
  RowsOptions inputs = reading;
  inputs.inputs_only = true;
  const std::unique_ptr<Rows> rows = open_rows(words.index, inputs);
  const std::unique_ptr<Rows> queries = open_rows(words.file, rows->schema(), reading);
  IndexOptions options;
  options.metric = metric_word(words.metric);
  options.execution = words.run.execution(messages);
  options.scaling = words.scale.chosen(*rows, options.metric, options.execution, messages);
  return streamed_neighbors(*rows, *queries, words.k, options);
}

Neighbors search_index(const NeighborsWords& words, const RowsOptions& reading, Messages& messages) {
  require(words.scale.scales.empty(), "--scale: the index has its own scaling, which queries go through; leave it out");
  const RowFilter allowed = row_filter(words);
  survive_shrinking(words.index);
  const auto index = load_as<NeighborIndex>(words.index);
  const std::unique_ptr<Rows> queries = open_rows(words.file, index.schema(), reading);
  return index.query(*queries, words.k, allowed, words.run.execution(messages));
}

void run_neighbors(const NeighborsWords& words) {
  Clock clock;
  Messages messages(words.run.quiet);
  RowsOptions reading = words.format.rows(words.run);
  reading.target_required = false;
  check_text_name(words.output);
  check_output(words.output, {words.index, words.file, words.only, words.without});
  const Neighbors found =
      words.metric.empty() ? search_index(words, reading, messages) : stream(words, reading, messages);
  write_neighbors(words.output, found, words.run.team());
  messages.say(fmt::format("{} of each of {}{}, {:.2f} s", counted(found.k, "neighbour"),
                           counted(found.queries(), "row"), place_text(words.output), clock.lap()));
}

struct GraphWords {
  SearchWords search;
  std::size_t k = 15;
};

void run_graph(const GraphWords& words) {
  Clock clock;
  Messages messages(words.search.run.quiet);
  check_text_name(words.search.output);
  IndexOptions options = words.search.options(messages);
  const std::unique_ptr<Rows> rows = words.search.open(messages);
  options.scaling = words.search.scale.chosen(*rows, options.metric, options.execution, messages);
  IndexReport report;
  const Neighbors found = neighbor_graph(*rows, words.k, options, &report);
  write_neighbors(words.search.output, found, words.search.run.team());
  messages.say(fmt::format("{} of each of {}{}: {}, {:.2f} s", counted(found.k, "neighbour"),
                           counted(report.rows, "row"), place_text(words.search.output), search_text(report, options),
                           clock.lap()));
}

}  // namespace

void add_neighbors(Command& app, Job& job) {
  Command* command = app.add_subcommand("neighbors", "Find the rows of an index that are nearest to other rows");
  auto words = std::make_shared<NeighborsWords>();
  command->add_option("INDEX", words->index, "A file that `bochner index` saved; with --metric a file of rows")
      ->required()
      ->type_name("");
  command->add_option("FILE", words->file, kRowsHelp)->required()->type_name("");
  command->add_option("-k", words->k, "How many of each")->type_name("K");
  command->add_option("--only", words->only, "Find only rows whose numbers are in this file, one a line")
      ->type_name("FILE");
  command->add_option("--without", words->without, "Leave rows out whose numbers are in this file")->type_name("FILE");
  command
      ->add_option("--metric", words->metric,
                   "Without an index: compare the queries with every row of a file, which need not fit into memory; "
                   "euclidean, cosine, inner, hamming or jaccard")
      ->type_name("M");
  command->add_option("-o,--output", words->output, kNeighborsHelp)->type_name("OUT");
  words->scale.add(*command);
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Example:\n"
      "  bochner neighbors images.index new.npy -k 10 -o near.csv\n"
      "  bochner neighbors images.index new.npy -k 10 --without sold.txt -o near.csv\n"
      "  bochner neighbors huge.npy new.npy --metric euclidean --memory 2G -o near.csv\n"
      "Queries and rows are numbered from 0, ranks from 1. The distance is Euclidean, 1 - cosine, or the inner "
      "product\n"
      "(largest first), as the index was built.");
  command->callback([words, &job] { job = [words] { run_neighbors(*words); }; });
}

void add_graph(Command& app, Job& job) {
  Command* command = app.add_subcommand("graph", "Find the nearest other rows of every row of a file");
  auto words = std::make_shared<GraphWords>();
  words->search.add(*command);
  command->add_option("-k", words->k, "How many of each")->type_name("K");
  command->add_option("-o,--output", words->search.output, kNeighborsHelp)->type_name("OUT");
  command->footer(
      "Examples:\n"
      "  bochner graph images.npy -k 15 -o graph.csv\n"
      "  bochner graph cells.csv --target type -k 10 --recall 0.99 -o graph.csv\n"
      "Rows are numbered from 0; a row itself is left out, rows equal to it are not.");
  command->callback([words, &job] { job = [words] { run_graph(*words); }; });
}

}  // namespace bochner
