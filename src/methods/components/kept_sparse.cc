// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/components/kept_sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/aligned.h"
#include "base/pieces.h"

namespace bochner {

namespace {

constexpr std::size_t kPieceEntries = 400'000, kMostPieces = 8;  // a piece has sums of its own

// Columns first .. first + kPanelColumns of q as a panel, 0 beyond the last.
template <class T>
AlignedVector<T> panel_of(const Matrix<double>& q, std::size_t first) {
  AlignedVector<T> panel(q.rows() * kPanelColumns);
  const std::size_t width = std::min(kPanelColumns, q.cols() - first);
  for (std::size_t i = 0; i < q.rows(); ++i)
    for (std::size_t k = 0; k < kPanelColumns; ++k)
      panel[i * kPanelColumns + k] = k < width ? T(q(i, first + k)) : T(0);
  return panel;
}

// g^T x
template <class T>
std::vector<double> panel_sum(const std::vector<double>& g, const AlignedVector<T>& x) {
  std::vector<double> sum(kPanelColumns);
  for (std::size_t i = 0; i < g.size(); ++i)
    for (std::size_t k = 0; k < kPanelColumns; ++k) sum[k] += g[i] * double(x[i * kPanelColumns + k]);
  return sum;
}

}  // namespace

KeptSparse::KeptSparse(const Stream& stream, const Shape& shape, const std::vector<double>& mean)
    : by_columns_(shape.rows < shape.columns), size_(std::min(shape.rows, shape.columns)) {
  int exponent = 0;
  std::frexp(std::sqrt(shape.total), &exponent);
  const double scale = std::ldexp(1.0, -exponent);
  square_unit_ = std::ldexp(1.0, 2 * exponent);

  offsets_.assign((by_columns_ ? shape.columns : shape.rows) + 1, 0);
  std::size_t row = 0;
  stream.quiet().each("", [&](const auto& block) {
    if (by_columns_)
      for (std::size_t p = block.offsets[0]; p < block.offsets[block.rows]; ++p) ++offsets_[block.columns[p] + 1];
    else
      for (std::size_t i = 0; i < block.rows; ++i) offsets_[++row] = block.offsets[i + 1] - block.offsets[i];
  });
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  places_.resize(offsets_.back());
  values_.resize(offsets_.back());
  std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
  row = 0;
  stream.quiet().each("", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i, ++row)
      for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p) {
        const std::size_t at = next[by_columns_ ? block.columns[p] : row]++;
        places_[at] = by_columns_ ? std::uint32_t(row) : block.columns[p];
        values_[at] = float(double(block.values[p]) * scale);
      }
  });
  if (!mean.empty()) {
    std::vector<double> scaled(mean);
    for (double& m : scaled) m *= scale;
    factor_ = by_columns_ ? scaled : std::vector<double>(shape.rows, 1.0);
    g_ = by_columns_ ? std::vector<double>(shape.rows, 1.0) : std::move(scaled);
  }
  cut_lines();
}

double KeptSparse::bytes(const Shape& shape, double entries) {
  const double lines = double(std::max(shape.rows, shape.columns)), size = double(std::min(shape.rows, shape.columns));
  return entries * double(sizeof(float) + sizeof(std::uint32_t)) + 3 * lines * sizeof(double) +
         double((kMostPieces + 2) * kPanelColumns) * size * sizeof(double);
}

void KeptSparse::cut_lines() {
  const std::size_t pieces = std::clamp<std::size_t>(values_.size() / kPieceEntries, 1, kMostPieces);
  for (std::size_t p = 0; p <= pieces; ++p) {
    const auto at = std::lower_bound(offsets_.begin(), offsets_.end(), values_.size() * p / pieces);
    edges_.push_back(p == 0 ? 0 : std::size_t(at - offsets_.begin()));
  }
  edges_.back() = offsets_.size() - 1;
}

