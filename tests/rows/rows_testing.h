// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/error.h"
#include "bochner/rows.h"

namespace bochner {

// A file that lives as long as the object.
class TempFile {
 public:
  TempFile(std::string_view text, const std::string& suffix = ".csv") {
    static std::atomic<int> count{0};
    path_ = (std::filesystem::temp_directory_path() /
             ("bochner_rows_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + suffix))
                .string();
    std::ofstream(path_, std::ios::binary).write(text.data(), std::streamsize(text.size()));
  }
  ~TempFile() { std::filesystem::remove(path_); }
  TempFile(const TempFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// All rows of a pass, densely.
struct Table {
  std::vector<std::vector<double>> x;
  std::vector<std::vector<double>> y;
  std::vector<double> weights;
  bool operator==(const Table&) const = default;
};

template <class T = double>
Table read_table(Rows& rows, std::size_t max_rows = 1024) {
  Table table;
  rows.rewind();
  RowBlock<T> block;
  bool short_block = false;
  while (rows.next(max_rows, block)) {
    EXPECT_FALSE(short_block) << "only the last block may be short";
    short_block = block.rows < max_rows;
    EXPECT_EQ(block.first, table.x.size());
    EXPECT_EQ(block.cols, rows.schema().inputs);
    EXPECT_EQ(block.target_count, rows.schema().targets);
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::vector<double> x(block.cols);
      if (block.sparse())
        for (std::size_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k) x[block.columns[k]] = block.values[k];
      else
        x.assign(block.values + i * block.stride, block.values + i * block.stride + block.cols);
      table.x.push_back(std::move(x));
      const double* y = block.targets + i * block.target_count;
      table.y.emplace_back(y, y + block.target_count);
      if (block.weights) table.weights.push_back(block.weights[i]);
    }
  }
  EXPECT_EQ(rows.size(), table.x.size());
  return table;
}

// The message of the Error that the work throws; an empty one and a failure when it throws none.
template <class Work>
std::string error_of(Work work, Error::Kind kind = Error::Kind::data) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "a message is one line";
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

// The error of opening and reading a file.
inline std::string error_of_reading(const TempFile& file, const RowsOptions& options) {
  return error_of([&] { read_table(*open_rows(file.path(), options)); });
}

}  // namespace bochner
