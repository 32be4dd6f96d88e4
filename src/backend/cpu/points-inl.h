// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Rows that meet points in a product, tile by tile. A product of a row and a point is one chain of fused multiply-adds
// over the inputs: the same bits for any tile and on every machine. Per target: no #pragma once, see foreach_target.h.

#if defined(BOCHNER_BACKEND_CPU_POINTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BOCHNER_BACKEND_CPU_POINTS_INL_H_
#undef BOCHNER_BACKEND_CPU_POINTS_INL_H_
#else
#define BOCHNER_BACKEND_CPU_POINTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "backend/cpu/tile-inl.h"
#include "backend/radial.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(kPanel == PointPanels<float>::kPanel);
constexpr std::size_t kGroupBytes = 512 << 10;  // panels that lie beside the rows in L2
constexpr std::size_t kTile = kTileRows * kPanel;

// tile = the products of a tile of packed rows with one panel, kTileRows x kPanel.
template <class T, std::size_t kVectors>
HWY_NOINLINE void multiply_tile(const T* HWY_RESTRICT packed, const T* HWY_RESTRICT panel, std::size_t inputs,
                                T* HWY_RESTRICT tile) {
  using V = hn::Vec<Tag<T>>;
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  for (std::size_t c = 0; c < kPanel; c += kVectors * kLanes) {
    V sum[kTileRows][kVectors];
    unrolled<kTileRows>(
        [&](auto r) BOCHNER_INLINE { unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[r][v] = hn::Zero(d); }); });
    const T* x = packed;
    const T* y = panel + c;
    for (std::size_t j = 0; j < inputs; ++j, x += kPackedRows, y += kPanel) add_outer(x, y, sum);
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE { hn::StoreU(sum[r][v], d, tile + r * kPanel + c + v * kLanes); });
    });
  }
}

// packed[j][r] = x(first + r, j); rows beyond the block repeat its last.
template <class T>
void pack_rows(MatrixView<const T> x, std::size_t first, std::size_t count, T* HWY_RESTRICT packed) {
  const T* row[kPackedRows];
  for (std::size_t r = 0; r < kPackedRows; ++r) row[r] = x.row(first + HWY_MIN(r, count - 1));
  for (std::size_t j = 0; j < x.cols; ++j, packed += kPackedRows)
    unrolled<kPackedRows>([&](auto r) BOCHNER_INLINE { packed[r] = row[r][j]; });
}

// norms[c] = |column c|^2 of inputs x width numbers, width a multiple of a vector.
template <class T, std::size_t kWidth>
void squared_norms(const T* HWY_RESTRICT columns, std::size_t inputs, T* HWY_RESTRICT norms) {
  const hn::CappedTag<T, kWidth> d;
  for (std::size_t c = 0; c < kWidth; c += hn::Lanes(d)) {
    auto sum = hn::Zero(d);
    for (std::size_t j = 0; j < inputs; ++j) {
      const auto v = hn::LoadU(d, columns + j * kWidth + c);
      sum = fused_add(v, v, sum);
    }
    hn::StoreU(sum, d, norms + c);
  }
}

// For each tile of rows and each panel: visit(row, rows, panel) with the rows packed. Panels in groups that stay in L2.
template <class T, class Visit>
void each_row_tile(MatrixView<const T> x, const PointPanels<T>& y, T* HWY_RESTRICT packed, const Visit& visit) {
  const std::size_t panels = (y.count + kPanel - 1) / kPanel;
  const std::size_t group = HWY_MAX(std::size_t(8), kGroupBytes / (y.inputs * kPanel * sizeof(T)));
  for (std::size_t begin = 0; begin < panels; begin += group)
    for (std::size_t row = 0; row < x.rows; row += kTileRows) {
      const std::size_t rows = HWY_MIN(kTileRows, x.rows - row);
      pack_rows(x, row, rows, packed);
      for (std::size_t p = begin; p < HWY_MIN(panels, begin + group); ++p) visit(row, rows, p);
    }
}

// The same with squared norms: visit(row, rows, panel, xx, yy).
template <class T, class Visit>
void each_tile(MatrixView<const T> x, const PointPanels<T>& y, T* HWY_RESTRICT packed, T* HWY_RESTRICT norms,
               const Visit& visit) {
  const std::size_t panels = (y.count + kPanel - 1) / kPanel;
  for (std::size_t p = 0; p < panels; ++p)
    squared_norms<T, kPanel>(y.values.data() + p * y.inputs * kPanel, y.inputs, norms + p * kPanel);
  alignas(64) T xx[kPackedRows];
  std::size_t of = x.rows;  // the tile whose norms xx has
  each_row_tile(x, y, packed, [&](std::size_t row, std::size_t rows, std::size_t p) {
    if (of != row) squared_norms<T, kPackedRows>(packed, y.inputs, xx);
    of = row;
    visit(row, rows, p, xx, norms + p * kPanel);
  });
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
