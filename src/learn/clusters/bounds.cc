// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/clusters/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// In an order that depends on nothing but the width.
template <class C>
double dot(const C* a, const double* b, std::size_t width) {
  double sums[8] = {};
  std::size_t j = 0;
  for (; j + 8 <= width; j += 8)
    for (std::size_t l = 0; l < 8; ++l) sums[l] += double(a[j + l]) * b[j + l];
  for (; j < width; ++j) sums[j % 8] += double(a[j]) * b[j];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace

// Rows that are looked at together.
template <class C>
struct Assignments::Looking {
  struct Nearest {
    double first = kInfinity, second = kInfinity;  // squared distances in a group
    std::uint32_t which = 0;
  };

  std::size_t rows = 0, width = 0;
  std::vector<C> z = {};
  std::vector<double> square = {}, slack = {}, own = {};  // |z|^2, of distances, squared distance to its own centre
  std::vector<char> active = {};
  std::vector<std::vector<Nearest>> nearest = {};  // [group][row]
  std::vector<std::vector<char>> seen = {};        // whether the group was looked at
};

Assignments::Assignments(std::size_t rows, std::vector<std::size_t> group_edges)
    : edges_(std::move(group_edges)),
      labels_(rows),
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
  threads.run((labels_.size() + kPieceRows - 1) / kPieceRows, [&](std::size_t piece, int) {
    for (std::size_t i = piece * kPieceRows; i < std::min(labels_.size(), (piece + 1) * kPieceRows); ++i) {
      upper_[i] = (upper_[i] + step[labels_[i]]) * kUp;
      float least = std::numeric_limits<float>::infinity();
      for (std::size_t g = 0; g < groups(); ++g) {
        float& bound = lower(i)[g];
        bound = std::max(0.0f, (bound - longest[g]) * kDown);
        least = std::min(least, bound);
      }
      open_[i] = upper_[i] > least;
    }
  });
}

void Assignments::take(std::size_t row, std::uint32_t label) {
  labels_[row] = label;
  upper_[row] = std::numeric_limits<float>::infinity();
  std::fill_n(lower(row), groups(), 0.0f);
  open_[row] = 1;
}

// The distance to its own centre, and whether that shows that no other is nearer.
template <class C>
bool Assignments::closed_by_own(const Looking<C>& at, std::size_t i, std::size_t row) {
  upper_[row] = at_most(at.own[i] + at.slack[i]);
  return upper_[row] <= *std::min_element(lower(row), lower(row) + groups());
}

// The two nearest centres of a group, for the rows that may have their nearest there.
template <class C>
void Assignments::look_at_group(const Backend& ops, Looking<C>& at, std::size_t g) {
  const std::size_t begin = edges_[g], count = edges_[g + 1] - begin, width = at.width;
  std::vector<std::uint32_t> who;
  for (std::size_t i = 0; i < at.rows; ++i)
    if (at.seen[g][i]) who.push_back(std::uint32_t(i));
  if (who.empty()) return;
  std::vector<C> packed;
  if (who.size() < at.rows) {
    packed.reserve(who.size() * width);
    for (const std::uint32_t i : who)
      packed.insert(packed.end(), at.z.begin() + std::ptrdiff_t(i * width),
                    at.z.begin() + std::ptrdiff_t((i + 1) * width));
  }
  std::vector<C> products(who.size() * count);
  ops.multiply(MatrixView<const C>{packed.empty() ? at.z.data() : packed.data(), who.size(), width, width},
               centres_->across<C>(begin, count), C(0), MatrixView<C>{products.data(), who.size(), count, count});
  for (std::size_t p = 0; p < who.size(); ++p) {
    typename Looking<C>::Nearest& nearest = at.nearest[g][who[p]];
    for (std::size_t c = 0; c < count; ++c) {
      const double d =
          squared_distance(at.square[who[p]], double(products[p * count + c]), centres_->squares[begin + c]);
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
std::uint32_t Assignments::settle_row(const Looking<C>& at, std::size_t i, std::size_t row) {
  std::uint32_t label = labels_[row];
  double best = fresh_ ? kInfinity : at.own[i];
  for (std::size_t g = 0; g < groups(); ++g)
    if (at.seen[g][i] && at.nearest[g][i].first < best - (fresh_ ? 0 : at.slack[i])) {
      best = at.nearest[g][i].first;
      label = at.nearest[g][i].which;
    }
  for (std::size_t g = 0; g < groups(); ++g)
    if (at.seen[g][i]) {
      const auto& nearest = at.nearest[g][i];
      const double other = nearest.which == label ? nearest.second : nearest.first;
      lower(row)[g] = other == kInfinity ? std::numeric_limits<float>::max() : at_least(other - at.slack[i]);
    }
  if (!fresh_ && label != labels_[row]) {  // the centre it left is one of the others now
    float& bound = lower(row)[group_of(labels_[row])];
    bound = std::min(bound, at_least(at.own[i] - at.slack[i]));
  }
  upper_[row] = at_most(best + at.slack[i]);
  return label;
}

template <class T>
void Assignments::look(const Backend& ops, const StoredRows<T>& rows, double unit, const std::vector<double>& weights,
                       std::vector<Move<T>>& moves, std::vector<double>& squares) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  Looking<C> at{.rows = rows.number.size(), .width = centres_->width()};
  at.z.resize(at.rows * at.width);
  at.square.resize(at.rows);
  at.slack.resize(at.rows);
  at.own.resize(at.rows);
  at.active.assign(at.rows, 1);
  at.nearest.assign(groups(), std::vector<typename Looking<C>::Nearest>(at.rows));
  at.seen.assign(groups(), std::vector<char>(at.rows));
  for (std::size_t i = 0; i < at.rows; ++i) {
    const std::size_t row = rows.number[i];
    at.square[i] = widen(rows.z[i], at.width, unit, &at.z[i * at.width]);
    at.slack[i] = kSlack<C> * (at.square[i] + largest_square_);
    if (fresh_) continue;
    const std::uint32_t own = labels_[row];
    at.own[i] = squared_distance(at.square[i], dot(&at.z[i * at.width], &centres_->points(own, 0), at.width),
                                 centres_->squares[own]);
    at.active[i] = !closed_by_own(at, i, row);
  }
  for (std::size_t g = 0; g < groups(); ++g) {
    for (std::size_t i = 0; i < at.rows; ++i)
      at.seen[g][i] = at.active[i] && (fresh_ || lower(rows.number[i])[g] < upper_[rows.number[i]]);
    look_at_group(ops, at, g);
  }
  for (std::size_t i = 0; i < at.rows; ++i) {
    if (!at.active[i]) continue;
    const std::size_t row = rows.number[i];
    const std::uint32_t label = settle_row(at, i, row);
    const double weight = weights.empty() ? 1 : weights[row];
    if (fresh_) squares.push_back(weight * at.square[i]);
    if (fresh_ || label != labels_[row])
      moves.push_back({rows.z[i], weight, fresh_ ? Move<T>::kNone : labels_[row], label});
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
