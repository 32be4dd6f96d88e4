// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/leaf_ridge.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "learn/descend.h"
#include "methods/automatic/columns.h"
#include "solve/refined_cholesky.h"

namespace bochner {

namespace {

using Members = std::vector<std::uint32_t>;

constexpr std::size_t kLeafTile = 192;
constexpr double kLeafLeftOver = 1e-7;  // relative remainder of a fit: a prediction's digits are float's

// The kernel of a leaf's rows, in double: small lambdas need its digits. Blocks above the diagonal are left out.
Matrix<double> leaf_kernel(const Backend& on, MatrixView<const float> u, const Members& rows, double q) {
  constexpr std::size_t kGroup = PackedPoints<double>::kGroup;
  Matrix<float> narrow(rows.size(), u.cols);
  Matrix<double> x(rows.size(), u.cols), K(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(u.row(rows[i]), u.cols, &narrow(i, 0));
    std::copy_n(u.row(rows[i]), u.cols, &x(i, 0));
  }
  const PackedPoints<double> points = pack_groups<double>(std::as_const(narrow).view());
  for (std::size_t I = 0; I < points.groups.size(); ++I)
    for (std::size_t J = 0; J <= I; ++J) {
      const std::size_t count = points.groups[I].count;
      on.radial_block(
          std::as_const(x).view().slice(I * kGroup, count), points.groups[J], q,
          MatrixView<double>{K.data() + I * kGroup * K.cols() + J * kGroup, count, points.groups[J].count, K.cols()});
    }
  return K;
}

// D^1/2 K D^1/2 of the lower triangle of K.
TiledSymmetric<double> weighted_kernel(const Matrix<double>& K, const std::vector<double>& roots) {
  TiledSymmetric<double> A(K.rows(), kLeafTile);
  for (std::size_t tile = 0; tile < A.tile_count(); ++tile) {
    const auto [I, J] = tile_index(tile);
    const MatrixView<double> block = A.block(I, J);
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) {
        const std::size_t r = I * kLeafTile + i, s = J * kLeafTile + j;
        block(i, j) = roots[r] * roots[s] * K(std::max(r, s), std::min(r, s));
      }
  }
  return A;
}

// (K + lambda n D^-1)^-1 y of the targets listed, as D^1/2 (D^1/2 K D^1/2 + lambda n I)^-1 D^1/2 y: rows of weight 0
// stand apart. False where there is no factor.
bool solve_leaf(const Matrix<double>& K, const MetricRows& rows, const Members& members, double lambda,
                Threads& threads, Matrix<double>& alpha) {
  const std::size_t m = members.size();
  std::vector<double> roots(m);
  double n = 0;
  for (std::size_t i = 0; i < m; ++i) {
    n += rows.weight(members[i]);
    roots[i] = std::sqrt(rows.weight(members[i]));
  }
  if (!(n > 0)) return false;
  const auto times_roots = [&] {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < alpha.cols(); ++k) alpha(i, k) *= roots[i];
  };
  for (double ridge = lambda;; ridge *= 100) {
    RefinedCholesky L(weighted_kernel(K, roots), ridge * n, kLeafLeftOver, threads);
    if (L.failed_column()) {
      if (ridge > 1) return false;
      continue;
    }
    times_roots();
    L.solve(alpha.view(), threads);
    times_roots();
    return true;
  }
}

// The coefficients of a leaf by its kernel, with a lambda per target.
Matrix<double> leaf_coefficients(const Workers& on, const MetricRows& rows, const Members& members,
                                 const Matrix<double>& kernel, std::span<const double> lambdas) {
  Matrix<double> y(members.size(), rows.y.cols), alpha(members.size(), rows.y.cols);
  for (std::size_t i = 0; i < members.size(); ++i) std::copy_n(rows.y.row(members[i]), y.cols(), &y(i, 0));
  each_alike(lambdas, [&](double lambda, std::span<const std::size_t> targets) {
    if (lambda == 0) return;
    Matrix<double> part = some_columns(y, targets);
    if (solve_leaf(kernel, rows, members, lambda, on.threads, part)) put_columns(part, targets, alpha);
  });
  return alpha;
}

// The squared errors of each target on rows that a leaf was not fitted on.
std::vector<double> query_errors(const Workers& on, const MetricRows& rows, const Members& members,
                                 const Members& query, double q, const Matrix<double>& alpha) {
  const std::size_t d = rows.u.cols;
  Matrix<float> points(members.size(), d), x(query.size(), d);
  for (std::size_t i = 0; i < members.size(); ++i) std::copy_n(rows.u.row(members[i]), d, &points(i, 0));
  for (std::size_t i = 0; i < query.size(); ++i) std::copy_n(rows.u.row(query[i]), d, &x(i, 0));
  Matrix<double> out(query.size(), rows.y.cols);
  add_expansion<float>(on.ops, std::as_const(x).view(), pack_groups<float>(std::as_const(points).view()), q,
                       alpha.view(), out.view());
  std::vector<double> sums(rows.y.cols, 0.0);
  for (std::size_t i = 0; i < query.size(); ++i)
    for (std::size_t k = 0; k < out.cols(); ++k) {
      const double r = rows.y(query[i], k) - out(i, k);
      sums[k] += rows.weight(query[i]) * r * r;
    }
  return sums;
}

