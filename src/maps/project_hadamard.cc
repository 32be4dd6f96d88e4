// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Projections by a Hadamard transform of the inputs with random signs: z = sqrt(1/k) P H D u, H with entries
// +-1/sqrt(n) of n = 2^m >= d inputs.

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/lease.h"
#include "maps/projection.h"
#include "random/draw.h"
#include "random/elementary.h"

namespace bochner {

namespace {

// fastjl: which outputs of the transform an output takes, and with which N(0, 1): each with probability q, by geometric
// gaps, from one draw of 128 bits.
class GaussianRows {
 public:
  GaussianRows(std::size_t inputs, const ProjectOptions& options)
      : seed_(options.seed),
        dims_(options.dims),
        width_(hadamard_width(inputs)),
        q_(projection_density(inputs, options)),
        per_log_(q_ < 1 ? 1 / portable_log(1 - q_) : 0),
        keeps_(keeps_matrix(inputs, options)) {}

  // The factor of the sums: sqrt(1 / (k q n)).
  double size() const { return std::sqrt(1 / (double(dims_) * q_ * double(width_))); }
  double bytes() const { return keeps_ ? double(dims_) * double(width_) * q_ * sizeof(Term) : 0; }

  void prepare() const {
    if (!keeps_) return;
    std::call_once(once_, [&] {
      offsets_.push_back(0);
      for (std::size_t j = 0; j < dims_; ++j) {
        draw(j, [&](std::size_t index, float factor) { terms_.push_back({std::uint32_t(index), factor}); });
        offsets_.push_back(terms_.size());
      }
    });
  }

  template <class Use>
  void each(std::size_t output, const Use& use) const {
    if (!keeps_) return draw(output, use);
    for (std::size_t t = offsets_[output]; t < offsets_[output + 1]; ++t) use(terms_[t].index, terms_[t].factor);
  }

 private:
  struct Term {
    std::uint32_t index;
    float factor;
  };

  template <class Use>
  void draw(std::size_t output, const Use& use) const {
    std::uint64_t next = 0;
    for (std::uint64_t t = 0;; ++t) {
      const DrawWords words = draw_words(seed_, Draw::entry, output, t);
      const double gap = std::floor(portable_log(word_uniform(words.first)) * per_log_);
      next += gap < double(width_) ? std::uint64_t(gap) : width_;
      if (next >= width_) return;
      use(next, float(word_normal(words.second)));
      ++next;
    }
  }

  std::uint64_t seed_;
  std::size_t dims_, width_;
  double q_, per_log_;
  bool keeps_;
  mutable std::once_flag once_;
  mutable std::vector<std::size_t> offsets_;
  mutable std::vector<Term> terms_;
};

// srht: k different outputs of the transform, by the first k steps of a shuffle.
class PickedRows {
 public:
  PickedRows(std::size_t inputs, const ProjectOptions& options)
      : seed_(options.seed), dims_(options.dims), width_(hadamard_width(inputs)) {}

  double size() const { return std::sqrt(1 / double(dims_)); }
  double bytes() const { return double(dims_ * sizeof(std::uint32_t)); }

  void prepare() const {
    std::call_once(once_, [&] {
      std::vector<std::uint32_t> order(width_);
      std::iota(order.begin(), order.end(), 0u);
      picked_.resize(dims_);
      for (std::size_t j = 0; j < dims_; ++j) {
        const std::size_t left = width_ - j;
        std::swap(order[j], order[j + std::min(left - 1, std::size_t(uniform(seed_, Draw::pick, j) * double(left)))]);
        picked_[j] = order[j];
      }
    });
  }

  template <class Use>
  void each(std::size_t output, const Use& use) const {
    use(picked_[output], 1.0f);
  }

 private:
  std::uint64_t seed_;
  std::size_t dims_, width_;
  mutable std::once_flag once_;
  mutable std::vector<std::uint32_t> picked_;
};

template <class Outputs>
class HadamardProjection final : public ProjectionOf<HadamardProjection<Outputs>> {
 public:
  HadamardProjection(std::size_t inputs, const ProjectOptions& options)
      : inputs_(inputs),
        dims_(options.dims),
        width_(hadamard_width(inputs)),
        seed_(options.seed),
        outputs_(inputs, options) {}

