// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Products of bfloat16 by Intel's AMX (Sapphire Rapids and later): a tile is 16 lines of 64 bytes, and one instruction
// adds the product of two to a third of 16 x 16 floats. The loop is written over five operations on tiles; AMX has
// them as instructions, and a model of plain arrays lets every machine test the loop.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/bfloat16.h"
#include "backend/cpu/amx.h"
#include "backend/cpu/bfloat16_units.h"

namespace bochner::cpu {

namespace {

constexpr std::size_t kSide = 16;                           // columns of a tile
constexpr std::size_t kTileRows = 32;                       // rows of x in a tile
constexpr std::size_t kTile = kSide * kTileRows;            // bfloat16 numbers of a tile, 1 KiB
constexpr std::size_t kSteps = kBfloat16Depth / kTileRows;  // tiles that are summed in float
constexpr std::size_t kSums = kSide * kSide;

// The layouts of one panel of 16 columns, tile after tile along the rows of x:
//   left[column][row of 32]             what multiplies from the left
//   right[pair of rows][column][of two] what is multiplied
struct Layout {
  std::size_t steps, panels;

  Layout(std::size_t rows, std::size_t cols)
      : steps((rows + kTileRows - 1) / kTileRows), panels((cols + kSide - 1) / kSide) {}
  std::size_t numbers() const { return steps * panels * kTile; }  // left alone, or right alone
  std::size_t at(std::size_t panel, std::size_t step) const { return (panel * steps + step) * kTile; }
};

std::size_t bytes(std::size_t rows, std::size_t cols) { return 2 * Layout(rows, cols).numbers() * sizeof(Bfloat16); }

void pack(MatrixView<const float> x, std::byte* packed) {
  const Layout layout(x.rows, x.cols);
  auto* left = reinterpret_cast<Bfloat16*>(packed);
  Bfloat16* right = left + layout.numbers();
  std::memset(packed, 0, bytes(x.rows, x.cols));
  for (std::size_t panel = 0; panel < layout.panels; ++panel) {
    const std::size_t first = panel * kSide, count = std::min(kSide, x.cols - first);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const std::size_t tile = layout.at(panel, i / kTileRows), k = i % kTileRows;
      const float* row = x.row(i) + first;
      for (std::size_t c = 0; c < count; ++c) {
        const Bfloat16 value = to_bfloat16(row[c]);
        left[tile + c * kTileRows + k] = value;
        right[tile + k / 2 * 2 * kSide + 2 * c + k % 2] = value;
      }
    }
  }
}

// Tiles 0 to 3 are sums, 4 and 5 left factors, 6 and 7 right ones.
struct TilesInCode {
  void begin() {}
  void end() {}
  template <int kSum>
  void zero() {
    std::fill_n(sums[kSum], kSums, 0.0f);
  }
  template <int kFactor>
  void load(const Bfloat16* from) {
    std::copy_n(from, kTile, factors[kFactor - 4]);
  }
  template <int kSum, int kLeft, int kRight>
  void dot_bfloat16() {
    const Bfloat16* left = factors[kLeft - 4];
    const Bfloat16* right = factors[kRight - 4];
    for (std::size_t i = 0; i < kSide; ++i)
      for (std::size_t k = 0; k < kTileRows; ++k)
        for (std::size_t j = 0; j < kSide; ++j)
          sums[kSum][i * kSide + j] +=
              to_float(left[i * kTileRows + k]) * to_float(right[k / 2 * 2 * kSide + 2 * j + k % 2]);
  }
  template <int kSum>
  void store(float* to) {
    std::copy_n(sums[kSum], kSums, to);
  }

  float sums[4][kSums];
  Bfloat16 factors[4][kTile];
};

void add_tile(const float* product, std::size_t i, std::size_t j, MatrixView<double> sum) {
  if (i >= sum.rows || j >= sum.cols) return;
  const std::size_t rows = std::min(kSide, sum.rows - i), cols = std::min(kSide, sum.cols - j);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) sum(i + r, j + c) += double(product[r * kSide + c]);
}

// Two panels of each side at a time: four sums, so that each tile loaded serves two products.
template <class Tiles>
BOCHNER_TILE_TARGET void add_products(const std::byte* a, const std::byte* b, std::size_t rows,
                                      MatrixView<double> sum) {
  const Layout left_layout(rows, sum.rows), right_layout(rows, sum.cols);
  const auto* left = reinterpret_cast<const Bfloat16*>(a);
  const auto* right = reinterpret_cast<const Bfloat16*>(b) + right_layout.numbers();
  Tiles tiles;
  tiles.begin();
  for (std::size_t begin = 0; begin < left_layout.steps; begin += kSteps) {
    const std::size_t steps = std::min(kSteps, left_layout.steps - begin);
    for (std::size_t q = 0; q < right_layout.panels; q += 2)
      for (std::size_t p = 0; p < left_layout.panels; p += 2) {
        // The last panel stands in for one that is missing; what becomes of it is not added.
        const std::size_t p1 = std::min(p + 1, left_layout.panels - 1), q1 = std::min(q + 1, right_layout.panels - 1);
        tiles.template zero<0>();
        tiles.template zero<1>();
        tiles.template zero<2>();
        tiles.template zero<3>();
        for (std::size_t step = begin; step < begin + steps; ++step) {
          tiles.template load<4>(left + left_layout.at(p, step));
          tiles.template load<6>(right + right_layout.at(q, step));
          tiles.template dot_bfloat16<0, 4, 6>();
          tiles.template load<7>(right + right_layout.at(q1, step));
          tiles.template dot_bfloat16<1, 4, 7>();
          tiles.template load<5>(left + left_layout.at(p1, step));
          tiles.template dot_bfloat16<2, 5, 6>();
          tiles.template dot_bfloat16<3, 5, 7>();
        }
        alignas(64) float product[4][kSums];
        tiles.template store<0>(product[0]);
        tiles.template store<1>(product[1]);
        tiles.template store<2>(product[2]);
        tiles.template store<3>(product[3]);
        for (std::size_t tile = 0; tile < 4; ++tile)
          add_tile(product[tile], (p + tile / 2) * kSide, (q + tile % 2) * kSide, sum);
      }
  }
  tiles.end();
}

bool has_amx_bf16() {
  constexpr unsigned kBf16 = 1u << 22;
  return has_amx(kBf16);
}

bool always() { return true; }

}  // namespace

const Bfloat16Unit kTilesInCode = {"code", always, bytes, pack, add_products<TilesInCode>};
#ifdef BOCHNER_AMX
const Bfloat16Unit kAmx = {"amx", has_amx_bf16, bytes, pack, add_products<AmxTiles>};
#else
const Bfloat16Unit kAmx = {"amx", has_amx_bf16, bytes, pack, add_products<TilesInCode>};
#endif

}  // namespace bochner::cpu
