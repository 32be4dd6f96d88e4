// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Every fold of the library keeps the contract of bochner/fold.h: cut by row number into parts, each saved and loaded,
// the parts merge in any order to the fold of all rows, to the bit.

#include "bochner/fold.h"

#include <gtest/gtest.h>

#include <numeric>

#include "folds/covariance.h"
#include "folds/gram_and_held.h"
#include "folds/largest.h"
#include "folds/row_moments.h"
#include "folds/survey.h"
#include "kept_problem.h"
#include "methods/bins/residual_moments.h"
#include "methods/clusters/lloyd.h"
#include "methods/components/sketch.h"
#include "methods/mixtures/mixture_fold.h"
#include "methods/online/row_sums.h"
#include "run/compute.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 8 * kChunkRows - 300, kCols = 21;

// Rows with two targets and weights.
template <class T>
struct Data {
  std::vector<T> x;
  std::vector<double> targets, weights;

  Data() {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kCols; ++j) x.push_back(T(2 * uniform(1, Draw::frequency, i, j) - 1));
      for (std::size_t k = 0; k < 2; ++k) targets.push_back(10 * normal(2, Draw::frequency, i, k));
      weights.push_back(0.5 + 2 * uniform(3, Draw::frequency, i));
    }
  }
  RowBlock<T> all() const {
    auto block = RowBlock<T>::dense({x.data(), kRows, kCols, kCols});
    block.targets = targets.data();
    block.target_count = 2;
    block.weights = weights.data();
    return block;
  }
};

const TargetCode kCode{Task::regression, 0, {0, 1}, {50, 60}};

template <class T>
struct GramCase : Data<T> {
  GramFold empty() const { return GramFold(kCols, 1.0, kCode, 3.0); }
};

struct WholeGramCase : Data<float> {
  GramFold empty() const { return GramFold(kCols, 1.0, kCode, 3.0, GramFold::Products::whole); }
};

template <class T>
struct GramByRowCase : Data<T> {
  GramFold empty() const { return GramFold(kCols, 1.0, kCode, 3.0, GramFold::Products::by_row); }
};

struct RowSumsCase : Data<float> {
  RowSums empty() const { return {GramFold(kCols, 1.0, kCode, 3.0, GramFold::Products::whole), {}}; }
};

template <class T>
struct GramAndHeldCase : Data<T> {
  GramAndHeld empty() const { return {GramFold(kCols, 1.0, kCode, 3.0), HeldOut(kCols, 2, 0.1, 5, kRows)}; }
};

template <class T>
struct LargestCase : Data<T> {
  Largest empty() const { return {}; }
};

template <class T>
struct SurveyCase : Data<T> {
  Survey empty() const {
    Schema schema;
    schema.inputs = kCols;
    schema.targets = 2;
    return Survey(schema, 7);
  }
};

struct SparseSurveyCase {
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> x;
  std::vector<double> labels;

  SparseSurveyCase() {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::uint32_t j = 0; j < kCols; ++j)
        if (uniform(4, Draw::frequency, i, j) < 0.2) {
          columns.push_back(j);
          x.push_back(float(normal(5, Draw::frequency, i, j)));
        }
      offsets.push_back(x.size());
      labels.push_back(double(i % 3));
    }
  }
  RowBlock<float> all() const {
    RowBlock<float> block{.rows = kRows, .cols = kCols, .values = x.data()};
    block.offsets = offsets.data();
    block.columns = columns.data();
    block.targets = labels.data();
    block.target_count = 1;
    return block;
  }
  Survey empty() const {
    Schema schema;
    schema.inputs = kCols;
    schema.targets = 1;
    schema.sparse = true;
    schema.task = Task::classification;
    schema.labels = {"a", "b", "c"};
    return Survey(schema, 7);
  }
};

// Rows without targets, for low-rank factors: dense, and CSR.
template <class Rows>
struct MomentsCase : Rows {
  RowMoments empty() const { return RowMoments(kCols); }
};

