// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/clusters/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/archive.h"
#include "base/lease.h"
#include "base/pieces.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kPieceRows = 4096;
constexpr float kUp = 1 + 0x1p-20f, kDown = 1 - 0x1p-20f;  // more than a rounding to float

// How wrong |z|^2 - 2 z c + |c|^2 may be, of |z|^2 + |c|^2: some roundings of sums of products in C.
template <class C>
constexpr double kSlack = std::is_same_v<C, float> ? 0x1p-18 : 0x1p-44;

float at_most(double square) { return float(std::sqrt(square)) * kUp; }
float at_least(double square) { return square > 0 ? float(std::sqrt(square)) * kDown : 0.0f; }

// The row as numbers of its features, and its product with a centre, in an order that depends on nothing but the width,
// a multiple of kKeptColumns.
template <class C, class T>
double widened_product(const T* from, std::size_t width, C unit, const C* centre, C* to) {
  constexpr std::size_t lanes = 16;
  static_assert(kKeptColumns % lanes == 0);
  C sums[lanes] = {};
  for (std::size_t j = 0; j < width; j += lanes)
    for (std::size_t l = 0; l < lanes; ++l) {
      to[j + l] = C(from[j + l]) * unit;
      sums[l] += to[j + l] * centre[j + l];
    }
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  return double(sums[0]);
}

}  // namespace

// Rows that are looked at together: those whose nearest centre may be another than their own.
template <class C>
struct Assignments::Looking {
  struct Nearest {
    double first = kInfinity, second = kInfinity;  // squared distances in a group
    std::uint32_t which = 0;
    bool seen = false;  // whether the group was looked at
  };

  const C* z;  // one after the other
  std::size_t width, groups;
  std::vector<std::uint32_t> place = {};     // position among the rows given
  std::vector<std::size_t> number = {};      // position among all rows
  std::vector<double> own = {}, slack = {};  // squared distance to its own centre; how wrong distances may be
  std::vector<Nearest> nearest = {};         // row x group

  std::size_t rows() const { return place.size(); }
  Nearest& near(std::size_t i, std::size_t g) { return nearest[i * groups + g]; }
  const Nearest& near(std::size_t i, std::size_t g) const { return nearest[i * groups + g]; }
};

Assignments::Assignments(std::size_t rows, std::vector<std::size_t> group_edges)
    : edges_(std::move(group_edges)),
      labels_(rows),
      squares_(rows),
      upper_(rows, std::numeric_limits<float>::infinity()),
      lower_(rows * groups()),
      open_(rows, 1) {
  for (std::size_t g = 0; g < groups(); ++g) group_of_.resize(edges_[g + 1], std::uint32_t(g));
}

void Assignments::set_centres(std::shared_ptr<const Centres> centres, Threads& threads) {
  const std::shared_ptr<const Centres> before = std::exchange(centres_, std::move(centres));
  largest_square_ = *std::max_element(centres_->squares.begin(), centres_->squares.end());
  if (!before) return;
  std::vector<float> step(centres_->count()), longest(groups());
  for (std::size_t c = 0; c < step.size(); ++c) {
    double sum = 0;
    for (std::size_t j = 0; j < centres_->width(); ++j) {
      const double d = centres_->points(c, j) - before->points(c, j);
      sum += d * d;
    }
    step[c] = at_most(sum);
    longest[group_of(c)] = std::max(longest[group_of(c)], step[c]);
  }
  each_in_pieces(threads, labels_.size(), kPieceRows, [&](std::size_t i) {
    upper_[i] = (upper_[i] + step[labels_[i]]) * kUp;
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t g = 0; g < groups(); ++g) {
      float& bound = lower(i)[g];
      bound = std::max(0.0f, (bound - longest[g]) * kDown);
      least = std::min(least, bound);
    }
    open_[i] = upper_[i] > least;
  });
}

void Assignments::take(std::size_t row, std::uint32_t label) {
  labels_[row] = label;
  upper_[row] = std::numeric_limits<float>::infinity();
  std::fill_n(lower(row), groups(), 0.0f);
  open_[row] = 1;
}

void Assignments::save(Archive& archive) const {
  const std::size_t n = labels_.size();
  archive.put_count("fresh", fresh_ ? 1 : 0);
  archive.put<std::uint32_t>("labels", labels_, {n});
  archive.put<double>("squares", squares_, {n});
  archive.put<float>("upper", upper_, {n});
  archive.put<float>("lower", lower_, {n, groups()});
  archive.put<std::uint8_t>("open", open_, {n});
}

void Assignments::load(const Archive& archive, std::shared_ptr<const Centres> centres) {
  const std::size_t n = labels_.size();
  centres_ = std::move(centres);
  largest_square_ = *std::max_element(centres_->squares.begin(), centres_->squares.end());
  fresh_ = archive.get_count("fresh", 1) == 1;
  labels_ = archive.get<std::uint32_t>("labels", {n});
  for (const std::uint32_t label : labels_)
    if (label >= centres_->count())
      fail(Error::Kind::model, "clusters: the checkpoint has a row in cluster {} of {}; it is damaged", label,
           centres_->count());
  squares_ = archive.get<double>("squares", {n});
  upper_ = archive.get<float>("upper", {n});
  lower_ = archive.get<float>("lower", {n, groups()});
  open_ = archive.get<std::uint8_t>("open", {n});
}

