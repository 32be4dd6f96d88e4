// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/code_search.h"

#include <algorithm>
#include <cmath>

#include "backend/nearest_codes.h"
#include "base/pieces.h"

namespace bochner {

namespace {

constexpr std::size_t kPackPoints = 512;  // packed by one thread, and met by all
constexpr std::size_t kPacks = 16;        // packs at a time
constexpr std::size_t kQueriesAtOnce = 64;
constexpr double kRounded = 8;  // error of a squared distance of bytes: half squares are whole, and values floats

// Bytes less 128.
struct SignedRows {
  SignedRows(const CodeRows& codes, std::size_t rows)
      : values(rows * codes.stride), view{values.data(), rows, codes.stride} {}
  void set(std::size_t i, const std::uint8_t* from) {
    std::int8_t* to = values.data() + i * view.depth;
    for (std::size_t j = 0; j < view.depth; ++j) to[j] = std::int8_t(from[j] ^ 0x80);
  }
  AlignedVector<std::int8_t> values;
  SignedCodes view;
};
static_assert(CodeRows::kWidth % SignedCodes::kDepth == 0);

// The best of the queries by bytes.
Best meet_codes(const Workers& on, const PointSearch& search, const Codes& codes, std::size_t keep,
                const std::function<void(double)>& progress) {
  const std::size_t points = search.points.size(), queries = search.self.size();
  SignedRows x(codes.rows(), queries);
  for (std::size_t i = 0; i < queries; ++i) x.set(i, codes.rows().row(search.self[i]));
  Best best(queries, keep);
  std::vector<CodePanels> packs(kPacks);
  for (std::size_t begin = 0; begin < points; begin += kPacks * kPackPoints) {
    const std::size_t count = std::min(kPacks * kPackPoints, points - begin);
    packs.resize((count + kPackPoints - 1) / kPackPoints);
    on.threads.run(packs.size(), [&](std::size_t p, int) {
      const std::size_t first = begin + p * kPackPoints, rows = std::min(kPackPoints, points - first);
      SignedRows y(codes.rows(), rows);
      for (std::size_t i = 0; i < rows; ++i) y.set(i, codes.rows().row(first + i));
      packs[p] = CodePanels(y.view);
    });
    in_pieces(on.threads, queries, kQueriesAtOnce, [&](std::size_t row, std::size_t rows) {
      for (std::size_t p = 0; p < packs.size(); ++p)
        nearest_codes({x.view.row(row), rows, x.view.depth}, packs[p], std::uint32_t(begin + p * kPackPoints),
                      search.self.data() + row, best.view(row));
    });
    if (progress) progress(double(begin + count) / double(points));
  }
  return best;
}

// Directions as bytes, each with its own step; 0 where all of it is.
struct SignedDirections {
  SignedDirections(MatrixView<const double> directions, std::size_t depth) : values(directions.cols * depth) {
    for (std::size_t k = 0; k < directions.cols; ++k) {
      double largest = 0;
      for (std::size_t j = 0; j < directions.rows; ++j) largest = std::max(largest, std::abs(directions(j, k)));
      step.push_back(largest / 127);
      std::int8_t* to = values.data() + k * depth;
      std::fill_n(to, depth, std::int8_t(0));
      for (std::size_t j = 0; j < directions.rows && largest > 0; ++j)
        to[j] = std::int8_t(std::floor(directions(j, k) / step[k] + 0.5));
    }
    view = {values.data(), directions.cols, depth};
  }
  AlignedVector<std::int8_t> values;
  SignedCodes view;
  std::vector<double> step;
};

// x y, for each point y of the panels, of four rows at most.
void multiply_codes(const SignedCodes& x, std::size_t row, const CodePanels& y, std::int32_t* products) {
  constexpr std::size_t kRows = CodeUnit::kRows, kPanel = CodeUnit::kPanel;
  const std::int8_t* at[kRows];
  for (std::size_t r = 0; r < kRows; ++r) at[r] = x.row(std::min(row + r, x.rows - 1));
  alignas(64) std::int32_t tile[kRows * kPanel];
  for (std::size_t p = 0; p < y.panels(); ++p) {
    y.unit().multiply(at, y.panel(p), y.start(p), x.depth, tile);
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t c = 0; c < kPanel; ++c)
        products[(r * y.panels() + p) * kPanel + c] = tile[r * kPanel + c] - y.start(p)[c];
  }
}

}  // namespace

