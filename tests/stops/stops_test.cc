// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors
//
// A training stopped at any of its points goes on to the same bytes. Execution::cancel is asked at every point
// where a training may end, so its k-th call is the k-th point: nothing here depends on the clock.
//
// BOCHNER_STOPS=N stops at N points of each kind of training, evenly spread and the last among them, `all` at every
// one (80,000, hours); without it at a few. `make stops` takes 100.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "bochner/train.h"
#include "run/checkpoint.h"

namespace bochner {
namespace {

namespace fs = std::filesystem;

const std::string kNumbers = BOCHNER_TEST_DATA "/cpu-small.csv", kClasses = BOCHNER_TEST_DATA "/adult-small.csv";
constexpr long kFewPoints = 5;

struct Kind {
  std::string name, file, target;
  std::function<void(TrainOptions&)> choose;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

// Three classes far apart: what a hard margin needs.
std::string blobs() {
  std::mt19937 draw(5);
  const auto number = [&](double at) { return std::to_string(at + double(draw() % 1000) / 1000); };
  std::string text = "a,b,class\n";
  for (int i = 0; i < 300; ++i) text += number(4 * (i % 3)) + ',' + number(3 * (i % 2)) + ',' + "xyz"[i % 3] + '\n';
  return text;
}

void ridge(TrainOptions& o, RidgeOptions::Solver solver) {
  o.features = 128;
  o.bandwidth = 1;
  o.ridge.solver = solver;
}

void learner(TrainOptions& o, Learner which, std::vector<double> C = {}) {
  o.features = 48;
  o.bandwidth = 4;
  o.learner.learner = which;
  o.learner.C = std::move(C);
}

void bins(TrainOptions& o, const std::string& map, std::size_t grids, Learner which = Learner::ridge) {
  o.map = parse_map_options(map);
  o.features = grids;
  o.kernel.family = Kernel::Family::laplacian;
  o.learner.learner = which;
}

const std::vector<Kind> kKinds = {
    {"ridge_cg", kNumbers, "usr", [](auto& o) { ridge(o, RidgeOptions::Solver::cg); }},
    {"ridge_cholesky", kNumbers, "usr", [](auto& o) { ridge(o, RidgeOptions::Solver::cholesky); }},
    {"bandwidth_searched", kNumbers, "usr",
     [](auto& o) {
       o.features = 32;
       o.ridge.lambdas = {1e-6};
     }},
    {"bandwidths_searched", kNumbers, "usr",
     [](auto& o) {
       o.features = 32;
       o.bandwidth = Bandwidth::Rule::searched_per_input;
       o.ridge.lambdas = {1e-6};
     }},
    {"svm", kClasses, "income",
     [](auto& o) {
       learner(o, Learner::svm, {1, 10});
     }},
    {"svm_squared_hinge", kClasses, "income",
     [](auto& o) {
       learner(o, Learner::svm, {1, 10});
       o.learner.loss = MarginLoss::squared;
     }},
    {"hard_svm", "blobs.csv", "class", [](auto& o) { learner(o, Learner::hard_svm); }},
    {"logistic", kClasses, "income", [](auto& o) { learner(o, Learner::logistic); }},
    {"huber", kNumbers, "usr", [](auto& o) { learner(o, Learner::huber); }},
    {"svr", kNumbers, "usr",
     [](auto& o) {
       learner(o, Learner::svr, {1, 10});
     }},
    {"bins", kNumbers, "usr", [](auto& o) { bins(o, "binning", 8); }},
    {"bins_steps", kNumbers, "usr",
     [](auto& o) {
       bins(o, "binning:steps=6", 20);
       o.bandwidth = 1;
     }},
    {"bins_sweeps", kNumbers, "usr",
     [](auto& o) {
       bins(o, "binning:sweeps=3", 20);
       o.bandwidth = 1;
     }},
    {"bins_logistic", kClasses, "income",
     [](auto& o) {
       bins(o, "binning:sweeps=3", 20, Learner::logistic);
       o.bandwidth = 1;
     }},
    {"bins_svm", kClasses, "income",
     [](auto& o) {
       bins(o, "binning", 20, Learner::svm);
       o.bandwidth = 1;
     }},
    {"bins_huber", kNumbers, "usr",
     [](auto& o) {
       bins(o, "binning", 20, Learner::huber);
       o.bandwidth = 1;
       o.learner.C = {1, 10};
     }},
    {"mixture_svr", kNumbers, "usr",
     [](auto& o) {
       bins(o, "fourier+binning", 32, Learner::svr);
       o.bandwidth = 1;
       o.learner.C = {1};
     }},
    {"bins_pursuit", kClasses, "income", [](auto& o) { bins(o, "binning:order=1-2,sweeps=2,pursuit=5", 20); }},
    {"mixture", kNumbers, "usr",
     [](auto& o) {
       bins(o, "fourier+binning", 32);
       o.bandwidth = 1;
     }},
    {"nystroem", kNumbers, "usr",
     [](auto& o) {
       o.map = Nystroem{};
       o.features = 50;
       o.bandwidth = 1;
     }},
    {"nystroem_leverage", kNumbers, "usr",
     [](auto& o) {
       o.map = parse_map_options("nystroem:landmarks=leverage");
       o.features = 50;
     }},
};

class Stops : public ::testing::TestWithParam<Kind> {
 protected:
  Stops() : folder_(fs::temp_directory_path() / ("bochner-stops-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "blobs.csv") << blobs();
    path_ = folder_ / "checkpoint";
  }
  ~Stops() override { fs::remove_all(folder_); }

  // The bytes of the model. Saves only when it is stopped, at the k-th point (0: never).
  std::string train_until(long k, bool resume, int threads) {
    const Kind& kind = GetParam();
    TrainOptions options;
    kind.choose(options);
    options.execution.threads = threads;
    options.execution.memory = std::size_t(1) << 30;
    options.checkpoint = {.path = path_, .resume = resume, .first_seconds = 1e9};
    points_ = 0;
    options.execution.cancel = [this, k] { return ++points_ >= k && k > 0; };
    const auto rows = open_rows(folder_ / kind.file, {.targets = {kind.target}, .threads = 1});
    const std::string model = folder_ / "model";
    train(*rows, options).save(model);
    std::ifstream file(model, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void forget() {
    for (const std::string& file : CheckpointPlace::files(path_)) fs::remove(file);
  }

  // Whether it was stopped, rather than done before.
  bool stopped_at(long k, bool resume, int threads) {
    try {
      train_until(k, resume, threads);
      return false;
    } catch (const Stopped&) {
      return true;
    }
  }

  fs::path folder_;
  std::string path_;
  std::atomic<long> points_{0};
};

std::vector<long> chosen_points(long all) {
  const char* asked = std::getenv("BOCHNER_STOPS");
  const long most = !asked ? kFewPoints : std::string(asked) == "all" ? all : std::max(1L, std::atol(asked));
  const long count = std::min(all, most);
  std::vector<long> points;
  for (long i = 1; i <= count; ++i) points.push_back(i * all / count);
  return points;
}

TEST_P(Stops, AtAnyPointLeadToTheSameBytes) {
  const std::string expected = train_until(0, false, 1);
  const long all = points_;
  ASSERT_GT(all, 0);
  long twice = 0, failures = 0;
  const std::vector<long> points = chosen_points(all);
  for (const long k : points) {
    forget();
    ASSERT_TRUE(stopped_at(k, false, 1)) << "at point " << k << " of " << all;
    try {
      // Once more on the way, which may come while the first state is being taken up.
      const int threads = k % 2 ? 2 : 1;
      twice += stopped_at(1 + k * 7919 % all, true, threads);
      const bool same = train_until(0, true, 3 - threads) == expected;
      failures += !same;
      EXPECT_TRUE(same) << "other bytes after a stop at point " << k << " of " << all;
    } catch (const std::exception& error) {
      ++failures;
      ADD_FAILURE() << "refused after a stop at point " << k << " of " << all << ": " << error.what();
    }
  }
  std::cout << GetParam().name << ": " << all << " points, " << points.size() << " tried, " << twice
            << " stopped twice, " << failures << " failed" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Trainings, Stops, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bochner
