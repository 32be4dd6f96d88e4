// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Projections that give each input a few outputs: sums over lists of outputs with signs, which are drawn or kept.

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>
#include <vector>

#include "base/lease.h"
#include "maps/projection.h"
#include "random/draw.h"
#include "random/elementary.h"

namespace bochner {

namespace {

// An output and its sign: 2 j, or 2 j + 1 for a minus.
using Entry = std::uint32_t;

// Each output with probability p: the gaps between those taken are geometric, so that a list costs what it holds.
// Two entries of one draw of 128 bits: 52 of a word give the gap, the lowest the sign.
class SparseLists {
 public:
  SparseLists(std::size_t inputs, const ProjectOptions& options)
      : seed_(options.seed),
        dims_(options.dims),
        p_(projection_density(inputs, options)),
        per_log_(p_ < 1 ? 1 / portable_log(1 - p_) : 0) {}

  double expected() const { return p_ * double(dims_); }  // entries of an input
  // Of sums of +-1: sqrt(s / k).
  double size() const { return std::sqrt(1 / (p_ * double(dims_))); }

  void draw(std::size_t input, std::vector<Entry>& list) const {
    list.clear();
    std::uint64_t next = 0;
    const auto take = [&](std::uint64_t word) {
      const double gap = std::floor(portable_log(word_uniform(word)) * per_log_);
      next += gap < double(dims_) ? std::uint64_t(gap) : dims_;
      if (next >= dims_) return false;
      list.push_back(Entry(2 * next + (word & 1)));
      ++next;
      return true;
    };
    for (std::uint64_t t = 0;; ++t) {
      const DrawWords words = draw_words(seed_, Draw::entry, input, t);
      if (!take(words.first) || !take(words.second)) return;
    }
  }

 private:
  std::uint64_t seed_;
  std::size_t dims_;
  double p_, per_log_;
};

// One output in each of s parts of the outputs, of 32 bits each: 31 choose it, the lowest is its sign.
class HashLists {
 public:
  HashLists(std::size_t, const ProjectOptions& options) : seed_(options.seed), signs_(options.signs) {
    for (std::size_t s = 0; s < signs_; ++s) {
      const std::uint64_t begin = s * options.dims / signs_;
      parts_.push_back({begin, (s + 1) * options.dims / signs_ - begin});
    }
  }

  double expected() const { return double(signs_); }
  double size() const { return std::sqrt(1 / double(signs_)); }

  void draw(std::size_t input, std::vector<Entry>& list) const {
    list.resize(signs_);
    Entry* to = list.data();
    const Part* part = parts_.data();
    const auto take = [&](std::uint32_t bits) {
      *to++ = Entry(2 * (part->begin + ((std::uint64_t(bits >> 1) * part->size) >> 31)) + (bits & 1));
      ++part;
    };
    std::size_t s = 0;
    for (; s + 4 <= signs_; s += 4) {
      const DrawWords words = draw_words(seed_, Draw::entry, input, s / 4);
      take(std::uint32_t(words.first));
      take(std::uint32_t(words.first >> 32));
      take(std::uint32_t(words.second));
      take(std::uint32_t(words.second >> 32));
    }
    if (s == signs_) return;
    const DrawWords words = draw_words(seed_, Draw::entry, input, s / 4);
    take(std::uint32_t(words.first));
    if (s + 1 < signs_) take(std::uint32_t(words.first >> 32));
    if (s + 2 < signs_) take(std::uint32_t(words.second));
  }

 private:
  struct Part {
    std::uint64_t begin, size;
  };

  std::uint64_t seed_;
  std::size_t signs_;
  std::vector<Part> parts_;
};

template <class Lists>
class ListProjection final : public ProjectionOf<ListProjection<Lists>> {
 public:
  ListProjection(std::size_t inputs, const ProjectOptions& options)
      : inputs_(inputs), dims_(options.dims), lists_(inputs, options), keeps_(keeps_matrix(inputs, options)) {}

  double held_bytes() const override {
    return keeps_ ? double(inputs_) * (lists_.expected() * sizeof(Entry) + sizeof(std::size_t)) : 0;
  }
  std::size_t rows_at_once() const override { return kRows; }

