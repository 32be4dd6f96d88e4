// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/subspace.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kRounds = 5, kMoreColumns = 16;  // near the last that is wanted others take its place at first

// x . y, summed in lanes whose order no vector width changes.
double product(const double* x, const double* y, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  double lane[kLanes] = {}, rest = 0;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += x[i + k] * y[i + k];
  for (; i < n; ++i) rest += x[i] * y[i];
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7])) + rest;
}

Matrix<double> transposed(const Matrix<double>& a) {
  Matrix<double> b(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) b(j, i) = a(i, j);
  return b;
}

// Gram-Schmidt, the longest column first and each twice; columns that the others span are left out.
Matrix<double> orthonormal(const Matrix<double>& columns, std::size_t most) {
  constexpr double kSpanned = 1e-12;
  const Matrix<double> from = transposed(columns);
  const std::size_t inputs = from.cols();
  std::vector<double> length(from.rows());
  for (std::size_t i = 0; i < from.rows(); ++i)
    length[i] = std::sqrt(product(from.data() + i * inputs, from.data() + i * inputs, inputs));
  std::vector<std::size_t> order(from.rows());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
  Matrix<double> rows(std::min(most, from.rows()), inputs);
  std::size_t count = 0;
  for (const std::size_t i : order) {
    if (count == rows.rows()) break;
    double* to = rows.data() + count * inputs;
    std::copy_n(from.data() + i * inputs, inputs, to);
    for (int turn = 0; turn < 2; ++turn)
      for (std::size_t other = 0; other < count; ++other) {
        const double* with = rows.data() + other * inputs;
        const double along = product(to, with, inputs);
        for (std::size_t j = 0; j < inputs; ++j) to[j] -= along * with[j];
      }
    const double left = std::sqrt(product(to, to, inputs));
    if (!(left > kSpanned * length[i]) || !(left > kSpanned * length[order[0]])) continue;
    for (std::size_t j = 0; j < inputs; ++j) to[j] /= left;
    ++count;
  }
  Matrix<double> kept(count, inputs);
  std::copy_n(rows.data(), count * inputs, kept.data());
  return transposed(kept);
}

}  // namespace

Matrix<double> leading_subspace(Threads& threads, const SymmetricProduct& times, std::size_t size, std::size_t count,
                                std::size_t rank, std::uint64_t seed) {
  count = std::min(count, rank);
  Matrix<double> q(size, std::min(count + kMoreColumns, rank));
  threads.run(size, [&](std::size_t i, int) {
    for (std::size_t j = 0; j < q.cols(); ++j) q(i, j) = normal(seed, Draw::sketch, i, j);
  });
  for (std::size_t round = 0; round < kRounds && q.cols() > 0; ++round)
    q = orthonormal(times(q), round + 1 < kRounds ? q.cols() : count);
  return q;
}

}  // namespace bochner
