// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The Gram pass over tiles of the lower triangle against ssyrk of the same block, without and with the Fourier map that
// makes Z, which is written before it is packed, or packed a few rows at a time ("in one", as folds do): G += Z^T Z of
// whole numbers in int64, packing included, by each unit that the processor has for it, and in float, rounded to fixed
// point. All count the D (D + 1) / 2 products of the triangle. BOCHNER_TARGET limits the instruction set of the
// vectors: BOCHNER_TARGET=avx2. One thread is timed by the processor's clock, which a busy machine disturbs less.
// bench_gram [--quick]

#include "folds/gram.h"

#include <cblas.h>
#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/blas.h"
#include "backend/cpu/exact_units.h"
#include "backend/exact_product.h"
#include "backend/whole.h"
#include "base/aligned.h"
#include "base/threads.h"
#include "base/tiled_symmetric.h"
#include "bochner/processor.h"
#include "normals.h"
#include "timing.h"

namespace {

using namespace bochner;

constexpr std::size_t kInputs = 54;

// Those that multiply whole numbers, the fastest first.
std::vector<const ExactProduct*> units_here() {
  std::vector<const ExactProduct*> units;
  for (const ExactProduct* unit : cpu::exact_units())
    if (!unit->in_code && unit->available()) units.push_back(unit);
  return units;
}

void compare(Threads& threads, std::size_t D, std::size_t rows, bool quick) {
  const auto draws = bench::normals<double>(std::max(D, rows) * kInputs);
  const std::vector<float> x(draws.begin(), draws.begin() + rows * kInputs);
  const auto w = pack_fourier<float>({draws.data(), D / 2 * kInputs}, kInputs, {}, 1);
  RowBlock<float> block;
  block.rows = rows;
  block.cols = block.stride = kInputs;
  block.values = x.data();
  Matrix<float> z(rows, D), plain(D, D);
  const std::size_t tile = GramFold::tile_for(D);
  TiledSymmetric<std::int64_t> sum(D, tile);

  const auto map = [&] {
    constexpr std::size_t kPiece = 128;
    threads.run(rows / kPiece, [&](std::size_t piece, int) {
      cpu_backend().fourier(block.slice(piece * kPiece, kPiece), w, z.view().slice(piece * kPiece, kPiece));
    });
  };
  const auto gram = [&] {
    const auto strip = [&](std::size_t I) {
      return MatrixView<const float>{z.data() + I * tile, rows, sum.extent(I), D};
    };
    threads.run(sum.tile_count(), [&](std::size_t t, int) {
      const auto [I, J] = tile_index(sum.tile_count() - 1 - t);
      cpu_backend().add_product(strip(I), strip(J), 0x1p30, sum.block(I, J));
    });
  };
  // Strips of columns are packed once and meet in tiles.
  AlignedVector<std::byte> packed;
  // features(begin, count): those of some rows, which are packed at once.
  const auto exact = [&](const ExactProduct& product, const auto& features) {
    const std::size_t strip_bytes = (product.bytes(rows, tile) + 63) / 64 * 64, strips = sum.tiles_per_side();
    if (packed.size() < strips * strip_bytes) packed.resize(strips * strip_bytes);
    const std::size_t part = std::lcm(product.group, std::size_t(48));
    threads.run((rows + part - 1) / part, [&](std::size_t piece, int) {
      const std::size_t begin = piece * part;
      const MatrixView<const float> some = features(begin, std::min(part, rows - begin));
      for (std::size_t I = 0; I < strips; ++I)
        product.pack_part({some.data + I * tile, some.rows, sum.extent(I), D}, float(kMostWhole), begin, rows,
                          packed.data() + I * strip_bytes);
    });
    threads.run(sum.tile_count(), [&](std::size_t t, int) {
      const auto [I, J] = tile_index(sum.tile_count() - 1 - t);
      product.add(packed.data() + I * strip_bytes, packed.data() + J * strip_bytes, rows, sum.block(I, J));
    });
  };
  const auto written = [&](std::size_t begin, std::size_t count) {
    return MatrixView<const float>(z.view().slice(begin, count));
  };
  const auto mapped = [&](std::size_t begin, std::size_t count) {
    thread_local AlignedVector<float> room;
    room.resize(count * D);
    cpu_backend().fourier(block.slice(begin, count), w, {room.data(), count, D, D});
    return MatrixView<const float>{room.data(), count, D, D};
  };
  map();
  // ssyrk's own threads where there are several: it is one call.
  const auto ssyrk = [&] {
    openblas_set_num_threads(threads.count());
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, int(D), int(rows), 1, z.data(), int(D), 1, plain.data(), int(D));
    openblas_set_num_threads(1);
  };
  const std::vector<const ExactProduct*> units = units_here();
  std::vector<std::function<void()>> work = {ssyrk, gram};
  for (const ExactProduct* unit : units) {
    work.push_back([&, unit] { exact(*unit, written); });
    work.push_back([&, unit] {
      map();
      exact(*unit, written);
    });
    work.push_back([&, unit] { exact(*unit, mapped); });
  }
  const int turns = quick ? 1 : 7;
  const std::vector<double> t =
      threads.count() == 1 ? bench::least(work, turns) : bench::interleaved(work, turns, quick ? 0 : 0.1);
  const double flops = 1e-9 * double(rows) * double(D) * double(D + 1);
  const auto print = [&](const char* name, std::size_t at) {
    fmt::print("{:6} {:6} {:8}  {:16} {:8.1f} {:8.0f} %", D, rows, threads.count(), name, flops / t[at],
               100 * t[0] / t[at]);
  };
  print("ssyrk", 0);
  fmt::print("\n");
  print("float", 1);
  fmt::print("\n");
  for (std::size_t u = 0; u < units.size(); ++u) {
    print(units[u]->name, 2 + 3 * u);
    fmt::print(" {:12.0f} % {:8.0f} %\n", 100 * t[0] / t[3 + 3 * u], 100 * t[0] / t[4 + 3 * u]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  fmt::print("{}; {}\n     D   rows  threads  by                   GF/s     ssyrk's   with the map    in one\n",
             openblas_get_config(), bochner::instructions_in_use());
  for (const int count : {1, int(std::thread::hardware_concurrency())}) {
    bochner::Threads threads(count);
    for (const std::size_t D : quick ? std::vector<std::size_t>{500} : std::vector<std::size_t>{500, 2000, 5000})
      compare(threads, D, 1024, quick);
  }
}
