// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/workers.h"
#include "bochner/archive.h"
#include "bochner/fold.h"
#include "bochner/matrix.h"
#include "methods/embeddings/row_blocks.h"

namespace bochner {

// The sum of the features of each block of rows, and of the rows in none. Features are rounded to 16 bits or as many
// as keep the sum of a block below 2^24, where float counts exactly: so the order of rows and of merging is free.
class BlockSums {
 public:
  // bound: of the features' size, as Map::bound() has it.
  BlockSums(std::shared_ptr<const RowBlocks> blocks, std::size_t features, double bound);

  void add(const Workers& on, const RowBlock<float>& features);
  void merge(const BlockSums& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const BlockSums& other) const;

  const RowBlocks& blocks() const { return *blocks_; }
  std::size_t features() const { return features_; }
  double unit() const { return unit_; }  // a feature of size 1 counts 1 / unit
  // Sums in units: blocks x features, at least; and of the rows in no block.
  const Matrix<float>& sums() const { return sums_; }
  const std::vector<std::int64_t>& rest() const { return rest_; }
  std::uint64_t rows() const { return rows_; }

 private:
  std::shared_ptr<const RowBlocks> blocks_;
  std::size_t features_;
  double unit_;
  Matrix<float> sums_;  // columns padded with zeros
  std::vector<std::int64_t> rest_;
  std::uint64_t rows_ = 0;
};

}  // namespace bochner
