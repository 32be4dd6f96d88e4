// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/fourier.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/tile-inl.h"
#include "backend/cpu/turns-inl.h"

// The product and the cosine in one pass, so that the angles never leave L1. For a group of panels that stays in
// L2, tiles of 6 rows are transposed and go through the panels; a register tile of 6 rows x up to 16 frequencies
// sums over the inputs, in their order, starting from the phase. Every row takes the same operations wherever it
// stands: a short tile is filled up with copies of its last row. Inputs that are 0 in all rows of a tile are left out,
// which changes no bit and saves most of the sums where categories are encoded; CSR rows leave out every 0.
HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

static_assert(kPanel == FourierWeights<float>::kPanel);
constexpr std::size_t kGroupBytes = 512 << 10;  // panels that lie beside the rows in L2
constexpr std::size_t kPageBytes = 4096, kLineBytes = 64;
constexpr std::size_t kSegmentPanels = 3;  // summed before their cosines are taken
constexpr std::size_t kSegment = kSegmentPanels * kPanel;
constexpr std::size_t kSparsePanels = 4;  // enough sums at a time to hide the latency of a multiply-add

constexpr std::size_t kBatchVectors = kManyRegisters ? 6 : 3;

template <class T>
alignas(64) constexpr T kNoPhase[HWY_MAX(kSparsePanels, kSegmentPanels) * kPanel] = {};

// Where a tile goes: cosines, and sines unless the map is shifted (then null).
template <class T>
struct Output {
  T* cosine;
  T* sine;
  std::size_t stride;
};

// The block in the terms of this file: everything the loops below need.
template <class T>
struct Problem {
  const RowBlock<T>& x;
  const FourierWeights<T>& w;
  MatrixView<T> z;

  std::size_t panels() const { return (w.frequencies + kPanel - 1) / kPanel; }
  const T* panel(std::size_t p) const { return w.panels.data() + p * w.inputs * kPanel; }
  const T* phase(std::size_t p) const { return w.phase.empty() ? kNoPhase<T> : w.phase.data() + p * kPanel; }
  std::size_t count(std::size_t p) const { return HWY_MIN(kPanel, w.frequencies - p * kPanel); }
  Output<T> output(std::size_t row, std::size_t p) const {
    T* cosine = z.row(row) + p * kPanel;
    return {cosine, w.phase.empty() ? cosine + w.frequencies : nullptr, z.stride};
  }
};

// The rows of a tile, packed[k][r] = x(first + r, j_k), for the inputs j_k that are not 0 in all of them; at[k] is
// where their weights begin in a panel. Rows beyond the block repeat its last, and nobody looks at what becomes of
// them.
template <class T>
struct PackedTile {
  T* HWY_RESTRICT packed;
  std::uint32_t* HWY_RESTRICT at;
  std::size_t inputs = 0;

  void pack(const RowBlock<T>& x, std::size_t first, std::size_t count) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T* row[kTileRows];
    for (std::size_t r = 0; r < kTileRows; ++r) row[r] = x.values + (first + HWY_MIN(r, count - 1)) * x.stride;
    inputs = 0;
    for (std::size_t j = 0; j < x.cols; ++j) {
      Bits any = 0;
      T* HWY_RESTRICT out = packed + inputs * kPackedRows;
      unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
        out[r] = row[r][j];
        any |= std::bit_cast<Bits>(row[r][j]) << 1;  // less the sign: -0 is 0 too
      });
      at[inputs] = std::uint32_t(j * kPanel);
      inputs += any != 0;
    }
  }
};

// Vectors of a segment that are summed together. AVX-512's are whole panels: one alone would be six sums, too few to
// hide the latency of a multiply-add; three panels are 18, for 10 loads in the time of 18.
template <class T>
constexpr std::size_t segment_vectors() {
  return HWY_TARGET <= HWY_AVX3 ? 3 : tile_vectors<T>();
}

// Where a tile's vectors of frequencies lie in the panels: `step` numbers from one input to the next of all of them.
// A tile within one panel needs one pointer, one that reaches over several needs one for each vector.
template <class T, std::size_t kVectors>
struct TileWeights {
  static constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  static constexpr bool kOnePanel = kPanel % (kVectors * kLanes) == 0;
  const T* vectors[kOnePanel ? 1 : kVectors];

  TileWeights(const T* panel, std::size_t panel_size, std::size_t column) {
    for (std::size_t v = 0; v < (kOnePanel ? 1 : kVectors); ++v) {
      const std::size_t c = column + v * kLanes;
      vectors[v] = panel + c / kPanel * panel_size + c % kPanel;
    }
  }
  template <class V>
  HWY_INLINE void add(const T* HWY_RESTRICT x, std::size_t at, V (&sum)[kTileRows][kVectors]) const {
    if constexpr (kOnePanel)
      add_outer(x, vectors[0] + at, sum);
    else
      add_outer_at(
          x, [&](auto v) BOCHNER_INLINE { return vectors[v] + at; }, sum);
  }
};

