// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <limits>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/fourier.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/turns-inl.h"

// The product and the cosine in one pass, so that the angles never leave L1. For a group of panels that stays in
// L2, tiles of 6 rows are transposed and go through the panels; a register tile of 6 rows x up to 16 frequencies
// sums over the inputs, in their order, starting from the phase. Every row takes the same operations wherever it
// stands: a short tile is filled up with zeros. CSR rows do the same sums less the terms that are 0.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPanel = FourierWeights<float>::kPanel;
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kPackedRows = 8;          // a tile's stride in the packed rows
constexpr std::size_t kGroupBytes = 256 << 10;  // of panels, beside the rows in L2
constexpr std::size_t kSparsePanels = 4;        // enough sums at a time to hide the latency of a multiply-add

// Vectors of at most one panel; 4 of them (24 sums) fit 32 registers, 2 fit 16.
template <class T>
using Tag = hn::CappedTag<T, kPanel>;
template <class T>
constexpr std::size_t tile_vectors() {
  constexpr std::size_t whole = kPanel / hn::MaxLanes(Tag<T>());
  constexpr std::size_t most = HWY_ARCH_ARM_A64 || HWY_TARGET <= HWY_AVX3 ? 4 : 2;
  return whole < most ? whole : most;
}

// The block in the terms of this file: everything the loops below need.
template <class T>
struct Problem {
  const RowBlock<T>& x;
  const FourierWeights<T>& w;
  MatrixView<T> z;
  std::size_t panels() const { return (w.frequencies + kPanel - 1) / kPanel; }
  const T* panel(std::size_t p) const { return w.panels.data() + p * w.inputs * kPanel; }
  const T* phase(std::size_t p) const { return w.phase.empty() ? nullptr : w.phase.data() + p * kPanel; }
};

// packed[j][r] = x(first + r, j), zero for rows beyond the block.
template <class T>
void pack_rows(const RowBlock<T>& x, std::size_t first, std::size_t count, T* HWY_RESTRICT packed) {
  for (std::size_t r = 0; r < kTileRows; ++r) {
    const T* row = r < count ? x.values + (first + r) * x.stride : nullptr;
    for (std::size_t j = 0; j < x.cols; ++j) packed[j * kPackedRows + r] = row ? row[j] : T(0);
  }
}

// angles[r][c] = phase[c] + sum_j packed[j][r] panel[j][c] for the tile's rows and `kVectors` vectors of c.
template <class T, std::size_t kVectors>
HWY_INLINE void product_tile(const T* HWY_RESTRICT packed, const T* HWY_RESTRICT panel, std::size_t inputs,
                             const T* HWY_RESTRICT phase, T* HWY_RESTRICT angles) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  hn::Vec<Tag<T>> sum[kTileRows][kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    const auto start = phase ? hn::Load(d, phase + v * kLanes) : hn::Zero(d);
    for (std::size_t r = 0; r < kTileRows; ++r) sum[r][v] = start;
  }
  for (std::size_t j = 0; j < inputs; ++j, panel += kPanel, packed += kPackedRows) {
    hn::Vec<Tag<T>> w[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) w[v] = hn::Load(d, panel + v * kLanes);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kTileRows; ++r) {
      const auto x = hn::Set(d, packed[r]);
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(x, w[v], sum[r][v]);
    }
  }
  for (std::size_t r = 0; r < kTileRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, angles + r * kPanel + v * kLanes);
}

// One row of one panel: angles to outputs. `count` < kPanel at the last frequencies: through a buffer.
template <class T>
HWY_INLINE void finish(const Turns<Tag<T>>& turns, const T* HWY_RESTRICT angles, std::size_t count,
                       T* HWY_RESTRICT cosine, T* HWY_RESTRICT sine) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  HWY_ALIGN T buffer[2 * kPanel];
  T* c = count == kPanel ? cosine : buffer;
  T* s = count == kPanel ? sine : buffer + kPanel;
  if (sine) {
    for (std::size_t v = 0; v < kPanel; v += kLanes) {
      hn::Vec<Tag<T>> vc, vs;
      turns.cosine_sine(hn::Load(d, angles + v), vc, vs);
      hn::StoreU(vc, d, c + v);
      hn::StoreU(vs, d, s + v);
    }
  } else {
    for (std::size_t v = 0; v < kPanel; v += kLanes) hn::StoreU(turns.cosine(hn::Load(d, angles + v)), d, c + v);
  }
  if (count == kPanel) return;
  for (std::size_t i = 0; i < count; ++i) {
    cosine[i] = c[i];
    if (sine) sine[i] = s[i];
  }
}

template <class T>
HWY_INLINE void finish_row(const Problem<T>& problem, const Turns<Tag<T>>& turns, const T* angles, std::size_t row,
                           std::size_t panel) {
  const std::size_t begin = panel * kPanel;
  const std::size_t count = HWY_MIN(kPanel, problem.w.frequencies - begin);
  T* cosine = problem.z.row(row) + begin;
  finish(turns, angles, count, cosine, problem.w.phase.empty() ? cosine + problem.w.frequencies : nullptr);
}

