// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/reduce.h"

#include <nlohmann/json.hpp>

#include "bochner/csv_text.h"
#include "clock.h"
#include "commands.h"
#include "expansion_words.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct ReduceWords {
  std::string output, method = "joint";
  std::size_t points = 0, features = 0, starts = 0;
  std::uint64_t seed = 0;
  bool json = false;
  ExpansionWords expansion;
};

using Method = ReduceOptions::Method;

ReduceRowsOptions options_of(const ReduceWords& words, Messages& messages) {
  ReduceRowsOptions options;
  options.kernel = words.expansion.parsed_kernel();
  options.bandwidth = words.expansion.parsed_bandwidth();
  options.coefficients = !words.expansion.coefficients.empty();
  ReduceOptions& reduce = options.reduce;
  reduce.points = words.points;
  reduce.method = parse_word<Method>("--method", words.method,
                                     {{"joint", Method::joint},
                                      {"rsrf", Method::rsrf},
                                      {"fixed-point", Method::fixed_point},
                                      {"herding", Method::herding},
                                      {"thinning", Method::thinning},
                                      {"kmeans", Method::kmeans}});
  reduce.features = words.features;
  reduce.starts = words.starts;
  reduce.seed = words.seed;
  reduce.execution = words.expansion.run.execution(messages);
  reduce.say = [&messages](const std::string& line) { messages.say("  " + line); };
  return options;
}

std::string csv_of(const ReducedSet& set, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    append_cell(text, name);
    text += ',';
  }
  text += "weight\n";
  for (std::size_t i = 0; i < set.points.rows(); ++i) {
    for (std::size_t j = 0; j < set.points.cols(); ++j) text += fmt::format("{},", set.points(i, j));
    text += fmt::format("{}\n", set.weights[i]);
  }
  return text;
}

void run_reduce(const ReduceWords& words) {
  Clock clock;
  Messages messages(words.expansion.run.quiet);
  require(words.points > 0, "--points: found 0, expected 1 or more");
  require(!words.json || words.output != "-", "-o: found - with --json, which goes to stdout too; expected a file");
  if (!words.output.empty()) check_output(words.output, {words.expansion.file});
  if (!is_stdout(words.output)) check_text_name(words.output);
  const ReduceRowsOptions options = options_of(words, messages);
  const std::unique_ptr<Rows> rows = words.expansion.open();
  for (const std::string& note : rows->notes()) messages.say("  " + note);
  const ReducedSet set = reduce(*rows, options);
  if (!words.output.empty() || !words.json) {
    Output output(words.output);
    output.write(csv_of(set, rows->schema().input_names()));
    output.finish();
  }
  messages.say(fmt::format("{} by {} in {:.3g} s: RKHS distance {:.6g} of {:.6g}, objective {:.6g} of {}",
                           counted(set.points.rows(), "point"), words.method, set.seconds, set.rkhs_distance, set.norm,
                           set.objective, counted(set.features, "feature")));
  if (!words.json) return;
  print_json({{"rkhs_distance", set.rkhs_distance},
              {"rkhs_distance_is", set.distance_exact ? "exact" : "estimate"},
              {"rkhs_norm", set.norm},
              {"objective", set.objective},
              {"seconds", set.seconds},
              {"seconds_total", clock.lap()},
              {"points", set.points.rows()},
              {"features", set.features},
              {"steps", set.steps},
              {"method", words.method},
              {"kernel", kernel_name(set.kernel)},
              {"length_scales", set.kernel.length_scales},
              {"notes", set.notes}});
}

}  // namespace

void add_reduce(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("reduce", "Stand for many rows by a few weighted points");
  auto words = std::make_shared<ReduceWords>();
  words->expansion.add_file(*command);
  command->add_option("--points", words->points, "How many points")->required()->type_name("N");
  command->add_option("-o,--output", words->output, "Where to write the points, as CSV with a column weight; -: stdout")
      ->type_name("POINTS");
  command->add_flag("--json", words->json, "Distance, objective and times as JSON on stdout");
  command
      ->add_option("--method", words->method,
                   "joint (default), rsrf, fixed-point, herding, thinning or kmeans; see docs/embeddings.md")
      ->type_name("M");
  command
      ->add_option("--features", words->features,
                   "Random features of the objective, even; default: twice the unknowns; rsrf 100")
      ->type_name("M");
  command->add_option("--starts", words->starts, "Random starts of joint and rsrf, and of each point of fixed-point")
      ->type_name("N");
  command->add_option("--seed", words->seed, "Of everything random")->type_name("N");
  words->expansion.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner reduce cars.csv --points 20 -o points.csv\n"
      "  bochner reduce cars.csv --points 20 --bandwidth 0.5 --method herding --json -o points.csv\n"
      "  bochner reduce sensors.npy --points 200 --kernel matern:nu=2.5 --json -o points.csv\n"
      "  bochner reduce vectors.csv --coefficients alpha --bandwidth 4 --points 30 -o smaller.csv     of a kernel "
      "machine\n"
      "The weighted points have nearly the kernel mean of the rows: sums over rows become sums over points. The "
      "report\n"
      "has the distance in the kernel's space from all pairs (exact) and the random-feature objective.");
  command->callback([words, &job] { job = [words] { run_reduce(*words); }; });
}

}  // namespace bochner
