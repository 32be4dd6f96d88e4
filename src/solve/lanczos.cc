// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/lanczos.h"

#include <algorithm>
#include <cmath>

#include "solve/tall.h"

namespace bochner {

namespace {

// Q_1, Q_2, ... as columns of one matrix that doubles where it is full, and T = Q^T C Q.
class Basis {
 public:
  Basis(std::size_t rows, std::size_t room) : columns_(rows, room) {}

  std::size_t size() const { return size_; }
  MatrixView<const double> view() const { return {columns_.data(), columns_.rows(), size_, columns_.cols()}; }

  void add(const Matrix<double>& q) {
    if (size_ + q.cols() > columns_.cols()) {
      Matrix<double> wider(columns_.rows(), std::max(2 * columns_.cols(), size_ + q.cols()));
      for (std::size_t i = 0; i < columns_.rows(); ++i) std::copy_n(&columns_(i, 0), size_, &wider(i, 0));
      columns_ = std::move(wider);
    }
    for (std::size_t i = 0; i < columns_.rows(); ++i) std::copy_n(&q(i, 0), q.cols(), &columns_(i, size_));
    size_ += q.cols();
  }

  // The last columns of T are Q^T (C q) of the last block q.
  void add_products(const Matrix<double>& h) {
    Matrix<double> grown(size_, size_);
    for (std::size_t i = 0; i < t_.rows(); ++i) std::copy_n(&t_(i, 0), t_.rows(), &grown(i, 0));
    const std::size_t before = size_ - h.cols();
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t k = 0; k < h.cols(); ++k)
        grown(i, before + k) = grown(before + k, i) =
            i < before ? h(i, k) : 0.5 * (h(i, k) + h(before + k, i - before));
    t_ = std::move(grown);
  }
  const Matrix<double>& t() const { return t_; }

 private:
  Matrix<double> columns_, t_;
  std::size_t size_ = 0;
};

double sum_of_largest(Matrix<double> t, std::size_t count) {
  std::vector<double> values(t.rows());
  symmetric_eigenvalues(t.view(), values);
  double sum = 0;
  for (std::size_t k = 0; k < std::min(count, values.size()); ++k) sum += std::max(values[values.size() - 1 - k], 0.0);
  return sum;
}

// Whether further products are not worth it: gains fall about geometrically.
bool small_lanczos_gain(const std::vector<double>& captured, double trace) {
  const std::size_t p = captured.size();
  if (p < 2) return false;
  const double left = std::max(trace - captured[p - 1], 1e-12 * trace), gain = captured[p - 1] - captured[p - 2];
  const double small = kGain * std::min(left, 0.5 * captured[p - 1]);
  if (gain <= 0.1 * small) return true;
  if (p < 3) return false;
  const double before = captured[p - 2] - captured[p - 3], ratio = before > 0 ? std::min(gain / before, 0.95) : 0.95;
  return gain * ratio / (1 - ratio) <= small;
}

}  // namespace

LanczosSpace block_lanczos(Matrix<double> start, const Product& product, const LanczosOptions& options,
                           Threads& threads) {
  LanczosSpace space;
  const std::size_t width = start.cols(), n = start.rows();
  Matrix<double> q = orthonormal(std::move(start), {}, threads);
  Basis basis(n, 8 * width);
  while (q.cols() > 0) {
    basis.add(q);
    Matrix<double> w = product(q);
    ++space.products;
    const Matrix<double> h = cross(basis.view(), w.view(), threads);
    basis.add_products(h);
    if (basis.size() >= options.wanted) {
      space.captured.push_back(sum_of_largest(basis.t(), options.wanted));
      if (small_lanczos_gain(space.captured, options.trace) || basis.size() + width > options.most) break;
    }
    add_combined(-1, basis.view(), h, w, threads);
    q = orthonormal_beyond(basis.view(), std::move(w), h, options.rounding, threads);
  }
  const Eigen ritz = largest_eigen(basis.t(), std::min(options.wanted, basis.size()));
  space.values = ritz.values;
  space.vectors = Matrix<double>(n, ritz.values.size());
  add_combined(1, basis.view(), ritz.vectors, space.vectors, threads);
  return space;
}

std::optional<double> gain_of(const LanczosSpace& space, double trace) {
  const std::size_t p = space.captured.size();
  if (p < 3) return {};
  const double left = std::max(trace - space.captured[p - 1], 1e-12 * trace);
  const double gain = std::max(space.captured[p - 1] - space.captured[p - 2], 0.0);
  const double before = space.captured[p - 2] - space.captured[p - 3],
               ratio = before > 0 ? std::min(gain / before, 0.95) : 0;
  return 0.5 * gain * ratio / (1 - ratio) / left;
}

}  // namespace bochner