// The distance to its own centre, and whether that shows that no other is nearer. to: gets the row's numbers.
template <class C, class T>
bool Assignments::closed_by_own(const T* z, double unit, std::size_t row, C* to, double& own) {
  const std::uint32_t label = labels_[row];
  const double product = widened_product(z, centres_->width(), C(unit), centres_->point<C>(label), to);
  own = squared_distance(squares_[row], product, centres_->squares[label]);
  upper_[row] = at_most(own + kSlack<C> * (squares_[row] + largest_square_));
  return upper_[row] <= *std::min_element(lower(row), lower(row) + groups());
}

// The two nearest centres of a group, for the rows that may have their nearest there.
template <class C>
void Assignments::look_at_group(const Backend& ops, Looking<C>& at, std::size_t g) {
  const std::size_t begin = edges_[g], count = edges_[g + 1] - begin, width = at.width;
  std::vector<std::uint32_t> who;
  for (std::size_t i = 0; i < at.rows(); ++i)
    if ((at.near(i, g).seen = fresh_ || lower(at.number[i])[g] < upper_[at.number[i]])) who.push_back(std::uint32_t(i));
  if (who.empty()) return;
  const bool all = who.size() == at.rows();
  const Lease<C> packed(all ? 0 : who.size() * width), products(who.size() * count);
  for (std::size_t p = 0; p < who.size() && !all; ++p)
    std::copy_n(at.z + who[p] * width, width, packed.data() + p * width);
  ops.multiply(MatrixView<const C>{all ? at.z : packed.data(), who.size(), width, width},
               centres_->across<C>(begin, count), C(0), MatrixView<C>{products.data(), who.size(), count, count});
  for (std::size_t p = 0; p < who.size(); ++p) {
    typename Looking<C>::Nearest& nearest = at.near(who[p], g);
    const double square = squares_[at.number[who[p]]];
    for (std::size_t c = 0; c < count; ++c) {
      const double d = squared_distance(square, double(products.data()[p * count + c]), centres_->squares[begin + c]);
      if (d < nearest.first) {
        nearest.second = nearest.first;
        nearest.first = d;
        nearest.which = std::uint32_t(begin + c);
      } else if (d < nearest.second) {
        nearest.second = d;
      }
    }
  }
}

// Label and bounds of a row from what was found. A row stays where it is unless another centre is clearly nearer.
template <class C>
std::uint32_t Assignments::settle_row(const Looking<C>& at, std::size_t i) {
  const std::size_t row = at.number[i];
  const double slack = at.slack[i];
  std::uint32_t label = labels_[row];
  double best = fresh_ ? kInfinity : at.own[i];
  for (std::size_t g = 0; g < groups(); ++g)
    if (const auto& near = at.near(i, g); near.seen && near.first < best - (fresh_ ? 0 : slack)) {
      best = near.first;
      label = near.which;
    }
  for (std::size_t g = 0; g < groups(); ++g)
    if (const auto& near = at.near(i, g); near.seen) {
      const double other = near.which == label ? near.second : near.first;
      lower(row)[g] = other == kInfinity ? std::numeric_limits<float>::max() : at_least(other - slack);
    }
  if (!fresh_ && label != labels_[row]) {  // the centre it left is one of the others now
    float& bound = lower(row)[group_of(labels_[row])];
    bound = std::min(bound, at_least(at.own[i] - slack));
  }
  upper_[row] = at_most(best + slack);
  return label;
}

template <class T>
void Assignments::look(const Backend& ops, const StoredRows<T>& rows, double unit, const std::vector<double>& weights,
                       std::vector<Move<T>>& moves, std::vector<double>& squares) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const std::size_t width = centres_->width();
  const Lease<C> z(rows.number.size() * width);
  Looking<C> at{.z = z.data(), .width = width, .groups = groups()};
  for (std::size_t i = 0; i < rows.number.size(); ++i) {
    const std::size_t row = rows.number[i];
    C* const to = z.data() + at.rows() * width;
    double own = 0;
    if (fresh_)
      squares_[row] = widen(rows.z[i], width, unit, to);
    else if (closed_by_own(rows.z[i], unit, row, to, own))
      continue;
    at.place.push_back(std::uint32_t(i));
    at.number.push_back(row);
    at.own.push_back(own);
    at.slack.push_back(kSlack<C> * (squares_[row] + largest_square_));
  }
  at.nearest.resize(at.rows() * groups());
  for (std::size_t g = 0; g < groups(); ++g) look_at_group(ops, at, g);
  for (std::size_t i = 0; i < at.rows(); ++i) {
    const std::size_t row = at.number[i];
    const std::uint32_t label = settle_row(at, i);
    const double weight = weights.empty() ? 1 : weights[row];
    if (fresh_) squares.push_back(weight * squares_[row]);
    if (fresh_ || label != labels_[row])
      moves.push_back({rows.z[at.place[i]], weight, fresh_ ? Move<T>::kNone : labels_[row], label});
    labels_[row] = label;
  }
}

#define BOCHNER_LOOK(T)                                                                                     \
  template void Assignments::look(const Backend&, const StoredRows<T>&, double, const std::vector<double>&, \
                                  std::vector<Move<T>>&, std::vector<double>&)
BOCHNER_LOOK(std::int16_t);
BOCHNER_LOOK(float);
BOCHNER_LOOK(double);
#undef BOCHNER_LOOK

}  // namespace bochner
