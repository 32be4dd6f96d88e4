// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bins.h"

#include <algorithm>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/bins.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint32_t>;
using WordVector = hn::Vec<Words>;

// Bin numbers of Lanes(u32) consecutive values.
HWY_INLINE WordVector bin_numbers(const float* x, float shift, float per_pitch) {
  const hn::ScalableTag<float> d;
  const auto at = hn::Mul(hn::Sub(hn::LoadU(d, x), hn::Set(d, shift)), hn::Set(d, per_pitch));
  return hn::BitCast(Words(), hn::ConvertTo(hn::RebindToSigned<Words>(), hn::Floor(at)));
}

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE WordVector bin_numbers(const double* x, double shift, double per_pitch) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> half;
  const auto at = [&](const double* p) {
    return hn::Floor(hn::Mul(hn::Sub(hn::LoadU(d, p), hn::Set(d, shift)), hn::Set(d, per_pitch)));
  };
  const auto low = hn::DemoteTo(half, at(x));
  const auto high = hn::DemoteTo(half, at(x + hn::Lanes(d)));
  return hn::BitCast(Words(), hn::Combine(hn::RebindToSigned<Words>(), high, low));
}
#else
HWY_INLINE WordVector bin_numbers(const double* x, double shift, double per_pitch) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> same;
  const auto at = hn::Floor(hn::Mul(hn::Sub(hn::LoadU(d, x), hn::Set(d, shift)), hn::Set(d, per_pitch)));
  return hn::BitCast(Words(), hn::DemoteTo(same, at));
}
#endif

// hashes[0 .. 2 vectors) += terms of the dense columns. Two vectors at a time keep four sums in flight.
template <class T>
HWY_INLINE void add_dense(const PackedRows<T>& rows, const Grid<T>& grid, const std::uint32_t* columns,
                          std::size_t count, std::size_t row, std::uint64_t* hashes) {
  const Words d;
  const std::size_t n = hn::Lanes(d);
  auto* words = reinterpret_cast<std::uint32_t*>(hashes);
  WordVector low0, high0, low1, high1;
  hn::LoadInterleaved2(d, words, low0, high0);
  hn::LoadInterleaved2(d, words + 2 * n, low1, high1);
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t j = rows.dense[columns[k]];
    const T* x = rows.values.data() + columns[k] * rows.stride + row;
    const auto key_low = hn::Set(d, grid.low[j]), key_high = hn::Set(d, grid.high[j]);
    const auto bin0 = bin_numbers(x, grid.shift[j], grid.per_pitch[j]);
    const auto bin1 = bin_numbers(x + n, grid.shift[j], grid.per_pitch[j]);
    low0 = hn::Add(low0, hn::Mul(bin0, key_low));
    high0 = hn::Add(high0, hn::Mul(bin0, key_high));
    low1 = hn::Add(low1, hn::Mul(bin1, key_low));
    high1 = hn::Add(high1, hn::Mul(bin1, key_high));
  }
  hn::StoreInterleaved2(low0, high0, d, words);
  hn::StoreInterleaved2(low1, high1, d, words + 2 * n);
}

// Blocks end with fewer rows than two vectors: those go through a buffer, the columns are padded.
template <class T>
void add_dense_columns(const PackedRows<T>& rows, const Grid<T>& grid, const std::uint32_t* columns, std::size_t count,
                       std::uint64_t* hashes) {
  const std::size_t step = 2 * hn::Lanes(Words());
  std::size_t i = 0;
  for (; i + step <= rows.rows; i += step) add_dense(rows, grid, columns, count, i, hashes + i);
  if (i == rows.rows) return;
  HWY_ALIGN std::uint64_t tail[2 * HWY_MAX_BYTES / 4] = {};
  std::copy(hashes + i, hashes + rows.rows, tail);
  add_dense(rows, grid, columns, count, i, tail);
  std::copy_n(tail, rows.rows - i, hashes + i);
}

