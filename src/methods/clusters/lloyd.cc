// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/clusters/lloyd.h"

#include <algorithm>
#include <cmath>

#include "base/archive.h"
#include "base/lease.h"
#include "base/pieces.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kLloydRows = 192, kStrip = 512;

// A power of two q with q * most <= 2^31: 2^31 rows of such numbers fit 64 bits. Finite also where all are 0.
double quanta(double most) {
  constexpr double kLeast = 1e-290;
  int exponent = 0;
  std::frexp(std::max(most, kLeast), &exponent);
  return std::ldexp(1.0, 31 - exponent);
}

// Rounds to the nearest, ties to even, for values far below 2^51; unlike std::llrint it is no call.
std::int64_t rounded(double value) {
  constexpr double shift = 0x1.8p52;
  return std::int64_t((value + shift) - shift);
}

}  // namespace

Centres::Centres(Matrix<double> given)
    : points(std::move(given)),
      squares(points.rows()),
      across_(points.cols(), points.rows()),
      points_float_(points.rows(), points.cols()),
      across_float_(points.cols(), points.rows()) {
  for (std::size_t k = 0; k < points.rows(); ++k)
    for (std::size_t j = 0; j < points.cols(); ++j) {
      squares[k] += points(k, j) * points(k, j);
      across_(j, k) = points(k, j);
      points_float_(k, j) = across_float_(j, k) = float(points(k, j));
    }
}

template <>
MatrixView<const float> Centres::across(std::size_t begin, std::size_t columns) const {
  return {across_float_.data() + begin, width(), columns, count()};
}
template <>
MatrixView<const double> Centres::across(std::size_t begin, std::size_t columns) const {
  return {across_.data() + begin, width(), columns, count()};
}

template <>
const float* Centres::point(std::size_t c) const {
  return &points_float_(c, 0);
}
template <>
const double* Centres::point(std::size_t c) const {
  return &points(c, 0);
}

template <class C, class T>
double widen(const T* from, std::size_t width, double unit, C* to) {
  if constexpr (std::is_same_v<C, T>)
    std::copy_n(from, width, to);
  else
    for (std::size_t j = 0; j < width; ++j) to[j] = C(from[j]) * C(unit);
  double sums[8] = {};  // 8 lanes: the order of the sum is the same for every width of vectors
  std::size_t j = 0;
  for (; j + 8 <= width; j += 8)
    for (std::size_t l = 0; l < 8; ++l) sums[l] += double(to[j + l]) * double(to[j + l]);
  for (; j < width; ++j) sums[j % 8] += double(to[j]) * double(to[j]);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

#define BOCHNER_WIDEN(T)                                        \
  template double widen(const T*, std::size_t, double, float*); \
  template double widen(const T*, std::size_t, double, double*)
BOCHNER_WIDEN(std::int16_t);
BOCHNER_WIDEN(float);
BOCHNER_WIDEN(double);
#undef BOCHNER_WIDEN

LloydFold::LloydFold(std::shared_ptr<const Centres> centres, const RowUnits& units)
    : centres_(std::move(centres)),
      unit_(units.unit),
      per_unit_(units.whole ? 1 : quanta(units.bound * units.weight_bound)),
      weight_per_unit_(quanta(units.weight_bound)),
      whole_(units.whole),
      sums_(centres_->count(), centres_->width()),
      weights_(centres_->count()) {}

template <class T>
void LloydFold::add(const Workers& on, const RowBlock<T>& x) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const std::size_t k = centres_->count(), width = centres_->width();
  require(!x.sparse() && x.cols == width, "clusters: a block of {} columns, expected {} dense ones", x.cols, width);
  std::vector<Move<T>> moves(x.rows);
  std::vector<double> squares(x.rows);
  in_pieces(on.threads, x.rows, kLloydRows, [&](std::size_t begin, std::size_t count) {
    const Lease<C> z(count * width), products(count * k);
    for (std::size_t i = 0; i < count; ++i)
      squares[begin + i] = widen(x.values + (begin + i) * x.stride, width, unit_, z.data() + i * width);
    on.ops.multiply(MatrixView<const C>{z.data(), count, width, width}, centres_->across<C>(0, k), C(0),
                    MatrixView<C>{products.data(), count, k, k});
    for (std::size_t i = 0; i < count; ++i) {
      const C* const product = products.data() + i * k;
      std::size_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < k; ++c)
        if (const double d = squared_distance(squares[begin + i], double(product[c]), centres_->squares[c]); d < least)
          least = d, best = c;
      moves[begin + i] = {x.values + (begin + i) * x.stride, x.weights ? x.weights[begin + i] : 1.0, Move<T>::kNone,
                          std::uint32_t(best)};
    }
  });
  for (std::size_t i = 0; i < x.rows; ++i) add_square(moves[i].weight * squares[i]);
  move<T>(on.threads, moves);
}

