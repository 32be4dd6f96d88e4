// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/independence.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "clock.h"
#include "commands.h"
#include "output.h"
#include "sample_test_words.h"

namespace bochner {

namespace {

struct IndependenceWords {
  std::string file, task;
  std::vector<std::string> targets;
  IndependenceOptions options;
  bool json = false;
  SampleTestWords test;
};

std::unique_ptr<Rows> open(const IndependenceWords& words) {
  RowsOptions reading = words.test.reading();
  reading.targets = split_lists(words.targets);
  if (!words.task.empty())
    reading.task = parse_word<Task>("--task", words.task,
                                    {{"regression", Task::regression}, {"classification", Task::classification}});
  return open_rows(words.file, reading);
}

// The verdict and the columns that the target depends on, the clearest first.
std::string text_of(const Independence& found) {
  std::string text = fmt::format("p-value {:.4g}, HSIC {:.4g}: {}{}\n", found.p_value, found.statistic,
                                 counted(found.rows, "row"), found.exact ? "" : ", by the limit law");
  std::vector<const Independence::Column*> order;
  for (const Independence::Column& column : found.columns) order.push_back(&column);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->p_value, -a->statistic) < std::pair(b->p_value, -b->statistic);
  });
  const auto clear = std::count_if(order.begin(), order.end(), [](const auto* c) { return c->p_value <= 0.05; });
  if (!order.empty())
    text +=
        fmt::format("{} of {} alone (p <= 0.05, corrected for their number)\n", clear, counted(order.size(), "column"));
  for (std::ptrdiff_t i = 0; i < std::min<std::ptrdiff_t>(clear, 20); ++i)
    text += fmt::format("  {:<24} p {:<8.4g} {:.1f} deviations above chance\n", one_line(order[i]->name),
                        order[i]->p_value, order[i]->statistic);
  return text;
}

nlohmann::json json_of(const Independence& found) {
  nlohmann::json columns = nlohmann::json::array();
  for (const Independence::Column& column : found.columns)
    columns.push_back({{"name", column.name},
                       {"p_value", column.p_value},
                       {"p_value_alone", column.p_value_alone},
                       {"statistic", column.statistic}});
  return {{"p_value", found.p_value},
          {"statistic", found.statistic},
          {"p_value_is", found.exact ? "by permutations" : "by the limit law"},
          {"columns", columns},
          {"rows", found.rows},
          {"rows_permuted", found.rows_permuted},
          {"features", found.features},
          {"permutations", found.permutations},
          {"notes", found.notes}};
}

void run_independence(IndependenceWords words) {
  Clock clock;
  Messages messages(words.test.run.quiet);
  words.options.kernel = parse_kernel(words.test.kernel);
  words.test.read_bandwidths(words.options.bandwidths);
  words.options.execution = words.test.run.execution(messages);
  words.options.say = [&messages](const std::string& line) { messages.say("  " + line); };
  const std::unique_ptr<Rows> rows = open(words);
  for (const std::string& note : rows->notes()) messages.say("  " + note);
  const Independence found = independence(*rows, words.options);
  if (!words.json) return print(text_of(found));
  nlohmann::json tree = json_of(found);
  tree["file"] = words.file;
  tree["seconds"] = clock.lap();
  print_json(tree);
}

}  // namespace

void add_independence(Command& app, Job& job) {
  Command* command = app.add_subcommand("independence", "Test whether a target depends on the inputs, in any way");
  auto words = std::make_shared<IndependenceWords>();
  IndependenceOptions& options = words->options;
  command->add_option("FILE", words->file, "Rows: csv, svmlight or npy, plain or .gz, .xz, .zst")
      ->required()
      ->type_name("");
  add_repeatable(*command, "-t,--target", words->targets,
                 "Column that may depend on the others, by name or index from 0; several: a,b or again")
      ->type_name("NAME|INDEX")
      ->group(kColumns);
  command->add_flag("--json", words->json, "All numbers as JSON on stdout");
  command->add_option("--permutations", options.permutations, "How many; default 500: p-values down to 0.002")
      ->type_name("N");
  command
      ->add_option("--permuted-rows", options.permuted_rows,
                   "Most rows for permutations; the limit law stands in for more; default 16384")
      ->type_name("N");
  command
      ->add_option("--features", options.features, "Features of inputs and of targets, for each bandwidth; default 64")
      ->type_name("N");
  command->add_option("--seed", options.seed, "Seed of features and permutations")->type_name("N");
  command->add_option("--task", words->task, "regression or classification; default: by the target's values")
      ->type_name("T");
  words->test.add(*command, "Times the median distance of rows; default 0.5,1,2, joined in one p-value");
  command->footer(
      "Examples:\n"
      "  bochner independence cars.csv --target price\n"
      "  bochner independence cars.csv --target price --ignore id --json --permutations 9999\n"
      "p_value is of all inputs together: if the target depends on none of them, it is below 0.05 in 5 % of such "
      "files.\n"
      "Those of columns are corrected for their number; a column may matter only beside others, and not alone.");
  command->callback([words, &job] { job = [words] { run_independence(*words); }; });
}

}  // namespace bochner
