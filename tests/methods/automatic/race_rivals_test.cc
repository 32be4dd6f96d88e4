// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_rivals.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "random/draw.h"
#include "run/compute.h"
#include "run/stream.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 300;

// Rows that a training asks for more memory for than there is.
class TooMany final : public Rows {
 public:
  explicit TooMany(Rows& rows) : rows_(rows) {}
  const Schema& schema() const override { return rows_.schema(); }
  void rewind() override { throw std::invalid_argument("memory: too little"); }
  bool next(std::size_t, RowBlock<float>&) override { return false; }
  bool next(std::size_t, RowBlock<double>&) override { return false; }
  std::optional<std::size_t> size() const override { return rows_.size(); }
  double fraction_read() const override { return 0; }
  std::size_t memory_bytes(std::size_t bytes) const override { return rows_.memory_bytes(bytes); }

 private:
  Rows& rows_;
};

TEST(RaceRivals, ARefitThatDoesNotFitOnAllRowsTakesThoseThatRaced) {
  Matrix<float> x(kRows, 2);
  Matrix<double> y(kRows, 1);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < 2; ++j) x(i, j) = float(normal(1, Draw::sample, i, j));
    y(i, 0) = 3 + 2 * double(x(i, 1));
  }
  Schema schema;
  schema.inputs = 2;
  schema.targets = 1;
  const std::unique_ptr<Rows> rows = memory_rows<float>(std::as_const(x).view(), std::as_const(y).view(), schema);
  Threads threads(1);
  const Workers on = workers_on(threads);
  const TargetCode code{Task::regression, 0, {3}, {2}};
  const RaceSource source(*rows, kRows, 100, 1e6, 1);
  const RaceRows race(Stream(*rows, nullptr, threads, {}), code, kRows, 1);
  TooMany too_many(*rows);
  std::vector<std::string> said;
  const TrainOptions options;
  Candidate mean{"the mean", Matrix<double>(race.held().size(), 1), 1, {}};
  for (const bool all_fit : {true, false}) {
    said.clear();
    RaceRivals rivals({all_fit ? *rows : static_cast<Rows&>(too_many), source, race, code}, options, {},
                      [&](const std::string& line) { said.push_back(line); });
    const std::vector<Candidate> found = rivals.race({{"linear", NoMap{}, false}}, std::vector<Candidate>{mean});
    ASSERT_EQ(found.size(), 1u);
    const Matrix<double> coded = predict_rows(on, *found[0].refit(), x.view());
    for (std::size_t i = 0; i < kRows; ++i) ASSERT_NEAR(coded(i, 0), double(x(i, 1)), 1e-3);
    EXPECT_EQ(said.size(), all_fit ? 0u : 1u);
  }
  EXPECT_EQ(said[0], "linear learnt from the rows that raced alone: memory: too little");
}

}  // namespace
}  // namespace bochner