template <class T>
void LloydFold::move(Threads& threads, std::span<const Move<T>> moves) {
  const std::size_t width = centres_->width();
  for (const Move<T>& m : moves) {
    const std::int64_t weight = std::llround(m.weight * weight_per_unit_);
    if (m.from != Move<T>::kNone) weights_[m.from] -= weight;
    if (m.to != Move<T>::kNone) weights_[m.to] += weight;
  }
  in_pieces(threads, width, kStrip, [&](std::size_t begin, std::size_t count) {
    const std::size_t end = begin + count;
    std::int64_t whole[kStrip];
    for (const Move<T>& m : moves) {
      const double scale = per_unit_ * m.weight;
      for (std::size_t j = begin; j < end; ++j)
        if constexpr (std::is_same_v<T, std::int16_t>)
          whole[j - begin] = whole_ ? m.z[j] : rounded(double(m.z[j]) * scale);
        else
          whole[j - begin] = rounded(double(m.z[j]) * scale);
      if (m.from != Move<T>::kNone)
        for (std::size_t j = begin; j < end; ++j) sums_(m.from, j) -= whole[j - begin];
      if (m.to != Move<T>::kNone)
        for (std::size_t j = begin; j < end; ++j) sums_(m.to, j) += whole[j - begin];
    }
  });
}

#define BOCHNER_LLOYD(T)                                            \
  template void LloydFold::add(const Workers&, const RowBlock<T>&); \
  template void LloydFold::move(Threads&, std::span<const Move<T>>)
BOCHNER_LLOYD(std::int16_t);
BOCHNER_LLOYD(float);
BOCHNER_LLOYD(double);
#undef BOCHNER_LLOYD

void LloydFold::merge(const LloydFold& other) {
  require(sums_.rows() == other.sums_.rows() && sums_.cols() == other.sums_.cols() && per_unit_ == other.per_unit_,
          "clusters: sums of {} x {} numbers, expected {} x {}", other.sums_.rows(), other.sums_.cols(), sums_.rows(),
          sums_.cols());
  for (std::size_t i = 0; i < sums_.rows() * sums_.cols(); ++i) sums_.data()[i] += other.sums_.data()[i];
  for (std::size_t c = 0; c < weights_.size(); ++c) weights_[c] += other.weights_[c];
  squares_.merge(other.squares_);
}

void LloydFold::save(Archive& archive) const {
  archive.put<std::int64_t>("sums", {sums_.data(), sums_.rows() * sums_.cols()}, {sums_.rows(), sums_.cols()});
  archive.put<std::int64_t>("weights", weights_, {weights_.size()});
  std::vector<std::int64_t> squares = {squares_.top()};
  squares.insert(squares.end(), squares_.counts().begin(), squares_.counts().end());
  archive.put<std::int64_t>("squares", squares, {squares.size()});
}

void LloydFold::load(const Archive& archive) {
  archive.get_into("sums", {sums_.rows(), sums_.cols()}, std::span(sums_.data(), sums_.rows() * sums_.cols()));
  weights_ = archive.get<std::int64_t>("weights", {weights_.size()});
  const auto squares = archive.get<std::int64_t>("squares", {1 + std::size_t(BinnedSum::kPlaces)});
  if (squares[0] < BinnedSum::kNone || squares[0] > 100)
    fail(Error::Kind::model, "sum: 'squares' holds a place of {}; the file is damaged", squares[0]);
  squares_ = BinnedSum::from(int(squares[0]), squares.data() + 1);
}

bool LloydFold::operator==(const LloydFold& other) const {
  return sums_ == other.sums_ && weights_ == other.weights_ && squares_ == other.squares_;
}

Matrix<double> LloydFold::sums() const {
  Matrix<double> all(sums_.rows(), sums_.cols());
  for (std::size_t i = 0; i < all.rows() * all.cols(); ++i) all.data()[i] = double(sums_.data()[i]) * unit_ / per_unit_;
  return all;
}

std::vector<double> LloydFold::weights() const {
  std::vector<double> all;
  for (const std::int64_t w : weights_) all.push_back(double(w) / weight_per_unit_);
  return all;
}

double LloydFold::inertia(const Centres& about) const {
  double sum = squares_.value();
  for (std::size_t c = 0; c < sums_.rows(); ++c) {
    double product = 0;
    for (std::size_t j = 0; j < sums_.cols(); ++j) product += about.points(c, j) * double(sums_(c, j));
    sum += double(weights_[c]) / weight_per_unit_ * about.squares[c] - 2 * product * unit_ / per_unit_;
  }
  return std::max(sum, 0.0);
}

}  // namespace bochner