template <class Rows, bool kSparse, bool kWide>
struct SketchCase : Rows {
  SketchFold empty() const {
    SketchBasis basis{.cols = kCols,
                      .q = Matrix<double>(kCols, 4),
                      .mean = std::vector<double>(kCols, 0.25),
                      .total = 2e6,
                      .sparse = kSparse,
                      .wide = kWide};
    for (std::size_t j = 0; j < kCols; ++j)
      for (std::size_t k = 0; k < 4; ++k) basis.q(j, k) = 0.2 * normal(9, Draw::frequency, j, k);
    return SketchFold(std::make_shared<const SketchBasis>(std::move(basis)));
  }
};

template <class Rows, bool kWide>
struct CovarianceCase : Rows {
  CovarianceFold empty() const { return CovarianceFold(kCols, std::vector<double>(kCols, 0.25), 8.0, kWide); }
};

template <class T>
struct LloydCase : Data<T> {
  LloydFold empty() const {
    Matrix<double> centres(7, kCols);
    for (std::size_t c = 0; c < 7; ++c)
      for (std::size_t j = 0; j < kCols; ++j) centres(c, j) = 0.3 * normal(4, Draw::frequency, c, j);
    return LloydFold(std::make_shared<const Centres>(std::move(centres)), {.bound = 1, .weight_bound = 3});
  }
};

// A round of EM of two groups of rows, by the sign of their first target, with three components each.
template <class T, CovarianceForm::Kind kKind>
struct MixtureCase : Data<T> {
  std::vector<double> classes;

  MixtureCase() {
    for (std::size_t i = 0; i < kRows; ++i) classes.push_back(this->targets[2 * i] > 0 ? 1 : 0);
  }
  RowBlock<T> all() const {
    RowBlock<T> block = Data<T>::all();
    block.targets = classes.data();
    block.target_count = 1;
    return block;
  }
  MixtureFold empty() const {
    using Kind = CovarianceForm::Kind;
    Gaussians g{.form = {.kind = kKind, .rank = kKind == Kind::lowrank ? std::size_t(2) : 0},
                .means = Matrix<double>(6, kCols),
                .variances = {},
                .matrices = {}};
    for (std::size_t k = 0; k < 6; ++k)
      for (std::size_t j = 0; j < kCols; ++j) g.means(k, j) = 0.3 * normal(4, Draw::frequency, k, j);
    if (kKind == Kind::full || kKind == Kind::tied) {
      g.matrices.assign(kKind == Kind::tied ? 1 : 6, Matrix<double>(kCols, kCols));
      for (Matrix<double>& matrix : g.matrices)
        for (std::size_t j = 0; j < kCols; ++j) matrix(j, j) = 0.3;
    } else {
      g.variances = Matrix<double>(6, kKind == Kind::spherical ? 1 : kCols);
      std::fill_n(g.variances.data(), g.variances.rows() * g.variances.cols(), 0.3);
    }
    if (kKind == Kind::lowrank) {
      g.matrices.assign(6, Matrix<double>(kCols, 2));
      for (std::size_t k = 0; k < 6; ++k)
        for (std::size_t j = 0; j < 2 * kCols; ++j) g.matrices[k].data()[j] = 0.2 * normal(5, Draw::frequency, k, j);
    }
    return MixtureFold(std::make_shared<const MixtureRound>(std::move(g), std::vector<double>(6, 1.0 / 3), 2,
                                                            std::is_same_v<T, double>));
  }
};

// Kept rows, some of them held out.
struct KeptCase : testing::KeptProblem {
  std::vector<double> mean;
  Matrix<double> v;

  KeptCase() : KeptProblem(kRows, kCols), mean(kCols, 0.125), v(kCols, 3) {
    for (std::uint64_t i = 5; i < kRows; i += 97) kept.held.push_back(i);
    for (std::size_t j = 0; j < kCols; ++j)
      for (std::size_t k = 0; k < 3; ++k) v(j, k) = normal(6, Draw::frequency, j, k);
  }
  RowBlock<std::int16_t> all() const { return block(true); }
};

struct MomentCase : KeptCase {
  MomentFold empty() const { return MomentFold(kept, code); }
};

template <NormalProduct::Over kOver>
struct ProductCase : KeptCase {
  NormalProduct empty() const { return NormalProduct(kept, mean, v.view(), kOver); }
};

