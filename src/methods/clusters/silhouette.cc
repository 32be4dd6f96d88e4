// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/clusters/silhouette.h"

#include <algorithm>
#include <cmath>

#include "base/lease.h"
#include "base/pieces.h"

namespace bochner {

namespace {

constexpr std::size_t kMostRows = 1000, kSilhouetteRows = 64;

// The nearest centre of every row.
template <class T>
std::vector<std::uint32_t> nearest(const Workers& on, MatrixView<const T> z, const std::vector<double>& squares,
                                   const Centres& centres) {
  const std::size_t k = centres.count();
  std::vector<std::uint32_t> labels(z.rows);
  in_pieces(on.threads, z.rows, kSilhouetteRows, [&](std::size_t begin, std::size_t count) {
    const Lease<T> products(count * k);
    on.ops.multiply(z.slice(begin, count), centres.across<T>(0, k), T(0), MatrixView<T>{products.data(), count, k, k});
    for (std::size_t i = 0; i < count; ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < k; ++c) {
        const double d = squared_distance(squares[begin + i], double(products.data()[i * k + c]), centres.squares[c]);
        if (d < least) least = d, labels[begin + i] = std::uint32_t(c);
      }
    }
  });
  return labels;
}

}  // namespace

template <class T>
std::optional<double> silhouette(const Workers& on, const RowBlock<T>& rows, const Centres& centres) {
  const std::size_t n = std::min(rows.rows, kMostRows), width = rows.cols, k = centres.count();
  Matrix<T> z(n, width), across(width, n);
  std::vector<double> squares(n);
  for (std::size_t i = 0; i < n; ++i) {
    const T* const row = rows.values + (i * rows.rows / n) * rows.stride;  // spread over all
    squares[i] = widen(row, width, 1, &z(i, 0));
    for (std::size_t j = 0; j < width; ++j) across(j, i) = row[j];
  }
  const Matrix<T>&from = z, &to = across;
  const std::vector<std::uint32_t> labels = nearest<T>(on, from.view(), squares, centres);
  std::vector<double> sizes(k);
  for (const std::uint32_t label : labels) ++sizes[label];
  if (std::count_if(sizes.begin(), sizes.end(), [](double size) { return size > 0; }) < 2) return std::nullopt;
  std::vector<double> values(n);
  in_pieces(on.threads, n, kSilhouetteRows, [&](std::size_t begin, std::size_t count) {
    const Lease<T> products(count * n);
    on.ops.multiply(from.view().slice(begin, count), to.view(), T(0), MatrixView<T>{products.data(), count, n, n});
    for (std::size_t i = begin; i < begin + count; ++i) {
      std::vector<double> sums(k);
      for (std::size_t p = 0; p < n; ++p)
        if (p != i)
          sums[labels[p]] +=
              std::sqrt(squared_distance(squares[i], double(products.data()[(i - begin) * n + p]), squares[p]));
      if (sizes[labels[i]] < 2) continue;
      const double a = sums[labels[i]] / (sizes[labels[i]] - 1);
      double b = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < k; ++c)
        if (c != labels[i] && sizes[c] > 0) b = std::min(b, sums[c] / sizes[c]);
      values[i] = std::max(a, b) > 0 ? (b - a) / std::max(a, b) : 0;
    }
  });
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(n);
}

template std::optional<double> silhouette(const Workers&, const RowBlock<float>&, const Centres&);
template std::optional<double> silhouette(const Workers&, const RowBlock<double>&, const Centres&);

}  // namespace bochner
