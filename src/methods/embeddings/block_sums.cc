// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/block_sums.h"

#include <algorithm>
#include <cmath>

#include "base/lease.h"
#include "base/pieces.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kPieceRows = 192, kStrip = 256;
static_assert(kStrip % kKeptColumns == 0);

std::size_t padded(std::size_t columns) { return (columns + kKeptColumns - 1) / kKeptColumns * kKeptColumns; }

double unit_of(double bound, std::size_t block_rows) {
  require(bound > 0 && std::isfinite(bound), "block sums: the features' bound is {}, expected a positive number",
          bound);
  return bound / std::max(1.0, std::min(32767.0, std::floor(0x1p24 / double(block_rows))));
}

}  // namespace

BlockSums::BlockSums(std::shared_ptr<const RowBlocks> blocks, std::size_t features, double bound)
    : blocks_(std::move(blocks)),
      features_(features),
      unit_(unit_of(bound, blocks_->block_rows())),
      sums_(blocks_->blocks(), padded(features)),
      rest_(features) {}

void BlockSums::add(const Workers& on, const RowBlock<float>& z) {
  require(!z.sparse() && z.cols == features_, "block sums: a block of {} columns, expected {} dense ones", z.cols,
          features_);
  const std::size_t width = sums_.cols();
  Matrix<std::int16_t> fixed(z.rows, width);
  std::vector<std::uint32_t> block(z.rows);
  in_pieces(on.threads, z.rows, kPieceRows, [&](std::size_t begin, std::size_t count) {
    on.ops.to_fixed(z.slice(begin, count).view(), float(1 / unit_),
                    MatrixView<std::int16_t>{fixed.data() + begin * width, count, features_, width});
    for (std::size_t i = begin; i < begin + count; ++i) block[i] = blocks_->of(z.first + i).block;
  });
  std::vector<std::size_t> in, out;
  for (std::size_t i = 0; i < z.rows; ++i) (block[i] == RowBlocks::kNone ? out : in).push_back(i);
  std::vector<std::uint32_t> to;
  for (const std::size_t i : in) to.push_back(block[i]);
  const std::vector<float> ones(in.size(), 1.0f);
  in_pieces(on.threads, width, kStrip, [&](std::size_t begin, std::size_t columns) {
    std::vector<const std::int16_t*> rows;
    for (const std::size_t i : in) rows.push_back(fixed.data() + i * width + begin);
    on.ops.scatter(rows, to.data(), ones.data(), MatrixView<float>{sums_.data() + begin, sums_.rows(), columns, width});
    for (const std::size_t i : out)
      for (std::size_t j = begin; j < std::min(begin + columns, features_); ++j) rest_[j] += fixed(i, j);
  });
  rows_ += z.rows;
}

void BlockSums::merge(const BlockSums& other) {
  require(sums_.rows() == other.sums_.rows() && features_ == other.features_ && unit_ == other.unit_,
          "block sums: parts of {} x {} numbers, expected {} x {} in the same unit", other.sums_.rows(),
          other.features_, sums_.rows(), features_);
  for (std::size_t i = 0; i < sums_.rows() * sums_.cols(); ++i) sums_.data()[i] += other.sums_.data()[i];
  for (std::size_t j = 0; j < features_; ++j) rest_[j] += other.rest_[j];
  rows_ += other.rows_;
}

void BlockSums::save(Archive& archive) const {
  archive.put_count("rows", rows_);
  archive.put<float>("sums", {sums_.data(), sums_.rows() * sums_.cols()}, {sums_.rows(), sums_.cols()});
  archive.put<std::int64_t>("rest", rest_, {rest_.size()});
}

void BlockSums::load(const Archive& archive) {
  rows_ = archive.get_count("rows");
  archive.get_into("sums", {sums_.rows(), sums_.cols()}, std::span(sums_.data(), sums_.rows() * sums_.cols()));
  rest_ = archive.get<std::int64_t>("rest", {rest_.size()});
}

bool BlockSums::operator==(const BlockSums& other) const {
  return rows_ == other.rows_ && unit_ == other.unit_ && sums_ == other.sums_ && rest_ == other.rest_;
}

}  // namespace bochner