// The sums of one tile, from the phase on: rows x `kVectors` vectors of frequencies.
template <class T, std::size_t kVectors, class V>
HWY_INLINE void sum_tile(const PackedTile<T>& x, const TileWeights<T, kVectors> w, const T* HWY_RESTRICT phase,
                         V (&sum)[kTileRows][kVectors]) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
    const V start = hn::LoadU(d, phase + v * kLanes);
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE { sum[r][v] = start; });
  });
  const T* HWY_RESTRICT packed = x.packed;
  const std::uint32_t* HWY_RESTRICT at = x.at;
  for (std::size_t k = 0; k < x.inputs / 2; ++k, at += 2, packed += 2 * kPackedRows) {
    w.add(packed, at[0], sum);
    w.add(packed + kPackedRows, at[1], sum);
  }
  if (x.inputs % 2) w.add(packed, at[0], sum);
}

// The angles of kSegmentPanels panels to a buffer, kTileRows x kSegment. Not inlined: the sums want all the registers.
template <class T, std::size_t kVectors>
HWY_NOINLINE void sum_segment(const PackedTile<T>& x, const T* HWY_RESTRICT panel, std::size_t panel_size,
                              const T* HWY_RESTRICT phase, T* HWY_RESTRICT angles) {
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t kColumns = kVectors * kLanes;
  static_assert(kSegment % kColumns == 0);
  for (std::size_t s = 0; s < kSegment; s += kColumns) {
    hn::Vec<Tag<T>> sum[kTileRows][kVectors];
    sum_tile(x, TileWeights<T, kVectors>(panel, panel_size, s), phase + s, sum);
    unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
      unrolled<kVectors>(
          [&](auto v) BOCHNER_INLINE { hn::StoreU(sum[r][v], Tag<T>(), angles + r * kSegment + s + v * kLanes); });
    });
  }
}

// A tile and its cosines, for panels and rows that fill no segment.
template <class T, std::size_t kVectors, bool kSine>
HWY_NOINLINE void map_tile(const PackedTile<T>& x, const T* HWY_RESTRICT panel, const T* HWY_RESTRICT phase,
                           const Turns<Tag<T>>& turns, const Output<T>& out) {
  hn::Vec<Tag<T>> sum[kTileRows][kVectors];
  sum_tile(x, TileWeights<T, kVectors>(panel, 0, 0), phase, sum);
  unrolled<kTileRows>([&](auto r) BOCHNER_INLINE {
    if constexpr (kSine)
      turns.cosine_sine(sum[r], out.cosine + r * out.stride, out.sine + r * out.stride);
    else
      turns.cosine(sum[r], out.cosine + r * out.stride);
  });
}

// The angles of a segment, kTileRows x kSegment, to their place.
template <class T>
HWY_NOINLINE void finish_segment(const Turns<Tag<T>>& turns, const T* HWY_RESTRICT angles, const Output<T>& out) {
  constexpr std::size_t kVectors = kSegment / hn::MaxLanes(Tag<T>());
  constexpr std::size_t kBatch = kVectors < kBatchVectors ? kVectors : kBatchVectors;
  static_assert(kVectors % kBatch == 0);
  if (out.sine)
    turns.template cosines_sines<kBatch, kVectors / kBatch>(angles, kTileRows, out.cosine, out.sine, out.stride);
  else
    turns.template cosines<kBatch, kVectors / kBatch>(angles, kTileRows, out.cosine, out.stride);
}

// Rows x count of a buffer of whole panels to where they belong: the edges of the block.
template <class T>
void copy_edge(const T* from, std::size_t rows, std::size_t count, T* to, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < count; ++c) to[r * stride + c] = from[r * kPanel + c];
}

template <class T>
class Dense {
 public:
  Dense(const Problem<T>& problem, T* packed, std::uint32_t* at)
      : problem_(problem), turns_(Tag<T>(), problem.w.scale), tile_{packed, at} {}

  void run() {
    const std::size_t panels = problem_.panels(), inputs = problem_.w.inputs;
    const std::size_t whole = problem_.w.frequencies / kSegment * kSegmentPanels;
    // Whole segments, and not fewer than amortize the packing of the rows.
    const std::size_t fit = kGroupBytes / (inputs * kPanel * sizeof(T)) / kSegmentPanels;
    const std::size_t group = HWY_MAX(std::size_t(4), fit) * kSegmentPanels;
    for (std::size_t begin = 0; begin < panels; begin += group) {
      const std::size_t end = HWY_MIN(panels, begin + group);
      for (std::size_t row = 0; row < problem_.x.rows; row += kTileRows) {
        const std::size_t rows = HWY_MIN(kTileRows, problem_.x.rows - row);
        tile_.pack(problem_.x, row, rows);
        std::size_t p = begin;
        for (; rows == kTileRows && p + kSegmentPanels <= HWY_MIN(end, whole); p += kSegmentPanels) segment(row, p);
        for (; p < end; ++p) panel(row, rows, p);
      }
    }
  }

