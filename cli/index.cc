// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "clock.h"
#include "commands.h"
#include "neighbor_words.h"
#include "require.h"

namespace bochner {

namespace {

struct IndexWords {
  SearchWords search;
  std::size_t k = 10;
  std::uint64_t first = 0;
};

void run_index(const IndexWords& words) {
  Clock clock;
  Messages messages(words.search.run.quiet);
  require(words.search.output != "-", "-o: found -, expected a file for the index");
  IndexOptions options = words.search.options(messages);
  options.k = words.k;
  options.first = words.first;
  const std::unique_ptr<Rows> rows = words.search.open(messages);
  const NeighborIndex index(*rows, options);
  index.save(words.search.output);
  messages.say(fmt::format("index of {} in {}: {}, {:.2f} s", counted(index.size(), "row"), words.search.output,
                           search_text(index.report(), options), clock.lap()));
}

}  // namespace

void add_index(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("index", "Prepare rows for searches of their nearest neighbours");
  auto words = std::make_shared<IndexWords>();
  words->search.add(*command);
  command->add_option("-o,--output", words->search.output, "Where to save the index")->required()->type_name("INDEX");
  command->add_option("-k", words->k, "Neighbours for which --recall is measured; searches may ask for any number")
      ->type_name("K");
  command->add_option("--first", words->first, "Number of the first row: parts that shall be merged have their own")
      ->type_name("N");
  command->footer(
      "Examples:\n"
      "  bochner index images.npy -o images.index\n"
      "  bochner neighbors images.index new.npy -k 10 -o near.csv\n"
      "  bochner index docs.svm --metric cosine -o docs.index\n"
      "Inputs are compared as they are: where columns have different units, scale them first.");
  command->callback([words, &job] { job = [words] { run_index(*words); }; });
}

}  // namespace bochner
