// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/dense_design.h"

#include <algorithm>
#include <cmath>

#include "learn/newton/preconditioner.h"

namespace bochner {

namespace {

constexpr std::size_t kStrip = 8;  // rows between whose scores and sum F is called: they stay in the first cache

// Whether so few pairs of row and output matter that each output is better off with its own rows.
bool is_sparse(std::size_t pairs, std::size_t rows, std::size_t outputs) { return 2 * pairs < rows * outputs; }

// The rows of a strip that one output needs, with their numbers side by side.
template <class T>
struct Apart {
  const T* rows[kStrip];
  double values[kStrip];
  std::size_t at[kStrip], count = 0;

  void add(const T* row, std::size_t i, double value) {
    rows[count] = row;
    values[count] = value;
    at[count++] = i;
  }
};

// q = z v^T for the pairs that are curved, 0 for others.
template <class T, class IsCurved>
void project_strip(const Backend& ops, std::span<const T* const> z, MatrixView<const double> v, MatrixView<double> q,
                   const IsCurved& is_curved) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < q.rows; ++i)
    for (std::size_t k = 0; k < q.cols; ++k) pairs += is_curved(i, k);
  if (!is_sparse(pairs, q.rows, q.cols)) {
    ops.project(z, v, q);
    for (std::size_t i = 0; i < q.rows; ++i)
      for (std::size_t k = 0; k < q.cols; ++k)
        if (!is_curved(i, k)) q(i, k) = 0;
    return;
  }
  for (std::size_t k = 0; k < q.cols; ++k) {
    Apart<T> apart;
    for (std::size_t i = 0; i < q.rows; ++i) {
      q(i, k) = 0;
      if (is_curved(i, k)) apart.add(z[i], i, 0);
    }
    if (apart.count == 0) continue;
    ops.project(std::span<const T* const>(apart.rows, apart.count), v.slice(k, 1), {apart.values, apart.count, 1, 1});
    for (std::size_t j = 0; j < apart.count; ++j) q(apart.at[j], k) = apart.values[j];
  }
}

// sum += r^T z
template <class T>
void add_strip(const Backend& ops, std::span<const T* const> z, MatrixView<const double> r, MatrixView<double> sum) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < r.rows; ++i)
    for (std::size_t k = 0; k < r.cols; ++k) pairs += r(i, k) != 0;
  if (!is_sparse(pairs, r.rows, r.cols)) return ops.add_combined(z, r, sum);
  for (std::size_t k = 0; k < r.cols; ++k) {
    Apart<T> apart;
    for (std::size_t i = 0; i < r.rows; ++i)
      if (r(i, k) != 0) apart.add(z[i], i, r(i, k));
    if (apart.count > 0)
      ops.add_combined(std::span<const T* const>(apart.rows, apart.count),
                       MatrixView<const double>{apart.values, apart.count, 1, 1}, sum.slice(k, 1));
  }
}

template <class T>
double square_of(const T* z, std::size_t width) {
  double s[8] = {};
  for (std::size_t j = 0; j < width; j += 8)
    for (std::size_t l = 0; l < 8; ++l) s[l] += double(z[j + l]) * double(z[j + l]);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

}  // namespace

Matrix<double> DenseDesign::in_kept_units(const Matrix<double>& v) const {
  Matrix<double> w(v.rows(), store_.width());
  for (std::size_t k = 0; k < v.rows(); ++k)
    for (std::size_t j = 0; j < store_.width(); ++j) w(k, j) = v(k, j) * store_.unit();
  return w;
}

template <class Add>
Matrix<double> DenseDesign::summed(std::size_t K, const FeatureStore::Wanted& wanted, const Add& add) const {
  std::vector<Matrix<double>> parts(store_.parts());
  Matrix<double> sum(K, length());
  store_.each_chunk(
      wanted,
      [&](const auto& rows, std::size_t part) {
        if (parts[part].rows() == 0) parts[part] = Matrix<double>(K, length());
        std::fill_n(parts[part].data(), K * length(), 0.0);
        add(rows, parts[part].view());
      },
      [&](std::size_t part) {
        for (std::size_t j = 0; j < K * length(); ++j) sum.data()[j] += parts[part].data()[j];
      });
  for (std::size_t k = 0; k < K; ++k)
    for (std::size_t j = 0; j < store_.width(); ++j) sum(k, j) *= store_.unit();
  return sum;
}