// Some leaves of a tree, solved with one lambda after the other.
class LeafTrials {
 public:
  LeafTrials(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> held, double q,
             const LeafTree& tree, std::size_t most)
      : on_(on), rows_(rows), q_(q), tree_(tree), queries_(tree.leaves.size()) {
    for (const std::uint32_t i : held) queries_[tree.leaf_of(rows.u.row(i))].push_back(i);
    const std::size_t leaves = tree.leaves.size(), tried = std::min(leaves, most);
    double entries = 0;
    for (std::size_t piece = 0; piece < tried; ++piece) {
      tried_.push_back(piece * leaves / tried);
      entries += double(members(piece).size()) * double(members(piece).size());
    }
    kernels_.resize(entries <= kMostKeptEntries ? tried : 0);
  }

  // The squared errors of each target on held-out rows.
  std::vector<double> errors(double lambda) {
    const std::size_t targets = rows_.y.cols;
    std::vector<std::vector<double>> of_leaf(tried_.size(), std::vector<double>(targets, 0.0));
    std::vector<Matrix<double>> solved(tried_.size());
    on_.threads.run(tried_.size(), [&](std::size_t piece, int) {
      const Members& query = queries_[tried_[piece]];
      if (query.empty()) return;
      solved[piece] = coefficients(piece, lambda);
      of_leaf[piece] = query_errors(on_, rows_, members(piece), query, q_, solved[piece]);
    });
    std::vector<double> sums(targets, 0.0);
    double total = 0;
    for (const std::vector<double>& e : of_leaf)
      for (std::size_t k = 0; k < targets; ++k) sums[k] += e[k];
    for (const double sum : sums) total += sum;
    if (total < least_) {
      least_ = total;
      best_lambda_ = lambda;
      best_ = std::move(solved);
    }
    return sums;
  }

  // Coefficients of the leaves that were solved with this lambda, where that was the best; the others are empty.
  std::vector<Matrix<double>> taken(double lambda) && {
    std::vector<Matrix<double>> out(tree_.leaves.size());
    for (std::size_t piece = 0; piece < best_.size() && lambda == best_lambda_; ++piece)
      out[tried_[piece]] = std::move(best_[piece]);
    return out;
  }

 private:
  static constexpr double kMostKeptEntries = 8e6;  // entries of kernels kept from one lambda to the next

  const Members& members(std::size_t piece) const { return tree_.leaves[tried_[piece]]; }

  Matrix<double> coefficients(std::size_t piece, double lambda) {
    const std::vector<double> lambdas(rows_.y.cols, lambda);
    if (kernels_.empty())
      return leaf_coefficients(on_, rows_, members(piece), leaf_kernel(on_.ops, rows_.u, members(piece), q_), lambdas);
    if (kernels_[piece].rows() == 0) kernels_[piece] = leaf_kernel(on_.ops, rows_.u, members(piece), q_);
    return leaf_coefficients(on_, rows_, members(piece), kernels_[piece], lambdas);
  }

  const Workers& on_;
  const MetricRows& rows_;
  double q_;
  const LeafTree& tree_;
  std::vector<Members> queries_;         // rows held out of each leaf
  std::vector<std::size_t> tried_;       // leaves
  std::vector<Matrix<double>> kernels_;  // one per leaf tried; none if they would be large
  double least_ = std::numeric_limits<double>::infinity(), best_lambda_ = 0;
  std::vector<Matrix<double>> best_;
};

}  // namespace

void solve_leaves(const Workers& on, const MetricRows& rows, double q, std::span<const double> lambdas,
                  std::vector<LeafTree>& trees) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    trees[t].coefficients.resize(trees[t].leaves.size());
    for (std::size_t l = 0; l < trees[t].leaves.size(); ++l) all.emplace_back(t, l);
  }
  on.threads.run(all.size(), [&](std::size_t piece, int) {
    const auto [t, l] = all[piece];
    const Members& members = trees[t].leaves[l];
    Matrix<double>& alpha = trees[t].coefficients[l];
    if (alpha.rows() == 0)
      alpha = leaf_coefficients(on, rows, members, leaf_kernel(on.ops, rows.u, members, q), lambdas);
    for (std::size_t i = 0; i < alpha.rows() * alpha.cols(); ++i) alpha.data()[i] /= double(trees.size());
  });
}

std::vector<double> choose_leaf_lambdas(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> held,
                                        double q, LeafTree& tree, const LeafOptions& options) {
  const std::size_t targets = rows.y.cols;
  LeafTrials trials(on, rows, held, q, tree, options.trial_leaves);
  std::vector<std::vector<double>> known(options.lambdas.size());
  const auto errors = [&](int l) -> const std::vector<double>& {
    std::vector<double>& sums = known[std::size_t(l)];
    if (sums.empty()) sums = trials.errors(options.lambdas[std::size_t(l)]);
    return sums;
  };
  const int most = int(known.size()) - 1;
  const auto downhill = [&](const auto& error) {
    return options.lambdas[most == 0 ? 0 : std::size_t(descend_by(1, most / 2, 0, most, error))];
  };
  std::vector<double> chosen(targets);
  for (std::size_t k = 0; k < targets && options.own_lambdas; ++k)
    chosen[k] = downhill([&](int l) { return errors(l)[k]; });
  if (!options.own_lambdas)
    chosen.assign(targets, downhill([&](int l) {
                    double sum = 0;
                    for (const double e : errors(l)) sum += e;
                    return sum;
                  }));
  const bool alike = std::adjacent_find(chosen.begin(), chosen.end(), std::not_equal_to<>()) == chosen.end();
  if (alike) tree.coefficients = std::move(trials).taken(chosen[0]);
  return chosen;
}

}  // namespace bochner
