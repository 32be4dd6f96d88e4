// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Projections that give each input a few outputs: sums over lists of outputs with signs, which are drawn or kept.

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <span>
#include <vector>

#include "backend/signs.h"
#include "base/lease.h"
#include "maps/projection.h"
#include "random/draw.h"
#include "random/elementary.h"

namespace bochner {

namespace {

// An output and its sign: 2 j, or 2 j + 1 for a minus.
using Entry = std::uint32_t;

// Lists of several inputs, one behind the other.
struct Lists {
  std::vector<Entry> entries = {};
  std::vector<std::size_t> offsets = {0};

  std::span<const Entry> operator[](std::size_t i) const {
    return {entries.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

// Lists as two bits for each input and output, if that is less: a word that says which of 64 outputs an input has, and
// one that says which of those have a minus. They unpack in the order in which they were drawn, that of the outputs.
class PackedLists {
 public:
  void prepare(std::size_t inputs, std::size_t dims) {
    words_ = (dims + 63) / 64;
    bits_.assign(inputs * words_ * 2, 0);
  }
  void put(std::size_t input, std::span<const Entry> list) {
    std::uint64_t* const words = bits_.data() + input * words_ * 2;
    for (const Entry entry : list) {
      const std::size_t j = entry >> 1;
      words[j / 64 * 2] |= std::uint64_t{1} << (j % 64);
      words[j / 64 * 2 + 1] |= std::uint64_t{entry & 1} << (j % 64);
    }
  }
  void unpack(std::size_t input, std::vector<Entry>& list) const {
    const std::uint64_t* const words = bits_.data() + input * words_ * 2;
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t left = words[2 * w]; left != 0; left &= left - 1) {
        const auto bit = std::size_t(std::countr_zero(left));
        list.push_back(Entry(2 * (64 * w + bit) + (words[2 * w + 1] >> bit & 1)));
      }
  }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

// Each output with probability p: the gaps between those taken are geometric, so that a list costs what it holds.
// Two entries of one draw of 128 bits: 52 of a word give the gap, the lowest the sign.
class SparseDraws {
 public:
  SparseDraws(std::size_t inputs, const ProjectOptions& options)
      : seed_(options.seed),
        dims_(options.dims),
        p_(projection_density(inputs, options)),
        per_log_(p_ < 1 ? 1 / portable_log(1 - p_) : 0) {}

  double expected() const { return p_ * double(dims_); }  // entries of an input
  // The factor of the sums of +-1: sqrt(s / k).
  double size() const { return std::sqrt(1 / (p_ * double(dims_))); }

  void draw(const DrawnRows& inputs, Lists& lists) const {
    for (std::size_t i = 0; i < inputs.count; ++i) {
      draw_one(inputs[i], lists.entries);
      lists.offsets.push_back(lists.entries.size());
    }
  }

 private:
  void draw_one(std::size_t input, std::vector<Entry>& list) const {
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

  std::uint64_t seed_;
  std::size_t dims_;
  double p_, per_log_;
};

// One output in each of s parts of the outputs, of 32 bits each: 31 choose it, the lowest is its sign.
class HashDraws {
 public:
  HashDraws(std::size_t, const ProjectOptions& options) : seed_(options.seed), signs_(options.signs) {
    for (std::size_t s = 0; s < signs_; ++s) {
      const std::size_t begin = s * options.dims / signs_, end = (s + 1) * options.dims / signs_;
      parts_.push_back({std::uint32_t(begin), std::uint32_t(end - begin)});
    }
  }

  double expected() const { return double(signs_); }
  double size() const { return std::sqrt(1 / double(signs_)); }

  // The words of signs (backend/signs.h) are these draws too.
  void draw(const DrawnRows& inputs, Lists& lists) const {
    const std::size_t words = (signs_ + 1) / 2, begin = lists.entries.size();
    const Lease<std::uint64_t> drawn(inputs.count * words);
    draw_sign_bits(seed_, inputs, 0, words, drawn.data());
    lists.entries.resize(begin + inputs.count * signs_);
    Entry* to = lists.entries.data() + begin;
    for (std::size_t i = 0; i < inputs.count; ++i, to += signs_) {
      const std::uint64_t* word = drawn.data() + i * words;
      for (std::size_t s = 0; s + 2 <= signs_; s += 2) {
        to[s] = entry(std::uint32_t(word[s / 2]), parts_[s]);
        to[s + 1] = entry(std::uint32_t(word[s / 2] >> 32), parts_[s + 1]);
      }
      if (signs_ % 2) to[signs_ - 1] = entry(std::uint32_t(word[signs_ / 2]), parts_[signs_ - 1]);
    }
    const std::size_t before = lists.offsets.size();
    lists.offsets.resize(before + inputs.count);
    for (std::size_t i = 0; i < inputs.count; ++i) lists.offsets[before + i] = begin + (i + 1) * signs_;
  }

 private:
  struct Part {
    std::uint32_t begin, size;
  };
  static Entry entry(std::uint32_t bits, Part part) {
    const std::uint32_t sign = bits & 1;
    return 2 * (part.begin + std::uint32_t(std::uint64_t(bits - sign) * part.size >> 32)) + sign;
  }

  std::uint64_t seed_;
  std::size_t signs_;
  std::vector<Part> parts_;
};

template <class Draws>
class ListProjection final : public ProjectionOf<ListProjection<Draws>> {
 public:
  ListProjection(std::size_t inputs, const ProjectOptions& options)
      : inputs_(inputs), dims_(options.dims), draws_(inputs, options), keeps_(keeps_matrix(inputs, options)) {}

  double held_bytes() const override { return keeps_ ? double(inputs_) * list_bytes(draws_.expected(), dims_) : 0; }
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
    with_lists({nullptr, 0, inputs_}, [&](std::size_t j, std::span<const Entry> list) {
      for (std::size_t i = 0; i < z.rows; ++i) {
        double sum = 0;
        for (const Entry entry : list) sum += entry & 1 ? -z(i, entry >> 1) : z(i, entry >> 1);
        x(i, j) = sum * draws_.size();
      }
    });
  }

 private:
  static constexpr std::size_t kRows = 64, kFewRows = 2;
  static constexpr std::size_t kTogether = 64;  // inputs whose lists are drawn at once

  void prepare() const {
    if (!keeps_) return;
    std::call_once(once_, [&] {
      if (packs()) return pack();
      kept_.entries.reserve(std::size_t(double(inputs_) * draws_.expected() * 1.01) + 64);
      kept_.offsets.reserve(inputs_ + 1);
      for (std::size_t j = 0; j < inputs_; j += kTogether)
        draws_.draw({nullptr, j, std::min(kTogether, inputs_ - j)}, kept_);
    });
  }

  bool packs() const { return packed_list_bytes(dims_) < plain_list_bytes(draws_.expected()); }
  void pack() const {
    packed_.prepare(inputs_, dims_);
    Lists lists;
    for (std::size_t j = 0; j < inputs_; ++j) {
      lists = {};
      draws_.draw({nullptr, j, 1}, lists);
      packed_.put(j, lists[0]);
    }
  }

  // use(i, list of inputs[i]), one after the other.
  template <class Use>
  void with_lists(const DrawnRows& inputs, const Use& use) const {
    const Leased<Lists> lists;
    if (keeps_) {
      for (std::size_t i = 0; i < inputs.count; ++i) {
        if (!packs()) {
          use(i, kept_[inputs[i]]);
          continue;
        }
        lists->entries.clear();
        packed_.unpack(inputs[i], lists->entries);
        use(i, std::span<const Entry>(lists->entries));
      }
      return;
    }
    for (std::size_t begin = 0; begin < inputs.count; begin += kTogether) {
      const std::size_t count = std::min(kTogether, inputs.count - begin);
      lists->entries.clear();
      lists->offsets.resize(1);
      draws_.draw(inputs.slice(begin, count), *lists);
      for (std::size_t i = 0; i < count; ++i) use(begin + i, (*lists)[i]);
    }
  }

  // Terms in the order of the inputs, whichever way.
  template <class T>
  void add_terms(const DrawnRows& inputs, const T* values, T* z) const {
    with_lists(inputs, [&](std::size_t i, std::span<const Entry> list) {
      const T value = values[i];
      for (const Entry entry : list) z[entry >> 1] += entry & 1 ? -value : value;
    });
  }

  template <class T>
  void one_row(const RowBlock<T>& x, std::size_t i, T* z) const {
    std::fill_n(z, dims_, T(0));
    if (x.sparse()) {
      const std::size_t begin = x.offsets[i], count = x.offsets[i + 1] - begin;
      add_terms({x.columns + begin, 0, count}, x.values + begin, z);
    } else {
      std::uint32_t inputs[kTogether];
      T values[kTogether];
      std::size_t count = 0;
      for (std::size_t j = 0; j < inputs_; ++j) {
        inputs[count] = std::uint32_t(j);
        values[count] = x.values[i * x.stride + j];
        count += values[count] != T(0);
        if (count < kTogether && j + 1 < inputs_) continue;
        add_terms({inputs, 0, count}, values, z);
        count = 0;
      }
    }
    for (std::size_t j = 0; j < dims_; ++j) z[j] *= T(draws_.size());
  }

  // Rows side by side, kRows of them with zeros for those there are not: each list is drawn once for all.
  template <class T>
  void many_rows(const RowBlock<T>& x, MatrixView<T> z) const {
    const Lease<T> memory(dims_ * kRows);
    T* const sums = memory.data();
    std::fill_n(sums, dims_ * kRows, T(0));
    alignas(64) T column[kRows] = {};
    with_lists({nullptr, 0, inputs_}, [&](std::size_t j, std::span<const Entry> list) {
      bool any = false;
      for (std::size_t i = 0; i < x.rows; ++i) {
        column[i] = x.values[i * x.stride + j];
        any = any || column[i] != T(0);
      }
      if (!any) return;
      for (const Entry entry : list) {
        T* const to = sums + (entry >> 1) * kRows;
        if (entry & 1)
          for (std::size_t i = 0; i < kRows; ++i) to[i] -= column[i];
        else
          for (std::size_t i = 0; i < kRows; ++i) to[i] += column[i];
      }
    });
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t j = 0; j < dims_; ++j) z(i, j) = sums[j * kRows + i] * T(draws_.size());
  }

  std::size_t inputs_, dims_;
  Draws draws_;
  bool keeps_;
  mutable std::once_flag once_;
  mutable Lists kept_;
  mutable PackedLists packed_;
};

}  // namespace

std::unique_ptr<Projection> list_projection(std::size_t inputs, const ProjectOptions& options) {
  if (options.kind == ProjectOptions::Kind::hash) return std::make_unique<ListProjection<HashDraws>>(inputs, options);
  return std::make_unique<ListProjection<SparseDraws>>(inputs, options);
}

}  // namespace bochner
