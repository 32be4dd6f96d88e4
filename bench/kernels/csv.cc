// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// MB/s of the scan and of the read of a file of rows: bench_csv [FILE [TARGET [REPEATS]]]. Without a file it makes one
// in the shape of covtype (10 counts, 44 indicators, a class); `bench_csv --make FILE` only makes it.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>

#include "bochner/rows.h"

using bochner::RowBlock;
using bochner::Rows;

namespace {

struct Time {
  double wall = std::numeric_limits<double>::infinity();
  double cores = wall;  // seconds of all threads together
};

template <class Work>
void keep_least(Time& least, Work work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cores = std::clock();
  work();
  least.cores = std::min(least.cores, double(std::clock() - cores) / CLOCKS_PER_SEC);
  least.wall = std::min(least.wall, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

template <class T>
void read_all(Rows& rows) {
  rows.rewind();
  RowBlock<T> block;
  while (rows.next(1024, block)) {
  }
}

void make_file(const std::string& path) {
  std::mt19937 random(1);
  std::ofstream file(path, std::ios::binary);
  for (int c = 0; c < 54; ++c) file << 'x' << c << ',';
  file << "class\n";
  for (int i = 0; i < 200000; ++i) {
    for (int c = 0; c < 10; ++c) file << random() % (c % 2 ? 300 : 4000) << ',';
    const unsigned area = random() % 4, soil = random() % 40;
    for (unsigned c = 0; c < 44; ++c) file << (c == area || c == 4 + soil ? "1," : "0,");
    file << 1 + random() % 7 << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--make") {
    make_file(argv[2]);
    return 0;
  }
  const bool make = argc < 2;
  const std::string path = make ? (std::filesystem::temp_directory_path() / "bochner_bench.csv").string() : argv[1];
  if (make) make_file(path);
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  const double megabytes = double(std::filesystem::file_size(path)) / 1e6;
  for (const int threads : {1, 2}) {
    Time scan, read, read_double;
    for (int i = 0; i < repeats; ++i) {
      bochner::RowsOptions options{.targets = {argc > 2 ? argv[2] : "-1"}, .threads = threads};
      if (path.find(".svm") != path.npos) options.targets.clear();
      std::unique_ptr<Rows> rows;
      keep_least(scan, [&] { rows = bochner::open_rows(path, options); });
      keep_least(read, [&] { read_all<float>(*rows); });
      keep_least(read_double, [&] { read_all<double>(*rows); });
    }
    const auto print = [&](const char* what, const Time& time) {
      fmt::print("csv {:<11} {} threads {:7.3f} s {:7.0f} MB/s {:7.0f} MB/s per core\n", what, threads, time.wall,
                 megabytes / time.wall, megabytes / time.cores);
    };
    print("scan", scan);
    print("read float", read);
    print("read double", read_double);
  }
  if (make) std::filesystem::remove(path);
}
