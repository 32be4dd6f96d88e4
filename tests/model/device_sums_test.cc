// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Sums that a device has while a pass goes on, by a device of plain loops and, if there is one, by the GPU: the
// processor's bytes.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "backend/backend.h"
#include "backend/whole.h"
#include "bochner/device.h"
#include "bochner/model.h"
#include "bochner/rows.h"
#include "bochner/train.h"

namespace bochner {
namespace {

const std::string kData = BOCHNER_TEST_DATA;

// The sums, one product after the other.
class LoopSums final : public DeviceSums {
 public:
  LoopSums(const Map& map, std::size_t columns, float per_unit)
      : map_(map), per_unit_(per_unit), sums_(map.outputs() + columns, map.outputs() + columns) {}

  bool add(const RowBlock<float>& x, const float* roots, MatrixView<const float> columns) override {
    const std::size_t D = map_.outputs();
    Matrix<float> z(1, D);
    std::vector<std::int64_t> q(sums_.rows());
    for (std::size_t i = 0; i < x.rows; ++i) {
      map_.apply(cpu_backend(), x.slice(i, 1), z.view());
      for (std::size_t j = 0; j < D; ++j) q[j] = to_whole(roots ? z(0, j) * roots[i] : z(0, j), per_unit_);
      for (std::size_t c = 0; c < columns.cols; ++c) q[D + c] = std::int64_t(columns(i, c));
      for (std::size_t a = 0; a < q.size(); ++a)
        for (std::size_t b = 0; b <= a; ++b) sums_(a, b) += q[a] * q[b];
    }
    return true;
  }
  MatrixView<const std::int64_t> take(std::size_t first, std::size_t rows, std::size_t cols) override {
    return {&sums_(first, 0), rows, cols, sums_.cols()};
  }

 private:
  const Map& map_;
  float per_unit_;
  Matrix<std::int64_t> sums_;
};

std::atomic<int> begun = 0;

class Loops final : public Device {
 public:
  std::string description() const override { return "plain loops"; }
  std::unique_ptr<DeviceSums> sums(const Map& map, std::size_t columns, float per_unit) const override {
    ++begun;
    return std::make_unique<LoopSums>(map, columns, per_unit);
  }
};

class DeviceSumsTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    static const bool once = (register_device("loops", std::make_shared<Loops>()), true);
    ASSERT_TRUE(once);
    if (GetParam() != "loops") {
      try {
        device_named(GetParam());
      } catch (const std::invalid_argument& why) {
        GTEST_SKIP() << why.what();
      }
    }
  }

  static std::string bytes_of(const std::string& file, const RowsOptions& opened, TrainOptions options,
                              const std::string& device) {
    options.execution.device = device;
    options.execution.threads = 2;
    const auto rows = open_rows(kData + "/" + file, opened);
    const auto path = std::filesystem::temp_directory_path() / ("device-sums-" + device + std::to_string(::getpid()));
    train(*rows, options).save(path.string());
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::remove(path);
    return bytes;
  }
  void expect_same(const std::string& file, const RowsOptions& opened, const TrainOptions& options) const {
    const int before = begun;
    const std::string found = bytes_of(file, opened, options, GetParam());
    EXPECT_GT(found.size(), 500u);
    EXPECT_TRUE(found == bytes_of(file, opened, options, "cpu")) << file;
    if (GetParam() == "loops") {
      EXPECT_GT(begun, before) << "the device was not asked";
    }
  }
};

TEST_P(DeviceSumsTest, TrainTheSameModel) {
  const RowsOptions numbers{.targets = {"usr"}}, classes{.targets = {"income"}};
  for (const auto solver : {RidgeOptions::Solver::cholesky, RidgeOptions::Solver::automatic}) {
    TrainOptions options{.features = 70};
    options.ridge.solver = solver;
    expect_same("cpu-small.csv", numbers, options);
    expect_same("adult-small.csv", classes, options);
  }
  for (const char* map : {"fourier:form=cossin", "fourier:form=shifted,draw=orthogonal", "fourier:draw=quasi"}) {
    TrainOptions options{.map = parse_map_options(map), .features = 62};
    options.ridge.solver = RidgeOptions::Solver::cholesky;
    expect_same("cpu-small.csv", numbers, options);
  }
  TrainOptions weighted{.features = 40, .class_weights = {{">50K", 3.5}}};
  weighted.ridge.solver = RidgeOptions::Solver::cholesky;
  expect_same("adult-small.csv", classes, weighted);
}

// What a device has no sums for is the processor's.
TEST_P(DeviceSumsTest, LeaveTheRestToTheProcessor) {
  const RowsOptions numbers{.targets = {"usr"}};
  for (const char* map : {"nystroem", "fourier:draw=structured", "none"}) {
    TrainOptions options{.map = parse_map_options(map), .features = 40};
    EXPECT_TRUE(bytes_of("cpu-small.csv", numbers, options, GetParam()) ==
                bytes_of("cpu-small.csv", numbers, options, "cpu"))
        << map;
  }
  TrainOptions wide{.features = 40, .double_precision = true};
  EXPECT_TRUE(bytes_of("cpu-small.csv", numbers, wide, GetParam()) == bytes_of("cpu-small.csv", numbers, wide, "cpu"));
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceSumsTest, ::testing::Values("loops", "cuda"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace bochner
