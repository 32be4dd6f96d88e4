// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/sparse_design.h"

#include <algorithm>
#include <cmath>

#include "base/pieces.h"
#include "learn/newton/preconditioner.h"

namespace bochner {

namespace {

constexpr std::size_t kPiece = 256;          // rows that a thread scores at a time
constexpr std::size_t kLookedAt = 1u << 16;  // numbers of the first block that decide who adds which features

// q = z_i v, v features x K
template <class T>
void score_row(const RowBlock<T>& z, std::size_t i, const double* v, std::size_t K, double* q) {
  std::fill_n(q, K, 0.0);
  if (K == 1) {
    double sum = 0;
    for (std::size_t p = z.offsets[i]; p < z.offsets[i + 1]; ++p) sum += double(z.values[p]) * v[z.columns[p]];
    q[0] = sum;
    return;
  }
  for (std::size_t p = z.offsets[i]; p < z.offsets[i + 1]; ++p) {
    const double value = double(z.values[p]);
    const double* const at = v + std::size_t(z.columns[p]) * K;
    for (std::size_t k = 0; k < K; ++k) q[k] += value * at[k];
  }
}

}  // namespace

SparseDesign::SparseDesign(SparseStore& store, bool intercept)
    : Design(store.stream(), {store.rows(), store.features(), store.features(), intercept}, store.targets(),
             store.weights()),
      store_(store) {
  store.fill();
}

Matrix<double> SparseDesign::by_feature(const Matrix<double>& v) const {
  Matrix<double> turned(features(), v.rows());
  each_in_pieces(threads(), features(), kLookedAt, [&](std::size_t j) {
    for (std::size_t k = 0; k < v.rows(); ++k) turned(j, k) = v(k, j);
  });
  return turned;
}

// As many numbers for each thread, going by the first block. Who adds a feature's numbers leaves no trace in its sum.
template <class T>
const std::vector<std::uint32_t>& SparseDesign::shares(const RowBlock<T>& block) const {
  if (!shares_.empty()) return shares_;
  const std::size_t count = std::min(kLookedAt, block.offsets[block.rows] - block.offsets[0]);
  std::vector<std::uint32_t> some(block.columns + block.offsets[0], block.columns + block.offsets[0] + count);
  std::sort(some.begin(), some.end());
  const std::size_t parts = std::size_t(threads().count());
  shares_.assign(1, 0);
  for (std::size_t p = 1; p < parts; ++p)
    shares_.push_back(count > 0 ? std::max(shares_.back(), some[p * count / parts]) : 0);
  shares_.push_back(std::uint32_t(features()));
  return shares_;
}

template <class Choose, class Value>
Matrix<double> SparseDesign::summed(std::size_t K, const Choose& choose, const Value& value) const {
  Matrix<double> sum(features(), K);
  std::vector<double> ones(K);
  store_.each([&](const auto& z) {
    const Some some = choose(z);
    if (some.rows.empty()) return;
    for (std::size_t s = 0; s < some.rows.size() && intercept(); ++s)
      for (std::size_t k = 0; k < K; ++k) ones[k] += some.factor(s, k);
    const std::vector<std::uint32_t>& from = shares(z);
    threads().run(from.size() - 1, [&](std::size_t share, int) {
      const bool first = share == 0, last = share + 2 == from.size();
      for (std::size_t s = 0; s < some.rows.size(); ++s) {
        const std::uint32_t *const columns = z.columns, *begin = columns + z.offsets[some.rows[s]],
                                   *end = columns + z.offsets[some.rows[s] + 1];
        if (!first) begin = std::lower_bound(begin, end, from[share]);
        if (!last) end = std::lower_bound(begin, end, from[share + 1]);
        const double* const factor = &some.factor(s, 0);
        if (K == 1) {
          for (const std::uint32_t* c = begin; c < end; ++c)
            sum.data()[*c] += value(double(z.values[c - columns])) * factor[0];
          continue;
        }
        for (const std::uint32_t* c = begin; c < end; ++c) {
          const double number = value(double(z.values[c - columns]));
          double* const at = sum.data() + std::size_t(*c) * K;
          for (std::size_t k = 0; k < K; ++k) at[k] += number * factor[k];
        }
      }
    });
  });
  Matrix<double> turned(K, length());
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < features(); ++j) turned(k, j) = sum(j, k);
    if (intercept()) turned(k, intercept_at()) = ones[k];
  }
  return turned;
}

