// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/components/sketch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/pieces.h"
#include "base/require.h"
#include "base/wrapped.h"

namespace bochner {

namespace {

constexpr std::size_t kPieceRows = 192, kStrip = 240, kSparseStrips = 16, kTransposedRows = 64;

void add_all(std::int64_t* to, const std::int64_t* from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) add_wrapped(to[i], from[i]);
}

// a = x - m, in double before it is rounded.
template <class C, class T>
void subtract_mean(const T* x, const std::vector<double>& mean, std::size_t d, C* a) {
  if (mean.empty())
    std::copy_n(x, d, a);
  else
    for (std::size_t j = 0; j < d; ++j) a[j] = C(double(x[j]) - mean[j]);
}

}  // namespace

// Bounds of the sums, of any part of the rows too, by Cauchy and Schwarz:
//   |sum a_j (a . q_k)| <= |A e_j| |A q_k| <= total,   |sum a . q_k| <= sqrt(n total);
// with given coordinates sqrt(total) and sqrt(n).
SketchFold::SketchFold(std::shared_ptr<const SketchBasis> basis) : basis_(std::move(basis)) {
  const Matrix<double>& q = basis_->q;
  const std::size_t d = basis_->cols, l = basis_->directions();
  require(basis_->mean.empty() || basis_->mean.size() == d, "sketch: found {} means for {} columns",
          basis_->mean.size(), d);
  require(std::isfinite(basis_->total) && basis_->total >= 0, "sketch: the sum of squares is {}", basis_->total);
  int exponent = 0;
  std::frexp(basis_->total, &exponent);
  if (basis_->total <= 0) exponent = 0;
  const int half = (exponent + 1) / 2 + 1;  // 2^half > sqrt(total)
  per_unit_ = std::ldexp(1.0, 60 - (given() ? half : exponent));
  drift_per_unit_ = std::ldexp(1.0, 38 - (given() ? 0 : half));
  center_.resize(l);
  for (std::size_t j = 0; !given() && j < basis_->mean.size(); ++j)
    for (std::size_t k = 0; k < l; ++k) center_[k] += basis_->mean[j] * q(j, k);
  if (basis_->images) image_ = basis_->sparse ? Matrix<std::int64_t>(d, l) : Matrix<std::int64_t>(l, d);
  ritz_ = Matrix<std::int64_t>(l, l);
  drift_.resize(l);
  if (given() || (basis_->wide && !basis_->sparse)) return;
  q_ = Matrix<float>(d, l);
  std::copy_n(q.data(), d * l, q_.data());
}

double SketchFold::bytes(std::size_t cols, std::size_t directions, bool images) {
  return double(cols) * double(directions) *
         double(sizeof(double) + sizeof(float) + (images ? sizeof(std::int64_t) : 0));
}

template <class T>
void SketchFold::add(const Workers& on, const RowBlock<T>& x) {
  require(x.cols == basis_->cols && x.sparse() == basis_->sparse, "sketch: a block of {}{} columns, expected {}{}",
          x.cols, x.sparse() ? " sparse" : "", basis_->cols, basis_->sparse ? " sparse ones" : "");
  require(!given() || x.first + x.rows <= basis_->coordinates.rows(), "sketch: row {} has no coordinates",
          x.first + x.rows - 1);
  if (x.sparse())
    add_csr(on, x);
  else if (basis_->wide)
    add_dense<double>(on, x, basis_->q.view());
  else
    add_dense<float>(on, x, std::as_const(q_).view());
  rows_ += x.rows;
}

