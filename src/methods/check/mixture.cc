// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "methods/check/subject.h"

namespace bochner {

namespace {

// z = [sqrt(w_1) z_1, sqrt(w_2) z_2, ...] for k = w_1 k_1 + w_2 k_2 + ..., the z_i drawn independently. The weights
// here are shares: they add up to 1.
class MixtureSubject final : public CheckSubject {
 public:
  explicit MixtureSubject(std::vector<CheckPart> parts) : parts_(std::move(parts)) {
    // A part that is a mixture itself has shares of its own.
    for (const CheckPart& part : parts_) weight_ += part.weight * part.subject->weight();
    for (CheckPart& part : parts_) part.weight *= part.subject->weight() / weight_;
  }

  std::string kernel() const override {
    return joined([](const CheckSubject& part) { return part.kernel(); });
  }
  std::string map() const override {
    return joined([](const CheckSubject& part) { return part.map(); });
  }
  std::size_t features() const override {
    std::size_t sum = 0;
    for (const CheckPart& part : parts_) sum += part.subject->features();
    return sum;
  }
  bool random() const override {
    return std::any_of(parts_.begin(), parts_.end(), [](const CheckPart& part) { return part.subject->random(); });
  }
  bool unbiased() const override {
    return std::all_of(parts_.begin(), parts_.end(), [](const CheckPart& part) { return part.subject->unbiased(); });
  }
  bool one_sided() const override {
    return std::all_of(parts_.begin(), parts_.end(), [](const CheckPart& part) { return part.subject->one_sided(); });
  }
  double weight() const override { return weight_; }

  void exact(MatrixView<const float> x, Threads& threads, MatrixView<double> K) const override {
    add_parts(x, K, [&](const CheckPart& part, MatrixView<const float> seen, MatrixView<double> k) {
      part.subject->exact(seen, threads, k);
      return part.weight;
    });
  }
  void estimate(MatrixView<const float> x, std::uint64_t draw, Threads& threads, MatrixView<double> G) const override {
    add_parts(x, G, [&](const CheckPart& part, MatrixView<const float> seen, MatrixView<double> g) {
      part.subject->estimate(seen, part.subject->random() ? draw : 0, threads, g);
      return part.weight;
    });
  }
  // The parts are independent: the variance is the sum of w_i^2 V_i. A part that is not random adds nothing.
  bool variance(MatrixView<const float> x, Threads& threads, MatrixView<double> V) const override {
    bool known = true;
    add_parts(x, V, [&](const CheckPart& part, MatrixView<const float> seen, MatrixView<double> v) {
      if (!part.subject->random()) return 0.0;
      known = known && part.subject->variance(seen, threads, v);
      return part.weight * part.weight;
    });
    return known;
  }

  // The bounds of pairs are Chernoff's: an error of epsilon has probability at most 2 exp(-epsilon^2 / (2 s^2)), s^2
  // the variance proxy, which is w^2 s^2 of a weighted part and adds up over independent ones. So epsilon_i = s_i c
  // with one c for all parts, and epsilon^2 = sum w_i^2 epsilon_i^2. What holds always adds up as it is, and so do
  // bounds of whole sets, each part failing with a probability of delta / parts.
  ErrorBounds bounds(MatrixView<const float> x, std::uint64_t pairs, double delta, Threads& threads) const override {
    ErrorBounds whole{0.0, 0.0, 0.0, true};
    ErrorBounds squares{0.0, 0.0, {}, false};
    const auto add = [](std::optional<double>& sum, const std::optional<double>& epsilon, double weight, bool square) {
      if (!epsilon) sum.reset();
      if (sum) *sum += square ? weight * weight * *epsilon * *epsilon : weight * *epsilon;
    };
    for (const CheckPart& part : parts_) {
      Matrix<float> kept;
      const MatrixView<const float> seen = seen_by(part, x, kept);
      const ErrorBounds of = part.subject->bounds(seen, pairs, delta, threads);
      ErrorBounds& pointwise = of.always ? whole : squares;
      add(pointwise.one_pair, of.always ? of.these_pairs : of.one_pair, part.weight, !of.always);
      add(pointwise.these_pairs, of.these_pairs, part.weight, !of.always);
      const bool again = of.as_far_apart && parts_.size() > 1;
      const ErrorBounds shared = again ? part.subject->bounds(seen, pairs, delta / double(parts_.size()), threads) : of;
      add(whole.as_far_apart, shared.as_far_apart, part.weight, false);
      whole.always = whole.always && of.always;
    }
    const auto together = [](std::optional<double>& sum, const std::optional<double>& square) {
      if (!square) sum.reset();
      if (sum) *sum += std::sqrt(*square);
    };
    together(whole.one_pair, squares.one_pair);
    together(whole.these_pairs, squares.these_pairs);
    if (whole.always) whole.one_pair.reset();  // the same
    return whole;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const CheckPart& part : parts_)
      for (const std::string& note : part.subject->notes())
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    if (random() && !unbiased())
      notes.push_back("a part is not drawn: variance is that of the others, and its own error stays in the bias");
    return notes;
  }

 private:
  // kept: holds what the part sees where that is not x.
  static MatrixView<const float> seen_by(const CheckPart& part, MatrixView<const float> x, Matrix<float>& kept) {
    if (!part.before) return x;
    kept = mapped<float>(*part.before, x);
    return kept.view();
  }

  // sum = of factor * matrix over the parts; fill(part, rows, matrix) gives the factor, 0: nothing to add.
  template <class Fill>
  void add_parts(MatrixView<const float> x, MatrixView<double> sum, const Fill& fill) const {
    Matrix<double> of_part(x.rows, x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) std::fill_n(&sum(i, 0), x.rows, 0.0);
    for (const CheckPart& part : parts_) {
      Matrix<float> kept;
      const double factor = fill(part, seen_by(part, x, kept), of_part.view());
      if (factor == 0) continue;
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.rows; ++j) sum(i, j) += factor * of_part(i, j);
    }
  }

  template <class Name>
  std::string joined(const Name& name) const {
    if (parts_.size() == 1) return name(*parts_[0].subject);
    std::string text;
    for (const CheckPart& part : parts_) {
      const std::string inner = name(*part.subject);
      const bool sum = inner.find(" + ") != inner.npos;
      text += fmt::format("{}{:.3g} * {}{}{}", text.empty() ? "" : " + ", part.weight, sum ? "(" : "", inner,
                          sum ? ")" : "");
    }
    return text;
  }

  std::vector<CheckPart> parts_;
  double weight_ = 0;  // sum over all parts
};

}  // namespace

std::unique_ptr<CheckSubject> check_mixture(std::vector<CheckPart> parts) {
  require(!parts.empty(), "check: found no parts, expected at least one");
  for (const CheckPart& part : parts)
    require(part.weight > 0 && std::isfinite(part.weight), "check: a part weighs {}, expected a positive number",
            part.weight);
  return std::make_unique<MixtureSubject>(std::move(parts));
}

}  // namespace bochner
