// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// MB/s of the scan and of the read of a file of rows: bench_csv FILE [TARGET] [REPEATS].

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "bochner/rows.h"

using bochner::RowBlock;
using bochner::Rows;

namespace {

template <class Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
void read_all(Rows& rows) {
  rows.rewind();
  RowBlock<T> block;
  while (rows.next(1024, block)) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_csv FILE [TARGET, -1 by default] [REPEATS, 5 by default]\n");
    return 1;
  }
  const std::string path = argv[1];
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  const double megabytes = double(std::filesystem::file_size(path)) / 1e6;
  for (const int threads : {1, 2}) {
    double scan = std::numeric_limits<double>::infinity(), read = scan, read_double = scan;
    for (int i = 0; i < repeats; ++i) {
      bochner::RowsOptions options{.targets = {argc > 2 ? argv[2] : "-1"}, .threads = threads};
      if (path.find(".svm") != path.npos) options.targets.clear();
      std::unique_ptr<Rows> rows;
      scan = std::min(scan, seconds([&] { rows = bochner::open_rows(path, options); }));
      read = std::min(read, seconds([&] { read_all<float>(*rows); }));
      read_double = std::min(read_double, seconds([&] { read_all<double>(*rows); }));
    }
    fmt::print(
        "threads {}: scan {:.0f} MB/s, read float {:.0f} MB/s, read double {:.0f} MB/s ({:.3f} s scan, {:.3f} s "
        "read)\n",
        threads, megabytes / scan, megabytes / read, megabytes / read_double, scan, read);
  }
}
