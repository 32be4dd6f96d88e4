// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/drift.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bochner/csv_text.h"
#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "sample_test_words.h"

namespace bochner {

namespace {

struct DriftWords {
  std::string reference, fresh, output, title;
  std::size_t permutations = 500, features = 0, windows = 1;
  std::uint64_t seed = 0;
  bool json = false;
  SampleTestWords test;
};

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

DriftOptions options_of(const DriftWords& words, Messages& messages) {
  DriftOptions options;
  options.kernel = parse_kernel(words.test.kernel);
  words.test.read_bandwidths(options.bandwidths);
  options.features = words.features;
  options.permutations = words.permutations;
  options.windows = words.windows;
  options.seed = words.seed;
  options.reading = words.test.reading();
  options.execution = words.test.run.execution(messages);
  options.say = [&messages](const std::string& line) { messages.say("  " + line); };
  return options;
}

std::string mean_text(const Drift::ColumnChange& column, double mean) {
  if (std::isnan(mean)) return "none";
  return column.dates ? date_text(std::floor(mean)) : fmt::format("{:.6g}", mean);
}

// What the difference of a column of numbers is: what makes most of it first.
std::string difference_text(const Drift::ColumnChange& column) {
  if (column.text) return "";
  const std::string mean = fmt::format("  mean {} -> {}", mean_text(column, column.mean_reference),
                                       mean_text(column, column.mean_new)),
                    missing = fmt::format("  missing {:.1f} % -> {:.1f} %", 100 * column.missing_reference,
                                          100 * column.missing_new);
  const double shift = std::fabs(column.missing_new - column.missing_reference);
  if (shift < 0.001) return mean;
  return shift >= column.distance / 2 ? missing + mean : mean + missing;
}

// The verdict and the columns that moved, most first.
std::string text_of(const Drift& found) {
  std::string text = fmt::format("p-value {:.4g}, MMD^2 {:.4g}: {} rows beside {} of the reference\n", found.p_value,
                                 found.statistic, found.rows_new, found.rows_reference);
  std::vector<const Drift::ColumnChange*> order;
  for (const Drift::ColumnChange& column : found.columns) order.push_back(&column);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(a->p_value, -a->distance) < std::pair(b->p_value, -b->distance);
  });
  std::size_t moved = 0;
  while (moved < order.size() && order[moved]->p_value <= 0.05) ++moved;
  text +=
      fmt::format("{} of {} moved (p <= 0.05, corrected for their number)\n", moved, counted(order.size(), "column"));
  for (std::size_t i = 0; i < std::min<std::size_t>(moved, 20); ++i)
    text += fmt::format("  {:<24} p {:<8.4g} distance {:.3f}{}\n", one_line(order[i]->name), order[i]->p_value,
                        order[i]->distance, difference_text(*order[i]));
  for (const Drift::Window& w : found.windows)
    text += fmt::format("  rows {:>10} to {:<10} p {:<8.4g} MMD^2 {:.4g}\n", w.first, w.first + w.rows - 1, w.p_value,
                        w.statistic);
  for (const std::string& name : found.missing_in_new)
    text += fmt::format("  {}: not in the new file\n", one_line(name));
  for (const std::string& name : found.missing_in_reference)
    text += fmt::format("  {}: not in the reference\n", one_line(name));
  return text;
}

void run_drift(const DriftWords& words) {
  Clock clock;
  Messages messages(words.test.run.quiet);
  if (!words.output.empty()) check_output(words.output, {words.reference, words.fresh});
  require(words.output != "-" || !words.json, "-o: found - with --json, which goes to stdout too; expected a file");
  const Drift found = drift(words.reference, words.fresh, options_of(words, messages));
  if (!words.output.empty()) {
    const std::string title =
        words.title.empty() ? fmt::format("{} beside {}", name_of(words.fresh), name_of(words.reference)) : words.title;
    Output output(words.output);
    output.write(html_page(found, title));
    output.finish();
  }
  if (words.json) {
    nlohmann::json tree = nlohmann::json::parse(json_text(found));
    tree["reference"] = words.reference;
    tree["new"] = words.fresh;
    tree["seconds"] = clock.lap();
    print_json(tree);
  } else if (!is_stdout(words.output) || words.output.empty()) {
    print(text_of(found));
  }
}

}  // namespace

void add_drift(Command& app, Job& job) {
  Command* command = app.add_subcommand("drift", "Test whether new rows come from the same distribution");
  auto words = std::make_shared<DriftWords>();
  command->add_option("REFERENCE", words->reference, "Rows as they were: csv, svmlight or npy")
      ->required()
      ->type_name("");
  command->add_option("NEW", words->fresh, "Rows as they are now; columns meet by name")->required()->type_name("");
  command->add_option("-o,--output", words->output, "Where to write a page with pictures; -: stdout")->type_name("OUT");
  command->add_flag("--json", words->json, "All numbers as JSON on stdout");
  command->add_option("--title", words->title, "Title of the page; default: the names of the files")->type_name("TEXT");
  command->add_option("--permutations", words->permutations, "How many; default 500: p-values down to 0.002")
      ->type_name("N");
  command->add_option("--windows", words->windows, "Test as many consecutive parts of the new rows one by one besides")
      ->type_name("N");
  command->add_option("--features", words->features, "Features of each bandwidth, even; default: by the number of rows")
      ->type_name("N");
  command->add_option("--seed", words->seed, "Seed of blocks, permutations and features")->type_name("N");
  words->test.missing = "mark";
  words->test.add(*command, "Times the median distance of rows; default 0.25,0.5,1,2,4, joined in one p-value");
  command->footer(
      "Examples:\n"
      "  bochner drift last-year.csv this-year.csv\n"
      "  bochner drift last-year.csv this-year.csv -o drift.html --ignore id\n"
      "  bochner drift last-year.csv this-year.csv --json --permutations 9999\n"
      "  bochner drift last-year.csv this-year.csv --windows 12                from when on\n"
      "p_value is of all columns together: if nothing changed, it is below 0.05 in 5 % of such files. Those of "
      "columns\n"
      "are corrected for their number. A column that one file lacks is named and left out.");
  command->callback([words, &job] { job = [words] { run_drift(*words); }; });
}

}  // namespace bochner