template <class T>
void dense(const Problem<T>& problem, T* HWY_RESTRICT packed) {
  constexpr std::size_t kVectors = tile_vectors<T>();
  constexpr std::size_t kColumns = kVectors * hn::MaxLanes(Tag<T>());
  const Turns<Tag<T>> turns(Tag<T>(), problem.w.scale);
  const std::size_t inputs = problem.w.inputs, panels = problem.panels();
  const std::size_t group = HWY_MAX(std::size_t(4), kGroupBytes / (inputs * kPanel * sizeof(T)));
  HWY_ALIGN T angles[kTileRows * kPanel];
  for (std::size_t begin = 0; begin < panels; begin += group) {
    const std::size_t end = HWY_MIN(panels, begin + group);
    for (std::size_t row = 0; row < problem.x.rows; row += kTileRows) {
      const std::size_t count = HWY_MIN(kTileRows, problem.x.rows - row);
      pack_rows(problem.x, row, count, packed);
      for (std::size_t p = begin; p < end; ++p) {
        for (std::size_t c = 0; c < kPanel; c += kColumns)
          product_tile<T, kVectors>(packed, problem.panel(p) + c, inputs,
                                    problem.phase(p) ? problem.phase(p) + c : nullptr, angles + c);
        for (std::size_t r = 0; r < count; ++r) finish_row(problem, turns, angles + r * kPanel, row + r, p);
      }
    }
  }
}

// angles of one CSR row for `kPanels` panels, one after another.
template <class T, std::size_t kPanels>
HWY_INLINE void sparse_row(const Problem<T>& problem, std::size_t row, std::size_t panel, T* HWY_RESTRICT angles) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t kVectors = kPanel / kLanes;
  const RowBlock<T>& x = problem.x;
  const std::size_t stride = problem.w.inputs * kPanel;
  const T* HWY_RESTRICT panels = problem.panel(panel);
  const T* HWY_RESTRICT phase = problem.phase(panel);
  hn::Vec<Tag<T>> sum[kPanels * kVectors];
  for (std::size_t v = 0; v < kPanels * kVectors; ++v) sum[v] = phase ? hn::Load(d, phase + v * kLanes) : hn::Zero(d);
  for (std::size_t k = x.offsets[row]; k < x.offsets[row + 1]; ++k) {
    const auto value = hn::Set(d, x.values[k]);
    const T* w = panels + x.columns[k] * kPanel;
    for (std::size_t p = 0; p < kPanels; ++p)
      for (std::size_t v = 0; v < kVectors; ++v)
        sum[p * kVectors + v] = hn::MulAdd(value, hn::Load(d, w + p * stride + v * kLanes), sum[p * kVectors + v]);
  }
  for (std::size_t v = 0; v < kPanels * kVectors; ++v) hn::Store(sum[v], d, angles + v * kLanes);
}

template <class T>
void sparse(const Problem<T>& problem) {
  const Turns<Tag<T>> turns(Tag<T>(), problem.w.scale);
  const std::size_t panels = problem.panels();
  HWY_ALIGN T angles[kSparsePanels * kPanel];
  std::size_t p = 0;
  for (; p + kSparsePanels <= panels; p += kSparsePanels) {
    for (std::size_t row = 0; row < problem.x.rows; ++row) {
      sparse_row<T, kSparsePanels>(problem, row, p, angles);
      for (std::size_t q = 0; q < kSparsePanels; ++q) finish_row(problem, turns, angles + q * kPanel, row, p + q);
    }
  }
  for (; p < panels; ++p) {
    for (std::size_t row = 0; row < problem.x.rows; ++row) {
      sparse_row<T, 1>(problem, row, p, angles);
      finish_row(problem, turns, angles, row, p);
    }
  }
}

void fourier_float(const RowBlock<float>& x, const FourierWeights<float>& w, MatrixView<float> z, float* packed) {
  x.sparse() ? sparse<float>({x, w, z}) : dense<float>({x, w, z}, packed);
}
void fourier_double(const RowBlock<double>& x, const FourierWeights<double>& w, MatrixView<double> z, double* packed) {
  x.sparse() ? sparse<double>({x, w, z}) : dense<double>({x, w, z}, packed);
}

constexpr std::size_t packed_rows() { return kPackedRows; }

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(fourier_float);
HWY_EXPORT(fourier_double);

namespace {

void dispatch(const RowBlock<float>& x, const FourierWeights<float>& w, MatrixView<float> z, float* packed) {
  HWY_DYNAMIC_DISPATCH(fourier_float)(x, w, z, packed);
}
void dispatch(const RowBlock<double>& x, const FourierWeights<double>& w, MatrixView<double> z, double* packed) {
  HWY_DYNAMIC_DISPATCH(fourier_double)(x, w, z, packed);
}

// An infinite angle came out as NaN. Rows of finite inputs that could have made one get angle 0 there instead;
// rows that hold a NaN or an infinity themselves keep it.
template <class T>
void mend_overflow(const RowBlock<T>& x, const FourierWeights<T>& w, MatrixView<T> z) {
  constexpr T kMost = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < x.rows; ++i) {
    const T* begin = x.sparse() ? x.values + x.offsets[i] : x.values + i * x.stride;
    const T* end = x.sparse() ? x.values + x.offsets[i + 1] : begin + x.cols;
    T norm = 0;
    bool finite = true;
    for (const T* value = begin; value < end; ++value) {
      norm += std::abs(*value);
      finite = finite && std::isfinite(*value);
    }
    if (norm * w.largest < kMost / 4 || !finite) continue;
    for (std::size_t j = 0; j < w.outputs(); ++j)
      if (!std::isfinite(z(i, j))) z(i, j) = j < w.frequencies ? w.scale : T(0);
  }
}

}  // namespace

template <class T>
void fourier(const RowBlock<T>& x, const FourierWeights<T>& w, MatrixView<T> z) {
  thread_local AlignedVector<T> packed;
  const std::size_t size = w.inputs * HWY_NAMESPACE::packed_rows();
  if (packed.size() < size) packed.resize(size);
  dispatch(x, w, z, packed.data());
  mend_overflow(x, w, z);
}

template void fourier(const RowBlock<float>&, const FourierWeights<float>&, MatrixView<float>);
template void fourier(const RowBlock<double>&, const FourierWeights<double>&, MatrixView<double>);

}  // namespace bochner::cpu
#endif
