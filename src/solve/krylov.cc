// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/krylov.h"

#include <algorithm>
#include <cmath>

#include "solve/dense.h"
#include "solve/tall.h"

namespace bochner {

namespace {

// Q_1, Q_2, ..., their images, and T = Q^T C Q.
struct Blocks {
  std::vector<Matrix<double>> q, image;
  Matrix<double> t;

  std::size_t size() const { return t.rows(); }

  void add(Matrix<double> block, Matrix<double> its_image, Threads& threads) {
    const std::size_t before = size(), width = block.cols();
    q.push_back(std::move(block));
    image.push_back(std::move(its_image));
    Matrix<double> grown(before + width, before + width);
    for (std::size_t i = 0; i < before; ++i)
      for (std::size_t j = 0; j < before; ++j) grown(i, j) = t(i, j);
    std::size_t row = 0;
    for (const Matrix<double>& each : q) {
      const Matrix<double> part = cross(each, image.back(), threads);
      for (std::size_t i = 0; i < part.rows(); ++i)
        for (std::size_t k = 0; k < width; ++k)
          grown(row + i, before + k) = grown(before + k, row + i) =
              row == before ? 0.5 * (part(i, k) + part(k, i)) : part(i, k);
      row += part.rows();
    }
    t = std::move(grown);
  }

  double bytes() const {
    double sum = 0;
    for (const Matrix<double>& each : q) sum += 2.0 * double(each.rows()) * double(each.cols()) * sizeof(double);
    return sum;
  }
};

// Whether a further product is worth its pass: gains fall about geometrically, and what comes out is one step ahead of
// what the Ritz values show.
bool small_gain(const std::vector<double>& captured, double trace) {
  const std::size_t p = captured.size();
  if (p < 2) return false;
  const double left = std::max(trace - captured[p - 1], 1e-12 * trace), gain = captured[p - 1] - captured[p - 2];
  if (gain <= 0.1 * kGain * left) return true;
  if (p < 3) return false;
  const double before = captured[p - 2] - captured[p - 3], ratio = before > 0 ? std::min(gain / before, 0.95) : 0.95;
  return gain * ratio * ratio / (1 - ratio) <= kGain * left;
}

// The images of the leading Ritz vectors.
Matrix<double> images_of_ritz(const Blocks& blocks, const Eigen& ritz, std::size_t count, Threads& threads) {
  Matrix<double> sum(blocks.q[0].rows(), count);
  std::size_t row = 0;
  for (const Matrix<double>& image : blocks.image) {
    Matrix<double> z(image.cols(), count);
    for (std::size_t i = 0; i < z.rows(); ++i)
      for (std::size_t k = 0; k < count; ++k) z(i, k) = ritz.vectors(row + i, k);
    add_combined(1, image, z, sum, threads);
    row += image.cols();
  }
  return sum;
}

}  // namespace

KrylovSpace block_krylov(Matrix<double> start, const Product& product, const KrylovOptions& options, Threads& threads) {
  KrylovSpace space;
  const std::size_t width = start.cols();
  Matrix<double> q = orthonormal(std::move(start), {}, threads);
  Blocks blocks;
  Eigen ritz;
  while (q.cols() > 0) {
    const double each = 2.0 * double(q.rows()) * double(q.cols()) * sizeof(double);
    if (blocks.size() && blocks.bytes() + each > options.bytes) blocks = {};
    Matrix<double> image = product(q);
    blocks.add(std::move(q), std::move(image), threads);
    ritz = largest_eigen(blocks.t, std::min(width, blocks.size()));
    double sum = 0;
    for (std::size_t k = 0; k < std::min(options.wanted, ritz.values.size()); ++k) sum += std::max(ritz.values[k], 0.0);
    space.captured.push_back(sum);
    space.converged = small_gain(space.captured, options.trace);
    const std::size_t products = space.captured.size();
    if (products >= options.most || (space.converged && products >= options.least)) break;
    const bool windowed = blocks.bytes() + each > options.bytes;
    q = windowed ? orthonormal(images_of_ritz(blocks, ritz, ritz.values.size(), threads), {}, threads)
                 : orthonormal(blocks.image.back(), blocks.q, threads);
    if (q.cols() == 0) space.converged = true;
  }
  if (blocks.size()) space.basis = orthonormal(images_of_ritz(blocks, ritz, ritz.values.size(), threads), {}, threads);
  return space;
}

}  // namespace bochner