template <class T>
Matrix<double> KeptSparse::product(const Matrix<double>& q, Threads& threads) const {
  const std::size_t pieces = edges_.size() - 1;
  Matrix<double> found(size_, q.cols());
  const std::vector<T> factor(factor_.begin(), factor_.end());
  std::vector<AlignedVector<T>> sums(pieces);
  for (std::size_t first = 0; first < q.cols(); first += kPanelColumns) {
    const AlignedVector<T> x = panel_of<T>(q, first);
    const std::vector<double> whole = panel_sum(g_, x);
    const std::vector<T> shift(whole.begin(), whole.end());
    std::vector<std::vector<double>> lost(pieces, std::vector<double>(kPanelColumns));
    threads.run(pieces, [&](std::size_t p, int) {
      sums[p].assign(size_ * kPanelColumns, T(0));
      add_normal_product<T>(piece(p), {factor.empty() ? nullptr : factor.data(), shift.data(), lost[p].data()},
                            x.data(), sums[p].data());
    });
    std::vector<double> t(kPanelColumns);
    for (const std::vector<double>& each : lost)
      for (std::size_t k = 0; k < kPanelColumns; ++k) t[k] += each[k];
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t k = 0; k < std::min(kPanelColumns, q.cols() - first); ++k) {
        double sum = 0;
        for (const AlignedVector<T>& each : sums) sum += double(each[i * kPanelColumns + k]);
        found(i, first + k) = g_.empty() ? sum : sum - g_[i] * t[k];
      }
  }
  return found;
}

template Matrix<double> KeptSparse::product<float>(const Matrix<double>&, Threads&) const;
template Matrix<double> KeptSparse::product<double>(const Matrix<double>&, Threads&) const;

template <class T>
Matrix<double> KeptSparse::columns_times(const Matrix<double>& y, Threads& threads) const {
  constexpr std::size_t kLines = 1024;
  const std::size_t lines = offsets_.size() - 1, panels = (y.cols() + kPanelColumns - 1) / kPanelColumns;
  std::vector<AlignedVector<T>> x;
  std::vector<std::vector<double>> shift;
  for (std::size_t k = 0; k < panels; ++k) {
    x.push_back(panel_of<T>(y, k * kPanelColumns));
    shift.push_back(panel_sum(g_, x.back()));
  }
  Matrix<double> found(lines, y.cols());
  in_pieces(threads, lines, kLines, [&](std::size_t begin, std::size_t count) {
    AlignedVector<T> some(count * kPanelColumns);
    for (std::size_t k = 0; k < panels; ++k) {
      line_products<T>({offsets_.data() + begin, places_.data(), values_.data(), 0, count}, x[k].data(),
                       {some.data(), count, kPanelColumns, kPanelColumns});
      const std::size_t first = k * kPanelColumns, width = std::min(kPanelColumns, y.cols() - first);
      for (std::size_t l = 0; l < count; ++l)
        for (std::size_t c = 0; c < width; ++c)
          found(begin + l, first + c) =
              double(some[l * kPanelColumns + c]) - (factor_.empty() ? 0 : factor_[begin + l] * shift[k][c]);
    }
  });
  return found;
}

template Matrix<double> KeptSparse::columns_times<float>(const Matrix<double>&, Threads&) const;
template Matrix<double> KeptSparse::columns_times<double>(const Matrix<double>&, Threads&) const;

SparseSpace leading_space(const KeptSparse& a, const Matrix<double>& start, const LanczosOptions& options,
                          double blurred, const Stream& stream) {
  Threads& threads = stream.threads();
  const auto by = [&](const auto& product, double rounding) {
    std::size_t products = 0;
    LanczosOptions how = options;
    how.rounding = rounding;
    const auto said = [&](const Matrix<double>& q) {
      threads.check_stop();
      if (const auto& progress = stream.execution().progress) progress(fmt::format("product {}", ++products), 0);
      return product(q);
    };
    return block_lanczos(start, said, how, threads);
  };
  SparseSpace found{by([&](const Matrix<double>& q) { return a.product<float>(q, threads); }, 1e-6)};
  if (found.values.size() < options.wanted || found.values.back() < blurred * found.values[0]) {
    const std::size_t products = found.products;
    found = {by([&](const Matrix<double>& q) { return a.product<double>(q, threads); }, 1e-13)};
    found.products += products;
    if (a.by_columns()) found.columns = a.columns_times<double>(found.vectors, threads);
  } else if (a.by_columns()) {
    found.columns = a.columns_times<float>(found.vectors, threads);
  }
  return found;
}

}  // namespace bochner
