// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/semi/laplacian.h"

#include <algorithm>
#include <cmath>

#include "bochner/row_block.h"
#include "random/elementary.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

struct Edge {
  std::uint32_t row, column;
  double distance;

  bool operator<(const Edge& other) const { return row != other.row ? row < other.row : column < other.column; }
  bool joins_as(const Edge& other) const { return row == other.row && column == other.column; }
};

// Both directions of every edge, once, by rows.
std::vector<Edge> edges_of(const Neighbors& graph) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < graph.queries(); ++i)
    for (std::size_t p = i * graph.k; p < (i + 1) * graph.k; ++p)
      if (graph.rows[p] >= 0) {
        const auto row = std::uint32_t(i), column = std::uint32_t(graph.rows[p]);
        // The distances of a pair may differ in their last bits.
        edges.push_back({row, column, graph.distances[p]});
        edges.push_back({column, row, graph.distances[p]});
      }
  std::stable_sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.joins_as(b); }),
              edges.end());
  return edges;
}

std::vector<double> scales_of(const Neighbors& graph) {
  std::vector<double> scales(graph.queries());
  for (std::size_t i = 0; i < scales.size(); ++i)
    for (std::size_t p = i * graph.k; p < (i + 1) * graph.k; ++p)
      if (graph.rows[p] >= 0) scales[i] = std::max(scales[i], graph.distances[p]);
  return scales;
}

// Equal rows are neighbours whatever their scales are.
double weight_of_edge(double distance, double scale, double other) {
  if (distance == 0) return 1;
  if (scale == 0 || other == 0) return 0;
  return portable_exp(-(distance / scale) * (distance / other));
}

}  // namespace

Laplacian::Laplacian(const Neighbors& graph) : offsets_(graph.queries() + 1) {
  const std::vector<double> scales = scales_of(graph);
  std::vector<double> degrees(rows());
  for (const Edge& edge : edges_of(graph)) {
    const std::uint32_t i = std::min(edge.row, edge.column), j = std::max(edge.row, edge.column);
    ++offsets_[edge.row + 1];
    columns_.push_back(edge.column);
    shares_.push_back(weight_of_edge(edge.distance, scales[i], scales[j]));
    degrees[edge.row] += shares_.back();
  }
  for (std::size_t i = 0; i < rows(); ++i) offsets_[i + 1] += offsets_[i];
  for (std::size_t i = 0; i < rows(); ++i)
    for (std::size_t p = offsets_[i]; p < offsets_[i + 1]; ++p)
      if (shares_[p] > 0) shares_[p] /= std::sqrt(degrees[i]) * std::sqrt(degrees[columns_[p]]);
}

void Laplacian::apply(MatrixView<const double> z, std::size_t row, double* out) const {
  bool alone = true;
  for (std::size_t p = offsets_[row]; p < offsets_[row + 1]; ++p) alone = alone && shares_[p] == 0;
  std::copy_n(&z(row, 0), z.cols, out);
  if (alone) std::fill_n(out, z.cols, 0.0);
  for (std::size_t p = offsets_[row]; p < offsets_[row + 1]; ++p)
    for (std::size_t j = 0; j < z.cols; ++j) out[j] -= shares_[p] * z(columns_[p], j);
}

Matrix<double> Laplacian::between(MatrixView<const double> z, Threads& threads) const {
  constexpr std::size_t kPanel = 64;
  const std::size_t D = z.cols;
  Matrix<double> sum(D, D), rough(kChunkRows, D);
  for (std::size_t first = 0; first < z.rows; first += kChunkRows) {
    const std::size_t count = std::min(kChunkRows, z.rows - first);
    threads.run(count, [&](std::size_t i, int) { apply(z, first + i, &rough(i, 0)); });
    threads.run((D + kPanel - 1) / kPanel, [&](std::size_t panel, int) {
      const std::size_t begin = panel * kPanel, width = std::min(kPanel, D - begin);
      const MatrixView<const double> left{z.data + first * z.stride + begin, count, width, z.stride};
      const MatrixView<const double> right{rough.data(), count, begin + width, D};
      fixed_order::add_product(left, right, {&sum(begin, 0), width, begin + width, D});
    });
  }
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < i; ++j) sum(j, i) = sum(i, j);
  return sum;
}

}  // namespace bochner