template <class C, class T>
void SketchFold::add_dense(const Workers& on, const RowBlock<T>& x, MatrixView<const C> q) {
  const std::size_t d = x.cols, l = basis_->directions();
  const bool as_they_are = std::is_same_v<C, T> && basis_->mean.empty();
  AlignedVector<C> centered(as_they_are ? 0 : x.rows * d), coordinates(x.rows * l);
  AlignedVector<double> wide(given() ? 0 : x.rows * l);
  MatrixView<const C> a{centered.data(), x.rows, d, d};
  if constexpr (std::is_same_v<C, T>)
    if (as_they_are) a = x.view();
  const MatrixView<C> u{coordinates.data(), x.rows, l, l};
  in_pieces(on.threads, x.rows, kPieceRows, [&](std::size_t begin, std::size_t count) {
    for (std::size_t i = begin; !as_they_are && i < begin + count; ++i)
      subtract_mean(x.values + i * x.stride, basis_->mean, d, centered.data() + i * d);
    if (given()) {
      std::copy_n(&basis_->coordinates(x.first + begin, 0), count * l, u.row(begin));
      return;
    }
    on.ops.multiply(a.slice(begin, count), q, C(0), u.slice(begin, count));
    std::copy_n(u.row(begin), count * l, wide.data() + begin * l);
  });
  const std::vector<std::size_t> edges = chunk_edges(x.first, x.rows);
  if (!given()) add_coordinates(on, edges, {wide.data(), x.rows, l, l});
  if (!basis_->images) return;
  in_pieces(on.threads, d, kStrip, [&](std::size_t first, std::size_t width) {
    for (std::size_t c = 0; c + 1 < edges.size(); ++c) {
      const std::size_t begin = edges[c], count = edges[c + 1] - begin;
      on.ops.add_product(MatrixView<const C>(u.slice(begin, count)),
                         MatrixView<const C>{a.row(begin) + first, count, width, a.stride}, per_unit_,
                         {image_.data() + first, l, width, d});
    }
  });
}

template <class T>
void SketchFold::coordinates_csr(const RowBlock<T>& x, std::size_t begin, std::size_t count, double* u) const {
  const std::size_t l = basis_->directions();
  if (given()) {
    std::copy_n(&basis_->coordinates(x.first + begin, 0), count * l, u);
    return;
  }
  for (std::size_t i = begin; i < begin + count; ++i, u += l) {
    for (std::size_t k = 0; k < l; ++k) u[k] = -center_[k];
    for (std::size_t p = x.offsets[i]; p < x.offsets[i + 1]; ++p) {
      const double value = double(x.values[p]);
      const float* const row = q_.data() + x.columns[p] * l;
      for (std::size_t k = 0; k < l; ++k) u[k] += value * double(row[k]);
    }
  }
}

template <class T>
void SketchFold::add_csr(const Workers& on, const RowBlock<T>& x) {
  const std::size_t l = basis_->directions();
  AlignedVector<double> wide(x.rows * l);
  in_pieces(on.threads, x.rows, kPieceRows,
            [&](std::size_t begin, std::size_t count) { coordinates_csr(x, begin, count, wide.data() + begin * l); });
  add_coordinates(on, chunk_edges(x.first, x.rows), {wide.data(), x.rows, l, l});
  if (!basis_->images) return;
  // Every product is rounded by itself: integers add up in any order, so that a thread may take some of the columns.
  const std::size_t most = (x.cols + kSparseStrips - 1) / kSparseStrips;
  in_pieces(on.threads, x.cols, most, [&](std::size_t first, std::size_t width) {
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double* const u = wide.data() + i * l;
      const std::uint32_t* const end = x.columns + x.offsets[i + 1];
      const std::uint32_t* c = std::lower_bound(x.columns + x.offsets[i], end, first);
      for (; c < end && *c < first + width; ++c) {
        const double value = double(x.values[c - x.columns]) * per_unit_;
        std::int64_t* const sum = image_.data() + *c * l;
        for (std::size_t k = 0; k < l; ++k) sum[k] += std::int64_t(std::nearbyint(value * u[k]));
      }
    }
  });
}

