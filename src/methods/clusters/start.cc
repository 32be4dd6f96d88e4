// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/clusters/start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/pieces.h"
#include "learn/score.h"
#include "methods/clusters/lloyd.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kStartRows = 192;
constexpr int kRefinements = 100;
constexpr double kSettled = 1e-5;  // a pass that gains a smaller share of the inertia ends the refinement of a sample

template <class T>
class GreedyStart {
 public:
  GreedyStart(const Workers& on, const RowBlock<T>& rows, std::size_t count, std::uint64_t seed, std::uint64_t round)
      : on_(on), rows_(rows), seed_(seed), round_(round), squares_(rows.rows), left_(rows.rows) {
    tries_ = 2 + std::size_t(std::log(double(count)));
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t j = 0; j < rows.cols; ++j) squares_[i] += double(row(i)[j]) * double(row(i)[j]);
  }

  Matrix<double> run(std::size_t count) {
    Matrix<double> centres(count, rows_.cols);
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t chosen = c == 0 ? first() : next(c);
      std::copy_n(row(chosen), rows_.cols, &centres(c, 0));
    }
    return centres;
  }

 private:
  const T* row(std::size_t i) const { return rows_.values + i * rows_.stride; }
  double weight(std::size_t i) const { return weight_of(rows_.weights, i); }

  std::size_t first() {
    std::vector<double> weights(rows_.rows);
    for (std::size_t i = 0; i < rows_.rows; ++i) weights[i] = weight(i);
    const std::size_t chosen = drawn(weights, 0, 0);
    left_ = distances({chosen})[0];
    return chosen;
  }

  // A row drawn by weights that may all be 0: then the first row.
  std::size_t drawn(const std::vector<double>& weights, std::size_t c, std::size_t trial) const {
    double total = 0;
    for (const double w : weights) total += w;
    double at = uniform(seed_, Draw::candidate, round_, c, trial) * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!(weights[i] > 0)) continue;
      last = i;
      if ((at -= weights[i]) < 0) break;
    }
    return last;
  }

  std::size_t next(std::size_t c) {
    std::vector<double> chance(rows_.rows);
    for (std::size_t i = 0; i < rows_.rows; ++i) chance[i] = weight(i) * left_[i];
    std::vector<std::size_t> candidates;
    for (std::size_t t = 0; t < tries_; ++t) candidates.push_back(drawn(chance, c, t));
    std::vector<std::vector<double>> after = distances(candidates);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < tries_; ++t) {
      double sum = 0;
      for (std::size_t i = 0; i < rows_.rows; ++i) sum += weight(i) * (after[t][i] = std::min(after[t][i], left_[i]));
      if (sum < least) least = sum, best = t;
    }
    left_ = std::move(after[best]);
    return candidates[best];
  }

  // Squared distances of all rows to some of them; those of a row to itself are 0.
  std::vector<std::vector<double>> distances(const std::vector<std::size_t>& to) const {
    const std::size_t width = rows_.cols, count = to.size();
    Matrix<T> across(width, count);
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t j = 0; j < width; ++j) across(j, t) = row(to[t])[j];
    const Matrix<T>& fixed = across;
    std::vector<std::vector<double>> all(count, std::vector<double>(rows_.rows));
    in_pieces(on_.threads, rows_.rows, kStartRows, [&](std::size_t begin, std::size_t size) {
      Matrix<T> products(size, count);
      on_.ops.multiply(rows_.view().slice(begin, size), fixed.view(), T(0), products.view());
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t t = 0; t < count; ++t) {
          const double d = squared_distance(squares_[begin + i], double(products(i, t)), squares_[to[t]]);
          // What rounding leaves of equal rows is no distance.
          const double noise = (std::is_same_v<T, float> ? 1e-6 : 1e-14) * (squares_[begin + i] + squares_[to[t]]);
          all[t][begin + i] = d > noise ? d : 0;
        }
    });
    return all;
  }

  const Workers& on_;
  const RowBlock<T>& rows_;
  std::uint64_t seed_, round_;
  std::size_t tries_;
  std::vector<double> squares_, left_;  // |z|^2; to the nearest centre so far
};

template <class T>
RowUnits units_of(const RowBlock<T>& rows) {
  RowUnits units{.bound = 0, .weight_bound = 0};
  for (std::size_t i = 0; i < rows.rows; ++i) {
    units.weight_bound = std::max(units.weight_bound, weight_of(rows.weights, i));
    for (std::size_t j = 0; j < rows.cols; ++j)
      units.bound = std::max(units.bound, std::abs(double(rows.values[i * rows.stride + j])));
  }
  return units;
}

}  // namespace

template <class T>
Matrix<double> greedy_start(const Workers& on, const RowBlock<T>& rows, std::size_t count, std::uint64_t seed,
                            std::uint64_t round) {
  return GreedyStart<T>(on, rows, count, seed, round).run(count);
}

template <class T>
Refined refine(const Workers& on, const RowBlock<T>& rows, Matrix<double> centres, int most) {
  const RowUnits units = units_of(rows);
  auto current = std::make_shared<const Centres>(std::move(centres));
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0;; ++pass) {
    LloydFold sums(current, units);
    sums.add(on, rows);
    const double inertia = sums.inertia(*current);
    if (pass == most || !(inertia < before * (1 - kSettled))) return {current->points, inertia};
    before = inertia;
    Matrix<double> next = sums.sums();
    const std::vector<double> weights = sums.weights();
    for (std::size_t c = 0; c < next.rows(); ++c)
      for (std::size_t j = 0; j < next.cols(); ++j)
        next(c, j) = weights[c] > 0 ? next(c, j) / weights[c] : current->points(c, j);
    current = std::make_shared<const Centres>(std::move(next));
  }
}

template <class T>
std::vector<std::uint32_t> nearest_centres(const Workers& on, const RowBlock<T>& rows, const Matrix<double>& centres) {
  std::vector<std::uint32_t> labels(rows.rows);
  each_in_pieces(on.threads, rows.rows, kStartRows, [&](std::size_t i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < centres.rows(); ++c) {
      double d = 0;
      for (std::size_t j = 0; j < rows.cols; ++j) {
        const double diff = double(rows.values[i * rows.stride + j]) - centres(c, j);
        d += diff * diff;
      }
      if (d < least) least = d, labels[i] = std::uint32_t(c);
    }
  });
  return labels;
}

template <class T>
Refined best_start(const Workers& on, const RowBlock<T>& rows, std::size_t count, std::uint64_t seed, int rounds) {
  std::optional<Refined> best;
  for (int round = 0; round < rounds; ++round) {
    Refined found =
        refine(on, rows, greedy_start(on, rows, count, seed, std::uint64_t(round)), rounds > 1 ? kRefinements : 0);
    if (!best || found.inertia < best->inertia) best = std::move(found);
  }
  return std::move(*best);
}

#define BOCHNER_START(T)                                                                                               \
  template Matrix<double> greedy_start(const Workers&, const RowBlock<T>&, std::size_t, std::uint64_t, std::uint64_t); \
  template std::vector<std::uint32_t> nearest_centres(const Workers&, const RowBlock<T>&, const Matrix<double>&);      \
  template Refined refine(const Workers&, const RowBlock<T>&, Matrix<double>, int);                                    \
  template Refined best_start(const Workers&, const RowBlock<T>&, std::size_t, std::uint64_t, int)
BOCHNER_START(float);
BOCHNER_START(double);
#undef BOCHNER_START

}  // namespace bochner