  template <class T>
  void project_rows(const Backend&, const RowBlock<T>& x, MatrixView<T> z) const {
    prepare();
    if (x.sparse() || x.rows <= kFewRows) {
      for (std::size_t i = 0; i < x.rows; ++i) one_row(x, i, z.row(i));
    } else {
      for (std::size_t begin = 0; begin < x.rows; begin += kRows) {
        const std::size_t count = std::min(kRows, x.rows - begin);
        many_rows(x.slice(begin, count), z.slice(begin, count));
      }
    }
  }

  void back(const Backend&, MatrixView<const double> z, MatrixView<double> x) const override {
    prepare();
    std::vector<Entry> drawn;
    for (std::size_t j = 0; j < inputs_; ++j) {
      const std::span<const Entry> list = list_of(j, drawn);
      for (std::size_t i = 0; i < z.rows; ++i) {
        double sum = 0;
        for (const Entry entry : list) sum += entry & 1 ? -z(i, entry >> 1) : z(i, entry >> 1);
        x(i, j) = sum * lists_.size();
      }
    }
  }

 private:
  static constexpr std::size_t kRows = 64, kFewRows = 2;

  void prepare() const {
    if (!keeps_) return;
    std::call_once(once_, [&] {
      std::vector<Entry> drawn;
      offsets_.push_back(0);
      entries_.reserve(std::size_t(double(inputs_) * lists_.expected() * 1.01) + 64);
      for (std::size_t j = 0; j < inputs_; ++j) {
        lists_.draw(j, drawn);
        entries_.insert(entries_.end(), drawn.begin(), drawn.end());
        offsets_.push_back(entries_.size());
      }
    });
  }

  std::span<const Entry> list_of(std::size_t input, std::vector<Entry>& drawn) const {
    if (keeps_) return {entries_.data() + offsets_[input], offsets_[input + 1] - offsets_[input]};
    lists_.draw(input, drawn);
    return drawn;
  }

  // Terms in the order of the inputs, whichever way.
  template <class T>
  void one_row(const RowBlock<T>& x, std::size_t i, T* z) const {
    thread_local std::vector<Entry> drawn;
    std::fill_n(z, dims_, T(0));
    const auto add = [&](std::size_t input, T value) {
      for (const Entry entry : list_of(input, drawn)) z[entry >> 1] += entry & 1 ? -value : value;
    };
    if (x.sparse()) {
      for (std::size_t at = x.offsets[i]; at < x.offsets[i + 1]; ++at) add(x.columns[at], x.values[at]);
    } else {
      for (std::size_t j = 0; j < inputs_; ++j)
        if (const T value = x.values[i * x.stride + j]; value != T(0)) add(j, value);
    }
    for (std::size_t j = 0; j < dims_; ++j) z[j] *= T(lists_.size());
  }

  // Rows side by side, kRows of them with zeros for those there are not: each list is drawn once for all.
  template <class T>
  void many_rows(const RowBlock<T>& x, MatrixView<T> z) const {
    thread_local std::vector<Entry> drawn;
    const Lease<T> memory(dims_ * kRows);
    T* const sums = memory.data();
    std::fill_n(sums, dims_ * kRows, T(0));
    alignas(64) T column[kRows] = {};
    for (std::size_t j = 0; j < inputs_; ++j) {
      bool any = false;
      for (std::size_t i = 0; i < x.rows; ++i) {
        column[i] = x.values[i * x.stride + j];
        any = any || column[i] != T(0);
      }
      if (!any) continue;
      for (const Entry entry : list_of(j, drawn)) {
        T* const to = sums + (entry >> 1) * kRows;
        if (entry & 1)
          for (std::size_t i = 0; i < kRows; ++i) to[i] -= column[i];
        else
          for (std::size_t i = 0; i < kRows; ++i) to[i] += column[i];
      }
    }
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t j = 0; j < dims_; ++j) z(i, j) = sums[j * kRows + i] * T(lists_.size());
  }

  std::size_t inputs_, dims_;
  Lists lists_;
  bool keeps_;
  mutable std::once_flag once_;
  mutable std::vector<std::size_t> offsets_;
  mutable std::vector<Entry> entries_;
};

}  // namespace

std::unique_ptr<Projection> list_projection(std::size_t inputs, const ProjectOptions& options) {
  if (options.kind == ProjectOptions::Kind::hash) return std::make_unique<ListProjection<HashLists>>(inputs, options);
  return std::make_unique<ListProjection<SparseLists>>(inputs, options);
}

}  // namespace bochner
