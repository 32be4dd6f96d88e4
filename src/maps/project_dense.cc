// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Projections whose entries are all non-zero: a product with tiles of the matrix, which are drawn or kept.

#include <algorithm>
#include <cmath>
#include <mutex>

#include "backend/signs.h"
#include "base/aligned.h"
#include "base/lease.h"
#include "maps/projection.h"
#include "random/draw.h"

namespace bochner {

namespace {

// Inputs of a tile: multiply() sums as many by themselves, so that tiles change no sum; and so do the non-zeros that a
// CSR row has among them.
constexpr std::size_t kDepth = 128;
constexpr std::size_t kGroup = 1024;       // outputs of a tile, which stays in L2
constexpr std::size_t kLeastColumns = 16;  // fewer columns are summed in another order
constexpr std::size_t kFewRows = 4;        // strips would be mostly empty

class Signs {
 public:
  static constexpr bool kAreBits = true;

  Signs(std::size_t inputs, const ProjectOptions& options)
      : inputs_(inputs), words_(sign_words(options.dims)), seed_(options.seed), keeps_(keeps_matrix(inputs, options)) {}

  double bytes() const { return keeps_ ? double(inputs_) * double(words_) * 8 : 0; }
  void prepare(const Backend&) const {
    if (!keeps_) return;
    std::call_once(once_, [&] {
      bits_.resize(inputs_ * words_);
      draw_sign_bits(seed_, DrawnRows{nullptr, 0, inputs_}, 0, words_, bits_.data());
    });
  }

  // Entries times size, of the columns begin .. begin + r.cols.
  template <class T>
  void draw(const Backend& on, const DrawnRows& rows, std::size_t begin, T size, MatrixView<T> r) const {
    with_bits(rows, begin, r.cols, [&](const SignBits& bits) { on.expand_signs(bits.bits, bits.words, size, r); });
  }

  // begin: a multiple of kGroup.
  template <class Use>
  void with_bits(const DrawnRows& rows, std::size_t begin, std::size_t cols, const Use& use) const {
    const std::size_t skipped = begin / 64, words = sign_words(cols);
    if (keeps_ && !rows.index) return use(SignBits{bits_.data() + rows.first * words_ + skipped, words_});
    const Lease<std::uint64_t> drawn(rows.count * words);
    if (keeps_)
      for (std::size_t i = 0; i < rows.count; ++i)
        std::copy_n(bits_.data() + rows[i] * words_ + skipped, words, drawn.data() + i * words);
    else
      draw_sign_bits(seed_, rows, skipped, words, drawn.data());
    use(SignBits{drawn.data(), words});
  }

 private:
  std::size_t inputs_, words_;
  std::uint64_t seed_;
  bool keeps_;
  mutable std::once_flag once_;
  mutable AlignedVector<std::uint64_t> bits_;
};

class Normals {
 public:
  static constexpr bool kAreBits = false;

  Normals(std::size_t inputs, const ProjectOptions& options)
      : inputs_(inputs), dims_(options.dims), seed_(options.seed), keeps_(keeps_matrix(inputs, options)) {}

  double bytes() const { return keeps_ ? double(inputs_) * double(dims_) * sizeof(float) : 0; }
  // Kept as float, whatever the rows are: entries are rounded to float in any case, so that both ways are the same.
  void prepare(const Backend&) const {
    if (!keeps_) return;
    std::call_once(once_, [&] {
      matrix_.resize(inputs_ * dims_);
      for (std::size_t i = 0; i < inputs_; ++i)
        for (std::size_t j = 0; j < dims_; j += 2) draw_two(i, j, matrix_.data() + i * dims_ + j);
    });
  }

  template <class T>
  void draw(const Backend&, const DrawnRows& rows, std::size_t begin, T size, MatrixView<T> r) const {
    for (std::size_t i = 0; i < rows.count; ++i) {
      const std::size_t input = rows[i];
      T* row = r.row(i);
      if (keeps_) {
        const float* kept = matrix_.data() + input * dims_ + begin;
        for (std::size_t j = 0; j < r.cols; ++j) row[j] = size * T(kept[j]);
        continue;
      }
      for (std::size_t j = 0; j < r.cols; j += 2) {
        float two[2];
        draw_two(input, begin + j, two);
        row[j] = size * T(two[0]);
        if (j + 1 < r.cols) row[j + 1] = size * T(two[1]);
      }
    }
  }

 private:
  // Entries j and j + 1, j even; the second only where there is one.
  void draw_two(std::size_t i, std::size_t j, float* two) const {
    const DrawWords words = draw_words(seed_, Draw::entry, i, j / 2);
    two[0] = float(word_normal(words.first));
    if (j + 1 < dims_) two[1] = float(word_normal(words.second));
  }

  std::size_t inputs_, dims_;
  std::uint64_t seed_;
  bool keeps_;
  mutable std::once_flag once_;
  mutable AlignedVector<float> matrix_;
};

template <class Entries>
class DenseProjection final : public ProjectionOf<DenseProjection<Entries>> {
 public:
  DenseProjection(std::size_t inputs, const ProjectOptions& options)
      : inputs_(inputs), dims_(options.dims), size_(std::sqrt(1 / double(options.dims))), entries_(inputs, options) {}

  double held_bytes() const override { return entries_.bytes(); }
  // Each tile is drawn once for as many rows.
  std::size_t rows_at_once() const override { return std::clamp<std::size_t>((512u << 10) / dims_, 64, 512); }

