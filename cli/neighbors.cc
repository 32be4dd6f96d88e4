// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/neighbors.h"

#include <fmt/format.h>

#include "clock.h"
#include "commands.h"
#include "neighbor_words.h"
#include "output.h"

namespace bochner {

namespace {

constexpr const char* kNeighborsHelp =
    "Where to write query,rank,row,distance: .csv or .csv.gz; - or nothing is stdout";

std::string place_text(const std::string& output) { return is_stdout(output) ? "" : " in " + output; }

struct NeighborsWords {
  std::string index, file, output;
  std::size_t k = 10;
  RunOptions run;
  FileOptions format;
};

void run_neighbors(const NeighborsWords& words) {
  Clock clock;
  Messages messages(words.run.quiet);
  RowsOptions reading = words.format.rows(words.run);
  reading.target_required = false;
  check_text_name(words.output);
  check_output(words.output, {words.index, words.file});
  const NeighborIndex index = NeighborIndex::load(words.index);
  const std::unique_ptr<Rows> queries = open_rows(words.file, index.schema(), reading);
  const Neighbors found = index.query(*queries, words.k, words.run.execution(messages));
  write_neighbors(words.output, found);
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
  const IndexOptions options = words.search.options(messages);
  const std::unique_ptr<Rows> rows = words.search.open(messages);
  IndexReport report;
  const Neighbors found = neighbor_graph(*rows, words.k, options, &report);
  write_neighbors(words.search.output, found);
  messages.say(fmt::format("{} of each of {}{}: {}, {:.2f} s", counted(found.k, "neighbour"),
                           counted(report.rows, "row"), place_text(words.search.output), search_text(report, options),
                           clock.lap()));
}

}  // namespace

void add_neighbors(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("neighbors", "Find the rows of an index that are nearest to other rows");
  auto words = std::make_shared<NeighborsWords>();
  command->add_option("INDEX", words->index, "A file that `bochner index` saved")->required()->type_name("");
  command->add_option("FILE", words->file, kRowsHelp)->required()->type_name("");
  command->add_option("-k", words->k, "How many of each")->type_name("K");
  command->add_option("-o,--output", words->output, kNeighborsHelp)->type_name("OUT");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Example:\n"
      "  bochner neighbors images.index new.npy -k 10 -o near.csv\n"
      "Queries and rows are numbered from 0, ranks from 1. The distance is Euclidean, 1 - cosine, or the inner "
      "product\n"
      "(largest first), as the index was built.");
  command->callback([words, &job] { job = [words] { run_neighbors(*words); }; });
}

void add_graph(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("graph", "Find the nearest other rows of every row of a file");
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
