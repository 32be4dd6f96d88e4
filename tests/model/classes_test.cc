// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Class targets are indices of labels, of two classes at least, wherever they come from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/archive.h"
#include "base/safetensors.h"
#include "bochner/error.h"
#include "bochner/parts.h"
#include "bochner/train.h"
#include "scratch.h"

namespace bochner {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Problem {
  std::vector<double> x, y;
  Schema schema;

  explicit Problem(std::vector<std::string> labels = {"no", "yes"}) {
    for (int i = 0; i < 40; ++i) {
      x.push_back(i * 0.1);
      y.push_back(i % 2);
    }
    schema.inputs = 1;
    schema.task = Task::classification;
    schema.labels = std::move(labels);
    schema.targets = 1;
  }
  RowBlock<double> block() const {
    RowBlock<double> all;
    all.rows = x.size();
    all.cols = all.stride = 1;
    all.values = x.data();
    all.targets = y.data();
    all.target_count = 1;
    return all;
  }
  std::unique_ptr<Rows> rows() const {
    return memory_rows<double>(MatrixView<const double>{x.data(), x.size(), 1, 1},
                               MatrixView<const double>{y.data(), y.size(), 1, 1}, schema);
  }
};

// Rows of a caller's own, which nobody checked.
class UncheckedRows : public Rows {
 public:
  explicit UncheckedRows(const Problem& p) : p_(p), none_(memory_rows<double>(without_targets(), p.schema)) {}
  const Schema& schema() const override { return p_.schema; }
  void rewind() override { none_->rewind(); }
  bool next(std::size_t most, RowBlock<float>& block) override { return serve(most, block); }
  bool next(std::size_t most, RowBlock<double>& block) override { return serve(most, block); }
  std::optional<std::size_t> size() const override { return p_.x.size(); }
  double fraction_read() const override { return 1; }
  std::size_t memory_bytes(std::size_t) const override { return 0; }

 private:
  RowBlock<double> without_targets() const {
    RowBlock<double> all = p_.block();
    all.targets = nullptr;
    return all;
  }
  template <class T>
  bool serve(std::size_t most, RowBlock<T>& block) {
    if (!none_->next(most, block)) return false;
    block.targets = p_.y.data() + block.first;
    block.target_count = 1;
    return true;
  }

  const Problem& p_;
  std::unique_ptr<Rows> none_;
};

TEST(Classes, FromMemoryThatAreNoLabelsAreTheCallersMistake) {
  for (const double wrong : {-1.0, 2.0, 0.5, 1e9, 1e300, std::nan("")}) {
    Problem p;
    p.y[7] = wrong;
    const auto refusal = ThrowsMessage<std::invalid_argument>(
        AllOf(HasSubstr("row 7"), HasSubstr("class target"), HasSubstr("from 0 to 1")));
    EXPECT_THAT([&] { p.rows(); }, refusal) << wrong;
    EXPECT_THAT([&] { memory_rows<double>(p.block(), p.schema); }, refusal) << wrong;
  }
  Problem signs;
  for (double& y : signs.y) y = 2 * y - 1;
  EXPECT_THAT([&] { signs.rows(); }, ThrowsMessage<std::invalid_argument>(HasSubstr("-1 and +1 to 0 and 1")));
  EXPECT_THAT([] { Problem(std::vector<std::string>{}).rows(); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("no labels")));
}

TEST(Classes, OfRowsNobodyCheckedAreRefusedBeforeTheyAreUsed) {
  for (const double wrong : {-1.0, 2.0, 0.5, 1e9}) {
    Problem p;
    p.y[7] = wrong;
    UncheckedRows rows(p);
    for (const char* map : {"fourier", "binning:law=hat", "nystroem", "none"})
      EXPECT_THROW(train(rows, {.map = parse_map_options(map), .features = 8}), std::invalid_argument)
          << map << " " << wrong;
    EXPECT_THROW(train(rows, {.balanced = true}), std::invalid_argument);
    EXPECT_THROW(fit(rows, fourier(1, {.features = 8})), std::invalid_argument);
    EXPECT_THROW(survey_part(rows, {"p", 1}), std::invalid_argument);
    const Problem good;
    const Sum survey = survey_part(*good.rows(), {"q", 2});
    EXPECT_THROW(sum_part(rows, survey, {"p", 1}, {.features = 8}), std::invalid_argument);
    EXPECT_THROW(sum_part(rows, survey, {"p", 1}, {.features = 8, .balanced = true}), std::invalid_argument);
  }
}

TEST(Classes, OneIsRefusedByEveryMapAndLearner) {
  Problem one({"yes"}), two({"no", "yes"});
  one.y.assign(40, 0);
  two.y.assign(40, 1);  // labels of two, rows of one
  const auto refusal = ThrowsMessage<Error>(AllOf(HasSubstr("'yes'"), HasSubstr("two classes or more")));
  for (const Problem* p : {&one, &two}) {
    for (const char* map : {"fourier", "fourier:form=shifted", "binning:law=hat", "binning:order=1", "nystroem", "none",
                            "fourier+binning:law=hat"})
      EXPECT_THAT([&] { train(*p->rows(), {.map = parse_map_options(map), .features = 8}); }, refusal) << map;
    for (const Learner learner : {Learner::svm, Learner::hard_svm, Learner::logistic}) {
      EXPECT_THAT([&] { train(*p->rows(), {.learner = {.learner = learner}}); }, refusal);
      EXPECT_THAT([&] { fit_learner(*p->rows(), fourier(1, {.features = 8}), {.learner = learner}); }, refusal);
    }
    EXPECT_THAT([&] { fit(*p->rows(), fourier(1, {.features = 8})); }, refusal);
    const Sum survey = survey_part(*p->rows(), {"part", 1});  // others may bring more classes
    EXPECT_THAT([&] { sum_part(*p->rows(), survey, {"part", 1}); }, refusal);
  }
}

TEST(Classes, AModelOfFewerThanTwoIsRefused) {
  const Problem p({"yes"});
  for (const std::vector<std::string>& labels : {std::vector<std::string>{}, {"yes"}}) {
    Schema schema = p.schema;
    schema.labels = labels;
    EXPECT_THROW(Model(schema, {}, linear(Matrix<double>(1, 1), {0}), {}), std::invalid_argument);
  }
  const testing_files::Scratch scratch;
  const std::string path = scratch.path("two.model");
  const Problem two;
  train(*two.rows(), {.features = 8}).save(path);
  Archive archive = read_archive(path);
  archive.tree["schema"]["labels"] = {"yes"};
  write_archive(path, archive);
  try {
    Model::load(path);
    ADD_FAILURE() << "a model of one class was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::model);
    EXPECT_THAT(error.what(), HasSubstr("label"));
  }
}

}  // namespace
}  // namespace bochner
