// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <nlohmann/json.hpp>

#include "bochner/json.h"
#include "bochner/parts.h"
#include "bochner/svd.h"
#include "clock.h"
#include "commands.h"
#include "load_as.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct SolveWords {
  std::string sum, output;
  std::vector<std::string> lambdas;
  bool path = false, json = false;
  RunOptions run;
};

std::vector<double> lambdas_of(const SolveWords& words) {
  require(!words.path || words.lambdas.empty(), "--lambda-path: given together with --lambda, expected one of them");
  std::vector<double> lambdas;
  for (const std::string& text : split_lists(words.lambdas)) {
    lambdas.push_back(parse_number("--lambda", text));
    require(lambdas.back() >= 0, "--lambda: found {}, expected 0 or more", lambdas.back());
  }
  if (words.path)
    for (int step = -20; step <= 2; ++step) lambdas.push_back(std::pow(10.0, step / 2.0));
  return lambdas;
}

// A sketch of `bochner svd`: a factor, and nothing to choose.
void solve_factor(const SolveWords& words, const Execution& execution, Messages& messages) {
  require(words.lambdas.empty() && !words.path && !words.json,
          "{}: is a sketch of `bochner svd`, which has no lambda and no report; leave --lambda, --lambda-path and "
          "--json out",
          words.sum);
  require(!words.output.empty(), "-o: found none, expected a file for the model");
  check_output(words.output, {words.sum});
  const Model model = svd(load_as<FactorSum>(words.sum), execution);
  model.save(words.output);
  const Factor factor = *factor_of(*model.map());
  messages.say(fmt::format("{} of {} of {} in {}: {}; |A - A V V'| is {}{:.4g} of |A| (Frobenius)",
                           counted(model.report().features, "component"), counted(model.report().rows, "row"),
                           counted(model.report().inputs, "input"), words.output, factor.method,
                           factor.above_best ? "" : "at most ", factor.error));
}

void run_solve(const SolveWords& words) {
  Clock clock;
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  if (FactorSum::is_file(words.sum)) return solve_factor(words, execution, messages);
  const std::vector<double> lambdas = lambdas_of(words);
  check_output(words.output, {words.sum});
  const Sum sum = load_sum(words.sum);
  if (sum.kind() == Sum::Kind::gram)
    messages.say(fmt::format("solving for {} rows in {} parts", sum.rows(), sum.parts()));
  const Model model = solve(sum, lambdas, execution, [&](const std::string& line) { messages.say("  " + line); });
  const Report& report = model.report();
  if (!words.output.empty()) model.save(words.output);
  const double seconds = clock.lap();
  for (const std::string& note : report.notes) messages.say("  " + note);
  if (words.json) {
    nlohmann::json tree = nlohmann::json::parse(json_text(report));
    tree["model"] = words.output.empty() ? nlohmann::json() : nlohmann::json(words.output);
    tree["seconds"]["total"] = seconds;
    print_json(tree);
  } else {
    std::string text;
    for (const Report::PathPoint& point : report.path)
      text += point.score.rmse
                  ? fmt::format("lambda {:<10.3g} rmse {:<10.4g} R2 {:.4f}{}\n", point.lambda, *point.score.rmse,
                                *point.score.r2, point.lambda == report.lambda ? "  best" : "")
                  : fmt::format("lambda {:<10.3g} too small to solve for\n", point.lambda);
    print(text + fmt::format("{} by generalized cross-validation; {} features, lambda {:.3g}, {:.2f} s\n",
                             report.score ? report.score->text() : "lambda chosen", report.features, report.lambda,
                             seconds));
  }
  messages.say(words.output.empty() ? "nothing was saved: give -o MODEL to keep the model" : "saved " + words.output);
}

}  // namespace

void add_solve(Command& app, Job& job) {
  Command* command = app.add_subcommand("solve", "Make a model from the merged sums of all parts");
  auto words = std::make_shared<SolveWords>();
  command->add_option("SUM", words->sum, "The merged sums of the second round")->required()->type_name("");
  command->add_option("-o,--output", words->output, "Where to save the model")->type_name("MODEL");
  add_repeatable(*command, "--lambda", words->lambdas, "Several (a,b or again): the best; default: searched")
      ->type_name("L");
  command->add_flag("--lambda-path", words->path, "Every half decade from 1e-10 to 10 instead of a search");
  words->run.add(*command);
  command->add_flag("--json", words->json, "Print the report as JSON");
  command->footer(
      "Examples:\n"
      "  bochner solve all.sum -o prices.model\n"
      "  bochner solve all.sum --lambda-path -o prices.model\n"
      "There are no rows to hold out, so lambda is chosen by generalized cross-validation, an estimate of the squared\n"
      "error on new rows from the sums alone. `bochner eval` tells the error on rows you kept.");
  command->callback([words, &job] { job = [words] { run_solve(*words); }; });
}

}  // namespace bochner
