// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/multiply_lower.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/tile-inl.h"

// Depths of kDepth columns at a time, so that a packed tile of rows stays in L1 and a group of panels in L2; sums go
// on from what the depth before left in z. BLAS would do, but for the promise that a row's result does not depend on
// where it stands.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(kPanel == LowerPanels<float>::kPanel);
constexpr std::size_t kDepth = 512;       // a multiple of kPanel
constexpr std::size_t kGroupPanels = 16;  // 512 KiB of float
static_assert(kDepth % kPanel == 0);

// A part of a panel: `depth` columns of the matrix, of which what is deeper than the diagonal is zero. diagonal: the
// first column of the matrix that meets it, counted as depth is. columns: of the product, kPanel or what is left.
template <class T>
struct PanelPart {
  const T* values;
  std::size_t depth, diagonal, columns;
};

// sums += rows x panel, kTileRows x kPanel, `stride` apart.
template <class T, std::size_t kVectors>
HWY_NOINLINE void add_tile(const T* HWY_RESTRICT packed, const PanelPart<T>& part, bool from_zero, T* HWY_RESTRICT sums,
                           std::size_t stride) {
  const T* HWY_RESTRICT panel = part.values;
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  for (std::size_t c = 0; c < part.columns; c += kVectors * kLanes) {
    const std::size_t deepest = HWY_MIN(part.depth, part.diagonal + c + kVectors * kLanes);
    hn::Vec<Tag<T>> sum[kTileRows][kVectors];
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        sum[r][v] = from_zero ? hn::Zero(d) : hn::LoadU(d, sums + r * stride + c + v * kLanes);
      });
    });
    for (std::size_t j = 0; j < deepest; ++j) add_outer(packed + j * kPackedRows, panel + j * kPanel + c, sum);
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE { hn::StoreU(sum[r][v], d, sums + r * stride + c + v * kLanes); });
    });
  }
}

template <class T>
void pack_depth(MatrixView<const T> x, std::size_t first, std::size_t count, std::size_t begin, std::size_t depth,
                T* HWY_RESTRICT packed) {
  const T* row[kTileRows];
  for (std::size_t r = 0; r < kTileRows; ++r) row[r] = x.row(first + HWY_MIN(r, count - 1)) + begin;
  for (std::size_t j = 0; j < depth; ++j, packed += kPackedRows)
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE { packed[r] = row[r][j]; });
}

template <class T>
void run(MatrixView<const T> x, const LowerPanels<T>& lower, MatrixView<T> z, T* HWY_RESTRICT packed) {
  const std::size_t panels = lower.offsets.size();
  alignas(64) T edge[kTileRows * kPanel];
  const auto tile = [&](std::size_t row, std::size_t rows, std::size_t p, std::size_t begin) {
    const std::size_t depth = HWY_MIN(kDepth, lower.columns(p) - begin);
    const std::size_t columns = HWY_MIN(kPanel, lower.size - p * kPanel);
    const PanelPart<T> part{lower.values.data() + lower.offsets[p] + begin * kPanel, depth, p * kPanel - begin,
                            columns};
    T* place = z.row(row) + p * kPanel;
    if (rows == kTileRows && columns == kPanel)
      return add_tile<T, tile_vectors<T>()>(packed, part, begin == 0, place, z.stride);
    for (std::size_t r = 0; r < kTileRows; ++r)
      for (std::size_t c = 0; c < kPanel; ++c)
        edge[r * kPanel + c] = begin > 0 && c < columns ? place[HWY_MIN(r, rows - 1) * z.stride + c] : T(0);
    add_tile<T, tile_vectors<T>()>(packed, part, begin == 0, edge, kPanel);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) place[r * z.stride + c] = edge[r * kPanel + c];
  };
  for (std::size_t begin = 0; begin < lower.size; begin += kDepth) {
    const std::size_t depth = HWY_MIN(kDepth, lower.size - begin);
    for (std::size_t first = begin / kPanel; first < panels; first += kGroupPanels) {
      const std::size_t last = HWY_MIN(panels, first + kGroupPanels);
      for (std::size_t row = 0; row < x.rows; row += kTileRows) {
        const std::size_t rows = HWY_MIN(kTileRows, x.rows - row);
        pack_depth(x, row, rows, begin, depth, packed);
        for (std::size_t p = first; p < last; ++p) tile(row, rows, p, begin);
      }
    }
  }
}

void lower_float(MatrixView<const float> x, const LowerPanels<float>& lower, MatrixView<float> z) {
  HWY_ALIGN float packed[kDepth * kPackedRows];
  run(x, lower, z, packed);
}
void lower_double(MatrixView<const double> x, const LowerPanels<double>& lower, MatrixView<double> z) {
  HWY_ALIGN double packed[kDepth * kPackedRows];
  run(x, lower, z, packed);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(lower_float);
HWY_EXPORT(lower_double);

template <>
void Operations::multiply_lower(MatrixView<const float> x, const LowerPanels<float>& r, MatrixView<float> z) {
  HWY_DYNAMIC_DISPATCH(lower_float)(x, r, z);
}
template <>
void Operations::multiply_lower(MatrixView<const double> x, const LowerPanels<double>& r, MatrixView<double> z) {
  HWY_DYNAMIC_DISPATCH(lower_double)(x, r, z);
}

}  // namespace bochner::cpu
#endif
