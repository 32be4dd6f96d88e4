// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/stream.h"

#include <gtest/gtest.h>

#include <atomic>

#include "bochner/device.h"
#include "bochner/error.h"
#include "bochner/stream.h"
#include "bochner/train.h"
#include "folds/gram.h"
#include "random/draw.h"
#include "run/checkpoint.h"
#include "scratch.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 5 * kChunkRows - 100, kCols = 4, kFeatures = 32;

struct Problem {
  Matrix<double> x{kRows, kCols}, y{kRows, 1};
  Schema schema;
  MapPtr map;

  Problem() {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kCols; ++j) x(i, j) = normal(1, Draw::frequency, i, j);
      y(i, 0) = uniform(2, Draw::frequency, i);
    }
    schema.inputs = kCols;
    schema.targets = 1;
    Kernel kernel;
    kernel.length_scales = {1.5};
    map = fourier(kCols, {.kernel = kernel, .features = kFeatures, .seed = 3});
  }
  std::unique_ptr<Rows> rows() const { return memory_rows<double>(x.view(), y.view(), schema); }
  GramFold gram() const { return GramFold(kFeatures, map->bound(), {Task::regression, 0, {0.5}, {0.5}}); }
};

// The rows seen, as they came.
template <class T>
struct Seen {
  std::vector<std::size_t> numbers;
  std::vector<T> values;
  std::vector<double> targets;
  bool operator==(const Seen&) const = default;

  void add(const RowBlock<T>& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      numbers.push_back(block.first + i);
      values.insert(values.end(), block.values + i * block.stride, block.values + i * block.stride + block.cols);
      targets.insert(targets.end(), block.targets + i, block.targets + i + 1);
    }
  }
};

template <class T>
Seen<T> expected(const Problem& p) {
  Matrix<T> x(kRows, kCols), z(kRows, kFeatures);
  std::copy_n(p.x.data(), kRows * kCols, x.data());
  p.map->apply(cpu_backend(), RowBlock<T>::dense(x.view()), z.view());
  Seen<T> seen;
  for (std::size_t i = 0; i < kRows; ++i) seen.numbers.push_back(i);
  seen.values.assign(z.data(), z.data() + kRows * kFeatures);
  seen.targets.assign(p.y.data(), p.y.data() + kRows);
  return seen;
}

template <class T>
void expect_each_row_once() {
  const Problem p;
  const Seen<T> all = expected<T>(p);
  const auto rows = p.rows();
  for (const int threads : {1, 2, 3})
    for (const std::size_t block : {std::size_t(0), kChunkRows, 2 * kChunkRows}) {
      Threads team(threads);
      const Stream stream(*rows, p.map, team, {.block_rows = block},
                          std::is_same_v<T, float> ? Precision::float32 : Precision::float64);
      Seen<T> seen;
      stream.each("", [&](const auto& any) {
        if constexpr (std::is_same_v<decltype(any), const RowBlock<T>&>) seen.add(any);
      });
      EXPECT_TRUE(seen == all) << threads << " " << block;
      Seen<T> by_public;
      each<T>(*rows, p.map, [&](const RowBlock<T>& any) { by_public.add(any); },
              {.threads = threads, .block_rows = block});
      EXPECT_TRUE(by_public == all) << threads << " " << block;
    }
}

TEST(Stream, EachGivesEveryMappedRowOnceInOrder) {
  expect_each_row_once<float>();
  expect_each_row_once<double>();
}

TEST(Stream, EachMayBeginAtAnyRowOfAnySource) {
  const Problem p;
  const auto rows = p.rows();
  const auto second = rows->shard(1, 2);
  Threads team(2);
  for (Rows* source : {rows.get(), second.get()}) {
    const std::size_t from = source->first_row() + 1500;
    std::vector<std::size_t> numbers;
    Stream(*source, p.map, team, {.block_rows = kChunkRows})
        .each(
            "", [&](const auto& block) { numbers.push_back(block.first); }, from);
    ASSERT_FALSE(numbers.empty());
    EXPECT_EQ(numbers[0], from);
  }
}

