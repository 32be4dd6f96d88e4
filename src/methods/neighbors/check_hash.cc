// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/threads.h"
#include "bochner/neighbors.h"
#include "methods/neighbors/hashes.h"
#include "methods/neighbors/read_points.h"
#include "random/draw.h"
#include "rows/shifted.h"
#include "run/compute.h"

namespace bochner {

namespace {

constexpr std::size_t kHashes = 16;  // hashes of a table that are computed at once
constexpr std::size_t kMostRows = 400, kBands = 6;

// The distance of two dense rows.
double distance_of(HashFamily family, const float* x, const float* y, std::size_t inputs) {
  double sum = 0, squares = 0, xx = 0, yy = 0, xy = 0, both = 0, either = 0;
  for (std::size_t j = 0; j < inputs; ++j) {
    const double a = double(x[j]), b = double(y[j]);
    sum += std::abs(a - b);
    squares += (a - b) * (a - b);
    xx += a * a;
    yy += b * b;
    xy += a * b;
    both += a != 0 && b != 0;
    either += a != 0 || b != 0;
  }
  switch (family) {
    case HashFamily::stable:
      return std::sqrt(squares);
    case HashFamily::cauchy:
      return sum;
    case HashFamily::hyperplane:
    case HashFamily::crosspolytope:
      return xx > 0 && yy > 0 ? 1 - xy / std::sqrt(xx * yy) : 1;
    case HashFamily::minhash:
      return either > 0 ? 1 - both / either : 0;
  }
  return 0;
}

Metric metric_of(HashFamily family) {
  if (family == HashFamily::minhash) return Metric::jaccard;
  return family == HashFamily::hyperplane || family == HashFamily::crosspolytope ? Metric::cosine : Metric::euclidean;
}

// A few rows of a file, dense, in the order of the file.
Matrix<float> few_rows(Rows& rows, std::uint64_t seed, const Execution& execution) {
  const Points all = read_points(rows, execution);
  std::vector<std::uint32_t> places;
  const std::size_t count = std::min(all.size(), kMostRows);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = all.size() * i / count, end = all.size() * (i + 1) / count;
    places.push_back(std::uint32_t(begin + bits(seed, Draw::sample, i, begin) % (end - begin)));
  }
  const Points some = all.at(places);
  if (!some.sparse) return some.dense.all();
  Matrix<float> dense(some.size(), some.inputs);
  for (std::size_t i = 0; i < some.size(); ++i)
    for (std::size_t p = some.offsets[i]; p < some.offsets[i + 1]; ++p) dense(i, some.columns[p]) = some.values[p];
  return dense;
}

struct Pair {
  double distance = 0;
  std::size_t a = 0, b = 0;
};

// Consecutive rows of the sample, which are as good as random ones, in the order of their distances.
std::vector<Pair> pairs_of(HashFamily family, const Matrix<float>& x) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (const std::size_t j : {i + 1, i + 7})
      if (j < x.rows()) {
        const double distance = distance_of(family, &x(i, 0), &x(j, 0), x.cols());
        const bool angle = metric_of(family) == Metric::cosine && distance == 1;  // perhaps a row without one
        if (!angle) pairs.push_back({distance, i, j});
      }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
  return pairs;
}

}  // namespace

HashCheck check_hash(Rows& rows, HashFamily family, std::size_t functions, std::uint64_t seed,
                     const Execution& execution) {
  require(functions >= 1 && functions <= 1u << 20, "functions: found {}, expected 1 to {}", functions, 1u << 20);
  std::unique_ptr<Rows> shifted;
  const Matrix<float> x = few_rows(without_far_offsets(rows, metric_of(family), shifted), seed, execution);
  const std::vector<Pair> pairs = pairs_of(family, x);
  require(!pairs.empty(), "check: found {} rows to compare, expected two or more that are not 0", x.rows());
  const double median = pairs[pairs.size() / 2].distance;
  HashPlan plan{.family = family, .width = median > 0 ? 2 * median : 1, .hashes = kHashes, .seed = seed};

  Points some;
  some.inputs = x.cols();
  some.dense = x;
  Threads threads(execution);
  const Workers on = workers_on(threads);
  if (family == HashFamily::minhash) some = scaled_for(on, Metric::jaccard, std::move(some), 0);  // sets are CSR
  std::vector<double> shared(pairs.size());
  std::size_t drawn = 0;
  for (std::size_t group = 0; drawn < functions; ++group) {
    const HashGroup hashes(plan, x.cols(), group);
    const std::vector<std::uint32_t> values = hashes.values(on, some.block());
    const std::size_t count = values.size() / x.rows();
    for (std::size_t p = 0; p < pairs.size(); ++p)
      for (std::size_t f = 0; f < count; ++f)
        shared[p] += values[pairs[p].a * count + f] == values[pairs[p].b * count + f];
    drawn += count;
  }

  HashCheck check{.family = family, .width = plan.width, .functions = drawn, .pairs = pairs.size(), .bands = {}};
  for (std::size_t band = 0; band < std::min(kBands, pairs.size()); ++band) {
    const std::size_t bands = std::min(kBands, pairs.size());
    const std::size_t begin = pairs.size() * band / bands, end = pairs.size() * (band + 1) / bands;
    HashCheck::Band& to = check.bands.emplace_back();
    double variance = 0;
    for (std::size_t p = begin; p < end; ++p) {
      const double expected = collision_probability(family, pairs[p].distance, plan.width);
      to.distance += pairs[p].distance / double(end - begin);
      to.expected += expected / double(end - begin);
      to.found += shared[p] / double(drawn) / double(end - begin);
      variance += expected * (1 - expected) / double(end - begin);
    }
    // The same functions see all pairs of a band: they count as one.
    to.deviation = std::sqrt(std::max(variance, 1e-12) / double(drawn));
    check.worst = std::max(check.worst, std::abs(to.found - to.expected));
  }
  return check;
}

std::string HashCheck::text() const {
  std::string text = fmt::format("{}: {} functions{}, {} pairs of rows\n", hash_name(family), functions,
                                 family == HashFamily::stable || family == HashFamily::cauchy
                                     ? fmt::format(" of cells of width {:.4g}", width)
                                     : "",
                                 pairs);
  text += "  distance   share alike   closed form   deviation\n";
  for (const Band& band : bands)
    text += fmt::format("  {:<9.4g}  {:<12.4f}  {:<12.4f}  {:.4f}\n", band.distance, band.found, band.expected,
                        band.deviation);
  return text;
}

}  // namespace bochner
