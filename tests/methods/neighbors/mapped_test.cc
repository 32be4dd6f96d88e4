// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Indexes whose rows stay in their files.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "methods/neighbors/neighbors_testing.h"
#include "random/draw.h"
#include "scratch.h"

namespace bochner {
namespace {

Matrix<float> cloud(std::size_t rows, std::size_t inputs, double scale, std::uint64_t seed = 1) {
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j)
      x(i, j) = float(scale * (normal(seed, Draw::entry, i % 5, j) + normal(seed, Draw::frequency, i, j)));
  std::fill_n(x.data(), inputs, 0.0f);
  return x;
}

Matrix<float> bits(std::size_t rows, std::size_t inputs, std::uint64_t seed = 1) {
  Matrix<float> x = cloud(rows, inputs, 1, seed);
  for (std::size_t i = 0; i < rows * inputs; ++i) x.data()[i] = x.data()[i] > 0.5f ? 1.0f : 0.0f;
  return x;
}

using Method = IndexOptions::Method;

struct Case {
  IndexOptions options;
  Matrix<float> rows, queries;
  const char* name;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, IndexOptions options, double scale = 1) {
    options.recall = 0.7;
    const bool hamming = options.metric == Metric::hamming;
    all.push_back({options, hamming ? bits(300, 70) : cloud(300, 70, scale),
                   hamming ? bits(20, 70, 2) : cloud(20, 70, scale, 2), name});
  };
  for (const Method method : {Method::exact, Method::forest, Method::project, Method::lsh})
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::hamming})
      add("method and metric", {.metric = metric, .method = method});
  for (const double scale : {0x1p60, 0x1p-70}) add("scale", {.method = Method::exact}, scale);
  add("inner", {.metric = Metric::inner});
  add("jaccard", {.metric = Metric::jaccard});
  for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::inner})
    add("bytes", {.metric = metric, .method = Method::exact, .bytes = true});
  add("bytes of a forest", {.method = Method::forest, .bytes = true}, 1e3);
  all.push_back({{.method = Method::forest, .recall = 0.7}, cloud(300, 9, 5), cloud(20, 9, 5, 2), "few inputs"});
  all.push_back(
      {{.metric = Metric::hamming, .method = Method::forest, .recall = 0.7}, bits(300, 9), bits(20, 9, 2), "few bits"});
  return all;
}

void expect_same(const Neighbors& a, const Neighbors& b, const std::string& what) {
  EXPECT_EQ(a.rows, b.rows) << what;
  EXPECT_EQ(a.distances, b.distances) << what;
}

TEST(MappedIndex, AnswersAsTheOneThatWasSavedForAnyThreads) {
  testing_files::Scratch folder;
  for (const Case& c : cases()) {
    const std::string what = std::string(c.name) + " " + metric_name(c.options.metric);
    const NeighborIndex built(*rows_of(c.rows), c.options);
    built.save(folder.path("i"));
    const NeighborIndex loaded = NeighborIndex::load(folder.path("i"));
    const Neighbors expected = built.query(*rows_of(c.queries), 6);
    for (const int threads : {1, 3})
      expect_same(loaded.query(*rows_of(c.queries), 6, Execution{.threads = threads}), expected, what);
    const RowFilter odd = [](std::uint64_t row) { return row % 2 == 1; },
                    few = [](std::uint64_t row) { return row < 9; };
    for (const RowFilter& allowed : {odd, few})
      expect_same(loaded.query(*rows_of(c.queries), 6, allowed), built.query(*rows_of(c.queries), 6, allowed), what);
    loaded.save(folder.path("again"));
    EXPECT_EQ(testing_files::read_bytes(folder.path("again")), testing_files::read_bytes(folder.path("i"))) << what;
  }
}

TEST(MappedIndex, ChangesAsTheOneThatWasSaved) {
  testing_files::Scratch folder;
  for (const Case& c : cases()) {
    if (c.options.method == Method::lsh) continue;  // tables are chosen anew: seconds
    NeighborIndex built(*rows_of(c.rows), c.options);
    built.save(folder.path("i"));
    NeighborIndex loaded = NeighborIndex::load(folder.path("i"));
    const std::vector<std::uint64_t> some{0, 7, 299};
    built.remove(some);
    loaded.remove(some);
    if (!c.options.bytes) {
      built.add(*rows_of(c.queries));
      loaded.add(*rows_of(c.queries));
    }
    built.save(folder.path("built"));
    loaded.save(folder.path("i"));  // replaces the file that is mapped
    EXPECT_EQ(testing_files::read_bytes(folder.path("built")), testing_files::read_bytes(folder.path("i"))) << c.name;
    expect_same(loaded.query(*rows_of(c.queries), 4), built.query(*rows_of(c.queries), 4), c.name);
  }
}

TEST(MappedIndex, OutlivesTheNameOfItsFile) {
  testing_files::Scratch folder;
  const Matrix<float> x = cloud(300, 20, 3);
  NeighborIndex(*rows_of(x)).save(folder.path("i"));
  const NeighborIndex loaded = NeighborIndex::load(folder.path("i"));
  const Neighbors before = loaded.query(*rows_of(x), 3);
  std::filesystem::remove(folder.path("i"));
  expect_same(loaded.query(*rows_of(x), 3), before, "removed");
}

TEST(Bits, TakeAnEighthOfAByteOfAnInput) {
  testing_files::Scratch folder;
  NeighborIndex(*rows_of(bits(2000, 640)), {.metric = Metric::hamming, .method = Method::exact}).save(folder.path("i"));
  EXPECT_LT(std::filesystem::file_size(folder.path("i")), 2000 * 640 / 8 + 4096u);
}

TEST(Bits, OfADamagedFileAreRefused) {
  testing_files::Scratch folder;
  const std::string path = folder.path("i");
  NeighborIndex(*rows_of(bits(30, 70)), {.metric = Metric::hamming}).save(path);
  const Archive good = read_archive(path);
  refuse(path, good, [](Archive& a) { a.arrays.erase("bits"); });
  refuse(path, good, [](Archive& a) { a.tree["rows"] = 31; });
  refuse(path, good, [](Archive& a) { a.tree["schema"]["inputs"] = 170; });
  for (const std::size_t byte : {15u, 8u + 16 * 29})  // bits beyond the 70 of a row
    refuse(path, good, [&](Archive& a) { a.arrays.at("bits").bytes[byte] = std::byte{0xc0}; });
  refuse(path, good, [](Archive& a) {
    a.arrays.erase("bits");
    a.put<std::uint8_t>("bits", std::vector<std::uint8_t>(30 * 9), {30, 9});
  });
}

TEST(MappedIndex, IsVerifiedByteByByte) {
  testing_files::Scratch folder;
  const std::string path = folder.path("i");
  NeighborIndex(*rows_of(cloud(50, 6, 1))).save(path);
  const Archive good = read_archive(path);
  refuse(path, good, [](Archive& a) {
    std::vector<float> values(300, 1.0f);
    values[299] = std::numeric_limits<float>::quiet_NaN();
    a.arrays.erase("points");
    a.put<float>("points", values, {50, 6});
  });
  refuse(path, good, [](Archive& a) { a.arrays.at("points").shape = {60, 5}; });
  refuse(path, good, [](Archive& a) {
    a.arrays.erase("points");
    a.put<double>("points", std::vector<double>(300), {50, 6});
  });
  // A bit of the rows themselves: the numbers stay finite, the checksum tells.
  write_archive(path, good);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-5, std::ios::end);
  file.put('\x01');
  file.close();
  try {
    NeighborIndex::load(path);
    ADD_FAILURE() << "was loaded";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("checksum"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace bochner