bool can_search(std::size_t inputs) {
  constexpr double kMost = 1.5 * 128 * 128;  // largest |value| for each input
  return kMost * double(inputs + CodeRows::kWidth) < -double(CodeUnit::kFar);
}

Matrix<float> project_codes(const Workers& on, const Codes& codes, std::size_t points,
                            MatrixView<const double> directions) {
  constexpr std::size_t kRows = CodeUnit::kRows, kPiece = 256;
  const CodeRows rows = codes.rows();
  const SignedDirections axes(directions, rows.stride);
  const CodePanels panels(axes.view);
  const std::size_t width = panels.panels() * CodeUnit::kPanel;
  SignedRows middle(rows, 1);  // a point, so that what is left is small
  middle.set(0, rows.row(points / 2));
  std::vector<std::int32_t> origin(kRows * width);
  multiply_codes(middle.view, 0, panels, origin.data());
  Matrix<float> coords(points, directions.cols);
  in_pieces(on.threads, points, kPiece, [&](std::size_t begin, std::size_t count) {
    SignedRows x(rows, count);
    for (std::size_t i = 0; i < count; ++i) x.set(i, rows.row(begin + i));
    std::vector<std::int32_t> products(kRows * width);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % kRows == 0) multiply_codes(x.view, i, panels, products.data());
      const std::int32_t* from = products.data() + i % kRows * width;
      for (std::size_t k = 0; k < directions.cols; ++k)
        coords(begin + i, k) = float(double(from[k] - origin[k]) * axes.step[k] * codes.step());
    }
  });
  return coords;
}

Neighbors search_by_codes(const Workers& on, const PointSearch& search, const Codes& codes,
                          const std::function<void(double)>& progress) {
  const Best best = meet_codes(on, search, codes, search.k + std::max<std::size_t>(8, search.k / 4), progress);
  Neighbors found = rank_candidates(on, {.metric = search.metric, .k = search.k, .codes = &codes, .self = search.self},
                                    search.queries.dense, search.points.dense, best);
  double worst_error = 0;
  for (std::size_t i = 0; i < search.points.size(); ++i) worst_error = std::max(worst_error, codes.error(i));

  // Whoever is not among the best is at least as far away as the last of them, less the errors.
  std::vector<std::uint32_t> open;
  const CodeRows rows = codes.rows();
  for (std::size_t i = 0; i < search.self.size(); ++i) {
    const std::uint32_t last = best.numbers(i)[best.keep() - 1];
    if (last == kNoPoint) continue;  // it met all there are
    std::uint32_t squared;
    code_distances(rows.row(search.self[i]), rows, {&last, 1}, &squared);
    const double beyond =
        codes.step() * std::sqrt(std::max(0.0, double(squared) - kRounded)) - codes.error(search.self[i]) - worst_error;
    double kth = found.distances[i * search.k + search.k - 1];
    if (search.metric == Metric::cosine) kth = std::sqrt(2 * kth);
    if (search.metric == Metric::hamming) kth = std::sqrt(kth);
    if (!(kth <= beyond)) open.push_back(std::uint32_t(i));
  }
  if (open.empty()) return found;
  std::vector<std::uint32_t> self;
  for (const std::uint32_t i : open) self.push_back(search.self[i]);
  const Points queries = search.queries.at(open);
  const Neighbors rest = search_exact(on, {search.metric, queries, self, search.points, search.k, search.half});
  for (std::size_t i = 0; i < open.size(); ++i) {
    std::copy_n(&rest.rows[i * search.k], search.k, &found.rows[open[i] * search.k]);
    std::copy_n(&rest.distances[i * search.k], search.k, &found.distances[open[i] * search.k]);
  }
  return found;
}

}  // namespace bochner
