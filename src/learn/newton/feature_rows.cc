// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/feature_rows.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kVector = 8;  // doubles summed side by side
constexpr std::size_t kBatch = 16;  // rows between which F is called: they stay in the first cache

template <class T>
double dot(const T* z, const double* v, std::size_t n) {
  double s[kVector] = {};
  for (std::size_t j = 0; j < n; j += kVector)
    for (std::size_t l = 0; l < kVector; ++l) s[l] += double(z[j + l]) * v[j + l];
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

// g += sum_b r_b z_b, four rows at a time so that g is read a quarter as often.
template <class T>
void add_rows(const T* const* z, std::size_t count, const double* r, double* g, std::size_t n) {
  std::size_t b = 0;
  for (; b + 4 <= count; b += 4) {
    const T *z0 = z[b], *z1 = z[b + 1], *z2 = z[b + 2], *z3 = z[b + 3];
    const double r0 = r[b], r1 = r[b + 1], r2 = r[b + 2], r3 = r[b + 3];
    for (std::size_t j = 0; j < n; ++j)
      g[j] += (r0 * double(z0[j]) + r1 * double(z1[j])) + (r2 * double(z2[j]) + r3 * double(z3[j]));
  }
  for (; b < count; ++b)
    for (std::size_t j = 0; j < n; ++j) g[j] += r[b] * double(z[b][j]);
}

// sum over groups of the n rows, added in their order.
Matrix<double> sum_groups(Threads& threads, std::size_t n, std::size_t k, std::size_t stride,
                          const std::function<void(std::size_t begin, std::size_t end, double* sum)>& add) {
  const std::size_t groups = std::clamp<std::size_t>(n / 64, 1, FeatureRows::kMostGroups);
  std::vector<Matrix<double>> parts(groups);
  threads.run(groups, [&](std::size_t g, int) {
    parts[g] = Matrix<double>(k, stride);
    add(g * n / groups, (g + 1) * n / groups, parts[g].data());
  });
  for (std::size_t g = 1; g < groups; ++g)
    for (std::size_t j = 0; j < k * stride; ++j) parts[0].data()[j] += parts[g].data()[j];
  return std::move(parts[0]);
}

}  // namespace

FeatureRows::FeatureRows(std::size_t features, bool intercept, std::size_t rows)
    : D_(features),
      width_(features + intercept),
      stride_((width_ + kVector - 1) / kVector * kVector),
      expected_(rows) {}

template <class T>
void FeatureRows::add(const Workers& on, const RowBlock<T>& z) {
  require(z.cols == D_ && !z.sparse(), "features: block has {} columns, expected {} dense ones", z.cols, D_);
  require(z.targets != nullptr, "features: the rows have no targets");
  auto& values = [this]() -> AlignedVector<T>& {
    if constexpr (std::is_same_v<T, float>)
      return floats_;
    else
      return doubles_;
  }();
  values.reserve(expected_ * stride_);
  targets_.reserve(expected_ * z.target_count);
  values.resize((n_ + z.rows) * stride_);
  on.threads.run((z.rows + 255) / 256, [&](std::size_t piece, int) {
    for (std::size_t i = piece * 256; i < std::min(z.rows, (piece + 1) * 256); ++i) {
      T* row = values.data() + (n_ + i) * stride_;
      std::copy_n(z.values + i * z.stride, D_, row);
      std::fill(row + D_, row + stride_, T(0));
      if (intercept()) row[D_] = 1;
    }
  });
  target_count_ = z.target_count;
  targets_.insert(targets_.end(), z.targets, z.targets + z.rows * z.target_count);
  if (z.weights) weights_.insert(weights_.end(), z.weights, z.weights + z.rows);
  n_ += z.rows;
}

template void FeatureRows::add(const Workers&, const RowBlock<float>&);
template void FeatureRows::add(const Workers&, const RowBlock<double>&);

template <class Use>
auto FeatureRows::with_values(const Use& use) const {
  return doubles_.empty() ? use(floats_.data()) : use(doubles_.data());
}

Matrix<double> FeatureRows::scores(Threads& threads, const Matrix<double>& v) const {
  Matrix<double> u(n_, v.rows());
  with_values([&](const auto* z) {
    threads.run((n_ + 255) / 256, [&](std::size_t piece, int) {
      for (std::size_t i = piece * 256; i < std::min(n_, (piece + 1) * 256); ++i)
        for (std::size_t k = 0; k < v.rows(); ++k) u(i, k) = dot(z + i * stride_, v.data() + k * stride_, stride_);
    });
  });
  return u;
}

Matrix<double> FeatureRows::combination(Threads& threads, const Matrix<double>& a) const {
  const std::size_t K = a.cols();
  return with_values([&](const auto* z) {
    return sum_groups(threads, n_, K, stride_, [&](std::size_t begin, std::size_t end, double* sum) {
      decltype(z) row[kBatch];
      double r[kBatch];
      for (std::size_t k = 0; k < K; ++k)
        for (std::size_t i = begin; i < end;) {
          std::size_t count = 0;
          for (; i < end && count < kBatch; ++i)
            if (a(i, k) != 0) {
              row[count] = z + i * stride_;
              r[count++] = a(i, k);
            }
          add_rows(row, count, r, sum + k * stride_, stride_);
        }
    });
  });
}

Matrix<double> FeatureRows::normal_product(Threads& threads, const Matrix<double>& v, const Curved& over,
                                           const Between& between) const {
  const std::size_t K = v.rows();
  const auto curved = [&](std::size_t i, std::size_t k) { return over.curvature(i, over.outputs[k]) != 0; };
  return with_values([&](const auto* z) {
    return sum_groups(threads, over.rows.size(), K, stride_, [&](std::size_t begin, std::size_t end, double* sum) {
      decltype(z) row[kBatch];
      double r[kBatch];
      std::vector<double> q(kBatch * K);
      for (std::size_t first = begin; first < end; first += kBatch) {
        const auto rows = over.rows.subspan(first, std::min(kBatch, end - first));
        for (std::size_t b = 0; b < rows.size(); ++b)
          for (std::size_t k = 0; k < K; ++k)
            q[b * K + k] = curved(rows[b], k) ? dot(z + rows[b] * stride_, v.data() + k * stride_, stride_) : 0.0;
        between(rows, q.data());
        for (std::size_t k = 0; k < K; ++k) {
          std::size_t count = 0;
          for (std::size_t b = 0; b < rows.size(); ++b)
            if (curved(rows[b], k)) {
              row[count] = z + rows[b] * stride_;
              r[count++] = q[b * K + k];
            }
          add_rows(row, count, r, sum + k * stride_, stride_);
        }
      }
    });
  });
}

double FeatureRows::longest_row() const {
  double most = 0;
  std::vector<double> row(width_);
  for (std::size_t i = 0; i < n_; ++i) {
    copy_row(i, row.data());
    double square = 0;
    for (std::size_t j = 0; j < D_; ++j) square += row[j] * row[j];
    most = std::max(most, square);
  }
  return std::sqrt(most);
}

void FeatureRows::copy_columns(std::size_t i, std::size_t first, std::size_t count, double* out) const {
  with_values([&](const auto* z) { std::copy_n(z + i * stride_ + first, count, out); });
}

void FeatureRows::combine(std::span<const std::size_t> rows, std::span<const double> factor, float* out) const {
  std::fill(out, out + width_, 0.0f);
  with_values([&](const auto* z) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const auto* row = z + rows[j] * stride_;
      const float f = float(factor[j]);
      for (std::size_t l = 0; l < width_; ++l) out[l] += f * float(row[l]);
    }
  });
}

}  // namespace bochner
