// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("last-year.csv", {.inputs_only = true});
//   const auto fresh = open_rows("this-year.csv", rows->schema());
//   const MapPtr map = fourier(rows->schema().inputs, {.kernel = gaussian(2.0), .features = 512});
//   MeanEmbedding all = embed(*rows, map);
//   const MeanEmbedding some = embed(*fresh, map);
//   std::printf("MMD^2 %g", squared_mmd(all, some).unbiased);
//   all.merge(some);     // sums the rows of both
//   all.subtract(some);  // as it was, to the bit
//   all.save("all.embedding");

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bochner/execution.h"
#include "bochner/map.h"
#include "bochner/matrix.h"
#include "bochner/rows.h"

namespace bochner {

class EmbeddingFold;  // the library's own

// The kernel mean of rows by features, mu = sum w z(x) / sum w. Every number of a row is rounded to 64-bit fixed point
// and then added exactly: embeddings of parts merge, and are subtracted, in any order to the same bytes, however the
// rows were cut. 2^31 rows fit. A value: copies are apart; any number of threads may read one.
class MeanEmbedding {
 public:
  // An embedding of no rows. The map's features must have a bound (fourier, nystroem, project of bounded rows;
  // Map::bound()). largest_weight: no row weighs more; parts that shall merge have the same.
  explicit MeanEmbedding(MapPtr map, double largest_weight = 1);

  void add(Rows& rows, const Execution& execution = {});  // one pass
  void merge(const MeanEmbedding& other);                 // both have the same map
  void subtract(const MeanEmbedding& other);              // rows that are in it

  const MapPtr& map() const { return map_; }
  std::uint64_t rows() const;
  double weight() const;             // sum w
  std::vector<double> mean() const;  // mu; zeros where there are no rows

  // mu at points of the inputs: sum w k(x, y) / sum w as the features have it, a density up to its scale.
  std::vector<double> at(MatrixView<const double> points) const;

  // A file as a model is one (docs/model-format.md).
  void save(const std::string& path) const;
  static MeanEmbedding load(const std::string& path);
  bool operator==(const MeanEmbedding& other) const;  // the same map and sums

 private:
  friend std::vector<MeanEmbedding> embed_classes(Rows&, const MapPtr&, double, const Execution&);
  friend double inner_product(const MeanEmbedding&, const MeanEmbedding&);
  friend struct SquaredMmd squared_mmd(const MeanEmbedding&, const MeanEmbedding&);

  MapPtr map_;
  std::shared_ptr<EmbeddingFold> sums_;  // replaced where it changes
};

MeanEmbedding embed(Rows& rows, const MapPtr& map, const Execution& execution = {}, double largest_weight = 1);
// One for each class of the target, in the order of the labels, by one pass: groups, windows, or classes of rows.
std::vector<MeanEmbedding> embed_classes(Rows& rows, const MapPtr& map, double largest_weight = 1,
                                         const Execution& execution = {});

double inner_product(const MeanEmbedding& a, const MeanEmbedding& b);  // <mu_a, mu_b>

// The squared maximum mean discrepancy |mu_a - mu_b|^2 (Gretton et al., JMLR 2012).
struct SquaredMmd {
  double biased = 0;
  double unbiased = 0;  // leaves out the products of rows with themselves; NaN if a side has fewer than two rows
};
SquaredMmd squared_mmd(const MeanEmbedding& a, const MeanEmbedding& b);

// mu_a - mu_b as a map from inputs to one number: above 0 where rows of a are more frequent.
MapPtr witness(const MeanEmbedding& a, const MeanEmbedding& b);

}  // namespace bochner