struct ResidualCase : KeptCase {
  std::vector<float> residuals, row_weights;

  ResidualCase() {
    for (std::size_t i = 0; i < 2 * kRows; ++i) residuals.push_back(float(normal(8, Draw::frequency, i)));
    for (const double w : weights) row_weights.push_back(float(w));
  }
  ResidualMoments empty() const { return ResidualMoments(kept.width, 2, residuals, row_weights, 1e9); }
};

// What a stranger writes: no private type, one thread at a time.
struct OwnFold {
  std::vector<std::int64_t> positive = std::vector<std::int64_t>(kCols);

  void add(const RowBlock<float>& block) {
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) positive[j] += block.values[i * block.stride + j] > 0 ? 1 : 0;
  }
  void merge(const OwnFold& other) {
    for (std::size_t j = 0; j < kCols; ++j) positive[j] += other.positive[j];
  }
  void save(Archive& archive) const { archive.put<std::int64_t>("positive", positive, {kCols}); }
  void load(const Archive& archive) { positive = archive.get<std::int64_t>("positive", {kCols}); }
  bool operator==(const OwnFold&) const = default;
};
struct OwnCase : Data<float> {
  OwnFold empty() const { return {}; }
};

static_assert(!Fold<OwnFold, double>, "the type of the blocks counts");
struct NoMerge {
  void add(const RowBlock<float>&);
  void save(Archive&) const;
  void load(const Archive&);
};
static_assert(!Fold<NoMerge>);

template <class F, class T>
F sum_of(const F& empty, const RowBlock<T>& rows, int threads, std::size_t block_rows) {
  static_assert(Fold<F, T>);
  Threads team(threads);
  F sum = empty;
  BlockAdder<F> adder(sum);
  for (std::size_t begin = 0; begin < rows.rows; begin += block_rows)
    adder.add(workers_on(team), rows.slice(begin, std::min(block_rows, rows.rows - begin)));
  return sum;
}

template <class F>
F saved_and_loaded(const F& fold, const F& empty) {
  Archive archive;
  fold.save(archive);
  F loaded = empty;
  loaded.load(archive);
  return loaded;
}

// Five orders of merging `count` parts, as (to, from) pairs that end in part 0 or in the part returned.
std::size_t merge_parts(std::size_t count, int order, const std::function<void(std::size_t, std::size_t)>& merge) {
  std::vector<std::size_t> parts(count);
  std::iota(parts.begin(), parts.end(), std::size_t{0});
  if (order == 1) std::reverse(parts.begin(), parts.end());
  if (order == 2) std::rotate(parts.begin(), parts.begin() + std::ptrdiff_t(count / 2), parts.end());
  if (order == 3)  // neighbours, then pairs of them, ...
    for (std::size_t step = 1; step < count; step *= 2)
      for (std::size_t i = 0; i + step < count; i += 2 * step) merge(i, i + step);
  if (order == 4)  // the last into the one before it, and so on
    for (std::size_t i = count - 1; i > 0; --i) merge(i - 1, i);
  if (order < 3)
    for (std::size_t i = 1; i < count; ++i) merge(parts[0], parts[i]);
  return order < 3 ? parts[0] : 0;
}

template <class Case>
class FoldContract : public ::testing::Test {};

using Cases = ::testing::Types<
    GramCase<float>, GramCase<double>, WholeGramCase, GramByRowCase<float>, GramByRowCase<double>, RowSumsCase,
    GramAndHeldCase<float>, GramAndHeldCase<double>, LargestCase<float>, LargestCase<double>, SurveyCase<float>,
    SurveyCase<double>, SparseSurveyCase, MomentCase, ProductCase<NormalProduct::Over::rest>,
    ProductCase<NormalProduct::Over::held>, ResidualCase, OwnCase, MomentsCase<Data<float>>, MomentsCase<Data<double>>,
    MomentsCase<SparseSurveyCase>, SketchCase<Data<float>, false, false>, SketchCase<Data<float>, false, true>,
    SketchCase<Data<double>, false, true>, SketchCase<SparseSurveyCase, true, false>,
    CovarianceCase<Data<float>, false>, CovarianceCase<Data<float>, true>, CovarianceCase<SparseSurveyCase, false>,
    LloydCase<float>, LloydCase<double>, MixtureCase<float, CovarianceForm::Kind::full>,
    MixtureCase<double, CovarianceForm::Kind::full>, MixtureCase<float, CovarianceForm::Kind::tied>,
    MixtureCase<float, CovarianceForm::Kind::diag>, MixtureCase<float, CovarianceForm::Kind::spherical>,
    MixtureCase<double, CovarianceForm::Kind::lowrank>>;
