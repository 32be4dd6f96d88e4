// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Files of rows. The first byte chooses the format and the packing, the next two the options; the rest is the file.

#include <fmt/format.h>

#include <array>

#include "bochner/rows.h"
#include "fuzzing.h"

namespace {

using namespace bochner;

constexpr std::array<const char*, 9> kSuffixes{".csv",    ".svm",    ".npy",     ".csv.gz", ".npy.gz",
                                               ".svm.xz", ".npy.xz", ".csv.zst", ".npy.zst"};

RowsOptions options_of(std::uint8_t a, std::uint8_t b, bool svmlight) {
  static const char* const kTargets[] = {"", "-1", "y", "1"};
  RowsOptions options;
  options.threads = 1;
  options.memory = std::size_t(1) << 28;
  if (!svmlight && (a & 3)) options.targets = {kTargets[a & 3]};
  if (!svmlight && (a & 4)) options.weights = "2";
  if (!svmlight && (a & 8)) options.ignore = {"3"};
  options.missing = a & 16 ? Missing::drop : a & 32 ? Missing::error : Missing::mean;
  if (a & 64) options.header = bool(a & 128);
  options.target_required = b & 1;
  if (b & 2) options.task = b & 4 ? Task::classification : Task::regression;
  if (b & 8) options.max_levels = 2;
  if (b & 16) options.delimiter = ';';
  if (b & 32) options.index_base = b & 64 ? 1 : 0;
  return options;
}

template <class T>
std::size_t drain(Rows& rows, std::size_t block_rows) {
  std::size_t count = 0;
  double sum = 0;
  RowBlock<T> block;
  while (rows.next(block_rows, block)) {
    count += block.rows;
    if (block.sparse()) {
      for (std::size_t p = block.offsets[0]; p < block.offsets[block.rows]; ++p) {
        sum += double(block.values[p]);
        if (block.columns[p] >= block.cols)
          fuzzing::finding(fmt::format("column {} of {}", block.columns[p], block.cols));
      }
    } else {
      for (std::size_t i = 0; i < block.rows; ++i)
        for (std::size_t j = 0; j < block.cols; ++j) sum += double(block.values[i * block.stride + j]);
    }
    if (block.targets)
      for (std::size_t i = 0; i < block.rows * block.target_count; ++i) sum += block.targets[i];
  }
  volatile double used = sum;
  static_cast<void>(used);
  return count;
}

void run(std::span<const std::uint8_t> input) {
  if (input.size() < 3) return;
  const char* suffix = kSuffixes[input[0] % kSuffixes.size()];
  const bool svmlight = suffix[1] == 's';
  static std::array<std::string, kSuffixes.size()> paths;
  std::string& path = paths[input[0] % kSuffixes.size()];
  if (path.empty()) path = fuzzing::scratch(std::string("rows") + suffix);
  const RowsOptions options = options_of(input[1], input[2], svmlight);
  fuzzing::put_file(path, input.subspan(3));
  fuzzing::guarded([&] {
    const auto rows = open_rows(path, options);
    const std::size_t first = drain<float>(*rows, 3);
    rows->rewind();
    const std::size_t second = drain<double>(*rows, 1000);
    if (first != second) fuzzing::finding(fmt::format("passes of {} and {} rows", first, second));
    if (rows->size() && *rows->size() != first) fuzzing::finding(fmt::format("size {}, rows {}", *rows->size(), first));
    const Schema schema = rows->schema();
    drain<float>(*open_rows(path, schema, options), 7);
    RowsOptions plain;
    plain.threads = 1;
    plain.memory = options.memory;
    drain<double>(*open_rows(path, schema, plain), 7);
  });
}

const fuzzing::Target target{"rows", run};

}  // namespace
