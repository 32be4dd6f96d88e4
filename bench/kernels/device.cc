// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The exact sums of least squares over Fourier features by a device beside the processor's: rows in the memory of the
// host, features that are never written, G and R back on the host. The bytes are compared first.
// bench_device [DEVICE] [--quick]      DEVICE: cuda if none is named

#include "bochner/device.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "base/threads.h"
#include "bochner/map.h"
#include "folds/gram.h"
#include "normals.h"
#include "run/compute.h"
#include "timing.h"

namespace {

using namespace bochner;

constexpr std::size_t kInputs = 54, kBlock = 16384;

struct Work {
  std::vector<float> x;
  std::vector<double> y;
  std::size_t rows;
  MapPtr map;

  Work(std::size_t rows, std::size_t features)
      : x(bench::normals<float>(rows * kInputs)),
        y(rows),
        rows(rows),
        map(fourier(kInputs, {.kernel = gaussian(8.0), .features = features, .form = FourierOptions::Form::shifted})) {
    for (std::size_t i = 0; i < rows; ++i) y[i] = x[i * kInputs] > 0 ? 1 : 0;
  }
  GramFold empty() const {
    return GramFold(map->outputs(), map->bound(), {Task::classification, 2, {}, {}}, 1, GramFold::Products::whole);
  }
  void add(GramFold& sum, const Workers& on) const {
    for (std::size_t begin = 0; begin < rows; begin += kBlock) {
      const std::size_t count = std::min(kBlock, rows - begin);
      auto block = RowBlock<float>::dense({x.data() + begin * kInputs, count, kInputs, kInputs});
      block.first = begin;
      block.target_count = 1;
      block.targets = y.data() + begin;
      sum.add_unmapped(on, *map, block);
    }
  }
  // Seconds of adding and of taking.
  std::pair<double, double> run(GramFold& sum, const Workers& on) const {
    sum.begin_on_device(on, map);
    const double adding = bench::seconds([&] { add(sum, on); });
    return {adding, bench::seconds([&] { sum.settle(on); })};
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  const std::string name = argc > 1 && std::strncmp(argv[1], "--", 2) != 0 ? argv[1] : "cuda";
  Threads processor, device(Execution{.device = name});
  const Workers on_processor = workers_on(processor), on_device = workers_on(device);
  fmt::print("{}; {} threads\n", device.device().description(), processor.count());
  for (const std::size_t D : {64, 500, 1111}) {
    const Work work(20011, D);
    GramFold expected = work.empty(), found = work.empty();
    work.add(expected, on_processor);
    work.run(found, on_device);
    fmt::print("D = {}: the sums are {}\n", D, expected == found ? "equal" : "NOT equal");
    if (!(expected == found)) return 1;
  }
  fmt::print("      n      D   processor s   device: adding s   and taking s   Top/s in all\n");
  for (const auto& [n, D] : {std::pair<std::size_t, std::size_t>{131072, 2000}, {131072, 5000}, {524288, 5000}}) {
    if (quick && n > 131072) continue;
    const Work work(n, D);
    double alone = 0;
    if (n == 131072) {
      GramFold sum = work.empty();
      alone = bench::seconds([&] { work.add(sum, on_processor); });
    }
    std::vector<double> adding, all;
    for (int turn = 0; turn < 4; ++turn) {
      GramFold sum = work.empty();
      const auto [add, take] = work.run(sum, on_device);
      if (turn == 0) continue;  // memory is got and kernels are loaded
      adding.push_back(add);
      all.push_back(add + take);
    }
    fmt::print("{:7} {:6} {:13.3f} {:18.4f} {:14.4f} {:14.0f}\n", n, D, alone, bench::median(adding),
               bench::median(all) - bench::median(adding),
               4e-12 * double(n) * double(D) * double(D) / bench::median(all));
  }
}