TYPED_TEST_SUITE(FoldContract, Cases);

TYPED_TEST(FoldContract, SevenSplitsInFiveOrdersSavedAndLoadedGiveTheSameBits) {
  const TypeParam p;
  const auto empty = p.empty();
  const auto rows = p.all();
  const auto whole = sum_of(empty, rows, 1, kRows);
  EXPECT_FALSE(whole == empty);
  EXPECT_EQ(saved_and_loaded(whole, empty), whole);
  const std::size_t chunks = (kRows + kChunkRows - 1) / kChunkRows;
  for (std::size_t count = 1; count <= 7; ++count) {
    std::vector<std::decay_t<decltype(empty)>> parts;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = chunks * i / count * kChunkRows;
      const std::size_t end = std::min(kRows, chunks * (i + 1) / count * kChunkRows);
      parts.push_back(saved_and_loaded(sum_of(empty, rows.slice(begin, end - begin), 2, 2 * kChunkRows), empty));
    }
    for (int order = 0; order < 5; ++order) {
      std::vector<std::decay_t<decltype(empty)>> sums;
      for (const auto& part : parts) sums.push_back(part);
      const std::size_t at =
          merge_parts(count, order, [&](std::size_t to, std::size_t from) { sums[to].merge(sums[from]); });
      EXPECT_TRUE(sums[at] == whole) << count << " parts, order " << order;
      EXPECT_TRUE(saved_and_loaded(sums[at], empty) == whole) << count << " parts, order " << order;
    }
  }
}

TYPED_TEST(FoldContract, ThreadsAndBlocksDoNotChangeABit) {
  const TypeParam p;
  const auto whole = sum_of(p.empty(), p.all(), 1, kRows);
  for (const int threads : {2, 3})
    for (const std::size_t block : {kChunkRows, 3 * kChunkRows, kRows})
      EXPECT_TRUE(sum_of(p.empty(), p.all(), threads, block) == whole) << threads << " " << block;
}

TEST(AddByChunks, SumsOfFloatsDoNotDependOnThreadsOrBlocks) {
  struct Sum {
    float value = 0;
    void add(const RowBlock<float>& block) {
      for (std::size_t i = 0; i < block.rows; ++i) value += block.values[i * block.stride];
    }
    void merge(const Sum& other) { value += other.value; }
    void save(Archive& archive) const { archive.put_number("value", value); }
    void load(const Archive& archive) { value = float(archive.get_number("value")); }
  };
  const Data<float> data;
  const float one = sum_of(Sum{}, data.all(), 1, kRows).value;
  float in_order = 0;
  for (std::size_t i = 0; i < kRows; ++i) in_order += data.x[i * kCols];
  EXPECT_NEAR(one, in_order, 1e-2);
  for (const int threads : {2, 3, 5})
    for (const std::size_t block : {kChunkRows, 3 * kChunkRows, kRows})
      EXPECT_EQ(sum_of(Sum{}, data.all(), threads, block).value, one) << threads << " " << block;
}

TEST(ChunkEdges, LieAtMultiplesOfTheGlobalRowNumber) {
  EXPECT_EQ(chunk_edges(0, 0), (std::vector<std::size_t>{0}));
  EXPECT_EQ(chunk_edges(0, 2048), (std::vector<std::size_t>{0, 1024, 2048}));
  EXPECT_EQ(chunk_edges(1000, 1100), (std::vector<std::size_t>{0, 24, 1048, 1100}));
}

}  // namespace
}  // namespace bochner