 private:
  static constexpr std::size_t kVectors = tile_vectors<T>();
  static constexpr std::size_t kColumns = kVectors * hn::MaxLanes(Tag<T>());

  void segment(std::size_t row, std::size_t p) {
    const Output<T> out = problem_.output(row, p);
    // The lines it will write: hardware does not follow rows that are pages apart.
    for (std::size_t r = 0; r < kTileRows && out.stride * sizeof(T) >= kPageBytes; ++r)
      for (std::size_t line = 0; line < kSegment; line += kLineBytes / sizeof(T)) {
        __builtin_prefetch(out.cosine + r * out.stride + line, 1);
        if (out.sine) __builtin_prefetch(out.sine + r * out.stride + line, 1);
      }
    sum_segment<T, segment_vectors<T>()>(tile_, problem_.panel(p), problem_.w.inputs * kPanel, problem_.phase(p),
                                         angles_);
    finish_segment(turns_, angles_, out);
  }

  void panel(std::size_t row, std::size_t rows, std::size_t p) {
    const std::size_t count = problem_.count(p);
    const bool whole = rows == kTileRows && count == kPanel;
    const Output<T> place = problem_.output(row, p);
    const Output<T> out = whole ? place : Output<T>{edge_[0], place.sine ? edge_[1] : nullptr, kPanel};
    const auto tile = place.sine ? map_tile<T, kVectors, true> : map_tile<T, kVectors, false>;
    for (std::size_t c = 0; c < kPanel; c += kColumns)
      tile(tile_, problem_.panel(p) + c, problem_.phase(p) + c, turns_,
           {out.cosine + c, out.sine ? out.sine + c : nullptr, out.stride});
    if (whole) return;
    copy_edge(edge_[0], rows, count, place.cosine, place.stride);
    if (place.sine) copy_edge(edge_[1], rows, count, place.sine, place.stride);
  }

  const Problem<T>& problem_;
  const Turns<Tag<T>> turns_;
  PackedTile<T> tile_;
  alignas(64) T angles_[(kTileRows + 1) * kSegment] = {};
  alignas(64) T edge_[2][kTileRows * kPanel];
};

// One CSR row for `kPanels` panels.
template <class T, std::size_t kPanels>
HWY_NOINLINE void map_sparse_row(const Problem<T>& problem, std::size_t row, std::size_t panel,
                                 const Turns<Tag<T>>& turns) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t kVectors = kPanel / kLanes;
  const RowBlock<T>& x = problem.x;
  const std::size_t stride = problem.w.inputs * kPanel;
  const T* HWY_RESTRICT panels = problem.panel(panel);
  const T* HWY_RESTRICT phase = problem.phase(panel);
  hn::Vec<Tag<T>> sum[kPanels][kVectors];
  unrolled<kPanels>([&](auto p) BOCHNER_INLINE {
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE { sum[p][v] = hn::LoadU(d, phase + p * kPanel + v * kLanes); });
  });
  for (std::size_t k = x.offsets[row]; k < x.offsets[row + 1]; ++k) {
    const auto value = hn::Set(d, x.values[k]);
    const T* w = panels + x.columns[k] * kPanel;
    unrolled<kPanels>([&](auto p) BOCHNER_INLINE {
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        sum[p][v] = fused_add(value, hn::LoadU(d, w + p * stride + v * kLanes), sum[p][v]);
      });
    });
  }
  HWY_ALIGN T edge[2][kPanel];
  unrolled<kPanels>([&](auto p) BOCHNER_INLINE {
    const std::size_t count = problem.count(panel + p);
    const Output<T> place = problem.output(row, panel + p);
    const Output<T> out = count == kPanel ? place : Output<T>{edge[0], edge[1], kPanel};
    if (place.sine)
      turns.cosine_sine(sum[p], out.cosine, out.sine);
    else
      turns.cosine(sum[p], out.cosine);
    if (count == kPanel) return;
    copy_edge(edge[0], 1, count, place.cosine, 0);
    if (place.sine) copy_edge(edge[1], 1, count, place.sine, 0);
  });
}

