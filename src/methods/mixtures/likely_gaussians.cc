// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/lease.h"
#include "base/require.h"
#include "methods/mixtures/gaussians.h"

// Densities of the Gaussians that count at a row.
namespace bochner {

namespace {

constexpr double kBeyond = 70 * std::numbers::ln2;
constexpr std::size_t kMostPairs = 2048;  // pairs of Gaussians that are compared to choose h
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
LowerPanels<T> head_of(const LowerPanels<T>& lower, std::size_t panels) {
  return {.size = panels * LowerPanels<T>::kPanel,
          .values = {lower.values.begin(), lower.values.begin() + std::ptrdiff_t(lower.offsets[panels])},
          .offsets = {lower.offsets.begin(), lower.offsets.begin() + std::ptrdiff_t(panels)}};
}

// |L^-1 v|^2 by the first panels: one, two, ...
template <class T>
std::vector<double> squares_by_panels(const LowerPanels<T>& lower, const std::vector<double>& v) {
  constexpr std::size_t kPanel = LowerPanels<T>::kPanel;
  std::vector<double> squares;
  double all = 0;
  for (std::size_t p = 0; p < lower.offsets.size(); ++p) {
    double white[kPanel] = {};
    const T* const panel = lower.values.data() + lower.offsets[p];
    for (std::size_t j = 0; j < lower.columns(p); ++j)
      for (std::size_t r = 0; r < kPanel; ++r) white[r] += double(panel[j * kPanel + r]) * v[j];
    for (const double w : white) all += w * w;
    squares.push_back(all);
  }
  return squares;
}

// Multiplications of a row, and what else grows with its width.
template <class T>
double work_of(const LowerPanels<T>& lower, std::size_t panels) {
  constexpr std::size_t kPanel = LowerPanels<T>::kPanel;
  const std::size_t values = panels < lower.offsets.size() ? lower.offsets[panels] : lower.values.size();
  return double(values) + double(kPanel * kPanel * panels);
}

}  // namespace

// A row of Gaussian k is expected at |L_k^-1 (x - m_k)|^2 = d, and from Gaussian l, by h inputs, at D + h, where D is
// the distance of the means, with a deviation of log N of about sqrt(D + d / 2).
template <class T>
void GaussianDensities<T>::expect_groups(std::size_t count, std::span<const double> offsets) {
  require(offsets.size() == size() && size() % count == 0, "gaussians: {} offsets of {} in groups of {}",
          offsets.size(), size(), count);
  heads_.clear();
  if (form_.kind != CovarianceForm::Kind::full) return;
  const std::size_t d = inputs_, panels = whiten_[0].offsets.size(), kPanel = LowerPanels<T>::kPanel;
  const std::size_t step = (size() * count + kMostPairs - 1) / kMostPairs;
  std::vector<double> kept(panels);  // Gaussians that the first p + 1 panels do not rule out
  std::vector<double> between(d);
  double rows = 0;
  for (std::size_t k = 0; k < size(); k += step) {
    if (!std::isfinite(offsets[k])) continue;
    ++rows;
    const double reached = constants_[k] + offsets[k] - 0.5 * double(d);
    for (std::size_t l = k / count * count; l < (k / count + 1) * count; ++l) {
      if (l == k) continue;
      for (std::size_t j = 0; j < d; ++j) between[j] = double(means_(k, j)) - double(means_(l, j));
      const std::vector<double> squares = squares_by_panels(whiten_[l], between);
      for (std::size_t p = 0; p + 1 < panels; ++p) {
        const double bound = constants_[l] + offsets[l] - 0.5 * (squares[p] + double((p + 1) * kPanel));
        if (!(bound + std::sqrt(squares[p] + 0.5 * double(d)) < reached - kBeyond)) ++kept[p];
      }
    }
  }
  const double all = double(count) * work_of(whiten_[0], panels);
  double least = 0.9 * all;
  std::size_t best = 0;
  for (std::size_t p = 1; p < panels && rows > 0; ++p) {
    const double work = double(count) * work_of(whiten_[0], p) + (1 + kept[p - 1] / rows) * work_of(whiten_[0], panels);
    if (work < least) least = work, best = p;
  }
  for (std::size_t k = 0; k < size() && best > 0; ++k) heads_.push_back(head_of(whiten_[k], best));
}

template <class T>
void GaussianDensities<T>::likely_log_densities(const Backend& on, MatrixView<const T> x, std::size_t first,
                                                std::span<const double> offsets, MatrixView<double> out) const {
  const std::size_t n = x.rows, M = offsets.size();
  const auto add_offset = [&](std::size_t i, std::size_t m) { out(i, m) += offsets[m]; };
  if (heads_.empty()) {
    log_densities(on, x, first, M, out);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t m = 0; m < M; ++m) add_offset(i, m);
    return;
  }
  const Lease<std::uint32_t> best(n), some(n);
  const Lease<double> reached(n);
  // Evaluates Gaussian m at the rows that are `wanted`.
  const auto evaluate = [&](std::size_t m, const LowerPanels<T>& whiten, const auto& wanted) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (wanted(i)) some.data()[count++] = std::uint32_t(i);
    full_of_some(on, {x, {some.data(), count}}, whiten, first + m, out, m);
    for (std::size_t s = 0; s < count; ++s) add_offset(some.data()[s], m);
  };
  for (std::size_t m = 0; m < M; ++m) evaluate(m, heads_[first + m], [](std::size_t) { return true; });
  for (std::size_t i = 0; i < n; ++i)
    best.data()[i] = std::uint32_t(std::max_element(out.row(i), out.row(i) + M) - out.row(i));
  for (std::size_t m = 0; m < M; ++m)
    evaluate(m, whiten_[first + m], [&](std::size_t i) { return best.data()[i] == m; });
  for (std::size_t i = 0; i < n; ++i) reached.data()[i] = out(i, best.data()[i]);
  for (std::size_t m = 0; m < M; ++m)
    evaluate(m, whiten_[first + m], [&](std::size_t i) {
      if (best.data()[i] == m) return false;
      const bool beyond = out(i, m) < reached.data()[i] - kBeyond;
      if (beyond) out(i, m) = -kInfinity;
      return !beyond;
    });
}

template void GaussianDensities<float>::expect_groups(std::size_t, std::span<const double>);
template void GaussianDensities<double>::expect_groups(std::size_t, std::span<const double>);
template void GaussianDensities<float>::likely_log_densities(const Backend&, MatrixView<const float>, std::size_t,
                                                             std::span<const double>, MatrixView<double>) const;
template void GaussianDensities<double>::likely_log_densities(const Backend&, MatrixView<const double>, std::size_t,
                                                              std::span<const double>, MatrixView<double>) const;

}  // namespace bochner