// H, and the drift of the mean: sums of chunks in double, rounded once.
void SketchFold::add_coordinates(const Workers& on, const std::vector<std::size_t>& edges, MatrixView<const double> u) {
  const std::size_t l = u.cols, strips = given() ? 0 : (l + kStrip - 1) / kStrip;
  on.threads.run(strips, [&](std::size_t strip, int) {
    const std::size_t first = strip * kStrip, width = std::min(kStrip, l - first);
    for (std::size_t c = 0; c + 1 < edges.size(); ++c) {
      const std::size_t begin = edges[c], count = edges[c + 1] - begin;
      on.ops.add_product(u.slice(begin, count), MatrixView<const double>{u.row(begin) + first, count, width, u.stride},
                         per_unit_, {ritz_.data() + first, l, width, l});
    }
  });
  std::vector<double> sum(l);
  for (std::size_t c = 0; c + 1 < edges.size(); ++c) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t i = edges[c]; i < edges[c + 1]; ++i)
      for (std::size_t k = 0; k < l; ++k) sum[k] += u(i, k);
    for (std::size_t k = 0; k < l; ++k) drift_[k] += std::int64_t(std::nearbyint(sum[k] * drift_per_unit_));
  }
}

template void SketchFold::add(const Workers&, const RowBlock<float>&);
template void SketchFold::add(const Workers&, const RowBlock<double>&);

bool SketchFold::operator==(const SketchFold& other) const {
  return rows_ == other.rows_ && per_unit_ == other.per_unit_ && image_ == other.image_ && ritz_ == other.ritz_ &&
         drift_ == other.drift_;
}

void SketchFold::merge(const SketchFold& other) {
  require(per_unit_ == other.per_unit_ && image_.rows() == other.image_.rows() && ritz_.rows() == other.ritz_.rows(),
          "sketch: these were made of other rows or another basis");
  add_all(image_.data(), other.image_.data(), image_.rows() * image_.cols());
  add_all(ritz_.data(), other.ritz_.data(), ritz_.rows() * ritz_.cols());
  add_all(drift_.data(), other.drift_.data(), drift_.size());
  rows_ += other.rows_;
}

void SketchFold::save(Archive& archive) const {
  archive.put_count("rows", rows_);
  archive.put_number("per_unit", per_unit_);
  archive.put_view("image", std::span(image_.data(), image_.rows() * image_.cols()), {image_.rows(), image_.cols()});
  archive.put_view("ritz", std::span(ritz_.data(), ritz_.rows() * ritz_.cols()), {ritz_.rows(), ritz_.cols()});
  archive.put_view("drift", std::span<const std::int64_t>(drift_), {drift_.size()});
}

void SketchFold::load(const Archive& archive) {
  if (archive.get_number("per_unit") != per_unit_)
    fail(Error::Kind::model, "sketch: it was made of other rows; the file is damaged");
  rows_ = archive.get_count("rows");
  archive.get_into("image", {image_.rows(), image_.cols()}, std::span(image_.data(), image_.rows() * image_.cols()));
  archive.get_into("ritz", {ritz_.rows(), ritz_.cols()}, std::span(ritz_.data(), ritz_.rows() * ritz_.cols()));
  archive.get_into("drift", {drift_.size()}, std::span(drift_));
}

Matrix<double> SketchFold::image(Threads& threads) const {
  const std::size_t d = basis_->cols, l = basis_->directions();
  Matrix<double> w(d, l);
  each_in_pieces(threads, d, kTransposedRows, [&](std::size_t j) {
    for (std::size_t k = 0; k < l; ++k) {
      w(j, k) = double(basis_->sparse ? image_(j, k) : image_(k, j)) / per_unit_;
      if (basis_->sparse && !basis_->mean.empty()) w(j, k) -= basis_->mean[j] * (double(drift_[k]) / drift_per_unit_);
    }
  });
  return w;
}

Matrix<double> SketchFold::ritz() const {
  const std::size_t l = ritz_.rows();
  Matrix<double> h(l, l);
  for (std::size_t i = 0; i < l; ++i)
    for (std::size_t k = 0; k < l; ++k) h(i, k) = 0.5 * (double(ritz_(i, k)) + double(ritz_(k, i))) / per_unit_;
  return h;
}

}  // namespace bochner
