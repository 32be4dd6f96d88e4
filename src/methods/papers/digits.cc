// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <cmath>

#include "bochner/papers.h"
#include "bochner/train.h"
#include "methods/papers/claims.h"

namespace bochner {

namespace {

struct Halves {
  std::unique_ptr<Rows> train, test;
};

Halves halves_of(const PaperDigits& digits) {
  const auto half = [&](std::size_t begin, std::size_t count) {
    return memory_rows<float>(digits.pixels.view().slice(begin, count), digits.labels.view().slice(begin, count),
                              digits.schema);
  };
  return {half(0, digits.train_rows), half(digits.train_rows, digits.pixels.rows() - digits.train_rows)};
}

// Accuracy on the second half, with its standard error there.
Found accuracy(const PapersOptions& papers, TrainOptions options, bool random) {
  if (!papers.digits) return {.skipped = "the digits are not there"};
  const Halves halves = halves_of(*papers.digits);
  Found found;
  for (int s = 0; s < (random ? papers.seeds : 1); ++s) {
    options.seed = options.ridge.seed = papers.seed + std::uint64_t(s);
    options.execution = papers.execution;
    const Model model = train(*halves.train, options);
    const Score score = model.evaluate(*halves.test, papers.execution);
    found.values.push_back(1 - *score.error);
    found.error = score.standard_error.value_or(0);
  }
  found.why = fmt::format("{} rows train, {} test", papers.digits->train_rows,
                          papers.digits->pixels.rows() - papers.digits->train_rows);
  return found;
}

std::size_t all_rows(const PapersOptions& papers) { return papers.digits ? papers.digits->train_rows : 1; }

Found exact_svm(const PapersOptions& papers) {
  return accuracy(papers, founding_svm(papers, Nystroem{}, all_rows(papers)), false);
}
Found linear_svm(const PapersOptions& papers) { return accuracy(papers, founding_svm(papers, NoMap{}, 0), false); }
Found fourier_svm(const PapersOptions& papers, FourierOptions::Draw draw) {
  return accuracy(papers, founding_svm(papers, Fourier{.draw = draw}, 270), true);
}
Found independent_svm(const PapersOptions& papers) { return fourier_svm(papers, FourierOptions::Draw::independent); }
Found orthogonal_svm(const PapersOptions& papers) { return fourier_svm(papers, FourierOptions::Draw::orthogonal); }

Found exact_ridge(const PapersOptions& papers) {
  TrainOptions options = founding_svm(papers, Nystroem{}, all_rows(papers));
  options.learner = {};
  return accuracy(papers, options, false);
}

Found automatic_machine(const PapersOptions& papers) {
  TrainOptions options;
  options.automatic = Effort::normal;
  return accuracy(papers, options, false);
}

Found bins(const PapersOptions& papers) {
  TrainOptions options;
  options.kernel = laplacian();
  options.map = Binning{.law = PitchLaw()};
  options.features = 100;
  options.scale = ColumnScaling::Method::none;
  return accuracy(papers, options, true);
}

}  // namespace

TrainOptions founding_svm(const PapersOptions& papers, const MapOptions& map, std::size_t features) {
  constexpr double kGamma = 0.2;
  TrainOptions options;
  options.kernel = gaussian();
  options.bandwidth = 1 / std::sqrt(2 * kGamma);
  options.map = map;
  options.features = features;
  options.scale = ColumnScaling::Method::none;
  options.learner.learner = Learner::svm;
  options.learner.loss = std::holds_alternative<Nystroem>(map.parts[0].map) ? MarginLoss::linear : MarginLoss::squared;
  options.learner.C = {1};
  options.seed = papers.seed;
  options.execution = papers.execution;
  return options;
}

std::vector<Claim> digit_claims() {
  return {
      {"digits", "000", "Table 1", "support vector machine with the exact gaussian kernel: accuracy", .972, .0005,
       ClaimKind::more, exact_svm, "--map nystroem with every training row a landmark, hinge, C = 1, gamma = 0.2"},
      {"digits", "000", "Table 1", "linear support vector machine: accuracy", .934, .0005, ClaimKind::more, linear_svm,
       "--map none --learner svm, squared hinge, C = 1"},
      {"digits", "000", "Table 1", "linear machine on D = 270 Fourier features: accuracy", .954, .0005, ClaimKind::more,
       independent_svm, "--map fourier --features 270 --learner svm, squared hinge, C = 1"},
      {"digits", "000", "Table 1", "the same with orthogonal frequencies: accuracy", .954, .0005, ClaimKind::more,
       orthogonal_svm, "--map fourier:draw=orthogonal --features 270"},
      {"digits", "000", "Table 1", "ridge with the exact kernel beside its support vector machine: accuracy", .972,
       .0005, ClaimKind::more, exact_ridge, "--map nystroem, every training row a landmark, lambda searched"},
      {"digits", "000", "Table 1", "the automatic machine beside the exact kernel: accuracy", .972, .0005,
       ClaimKind::more, automatic_machine, "`bochner train` with nothing said"},
      {"digits", "000", "section 3", "random binning features, which the author could not code: accuracy", std::nullopt,
       0, ClaimKind::has, bins, "--map binning --kernel laplacian --features 100"},
  };
}

}  // namespace bochner
