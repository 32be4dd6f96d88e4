// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <nlohmann/json.hpp>

#include "bochner/csv_text.h"
#include "bochner/reduce_model.h"
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
  std::string sign = "free";
  bool json = false, inside = false, levels = false, largest = false;
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
  using Weights = ReduceOptions::Weights;
  reduce.weights = parse_word<Weights>(
      "--weights-are", words.sign,
      {{"free", Weights::free}, {"positive", Weights::positive}, {"probabilities", Weights::probabilities}});
  reduce.inside = words.inside;
  reduce.compared = words.largest;
  options.levels = words.levels;
  reduce.features = words.features;
  reduce.starts = words.starts;
  reduce.seed = words.seed;
  reduce.execution = words.expansion.run.execution(messages);
  reduce.say = [&messages](const std::string& line) { messages.say("  " + line); };
  return options;
}

// Points and the weights of one or several functions.
std::string csv_of(const Matrix<double>& points, MatrixView<const double> weights, const Schema& schema) {
  std::string text;
  for (const std::string& name : schema.input_names()) {
    append_cell(text, name);
    text += ',';
  }
  for (std::size_t f = 0; f < weights.cols; ++f) {
    if (f > 0) text += ',';
    append_cell(text, weights.cols == 1 ? "weight" : "weight:" + schema.target_names()[f]);
  }
  text += '\n';
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) text += fmt::format("{},", points(i, j));
    for (std::size_t f = 0; f < weights.cols; ++f) text += fmt::format("{}{}", f > 0 ? "," : "", weights(i, f));
    text += '\n';
  }
  return text;
}

// Several columns of coefficients: points that serve all of them.
void reduce_shared(const ReduceWords& words, const ReduceRowsOptions& options, Rows& rows, Messages& messages) {
  const SharedSet set = reduce_together(shared_expansion_of(rows, options.kernel, options.bandwidth), options.reduce);
  if (!words.output.empty() || !words.json) {
    Output output(words.output);
    output.write(csv_of(set.points, set.weights.view(), rows.schema()));
    output.finish();
  }
  messages.say(fmt::format("{} for {} in {:.3g} s: RKHS distance {:.6g} of {:.6g}", counted(set.points.rows(), "point"),
                           counted(set.weights.cols(), "function"), set.seconds, set.rkhs_distance, set.norm));
  if (words.json)
    print_json({{"rkhs_distance", set.rkhs_distance},
                {"rkhs_distance_is", "exact"},
                {"rkhs_norm", set.norm},
                {"seconds", set.seconds},
                {"points", set.points.rows()},
                {"functions", set.weights.cols()},
                {"steps", set.steps},
                {"method", words.method},
                {"kernel", kernel_name(set.kernel)},
                {"length_scales", set.kernel.length_scales}});
}

// A model of landmarks to one of fewer points.
void reduce_model(const ReduceWords& words) {
  Messages messages(words.expansion.run.quiet);
  require(!words.output.empty() && words.output != "-", "-o: expected a file for the model");
  const ExpansionWords& rows = words.expansion;
  require(rows.kernel == "gaussian" && rows.bandwidth.empty() && rows.coefficients.empty() && rows.weights.empty(),
          "{}: is a model, which has its kernel and coefficients, expected none of --kernel, --bandwidth, "
          "--coefficients and --weights",
          rows.file);
  check_output(words.output, {rows.file});
  const ReducedModel found = reduce(load_model(rows.file), options_of(words, messages).reduce);
  found.model.save(words.output);
  messages.say(fmt::format("{} for {} in {}, {:.3g} s", counted(found.points, "point"),
                           counted(found.landmarks, "landmark"), words.output, found.seconds));
  if (words.json)
    print_json({{"rkhs_distance", found.rkhs_distance},
                {"rkhs_distance_is", "exact"},
                {"rkhs_norm", found.norm},
                {"seconds", found.seconds},
                {"points", found.points},
                {"landmarks", found.landmarks},
                {"method", words.method}});
}

void run_reduce(const ReduceWords& words) {
  Clock clock;
  Messages messages(words.expansion.run.quiet);
  require(words.points > 0, "--points: found 0, expected 1 or more");
  if (is_model_file(words.expansion.file)) return reduce_model(words);
  require(!words.json || words.output != "-", "-o: found - with --json, which goes to stdout too; expected a file");
  if (!words.output.empty()) check_output(words.output, {words.expansion.file});
  if (!is_stdout(words.output)) check_text_name(words.output);
  const ReduceRowsOptions options = options_of(words, messages);
  const std::unique_ptr<Rows> rows = words.expansion.open();
  require(!words.largest || rows->schema().targets > 1,
          "--largest: compares several functions, expected several columns by --coefficients a,b,...");
  for (const std::string& note : rows->notes()) messages.say("  " + note);
  if (rows->schema().targets > 1) return reduce_shared(words, options, *rows, messages);
  const ReducedSet set = reduce(*rows, options);
  if (!words.output.empty() || !words.json) {
    Output output(words.output);
    output.write(csv_of(set.points, {set.weights.data(), set.weights.size(), 1, 1}, rows->schema()));
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

void add_reduce(Command& app, Job& job) {
  Command* command = app.add_subcommand("reduce", "Stand for many rows by a few weighted points");
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
  command
      ->add_option("--weights-are", words->sign,
                   "Weights of the points: free (default), positive, or probabilities: positive, and together 1")
      ->type_name("W");
  command->add_flag("--inside", words->inside, "No point leaves the range of any input");
  command->add_flag("--levels", words->levels, "Points have levels of text columns, and do not lie between them");
  command->add_flag("--largest", words->largest,
                    "Only which of several --coefficients is largest counts, as for classes: their mean is left out");
  command->add_option("--seed", words->seed, "Seed of everything random")->type_name("N");
  words->expansion.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner reduce cars.csv --points 20 -o points.csv\n"
      "  bochner reduce cars.csv --points 20 --bandwidth 0.5 --method herding --json -o points.csv\n"
      "  bochner reduce sensors.npy --points 200 --kernel matern:nu=2.5 --json -o points.csv\n"
      "  bochner reduce vectors.csv --coefficients alpha --bandwidth 4 --points 30 -o smaller.csv     of a kernel "
      "machine\n"
      "  bochner reduce cars.model --points 50 -o small.model       a model of --map nystroem, by fewer points\n"
      "  bochner reduce vectors.csv --coefficients a0,a1,a2 --bandwidth 4 --points 90 -o shared.csv   of three at "
      "once\n"
      "The weighted points have nearly the kernel mean of the rows: sums over rows become sums over points. The "
      "report\n"
      "has the distance in the kernel's space from all pairs (exact) and the random-feature objective.");
  command->callback([words, &job] { job = [words] { run_reduce(*words); }; });
}

}  // namespace bochner