TEST(Stream, ThroughChainsAMapAndUnmappedTakesItOff) {
  const Problem p;
  const auto rows = p.rows();
  Threads team(2);
  Matrix<double> weights(kFeatures, 1);
  for (std::size_t j = 0; j < kFeatures; ++j) weights(j, 0) = double(j);
  const Stream stream(*rows, p.map, team, {}, Precision::float64);
  const Stream headed = stream.through(linear(weights, {1}));
  EXPECT_EQ(headed.features(), 1u);
  EXPECT_EQ(stream.unmapped().features(), kCols);
  const Seen<double> features = expected<double>(p);
  std::vector<double> found;
  headed.each("", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i) found.push_back(double(block.values[i * block.stride]));
  });
  for (std::size_t i = 0; i < kRows; i += 97) {
    double sum = 1;
    for (std::size_t j = 0; j < kFeatures; ++j) sum += double(j) * features.values[i * kFeatures + j];
    EXPECT_NEAR(found[i], sum, 1e-9);
  }
  EXPECT_THROW(Stream(*rows, linear(weights, {1}), team, {}), std::invalid_argument);
}

TEST(Stream, FoldsOfShardsMergeToTheFoldOfAll) {
  const Problem p;
  const auto rows = p.rows();
  Threads team(2);
  const GramFold all = Stream(*rows, p.map, team, {}).fold(p.gram(), "gram");
  EXPECT_EQ(all.rows(), kRows);
  for (const std::size_t count : {2, 3, 7}) {
    GramFold sum = p.gram();
    for (std::size_t i = count; i-- > 0;) {
      const auto shard = rows->shard(i, count);
      sum.merge(Stream(*shard, p.map, team, {}).fold(p.gram(), "gram"));
    }
    EXPECT_EQ(sum, all) << count;
  }
}

TEST(Stream, ProgressGoesFrom0To1AndCancelStops) {
  const Problem p;
  const auto rows = p.rows();
  std::vector<double> fractions;
  std::vector<std::string> steps;
  Threads team(2);
  Execution execution{.block_rows = kChunkRows};
  execution.progress = [&](const std::string& step, double fraction) {
    steps.push_back(step);
    fractions.push_back(fraction);
  };
  Stream(*rows, p.map, team, execution).fold(p.gram(), "gram");
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "gram"), std::ptrdiff_t(steps.size()));

  std::size_t blocks = 0;
  team.stop_when([&] { return blocks >= 2; });
  EXPECT_THROW(Stream(*rows, p.map, team, {.block_rows = kChunkRows}).each("", [&](const auto&) { ++blocks; }),
               Stopped);
  EXPECT_EQ(blocks, 2u);
}

TEST(Stream, AStoppedFoldGoesOnBehindTheRowsItHasSeen) {
  const Problem p;
  const auto rows = p.rows();
  Threads plain(2);
  const GramFold all = Stream(*rows, p.map, plain, {}).fold(p.gram(), "gram");
  const testing_files::Scratch scratch;
  const auto begin = [&](bool resume) {
    return Checkpoint({.path = scratch.path("stop"), .resume = resume, .identity = {{"rows", "a"}}}, {});
  };
  // Counts the blocks it is given.
  struct Counted {
    GramFold gram;
    std::size_t* blocks;
    void add(const Workers& on, const RowBlock<float>& z) { gram.add(on, z), ++*blocks; }
    void add(const Workers& on, const RowBlock<double>& z) { gram.add(on, z), ++*blocks; }
    void merge(const Counted& other) { gram.merge(other.gram); }
    void save(Archive& archive) const { gram.save(archive); }
    void load(const Archive& archive) { gram.load(archive); }
  };
  std::size_t blocks = 0;
  {
    Checkpoint checkpoint = begin(false);
    Threads team(2);
    team.stop_when([&] { return blocks >= 2; });
    const Stream stream(*rows, p.map, team, {.block_rows = kChunkRows, .checkpoint = &checkpoint});
    EXPECT_THROW(stream.fold_saved(Counted{p.gram(), &blocks}, "gram"), Stopped);
    EXPECT_EQ(blocks, 2u);
  }
  Checkpoint checkpoint = begin(true);
  blocks = 0;
  const Stream stream(*rows, p.map, plain, {.block_rows = kChunkRows, .checkpoint = &checkpoint});
  const Counted sum = stream.fold_saved(Counted{p.gram(), &blocks}, "gram");
  EXPECT_EQ(blocks, 3u) << "the first two were saved";
  EXPECT_EQ(sum.gram, all);
}

// A stranger's fold: the mean of the features, in floating point.
struct Mean {
  double rows = 0;
  std::vector<double> sum = std::vector<double>(kFeatures);