  double held_bytes() const override { return outputs_.bytes() + double(inputs_) / 8; }
  // Terms that are drawn serve all rows of a piece; the rows, as wide as the transform, shall not take much memory.
  std::size_t rows_at_once() const override { return std::clamp<std::size_t>((2u << 20) / width_, 4, 64); }

  template <class T>
  void project_rows(const Backend& on, const RowBlock<T>& x, MatrixView<T> z) const {
    prepare();
    const std::size_t most = rows_at_once();
    const Lease<T> memory(std::min(most, x.rows) * width_);
    for (std::size_t begin = 0; begin < x.rows; begin += most) {
      const std::size_t count = std::min(most, x.rows - begin);
      const MatrixView<T> wide{memory.data(), count, width_, width_};
      for (std::size_t i = 0; i < count; ++i) spread(x, begin + i, wide.row(i));
      on.hadamard(wide);
      for (std::size_t j = 0; j < dims_; ++j) gather(wide, j, z.slice(begin, count));
    }
  }

  void back(const Backend& on, MatrixView<const double> z, MatrixView<double> x) const override {
    prepare();
    const Lease<double> memory(width_);
    const MatrixView<double> wide{memory.data(), 1, width_, width_};
    for (std::size_t i = 0; i < z.rows; ++i) {
      std::fill_n(wide.data, width_, 0.0);
      for (std::size_t j = 0; j < dims_; ++j)
        outputs_.each(j, [&](std::size_t index, float factor) { wide.data[index] += double(factor) * z(i, j); });
      on.hadamard(wide);
      for (std::size_t j = 0; j < inputs_; ++j) x(i, j) = (flips(j) ? -wide.data[j] : wide.data[j]) * outputs_.size();
    }
  }

 private:
  void prepare() const {
    outputs_.prepare();
    std::call_once(once_, [&] {
      bits_.resize((inputs_ + 63) / 64 + 1);
      for (std::size_t b = 0; b < bits_.size(); b += 2) {
        const DrawWords words = draw_words(seed_, Draw::flip, 0, b / 2);
        bits_[b] = words.first;
        if (b + 1 < bits_.size()) bits_[b + 1] = words.second;
      }
    });
  }
  bool flips(std::size_t input) const { return bits_[input / 64] >> (input % 64) & 1; }

  // D u, with zeros up to the width.
  template <class T>
  void spread(const RowBlock<T>& x, std::size_t i, T* wide) const {
    if (x.sparse()) {
      std::fill_n(wide, width_, T(0));
      for (std::size_t at = x.offsets[i]; at < x.offsets[i + 1]; ++at)
        wide[x.columns[at]] = flips(x.columns[at]) ? -x.values[at] : x.values[at];
      return;
    }
    const T* row = x.values + i * x.stride;
    for (std::size_t j = 0; j < inputs_; ++j) wide[j] = flips(j) ? -row[j] : row[j];
    std::fill(wide + inputs_, wide + width_, T(0));
  }

  template <class T>
  void gather(MatrixView<const T> wide, std::size_t j, MatrixView<T> z) const {
    for (std::size_t i = 0; i < z.rows; ++i) z(i, j) = 0;
    outputs_.each(j, [&](std::size_t index, float factor) {
      for (std::size_t i = 0; i < z.rows; ++i) z(i, j) += T(factor) * wide(i, index);
    });
    for (std::size_t i = 0; i < z.rows; ++i) z(i, j) *= T(outputs_.size());
  }
  template <class T>
  void gather(MatrixView<T> wide, std::size_t j, MatrixView<T> z) const {
    gather(MatrixView<const T>(wide), j, z);
  }

  std::size_t inputs_, dims_, width_;
  std::uint64_t seed_;
  Outputs outputs_;
  mutable std::once_flag once_;
  mutable std::vector<std::uint64_t> bits_;
};

}  // namespace

std::unique_ptr<Projection> hadamard_projection(std::size_t inputs, const ProjectOptions& options) {
  if (options.kind == ProjectOptions::Kind::srht)
    return std::make_unique<HadamardProjection<PickedRows>>(inputs, options);
  return std::make_unique<HadamardProjection<GaussianRows>>(inputs, options);
}

}  // namespace bochner
