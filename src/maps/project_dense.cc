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

// Entries times size, of `count` inputs at `index` (or from the first one on) and the columns begin .. begin + r.cols.
struct Part {
  const std::uint32_t* index;
  std::size_t first, count;

  std::size_t input(std::size_t i) const { return index ? index[i] : first + i; }
};

class Signs {
 public:
  Signs(std::size_t inputs, const ProjectOptions& options)
      : inputs_(inputs), words_(sign_words(options.dims)), seed_(options.seed), keeps_(keeps_matrix(inputs, options)) {}

  double bytes() const { return keeps_ ? double(inputs_) * double(words_) * 8 : 0; }
  void prepare(const Backend& on) const {
    if (!keeps_) return;
    std::call_once(once_, [&] {
      bits_.resize(inputs_ * words_);
      on.sign_bits(seed_, 0, inputs_, 0, words_, bits_.data());
    });
  }

  template <class T>
  void draw(const Backend& on, const Part& part, std::size_t begin, T size, MatrixView<T> r) const {
    const std::size_t skipped = begin / 64;  // begin is a multiple of kGroup
    if (keeps_ && !part.index) {
      on.expand_signs(bits_.data() + part.first * words_ + skipped, words_, size, r);
      return;
    }
    const std::size_t words = sign_words(r.cols);
    const Lease<std::uint64_t> drawn(words);
    for (std::size_t i = 0; i < part.count; ++i) {
      if (!keeps_) on.sign_bits(seed_, part.input(i), 1, skipped, words, drawn.data());
      on.expand_signs(keeps_ ? bits_.data() + part.input(i) * words_ + skipped : drawn.data(), words_, size,
                      r.slice(i, 1));
    }
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
  void draw(const Backend&, const Part& part, std::size_t begin, T size, MatrixView<T> r) const {
    for (std::size_t i = 0; i < part.count; ++i) {
      const std::size_t input = part.input(i);
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
      entries_.draw(on, Part{nullptr, first, count}, 0, size_, r);
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
  MatrixView<T> drawn(const Backend& on, const Part& part, std::size_t begin, MatrixView<T> tile) const {
    const std::size_t known = std::min(tile.cols, dims_ - begin);
    entries_.draw(on, part, begin, T(size_), MatrixView<T>{tile.data, tile.rows, known, tile.stride});
    for (std::size_t i = 0; i < tile.rows && known < tile.cols; ++i)
      std::fill(tile.row(i) + known, tile.row(i) + tile.cols, T(0));
    return tile;
  }

  template <class T>
  void dense_sums(const Backend& on, const RowBlock<T>& x, std::size_t begin, MatrixView<T> z) const {
    const Lease<T> memory(kDepth * z.cols);
    for (std::size_t first = 0; first < inputs_; first += kDepth) {
      const std::size_t count = std::min(kDepth, inputs_ - first);
      const MatrixView<T> r = drawn<T>(on, {nullptr, first, count}, begin, {memory.data(), count, z.cols, z.cols});
      on.multiply(MatrixView<const T>{x.values + first, x.rows, count, x.stride}, MatrixView<const T>(r),
                  T(first > 0 ? 1 : 0), z);
    }
  }

  template <class T>
  void sparse_sums(const Backend& on, const RowBlock<T>& x, std::size_t begin, MatrixView<T> z) const {
    const Lease<T> memory(kDepth * z.cols);
    for (std::size_t i = 0; i < x.rows; ++i) {
      std::fill_n(z.row(i), z.cols, T(0));
      for (std::size_t at = x.offsets[i]; at < x.offsets[i + 1];) {
        std::size_t end = at + 1;
        while (end < x.offsets[i + 1] && x.columns[end] / kDepth == x.columns[at] / kDepth) ++end;
        const MatrixView<T> r =
            drawn<T>(on, {x.columns + at, 0, end - at}, begin, {memory.data(), end - at, z.cols, z.cols});
        on.multiply(MatrixView<const T>{x.values + at, 1, end - at, end - at}, MatrixView<const T>(r), T(1),
                    z.slice(i, 1));
        at = end;
      }
    }
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