Matrix<double> DenseDesign::scores(const Matrix<double>& v) const {
  const std::size_t K = v.rows();
  const Matrix<double> w = in_kept_units(v);
  Matrix<double> u(rows(), K);
  store_.each_chunk(
      {},
      [&](const auto& rows, std::size_t) {
        const MatrixView<double> of_rows{&u(rows.number[0], 0), rows.z.size(), K, K};
        store_.stream().workers().ops.project(rows.z, w.view(), of_rows);
        for (std::size_t i = 0; i < of_rows.rows && intercept(); ++i)
          for (std::size_t k = 0; k < K; ++k) of_rows(i, k) += v(k, intercept_at());
      },
      [](std::size_t) {});
  return u;
}

Matrix<double> DenseDesign::combination(const Matrix<double>& a) const {
  const std::size_t K = a.cols(), width = store_.width();
  const auto wanted = [&](std::size_t i) {
    return std::any_of(&a(i, 0), &a(i, 0) + K, [](double value) { return value != 0; });
  };
  const Backend& ops = store_.stream().workers().ops;
  return summed(K, wanted, [&](const auto& rows, MatrixView<double> sum) {
    Matrix<double> r(kStrip, K);
    for (std::size_t first = 0; first < rows.z.size(); first += kStrip) {
      const std::size_t count = std::min(kStrip, rows.z.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(&a(rows.number[first + i], 0), K, &r(i, 0));
        for (std::size_t k = 0; k < K && intercept(); ++k) sum(k, width) += r(i, k);
      }
      add_strip(ops, rows.z.subspan(first), MatrixView<const double>{r.data(), count, K, K},
                MatrixView<double>{sum.data, K, width, sum.stride});
    }
  });
}

Matrix<double> DenseDesign::normal_product(const Matrix<double>& v, const Curved& over, const Between& between) const {
  const std::size_t K = v.rows(), width = store_.width();
  const Matrix<double> w = in_kept_units(v);
  const auto curvature = [&](std::size_t i, std::size_t k) { return over.curvature(i, over.outputs[k]) != 0; };
  const auto wanted = [&](std::size_t i) {
    for (std::size_t k = 0; k < K && over.d[i] > 0; ++k)
      if (curvature(i, k)) return true;
    return false;
  };
  const Backend& ops = store_.stream().workers().ops;
  return summed(K, wanted, [&](const auto& rows, MatrixView<double> sum) {
    Matrix<double> scores(kStrip, K);
    for (std::size_t first = 0; first < rows.z.size(); first += kStrip) {
      const std::size_t count = std::min(kStrip, rows.z.size() - first);
      const auto number = rows.number.subspan(first, count);
      const MatrixView<double> q{scores.data(), count, K, K};
      const auto is_curved = [&](std::size_t i, std::size_t k) { return curvature(number[i], k); };
      project_strip(ops, rows.z.subspan(first), w.view(), q, is_curved);
      for (std::size_t i = 0; i < count && intercept(); ++i)
        for (std::size_t k = 0; k < K; ++k)
          if (is_curved(i, k)) q(i, k) += v(k, width);
      between(number, q.data);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < K; ++k) {
          if (!is_curved(i, k)) q(i, k) = 0;
          if (intercept()) sum(k, width) += q(i, k);
        }
      add_strip(ops, rows.z.subspan(first), MatrixView<const double>(q),
                MatrixView<double>{sum.data, K, width, sum.stride});
    }
  });
}

double DenseDesign::longest_row() const {
  if (longest_ >= 0) return longest_;
  std::vector<double> most(store_.parts());
  double longest = 0;
  store_.each_chunk(
      {},
      [&](const auto& rows, std::size_t part) {
        most[part] = 0;
        for (const auto* z : rows.z) most[part] = std::max(most[part], square_of(z, store_.width()));
      },
      [&](std::size_t part) { longest = std::max(longest, most[part]); });
  return longest_ = std::sqrt(longest) * store_.unit();
}

void DenseDesign::each_row(std::span<const std::size_t> rows, const UseRow& use) const {
  const auto wanted = [&](std::size_t i) { return std::binary_search(rows.begin(), rows.end(), i); };
  store_.each_chunk(
      wanted,
      [&](const auto& some, std::size_t) {
        std::vector<double> z(features() + intercept(), 1.0);
        for (std::size_t i = 0; i < some.z.size(); ++i) {
          for (std::size_t j = 0; j < features(); ++j) z[j] = double(some.z[i][j]) * store_.unit();
          use(std::size_t(std::lower_bound(rows.begin(), rows.end(), some.number[i]) - rows.begin()), z);
        }
      },
      [](std::size_t) {});
}

std::unique_ptr<Preconditioner> DenseDesign::preconditioner(std::uint64_t seed) const {
  return std::make_unique<FactoredPreconditioner>(*this, seed);
}

}  // namespace bochner