  template <class T>
  void add(const RowBlock<T>& z) {
    rows += double(z.rows);
    for (std::size_t i = 0; i < z.rows; ++i)
      for (std::size_t j = 0; j < z.cols; ++j) sum[j] += double(z.values[i * z.stride + j]);
  }
  void merge(const Mean& other) {
    rows += other.rows;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += other.sum[j];
  }
  void save(Archive& archive) const {
    archive.put_number("rows", rows);
    archive.put<double>("sum", sum, {sum.size()});
  }
  void load(const Archive& archive) {
    rows = archive.get_number("rows");
    sum = archive.get<double>("sum", {sum.size()});
  }
  bool operator==(const Mean&) const = default;
};

TEST(PublicStream, AnOwnFoldIsTheSameToTheBitForAnyThreadsAndBlocks) {
  const Problem p;
  const auto rows = p.rows();
  const Mean one = fold(*rows, p.map, Mean{}, {.threads = 1});
  EXPECT_EQ(one.rows, double(kRows));
  for (const int threads : {2, 3})
    for (const std::size_t block : {kChunkRows, 2 * kChunkRows})
      EXPECT_EQ(fold(*rows, p.map, Mean{}, {.threads = threads, .block_rows = block}), one);
  const Mean wide = fold<double>(*rows, p.map, Mean{});
  EXPECT_NE(wide, one);
  for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_NEAR(wide.sum[j], one.sum[j], 1e-4 * kRows);
  Mean merged;
  for (std::size_t i = 0; i < 3; ++i) merged.merge(fold(*rows->shard(i, 3), p.map, Mean{}));
  for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_NEAR(merged.sum[j], one.sum[j], 1e-9 * kRows);
}

TEST(PublicStream, RowsComeAsTheyAreWithoutAMap) {
  const Problem p;
  const auto rows = p.rows();
  std::vector<double> x;
  each<double>(*rows, nullptr, [&](const RowBlock<double>& block) {
    EXPECT_EQ(block.cols, kCols);
    x.insert(x.end(), block.values, block.values + block.rows * block.cols);
  });
  EXPECT_TRUE(std::equal(x.begin(), x.end(), p.x.data(), p.x.data() + kRows * kCols));
}

TEST(PublicStream, AnotherDeviceIsRefused) {
  const Problem p;
  const auto rows = p.rows();
  EXPECT_THROW(fold(*rows, p.map, Mean{}, {.device = "abacus"}), std::invalid_argument);
}

// Maps whole blocks by itself, with the bits of the map.
class Watched final : public Device {
 public:
  std::string description() const override { return "the processor, watched"; }
  bool map(const Map& map, const RowBlock<float>& x, MatrixView<float> z) const override {
    map.apply(cpu_backend(), x, z);
    ++blocks;
    return true;
  }
  mutable std::atomic<int> blocks = 0;
};

TEST(PublicStream, ADeviceMapsWholeBlocks) {
  const Problem p;
  const auto device = std::make_shared<Watched>();
  register_device("watched", device);
  const Mean usual = fold(*p.rows(), p.map, Mean{});
  const Mean watched = fold(*p.rows(), p.map, Mean{}, {.device = "watched"});
  EXPECT_GT(device->blocks, 0);
  EXPECT_EQ(usual, watched);
  // A sum that would map its rows itself has them mapped by the device: the same bytes.
  const TrainOptions plain{.bandwidth = 1, .features = 64, .execution = {.threads = 2}};
  TrainOptions on_device = plain;
  on_device.execution.device = "watched";
  const int before = device->blocks;
  const testing_files::Scratch scratch;
  train(*p.rows(), plain).save(scratch.path("plain"));
  train(*p.rows(), on_device).save(scratch.path("device"));
  EXPECT_GT(device->blocks, before);
  EXPECT_EQ(testing_files::read_bytes(scratch.path("plain")), testing_files::read_bytes(scratch.path("device")));
}

TEST(PublicStream, AnArchiveGoesToAFileAndBack) {
  const Problem p;
  const Mean mean = fold(*p.rows(), p.map, Mean{});
  const testing_files::Scratch scratch;
  Archive archive;
  mean.save(archive);
  archive.put_text("of", "features");
  write_archive(scratch.path("mean"), archive);
  Mean again;
  const Archive read = read_archive(scratch.path("mean"));
  again.load(read);
  EXPECT_EQ(again, mean);
  EXPECT_EQ(read.get_text("of"), "features");
  EXPECT_THROW(read.get_count("absent"), Error);
  EXPECT_THROW(archive.put_number("far", 1e308 * 10), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