template <class T>
void sparse(const Problem<T>& problem) {
  const Turns<Tag<T>> turns(Tag<T>(), problem.w.scale);
  const std::size_t panels = problem.panels();
  std::size_t p = 0;
  for (; p + kSparsePanels <= panels; p += kSparsePanels)
    for (std::size_t row = 0; row < problem.x.rows; ++row) map_sparse_row<T, kSparsePanels>(problem, row, p, turns);
  for (; p < panels; ++p)
    for (std::size_t row = 0; row < problem.x.rows; ++row) map_sparse_row<T, 1>(problem, row, p, turns);
}

void fourier_float(const RowBlock<float>& x, const FourierWeights<float>& w, MatrixView<float> z, float* packed,
                   std::uint32_t* at) {
  x.sparse() ? sparse<float>({x, w, z}) : Dense<float>({x, w, z}, packed, at).run();
}
void fourier_double(const RowBlock<double>& x, const FourierWeights<double>& w, MatrixView<double> z, double* packed,
                    std::uint32_t* at) {
  x.sparse() ? sparse<double>({x, w, z}) : Dense<double>({x, w, z}, packed, at).run();
}

constexpr std::size_t packed_rows() { return kPackedRows; }

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(fourier_float);
HWY_EXPORT(fourier_double);

namespace {

void dispatch(const RowBlock<float>& x, const FourierWeights<float>& w, MatrixView<float> z, float* packed,
              std::uint32_t* at) {
  HWY_DYNAMIC_DISPATCH(fourier_float)(x, w, z, packed, at);
}
void dispatch(const RowBlock<double>& x, const FourierWeights<double>& w, MatrixView<double> z, double* packed,
              std::uint32_t* at) {
  HWY_DYNAMIC_DISPATCH(fourier_double)(x, w, z, packed, at);
}

// An infinite angle came out as NaN. Rows of finite inputs that could have made one get angle 0 there instead;
// rows that hold a NaN or an infinity themselves keep it.
template <class T>
void mend_overflow(const RowBlock<T>& x, const FourierWeights<T>& w, MatrixView<T> z) {
  // The larger of two numbers that are not negative has the larger bits; the compiler compares several integers at a
  // time, but not several floats.
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kMagnitude = ~Bits(0) >> 1;
  constexpr Bits kInfinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  const Bits safe = std::bit_cast<Bits>(std::numeric_limits<T>::max() / 4 / T(w.inputs) / std::max(w.largest, T(1)));
  for (std::size_t i = 0; i < x.rows; ++i) {
    const T* values = x.sparse() ? x.values + x.offsets[i] : x.values + i * x.stride;
    const std::size_t count = x.sparse() ? x.offsets[i + 1] - x.offsets[i] : x.cols;
    Bits most = 0;
    for (std::size_t k = 0; k < count; ++k) most = std::max(most, std::bit_cast<Bits>(values[k]) & kMagnitude);
    if (most <= safe || most >= kInfinity) continue;
    for (std::size_t j = 0; j < w.outputs(); ++j)
      if (!std::isfinite(z(i, j))) z(i, j) = j < w.frequencies ? w.scale : T(0);
  }
}

// Rows that fill no tile, one at a time as CSR: a tile would do the work of six.
template <class T>
void fourier_few(const RowBlock<T>& x, const FourierWeights<T>& w, MatrixView<T> z, T* values, std::uint32_t* columns) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    std::size_t offsets[2] = {0, 0};
    for (std::size_t j = 0; j < x.cols; ++j) {
      values[offsets[1]] = x.values[i * x.stride + j];
      columns[offsets[1]] = std::uint32_t(j);
      offsets[1] += x.values[i * x.stride + j] != T(0);
    }
    const RowBlock<T> row{.rows = 1, .cols = x.cols, .values = values, .offsets = offsets, .columns = columns};
    dispatch(row, w, z.slice(i, 1), nullptr, nullptr);
  }
}

}  // namespace

template <class T>
void Operations::fourier(const RowBlock<T>& x, const FourierWeights<T>& w, MatrixView<T> z) {
  constexpr std::size_t kFewRows = 2;
  thread_local AlignedVector<T> packed;
  thread_local std::vector<std::uint32_t> at;
  const std::size_t size = w.inputs * HWY_NAMESPACE::packed_rows();
  if (packed.size() < size) packed.resize(size);
  if (at.size() < w.inputs) at.resize(w.inputs);
  if (x.rows <= kFewRows && !x.sparse())
    fourier_few(x, w, z, packed.data(), at.data());
  else
    dispatch(x, w, z, packed.data(), at.data());
  mend_overflow(x, w, z);
}

template void Operations::fourier(const RowBlock<float>&, const FourierWeights<float>&, MatrixView<float>);
template void Operations::fourier(const RowBlock<double>&, const FourierWeights<double>&, MatrixView<double>);

}  // namespace bochner::cpu
#endif
