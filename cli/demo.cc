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

// Accuracy on the second half, over several seeds.
struct Trial {
  std::size_t features = 0;  // 0: no map, a linear model
  double least = 1, mean = 0, most = 0, seconds = 0;
};

Trial run_trial(const Digits& digits, std::size_t features, const DemoWords& words, const Execution& execution) {
  const auto half = [&](std::size_t begin, std::size_t count) {
    return memory_rows<float>(digits.pixels.view().slice(begin, count), digits.labels.view().slice(begin, count),
                              digits.schema);
  };
  const auto train_rows = half(0, digits.train_rows);
  const auto test_rows = half(digits.train_rows, digits.pixels.rows() - digits.train_rows);
  Trial trial{features};
  const int seeds = features == 0 ? 1 : words.seeds;  // nothing is random in a linear model
  for (int s = 0; s < seeds; ++s) {
    TrainOptions options;
    options.kernel = gaussian();
    options.bandwidth = 1 / std::sqrt(2 * kGamma);
    if (features == 0) options.map = NoMap{};
    options.features = features;
    options.scale = ColumnScaling::Method::none;
    options.seed = options.ridge.seed = words.seed + std::uint64_t(s);
    options.execution = execution;
    Clock clock;
    const Model model = train(*train_rows, options);
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

std::string line(const std::string& name, const char* founding, const Trial& trial) {
  return fmt::format("{:<22} {:>8}  {:>6.3f} {:>7.3f}-{:.3f} {:>8.3f}  |{}\n", name, founding, trial.mean, trial.least,
                     trial.most, trial.seconds, bar(trial.mean));
}

nlohmann::json to_json(const std::vector<Trial>& trials) {
  nlohmann::json tree{{"founding", {{"rbf_svm", .972}, {"linear_svm", .934}, {"fourier_linear_svm", .954}}},
                      {"ours", nlohmann::json::array()}};
  for (const Trial& t : trials)
    tree["ours"].push_back({{"map", t.features ? "fourier" : "none"},
                            {"features", t.features ? t.features : 64},
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
  const std::size_t test_rows = digits.pixels.rows() - digits.train_rows;
  std::vector<Trial> trials;
  if (!words.json)
    print(fmt::format(
        "Handwritten digits 0 to 8, 8 x 8 pixels: {} rows train, {} test, gaussian kernel with gamma {}.\n"
        "Accuracy on the test rows: the founding document's support vector machines beside ridge on random Fourier\n"
        "features, trained now; mean and range of {} seeds, seconds for one training.\n\n"
        "{:<22} {:>8}  {:>6} {:>13} {:>8}  |{}{:>{}}\n"
        "{:<22} {:>8}\n",
        digits.train_rows, test_rows, kGamma, words.seeds, "", "founding", "ours", "range", "seconds", kBarFrom, 1.0,
        kBarWidth - 3, "exact kernel (RBF SVM)", ".972"));
  const auto add = [&](std::size_t features, const std::string& name, const char* founding) {
    trials.push_back(run_trial(digits, features, words, execution));
    if (!words.json) print(line(name, founding, trials.back()));
  };
  add(0, "linear", ".934");
  for (const std::size_t D : kFeatures) add(D, fmt::format("Fourier, D = {}", D), D == 270 ? ".954" : "");
  if (words.json) print_json(to_json(trials));
  messages.say("your own data: bochner train FILE --target COLUMN -o MODEL");
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
