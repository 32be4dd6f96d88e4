// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/chosen_frequencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "maps/fourier.h"
#include "maps/map_rows.h"
#include "run/compute.h"
#include "solve/cholesky.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

// Ridge on all frequencies that are drawn, by the kernel matrix of their features: its memory is that of the rows.
class FrequencyPool {
 public:
  static constexpr std::size_t kDrawn = 5;        // for one that is kept
  static constexpr std::size_t kMostRows = 2000;  // their kernel matrix is factored
  static constexpr std::size_t kLeastRows = 50;
  static constexpr std::size_t kAtOnce = 256;  // frequencies whose features are held

  FrequencyPool(Threads& threads, LabelledRows rows, const FourierOptions& options)
      : on_(workers_on(threads)),
        rows_(std::move(rows)),
        options_(options),
        pairs_(options.form == FourierOptions::Form::cossin),
        size_(kDrawn * (pairs_ ? options.features / 2 : options.features)),
        n_(rows_.inputs.rows()),
        roots_(n_, 1.0),
        kernel_(n_, n_) {
    const double sum = std::accumulate(rows_.weights.begin(), rows_.weights.end(), 0.0);
    for (std::size_t i = 0; i < rows_.weights.size(); ++i) roots_[i] = std::sqrt(rows_.weights[i] * double(n_) / sum);
    add_kernel();
    centre_targets();
  }

  // The coefficients' squares, summed over targets.
  std::vector<double> energies() {
    const Matrix<double> dual = coefficients(n_, chosen_lambda());
    std::vector<double> found;
    for (std::size_t begin = 0; begin < size_; begin += kAtOnce) {
      const Matrix<double> w = fixed_order::transposed_product(on_.threads, features(begin), dual);
      const std::size_t count = std::min(kAtOnce, size_ - begin);
      for (std::size_t i = 0; i < count; ++i) found.push_back(square(w, i) + (pairs_ ? square(w, count + i) : 0));
    }
    return found;
  }

 private:
  static constexpr std::size_t kTile = 192;
  static constexpr double kLambdas[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};

  static double square(const Matrix<double>& w, std::size_t row) {
    double sum = 0;
    for (std::size_t k = 0; k < w.cols(); ++k) sum += w(row, k) * w(row, k);
    return sum;
  }

  // Those of some frequencies, a row for each of the rows, in the unit in which the diagonal of the kernel is about 1.
  Matrix<double> features(std::size_t begin) const {
    FourierOptions part = options_;
    std::vector<std::uint64_t> numbers(std::min(kAtOnce, size_ - begin));
    std::iota(numbers.begin(), numbers.end(), std::uint64_t(begin));
    part.features = numbers.size() * (pairs_ ? 2 : 1);
    const double unit = std::sqrt(double(numbers.size()) / double(size_));
    const FourierMap map(rows_.inputs.cols(), part, std::move(numbers));
    Matrix<double> z(n_, map.outputs());
    map_rows(on_, map, RowBlock<double>::dense(rows_.inputs.view()), z.view());
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < z.cols(); ++j) z(i, j) *= unit * roots_[i];
    return z;
  }

  void add_kernel() {
    for (std::size_t begin = 0; begin < size_; begin += kAtOnce) {
      const Matrix<double> z = features(begin);
      Matrix<double> columns(z.cols(), n_);
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < z.cols(); ++j) columns(j, i) = z(i, j);
      const Matrix<double> product = fixed_order::product(on_.threads, z, columns);
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j <= i; ++j) kernel_(i, j) += product(i, j);
    }
    for (std::size_t i = 0; i < n_; ++i)  // a constant feature
      for (std::size_t j = 0; j <= i; ++j) kernel_(i, j) += roots_[i] * roots_[j];
  }

  void centre_targets() {
    for (std::size_t k = 0; k < rows_.targets.cols(); ++k) {
      double sum = 0, weight = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const double w = roots_[i] * roots_[i];
        sum += w * rows_.targets(i, k);
        weight += w;
      }
      for (std::size_t i = 0; i < n_; ++i) rows_.targets(i, k) = roots_[i] * (rows_.targets(i, k) - sum / weight);
    }
  }

  // (K + lambda m I)^-1 y of the first m rows; empty if the matrix is too near to a singular one.
  Matrix<double> coefficients(std::size_t m, double lambda) const {
    TiledSymmetric<double> a(m, kTile, on_.threads);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        a.at(i, j) = kernel_(i, j);
        if (i / kTile == j / kTile) a.block(i / kTile, i / kTile)(j % kTile, i % kTile) = kernel_(i, j);
      }
    const Cholesky factor(std::move(a), lambda * double(m), on_.threads, Cholesky::Arithmetic::same_bits);
    if (factor.failed_column()) return {};
    Matrix<double> y(m, rows_.targets.cols());
    std::copy_n(rows_.targets.data(), m * y.cols(), y.data());
    factor.solve(y.view());
    return y;
  }

  // The one with the smallest error on the last fifth of the rows.
  double chosen_lambda() const {
    const std::size_t m = n_ - n_ / 5;
    double best = std::numeric_limits<double>::infinity(), chosen = kLambdas[std::size(kLambdas) - 1];
    for (const double lambda : kLambdas) {
      const Matrix<double> dual = coefficients(m, lambda);
      if (dual.rows() == 0) continue;
      double error = 0;
      for (std::size_t i = m; i < n_; ++i)
        for (std::size_t k = 0; k < dual.cols(); ++k) {
          double guess = 0;
          for (std::size_t j = 0; j < m; ++j) guess += kernel_(i, j) * dual(j, k);
          error += (guess - rows_.targets(i, k)) * (guess - rows_.targets(i, k));
        }
      if (error < best) best = error, chosen = lambda;
    }
    return chosen;
  }

  Workers on_;
  LabelledRows rows_;
  FourierOptions options_;
  bool pairs_;
  std::size_t size_;  // frequencies that are drawn
  std::size_t n_;
  std::vector<double> roots_;  // roots of the weights, whose mean is 1
  Matrix<double> kernel_;      // its lower triangle
};

}  // namespace

std::vector<std::uint64_t> chosen_frequencies(const MapRequest& request, const FourierOptions& options) {
  LabelledRows rows = request.labelled(FrequencyPool::kMostRows);
  const std::size_t n = rows.inputs.rows();
  if (n < FrequencyPool::kLeastRows) {
    request.note(fmt::format("frequencies: the first that are drawn, {} rows choose none", n));
    return {};
  }
  Threads threads(request.execution);
  const std::vector<double> energies = FrequencyPool(threads, std::move(rows), options).energies();
  std::vector<std::uint64_t> order(energies.size());
  std::iota(order.begin(), order.end(), std::uint64_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return energies[a] > energies[b]; });
  order.resize(energies.size() / FrequencyPool::kDrawn);
  std::sort(order.begin(), order.end());
  request.note(
      fmt::format("frequencies: {} of {} that are drawn, by a ridge on {} rows", order.size(), energies.size(), n));
  return order;
}

double chosen_frequencies_bytes(std::size_t inputs, const FourierOptions& options) {
  const double n = FrequencyPool::kMostRows;
  const double features =
      std::min<double>(2 * FrequencyPool::kAtOnce, double(FrequencyPool::kDrawn * options.features));
  return sizeof(double) * (n * (2.6 * n + 2 * features + double(inputs)) + features * double(inputs));
}

}  // namespace bochner
