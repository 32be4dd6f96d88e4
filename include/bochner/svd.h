// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.target_required = false});
//   const Model model = svd(*rows, {.rank = 3, .center = true});  // principal components
//   model.save("cars.components");
//   std::printf("%g of |A| is left", factor_of(*model.map())->error);
//   const Matrix<float> y = transform<float>(model.map(), *rows);  // three numbers for each row

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bochner/execution.h"
#include "bochner/factor.h"
#include "bochner/model.h"
#include "bochner/parts.h"
#include "bochner/rows.h"

namespace bochner {

struct SvdOptions {
  std::size_t rank = 50;
  bool center = false;  // principal components: rows lose their mean first
  // Passes over the rows, besides one that finds their means and sizes. 1: a sketch of one pass; 2: a sketch, and the
  // rows' coordinates in it; more: as many steps of a block Krylov method as they allow. None: until a further pass
  // would not reduce the error by a few thousandths. Rows with few inputs always take one or two: their covariance is
  // exact.
  std::optional<std::size_t> passes = {};
  std::uint64_t seed = 0;
  bool double_precision = false;  // what the model computes is double
  Execution execution = {};
};

// The leading right singular vectors V of the rows A (targets are no part of it), as a model that maps a row x to its
// coordinates (x - mean) V; map()->inverse(map()) leads back. Rows stream: memory grows with their width and the rank,
// not with their number. The same bytes for any threads, blocks and memory that holds the whole space.
Model svd(Rows& rows, const SvdOptions& options = {});

// A factor from parts of the rows that never meet, in two rounds of one pass each:
//   1. The moments of each part: how many rows there are, means and sizes. Merged, they say how all are read.
//   2. With the merged moments, the covariance or a sketch of each part. Merged and solved, a model.
// Sums are exact: parts merge to the same bytes in any order. Columns are numbers, and no cell is missing.
//
// Threads may call the const members of one sum at the same time; merge() is alone.
class FactorSum {
 public:
  enum class Kind { moments, sketch };

  static FactorSum load(const std::string& path);  // Error::Kind::model unless the file is whole and valid
  static bool is_file(const std::string& path);    // whether it is one; false where it cannot be read
  void save(const std::string& path) const;        // whole or not at all

  // Error::Kind::data where the other is of another round, of other columns or options, or shares a part.
  void merge(const FactorSum& other);

  Kind kind() const;
  std::uint64_t rows() const;
  std::size_t parts() const;
  const Schema& schema() const;     // how every part is read in the second round: open_rows(path, sum.schema())
  std::string description() const;  // several lines for people

  struct State;
  explicit FactorSum(std::unique_ptr<State> state);
  FactorSum(FactorSum&&) noexcept;
  FactorSum& operator=(FactorSum&&) noexcept;
  ~FactorSum();
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

FactorSum moments_part(Rows& rows, const PartName& part, const Execution& execution = {});
// Only rank, center and seed of the options count; all parts take the same.
FactorSum sketch_part(Rows& rows, const FactorSum& moments, const PartName& part, const SvdOptions& options = {});
Model svd(const FactorSum& sum, const Execution& execution = {});

}  // namespace bochner
