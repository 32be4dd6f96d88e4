// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <numbers>

#include "maps/fourier.h"
#include "maps/load.h"
#include "maps/structured.h"
#include "methods/explain/product_part.h"

namespace bochner {

namespace {

// Frequencies in turns, [input][frequency], and phases in turns if there are any: as rows of T are mapped by.
struct Turns {
  Matrix<double> omega;
  std::vector<double> phase;
};

template <class T>
Turns drawn_turns(const FourierMap& map) {
  const FourierWeights<T>& w = map.weights<T>();
  Turns turns{Matrix<double>(w.inputs, w.frequencies), {}};
  for (std::size_t r = 0; r < w.frequencies; ++r)
    for (std::size_t j = 0; j < w.inputs; ++j)
      turns.omega(j, r) = double(w.panels[(r / w.kPanel * w.inputs + j) * w.kPanel + r % w.kPanel]);
  if (!w.phase.empty()) turns.phase.assign(w.phase.begin(), w.phase.begin() + std::ptrdiff_t(w.frequencies));
  return turns;
}

// Frequencies that are never formed, from the transforms of unit rows: factor (H D3 H D2 H D1 e_j).
template <class T>
Turns structured_turns(const Backend& on, const FourierMap& map, double scale) {
  const StructuredWeights<T> w = structured_weights<T>(map.inputs(), map.options(), map.frequencies(), scale);
  const std::size_t n = w.width, blocks = w.signs.size() / (3 * n);
  Turns turns{Matrix<double>(w.inputs, w.frequencies), {}};
  Matrix<double> y(blocks, n);
  for (std::size_t j = 0; j < w.inputs; ++j) {
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t i = 0; i < n; ++i) y(b, i) = i == j ? double(w.signs[3 * b * n + i]) : 0;
    for (std::size_t stage = 1; stage <= 3; ++stage) {
      on.hadamard(y.view());
      for (std::size_t b = 0; b < blocks && stage < 3; ++b)
        for (std::size_t i = 0; i < n; ++i) y(b, i) *= double(w.signs[(3 * b + stage) * n + i]);
    }
    for (std::size_t r = 0; r < w.frequencies; ++r) turns.omega(j, r) = y.data()[r] * double(w.factor[r]);
  }
  turns.phase.assign(w.phase.begin(), w.phase.end());
  return turns;
}

Turns turns_of(const Backend& on, const FourierMap& map, bool wide) {
  if (map.options().draw == FourierOptions::Draw::structured)
    return wide ? structured_turns<double>(on, map, 1) : structured_turns<float>(on, map, 1);
  return wide ? drawn_turns<double>(map) : drawn_turns<float>(map);
}

// The same frequencies for rows before a metric has multiplied them.
Turns before_metric(const Turns& turns, const Matrix<double>& metric, const std::vector<double>& shift) {
  Turns all{Matrix<double>(metric.rows(), turns.omega.cols()), turns.phase};
  all.phase.resize(turns.omega.cols(), 0.0);
  for (std::size_t i = 0; i < metric.cols(); ++i)
    for (std::size_t r = 0; r < turns.omega.cols(); ++r) {
      all.phase[r] += shift[i] * turns.omega(i, r);
      for (std::size_t j = 0; j < metric.rows(); ++j) all.omega(j, r) += metric(j, i) * turns.omega(i, r);
    }
  return all;
}

// Features sqrt(1/F) [cos, sin](w x) or sqrt(2/D) cos(w x + b) with coefficients: Re a exp(i w x), whose factors are
// exp(i w_j x_j).
class FourierTerms final : public ProductTerms {
 public:
  FourierTerms(const Workers& on, const ExplainTerm& term, const FourierMap& map) : ProductTerms(term) {
    Turns turns = turns_of(on.ops, map, term.encoding.wide());
    if (term.metric.rows() > 0) turns = before_metric(turns, term.metric, term.shift);
    const std::size_t F = map.frequencies(), outputs = constant.size();
    const bool shifted = map.options().form == FourierOptions::Form::shifted;
    groups_ = (F + kTogether - 1) / kTogether;
    inputs_ = turns.omega.rows();
    omega_.assign(groups_ * inputs_ * kTogether, 0.0);
    for (std::size_t r = 0; r < F; ++r)
      for (std::size_t j = 0; j < inputs_; ++j)
        omega_[(r / kTogether * inputs_ + j) * kTogether + r % kTogether] = turns.omega(j, r);
    a_re.assign(outputs * groups_ * kTogether, 0.0);
    a_im.assign(outputs * groups_ * kTogether, 0.0);
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::size_t r = 0; r < F; ++r) {
        const double angle = turns.phase.empty() ? 0 : 2 * std::numbers::pi * turns.phase[r];
        const double u = map.bound() * term.head.weights(r, k);
        const double v = shifted ? 0 : -map.bound() * term.head.weights(F + r, k);
        const std::size_t at = k * groups_ * kTogether + r;
        a_re[at] = u * std::cos(angle) - v * std::sin(angle);
        a_im[at] = u * std::sin(angle) + v * std::cos(angle);
      }
    ones_.assign(kTogether, 1.0);
    text_ = std::to_string(F) + " Fourier frequencies";
  }

  bool complex() const override { return true; }
  std::size_t count() const override { return groups_; }
  std::string text() const override { return text_; }

  void factors(const Backend& on, const double* row, std::size_t group, double* re, double* im) const override {
    double angles[kTogether], turned[2 * kTogether];
    for (std::size_t j = 0; j < players.size(); ++j) {
      for (double& angle : angles) angle = 0;
      for (const std::uint32_t i : players[j]) {
        if (row[i] == 0) continue;
        const double* const w = omega_.data() + (group * inputs_ + i) * kTogether;
        for (std::size_t c = 0; c < kTogether; ++c) angles[c] += row[i] * w[c];
      }
      on.cosines(MatrixView<const double>{angles, 1, kTogether, kTogether}, ones_.data(), nullptr, 1.0,
                 MatrixView<double>{turned, 1, 2 * kTogether, 2 * kTogether});
      std::copy_n(turned, kTogether, re + j * kTogether);
      std::copy_n(turned + kTogether, kTogether, im + j * kTogether);
    }
  }

 private:
  std::size_t groups_ = 0, inputs_ = 0;
  AlignedVector<double> omega_, ones_;  // [group][input][kTogether], in turns
  std::string text_;
};

}  // namespace

ExplainPartPtr fourier_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background) {
  const MapPtr map = load_fourier(saved_map(*term.map));  // which has checked that it is one
  return product_part(on, std::make_unique<FourierTerms>(on, term, static_cast<const FourierMap&>(*map)), term.encoding,
                      background);
}

}  // namespace bochner
