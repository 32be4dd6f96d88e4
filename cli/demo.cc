// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bochner/train.h"
#include "clock.h"
#include "commands.h"
#include "digits.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

constexpr double kGamma = 0.2;
constexpr std::size_t kFeatures[] = {30, 60, 90, 120, 150, 180, 210, 240, 270, 540, 1080};
constexpr int kBarWidth = 40;
constexpr double kBarFrom = 0.7;

struct DemoWords {
  std::uint64_t seed = 0;
  int seeds = 5;
  bool json = false;
  RunOptions run;
};

// A row of the table: what is trained, and what the founding document has for it.
struct Machine {
  const char *name, *map;  // as the JSON says: "fourier", "none", "nystroem", "automatic"
  const char* founding = "";
  std::size_t features = 0;
  Learner learner = Learner::svm;
  MarginLoss loss = MarginLoss::squared;  // as in the founding document's linear machines
};

// Accuracy on the second half, over several seeds.
struct Trial {
  Machine machine;
  double least = 1, mean = 0, most = 0, seconds = 0;
};

bool is_random(const Machine& machine) { return machine.map == std::string_view("fourier"); }

// Support vector machines have C = 1, as the founding document's; ridge searches lambda, and the automatic machine
// everything, gamma too.
TrainOptions options_of(const Machine& machine, std::uint64_t seed, const Execution& execution) {
  TrainOptions options;
  options.seed = options.ridge.seed = seed;
  options.execution = execution;
  if (machine.map == std::string_view("automatic")) {
    options.automatic = Effort::fast;
    return options;
  }
  options.kernel = gaussian();
  options.bandwidth = 1 / std::sqrt(2 * kGamma);
  options.map = parse_map_options(machine.map);
  options.features = machine.features;
  options.scale = ColumnScaling::Method::none;
  options.learner.learner = machine.learner;
  if (machine.learner != Learner::svm) return options;
  options.learner.loss = machine.loss;
  options.learner.C = {1};
  return options;
}

Trial run_trial(const Digits& digits, const Machine& machine, const DemoWords& words, const Execution& execution) {
  const auto half = [&](std::size_t begin, std::size_t count) {
    return memory_rows<float>(digits.pixels.view().slice(begin, count), digits.labels.view().slice(begin, count),
                              digits.schema);
  };
  const auto train_rows = half(0, digits.train_rows);
  const auto test_rows = half(digits.train_rows, digits.pixels.rows() - digits.train_rows);
  Trial trial{machine};
  const int seeds = is_random(machine) ? words.seeds : 1;
  for (int s = 0; s < seeds; ++s) {
    Clock clock;
    const Model model = train(*train_rows, options_of(machine, words.seed + std::uint64_t(s), execution));
    trial.seconds += clock.lap() / seeds;
    const double accuracy = 1 - *model.evaluate(*test_rows, execution).error;
    trial.least = std::min(trial.least, accuracy);
    trial.most = std::max(trial.most, accuracy);
    trial.mean += accuracy / seeds;
  }
  return trial;
}

std::string bar(double accuracy) {
  const double part = (accuracy - kBarFrom) / (1 - kBarFrom);
  return std::string(std::size_t(std::clamp(part, 0.0, 1.0) * kBarWidth + 0.5), '#');
}

std::string line(const Trial& trial) {
  const Machine& machine = trial.machine;
  const std::string name =
      is_random(machine) ? fmt::format("{}, D = {}", machine.name, machine.features) : machine.name;
  const std::string range = is_random(machine) ? fmt::format("{:.3f}-{:.3f}", trial.least, trial.most) : "";
  return fmt::format("{:<22} {:>8}  {:>6.3f} {:>13} {:>8.3f}  |{}\n", name, machine.founding, trial.mean, range,
                     trial.seconds, bar(trial.mean));
}

nlohmann::json to_json(const std::vector<Trial>& trials) {
  nlohmann::json tree{{"founding", {{"rbf_svm", .972}, {"linear_svm", .934}, {"fourier_linear_svm", .954}}},
                      {"ours", nlohmann::json::array()}};
  for (const Trial& t : trials)
    tree["ours"].push_back(
        {{"map", t.machine.map},
         {"learner",
          t.machine.map == std::string_view("automatic") ? "automatic" : learner_row(t.machine.learner).name},
         {"features", t.machine.features},
         {"accuracy", t.mean},
         {"least", t.least},
         {"most", t.most},
         {"seconds", t.seconds}});
  return tree;
}

void run_demo(const DemoWords& words) {
  require(words.seeds >= 1 && words.seeds <= 1000, "--seeds: found {}, expected 1 to 1000", words.seeds);
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  const Digits digits = load_digits();
  const std::size_t n = digits.train_rows;
  std::vector<Trial> trials;
  if (!words.json)
    print(fmt::format(
        "Handwritten digits 0 to 8, 8 x 8 pixels: {} rows train, {} test, gaussian kernel with gamma {}.\n"
        "Accuracy on the test rows: the support vector machines of the notes on random features that this project was\n"
        "founded on, beside ours, trained now with the same C = 1; mean and range of {} seeds, seconds for one "
        "training.\n\n"
        "{:<22} {:>8}  {:>6} {:>13} {:>8}  |{}{:>{}}\n",
        n, digits.pixels.rows() - n, kGamma, words.seeds, "", "founding", "ours", "range", "seconds", kBarFrom, 1.0,
        kBarWidth - 3));
  const auto add = [&](const Machine& machine) {
    trials.push_back(run_trial(digits, machine, words, execution));
    if (!words.json) print(line(trials.back()));
  };
  add({"exact kernel (RBF SVM)", "nystroem", ".972", n, Learner::svm, MarginLoss::linear});  // every row is a landmark
  add({"exact kernel (ridge)", "nystroem", "", n, Learner::ridge});
  add({"linear SVM", "none", ".934", digits.pixels.cols()});
  for (const std::size_t D : kFeatures) add({"Fourier SVM", "fourier", D == 270 ? ".954" : "", D});
  add({"automatic, fast", "automatic"});
  if (words.json) print_json(to_json(trials));
  messages.say(
      "your own data: bochner train FILE --target COLUMN -o MODEL   (the last line, and a little more thorough)");
}

}  // namespace

void add_demo(Command& app, Job& job) {
  Command* command = app.add_subcommand("demo", "Train on the built-in digits, beside the founding table");
  auto words = std::make_shared<DemoWords>();
  command->add_option("--seed", words->seed, "The first seed")->capture_default_str()->type_name("N");
  command->add_option("--seeds", words->seeds, "How many seeds")->capture_default_str()->type_name("N");
  command->add_flag("--json", words->json, "As JSON");
  words->run.add(*command);
  command->footer("Example:\n  bochner demo --threads 1");
  command->callback([words, &job] { job = [words] { run_demo(*words); }; });
}

}  // namespace bochner