  template <class T>
  void project_rows(const Backend& on, const RowBlock<T>& x, MatrixView<T> z) const {
    entries_.prepare(on);
    if (dims_ >= kLeastColumns) return sums(on, x, z);
    const Lease<T> wide(x.rows * kLeastColumns);
    const MatrixView<T> padded{wide.data(), x.rows, kLeastColumns, kLeastColumns};
    sums(on, x, padded);
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(padded.row(i), dims_, z.row(i));
  }

  void back(const Backend& on, MatrixView<const double> z, MatrixView<double> x) const override {
    entries_.prepare(on);
    const Lease<double> tile(kDepth * dims_), turned(kDepth * dims_);
    for (std::size_t first = 0; first < inputs_; first += kDepth) {
      const std::size_t count = std::min(kDepth, inputs_ - first);
      const MatrixView<double> r{tile.data(), count, dims_, dims_}, t{turned.data(), dims_, count, count};
      entries_.draw(on, DrawnRows{nullptr, first, count}, 0, size_, r);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < dims_; ++j) t(j, i) = r(i, j);
      on.multiply(z, t, 0.0, {x.data + first, x.rows, count, x.stride});
    }
  }

 private:
  // Columns of z, of which there are as many as outputs or kLeastColumns.
  template <class T>
  void sums(const Backend& on, const RowBlock<T>& x, MatrixView<T> z) const {
    for (std::size_t begin = 0; begin < z.cols;) {
      std::size_t cols = std::min(kGroup, z.cols - begin);
      if (z.cols - begin - cols < kLeastColumns) cols = z.cols - begin;  // none of the groups may be too narrow
      const MatrixView<T> group{z.data + begin, z.rows, cols, z.stride};
      if (x.sparse())
        sparse_sums(on, x, begin, group);
      else
        dense_sums(on, x, begin, group);
      begin += cols;
    }
  }

  template <class T>
  MatrixView<T> drawn(const Backend& on, const DrawnRows& rows, std::size_t begin, MatrixView<T> tile) const {
    const std::size_t known = std::min(tile.cols, dims_ - begin);
    entries_.draw(on, rows, begin, T(size_), MatrixView<T>{tile.data, tile.rows, known, tile.stride});
    for (std::size_t i = 0; i < tile.rows && known < tile.cols; ++i)
      std::fill(tile.row(i) + known, tile.row(i) + tile.cols, T(0));
    return tile;
  }

  template <class T>
  void dense_sums(const Backend& on, const RowBlock<T>& x, std::size_t begin, MatrixView<T> z) const {
    const Lease<T> memory(kDepth * z.cols);
    for (std::size_t first = 0; first < inputs_; first += kDepth) {
      const std::size_t count = std::min(kDepth, inputs_ - first);
      const DrawnRows rows{nullptr, first, count};
      const MatrixView<const T> part{x.values + first, x.rows, count, x.stride};
      if constexpr (Entries::kAreBits)
        if (x.rows > kFewRows && begin + z.cols <= dims_) {
          entries_.with_bits(rows, begin, z.cols,
                             [&](const SignBits& bits) { multiply_signs(on, part, bits, T(size_), first > 0, z); });
          continue;
        }
      const MatrixView<T> r = drawn<T>(on, rows, begin, {memory.data(), count, z.cols, z.cols});
      on.multiply(part, MatrixView<const T>(r), T(first > 0 ? 1 : 0), z);
    }
  }

  template <class T>
  void sparse_sums(const Backend& on, const RowBlock<T>& x, std::size_t begin, MatrixView<T> z) const {
    const Lease<T> memory(kDepth * z.cols);
    for (std::size_t i = 0; i < x.rows; ++i) {
      std::fill_n(z.row(i), z.cols, T(0));
      for (std::size_t at = x.offsets[i]; at < x.offsets[i + 1];) {
        // The entries of as many as a tile may have are drawn at once.
        const std::size_t end = whole_tiles(x.columns + at, x.offsets[i + 1] - at) + at;
        const MatrixView<T> r =
            drawn<T>(on, {x.columns + at, 0, end - at}, begin, {memory.data(), end - at, z.cols, z.cols});
        for (std::size_t first = at; first < end;) {
          const std::size_t count = tile_length(x.columns + first, end - first);
          on.multiply(MatrixView<const T>{x.values + first, 1, count, count},
                      MatrixView<const T>(r.slice(first - at, count)), T(1), z.slice(i, 1));
          first += count;
        }
        at = end;
      }
    }
  }

  // How many of the columns lie in the first one's tile.
  static std::size_t tile_length(const std::uint32_t* columns, std::size_t count) {
    std::size_t end = 1;
    while (end < count && columns[end] / kDepth == columns[0] / kDepth) ++end;
    return end;
  }
  // Columns of as many whole tiles as together have at most kDepth.
  static std::size_t whole_tiles(const std::uint32_t* columns, std::size_t count) {
    if (count <= kDepth) return count;
    std::size_t end = kDepth;
    while (columns[end] / kDepth == columns[end - 1] / kDepth) --end;
    return end;
  }

  std::size_t inputs_, dims_;
  double size_;
  Entries entries_;
};

}  // namespace

std::unique_ptr<Projection> dense_projection(std::size_t inputs, const ProjectOptions& options) {
  if (options.kind == ProjectOptions::Kind::sign) return std::make_unique<DenseProjection<Signs>>(inputs, options);
  return std::make_unique<DenseProjection<Normals>>(inputs, options);
}

}  // namespace bochner