void add_dense_float(const PackedRows<float>& rows, const Grid<float>& grid, const std::uint32_t* columns,
                     std::size_t count, std::uint64_t* hashes) {
  add_dense_columns(rows, grid, columns, count, hashes);
}
void add_dense_double(const PackedRows<double>& rows, const Grid<double>& grid, const std::uint32_t* columns,
                      std::size_t count, std::uint64_t* hashes) {
  add_dense_columns(rows, grid, columns, count, hashes);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(add_dense_float);
HWY_EXPORT(add_dense_double);

namespace {

void add_dense(const PackedRows<float>& rows, const Grid<float>& grid, std::span<const std::uint32_t> columns,
               std::uint64_t* hashes) {
  HWY_DYNAMIC_DISPATCH(add_dense_float)(rows, grid, columns.data(), columns.size(), hashes);
}
void add_dense(const PackedRows<double>& rows, const Grid<double>& grid, std::span<const std::uint32_t> columns,
               std::uint64_t* hashes) {
  HWY_DYNAMIC_DISPATCH(add_dense_double)(rows, grid, columns.data(), columns.size(), hashes);
}

// The hash of every pattern of a part, in `sums`.
template <class T>
void pattern_hashes(const typename PackedRows<T>::Part& part, const Grid<T>& grid, std::vector<std::uint64_t>& terms,
                    std::vector<std::uint64_t>& sums) {
  std::uint64_t usual = 0;
  for (std::size_t k = 0; k < part.inputs.size(); ++k) {
    const std::uint32_t j = part.inputs[k];
    if (grid.looks_at(j)) usual = add_halves(usual, grid.term(j, grid.bin(j, part.base[k])));
  }
  // What a code changes: the bin number of its value less that of the usual one. Parts are sorted by input.
  terms.resize(part.codes.size());
  for (std::size_t c = 0; c < part.codes.size(); ++c) {
    const auto [j, value] = part.codes[c];
    terms[c] = 0;
    if (!grid.looks_at(j)) continue;
    const auto k = std::lower_bound(part.inputs.begin(), part.inputs.end(), j) - part.inputs.begin();
    const auto change = std::uint32_t(grid.bin(j, value)) - std::uint32_t(grid.bin(j, part.base[std::size_t(k)]));
    terms[c] = grid.term(j, std::int32_t(change));
  }
  sums.resize(part.offsets.size() - 1);
  for (std::size_t p = 0; p < sums.size(); ++p) {
    std::uint64_t sum = usual;
    for (std::size_t e = part.offsets[p]; e < part.offsets[p + 1]; ++e) sum = add_halves(sum, terms[part.entries[e]]);
    sums[p] = sum;
  }
}

}  // namespace

template <class T>
void Operations::bin_hashes(const PackedRows<T>& rows, const Grid<T>& grid, std::uint64_t* hashes) {
  thread_local std::vector<std::uint64_t> terms, sums;
  bool first = true;
  for (const auto& part : rows.parts) {
    if (std::none_of(part.inputs.begin(), part.inputs.end(), [&](std::uint32_t j) { return grid.looks_at(j); }))
      continue;
    pattern_hashes(part, grid, terms, sums);
    if (first)
      for (std::size_t i = 0; i < rows.rows; ++i) hashes[i] = sums[part.pattern[i]];
    else
      for (std::size_t i = 0; i < rows.rows; ++i) hashes[i] = add_halves(hashes[i], sums[part.pattern[i]]);
    first = false;
  }
  if (first) std::fill_n(hashes, rows.rows, 0);
  thread_local std::vector<std::uint32_t> columns;
  columns.clear();
  for (std::uint32_t k = 0; k < rows.dense.size(); ++k)
    if (grid.looks_at(rows.dense[k])) columns.push_back(k);
  if (!columns.empty()) add_dense(rows, grid, columns, hashes);
}

template void Operations::bin_hashes(const PackedRows<float>&, const Grid<float>&, std::uint64_t*);
template void Operations::bin_hashes(const PackedRows<double>&, const Grid<double>&, std::uint64_t*);

}  // namespace bochner::cpu
#endif  // HWY_ONCE
