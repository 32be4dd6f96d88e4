// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Random bins of rows like Forest Cover's: 10 numbers, one of 4 and one of 40 indicators.
//   bench_bins [rows] [grids] [threads]

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>

#include "base/safetensors.h"
#include "maps/load.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/fit.h"
#include "methods/bins/grid_linear.h"
#include "random/draw.h"

namespace {

using namespace bochner;

template <class Work>
double best_seconds(const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// Seconds to read a saved head of 50 grids with 160,000 bins each, file and tables.
double seconds_to_load() {
  constexpr std::size_t kInputs = 54, kGrids = 50, kBins = 160000;
  BinningOptions options;
  options.grids = kGrids;
  std::vector<std::vector<std::uint64_t>> hashes(kGrids);
  std::vector<std::uint64_t> ids(kGrids);
  for (std::size_t g = 0; g < kGrids; ++g) {
    ids[g] = g;
    for (std::size_t b = 0; b < kBins; ++b) hashes[g].push_back(bits(7, Draw::sample, g, b));
  }
  const GridLinear head(std::make_shared<BinningMap>(kInputs, options, std::move(hashes), std::move(ids)),
                        std::vector<float>(kGrids * kBins, 0.5f), {0.0});
  Archive archive;
  head.save(archive);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("bochner_bench_{}.bins", getpid());
  write_archive(path.string(), archive);
  const double seconds = best_seconds([&] { load_map(read_archive(path.string())); });
  std::filesystem::remove(path);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 357345;
  const std::size_t P = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 50;
  Threads threads(argc > 3 ? std::atoi(argv[3]) : 0);
  constexpr std::size_t d = 54, kNumbers = 10;

  // Rows gather around places, as real ones do: otherwise every row has a bin of its own.
  std::vector<float> x(n * d);
  GridTargets targets;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t place = bits(1, Draw::sample, i) % (1 + n / 40);
    for (std::size_t j = 0; j < kNumbers; ++j)
      x[i * d + j] = float(normal(2, Draw::sample, place, j) + 0.05 * normal(3, Draw::sample, i, j));
    x[i * d + kNumbers + bits(4, Draw::sample, place) % 4] = 1;
    x[i * d + kNumbers + 4 + bits(5, Draw::sample, place) % 40] = 1;
    targets.code.push_back(bits(6, Draw::sample, place) % 2 ? 1.0f : -1.0f);
  }
  RowBlock<float> block;
  block.rows = n;
  block.cols = block.stride = d;
  block.values = x.data();
  BinningOptions options;
  options.grids = P;

  GridRows<float> rows;
  const double pack = best_seconds([&] {
    rows = {};
    rows.add(threads, block);
  });
  std::vector<std::vector<std::uint64_t>> hashes(std::size_t(threads.count()),
                                                 std::vector<std::uint64_t>(GridRows<float>::kBlock));
  std::vector<Grid<float>> grids;
  for (std::size_t g = 0; g < P; ++g) grids.push_back(draw_grid<float>(d, options, g));
  const double hash = best_seconds([&] {
    threads.run(P, [&](std::size_t g, int thread) {
      for (const auto& part : rows.blocks) cpu_backend().bin_hashes(part, grids[g], hashes[std::size_t(thread)].data());
    });
  });
  std::size_t bins = 0;
  const double table = best_seconds([&] {
    const GridBins all = bin_rows(threads, rows, options, {});
    bins = 0;
    for (const auto& grid : all.grids) bins += grid.size();
  });
  const double fit = best_seconds([&] { fit_grids(threads, rows, targets, options, {}); });

  const double count = double(n) * double(P) / 1e6;
  fmt::print("{} rows, {} inputs, {} grids, {:.0f} bins a grid, {} threads\n", n, d, P, double(bins) / double(P),
             threads.count());
  fmt::print("pack rows           {:7.3f} s\n", pack);
  fmt::print("hash bins           {:7.3f} s  {:6.1f} M row-grids/s\n", hash, count / hash);
  fmt::print("hash and number     {:7.3f} s  {:6.1f} M row-grids/s\n", table, count / table);
  fmt::print("with five sweeps    {:7.3f} s\n", fit);
  fmt::print("load 50 grids x 160000 bins: {:.3f} s\n", seconds_to_load());
}