Matrix<double> SparseDesign::scores(const Matrix<double>& v) const {
  const std::size_t K = v.rows();
  const Matrix<double> w = by_feature(v);
  Matrix<double> u(rows(), K);
  store_.each([&](const auto& z) {
    each_in_pieces(threads(), z.rows, kPiece, [&](std::size_t i) {
      double* const q = &u(z.first + i, 0);
      score_row(z, i, w.data(), K, q);
      for (std::size_t k = 0; k < K && intercept(); ++k) q[k] += v(k, intercept_at());
    });
  });
  return u;
}

Matrix<double> SparseDesign::combination(const Matrix<double>& a) const {
  const auto choose = [&](const auto& z) {
    Some some;
    for (std::size_t i = 0; i < z.rows; ++i)
      if (const double* r = &a(z.first + i, 0); std::any_of(r, r + a.cols(), [](double v) { return v != 0; }))
        some.rows.push_back(std::uint32_t(i));
    some.factor = Matrix<double>(some.rows.size(), a.cols());
    for (std::size_t s = 0; s < some.rows.size(); ++s)
      std::copy_n(&a(z.first + some.rows[s], 0), a.cols(), &some.factor(s, 0));
    return some;
  };
  return summed(a.cols(), choose, [](double value) { return value; });
}

Matrix<double> SparseDesign::squares(const Matrix<double>& d) const {
  const auto choose = [&](const auto& z) {
    Some some;
    for (std::size_t i = 0; i < z.rows; ++i) some.rows.push_back(std::uint32_t(i));
    some.factor = Matrix<double>(z.rows, d.cols());
    std::copy_n(&d(z.first, 0), z.rows * d.cols(), some.factor.data());
    return some;
  };
  return summed(d.cols(), choose, [](double value) { return value * value; });
}

Matrix<double> SparseDesign::normal_product(const Matrix<double>& v, const Curved& over, const Between& between) const {
  const std::size_t K = v.rows();
  const Matrix<double> w = by_feature(v);
  const auto is_curved = [&](std::size_t i, std::size_t k) { return over.curvature(i, over.outputs[k]) != 0; };
  const auto choose = [&](const auto& z) {
    Some some;
    std::vector<std::size_t> number;  // numbers of some.rows among all rows
    for (std::size_t i = 0; i < z.rows; ++i) {
      bool wanted = false;
      for (std::size_t k = 0; k < K && !wanted && over.d[z.first + i] > 0; ++k) wanted = is_curved(z.first + i, k);
      if (!wanted) continue;
      some.rows.push_back(std::uint32_t(i));
      number.push_back(z.first + i);
    }
    some.factor = Matrix<double>(some.rows.size(), K);
    const auto zero_flat = [&](std::size_t s) {
      for (std::size_t k = 0; k < K; ++k)
        if (!is_curved(number[s], k)) some.factor(s, k) = 0;
    };
    in_pieces(threads(), some.rows.size(), kPiece, [&](std::size_t begin, std::size_t count) {
      for (std::size_t s = begin; s < begin + count; ++s) {
        double* const q = &some.factor(s, 0);
        score_row(z, some.rows[s], w.data(), K, q);
        for (std::size_t k = 0; k < K && intercept(); ++k) q[k] += v(k, intercept_at());
        zero_flat(s);
      }
      between(std::span(number).subspan(begin, count), &some.factor(begin, 0));
      for (std::size_t s = begin; s < begin + count; ++s) zero_flat(s);
    });
    return some;
  };
  return summed(K, choose, [](double value) { return value; });
}

double SparseDesign::longest_row() const {
  if (longest_ >= 0) return longest_;
  double longest = 0;
  store_.each([&](const auto& z) {
    for (std::size_t i = 0; i < z.rows; ++i) {
      double square = 0;
      for (std::size_t p = z.offsets[i]; p < z.offsets[i + 1]; ++p) square += double(z.values[p]) * double(z.values[p]);
      longest = std::max(longest, square);
    }
  });
  return longest_ = std::sqrt(longest);
}

std::unique_ptr<Preconditioner> SparseDesign::preconditioner(std::uint64_t) const {
  return std::make_unique<DiagonalPreconditioner>(*this);
}

}  // namespace bochner
