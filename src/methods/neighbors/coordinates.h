// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "bochner/map.h"
#include "methods/neighbors/compare.h"

namespace bochner {

using SearchProgress = std::function<void(const std::string& step, double done)>;

// What a search that is not exact is measured by: some rows, and the distances of their true neighbours.
struct RecallSample {
  std::vector<std::uint32_t> places;
  std::size_t k = 0;
  Points queries = {};
  Neighbors truth = {};

  // What the sample must show, since other rows find a little more or less: the standard error of a share that each of
  // its rows counts for as four neighbours, the others of a row being found or missed with them.
  double with_error(double recall) const;
  // The share of the true neighbours that are among those found: rows as near as the k-th count, whichever they are.
  double recall(const Neighbors& found) const;
  // The same of candidates among the points. codes: of the points where they are known.
  double recall(const Workers& on, Metric metric, const Points& points, const Codes* codes, const Best& best) const;
};
// codes: of the points where they are known.
RecallSample recall_sample(const Workers& on, Metric metric, const Points& points, std::size_t k, std::uint64_t seed,
                           const Codes* codes = nullptr);

// Points in fewer coordinates, where most neighbours stay neighbours.
struct Coordinates {
  MapPtr map;          // null: the points themselves, which are dense
  Matrix<float> rows;  // the points' coordinates; empty: the points themselves, which are plain
  std::vector<float> half;
  std::size_t dims = 0, candidates = 0;

  Field field(const Points& points) const {
    return {rows.rows() > 0 ? MatrixView<const float>(rows.view()) : points.dense.view(), half};
  }
  void look_at(const Points& points);  // keeps their numbers where they are not plain
  // The coordinates of other rows.
  Matrix<float> of(const Workers& on, const Points& queries) const;
  // Every pair there, the best candidates in all inputs.
  Neighbors search(const Workers& on, const PointSearch& search) const;
};
// Leading components of dense points, hashed inputs of sparse ones, as few as hold the share `wanted` of the true
// neighbours among the candidates. Where none do: dense points themselves, or nothing (dims 0). codes: of the points,
// which are then projected by them: for who asks of the points alone.
Coordinates choose_coordinates(const Workers& on, const Points& points, const RecallSample& sample, double wanted,
                               const IndexOptions& options, const Codes* codes = nullptr);

// What coordinates must find where a search then loses some of it.
constexpr double with_room(double recall) { return recall + (1 - recall) * 0.6; }

// Coordinates by a known map.
Coordinates coordinates_by(const Workers& on, MapPtr map, const Points& points, std::size_t candidates);

// Rows a search finds at least, so that rounding does not matter.
constexpr std::size_t few_candidates(std::size_t k) { return k + (k / 4 > 8 ? k / 4 : 8); }

}  // namespace bochner
