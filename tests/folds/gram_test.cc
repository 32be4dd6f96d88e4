// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/gram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/backend.h"
#include "backend/whole.h"
#include "folds/gram_and_held.h"
#include "maps/map_rows.h"
#include "random/draw.h"

namespace bochner {
namespace {

using Products = GramFold::Products;

// Features bounded by 1, two regression targets, optional weights.
struct Problem {
  std::size_t rows, features;
  std::vector<float> z;
  std::vector<double> targets, weights;

  Problem(std::size_t n, std::size_t D) : rows(n), features(D) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < D; ++j) z.push_back(float(2 * uniform(1, Draw::frequency, i, j) - 1));
      for (std::size_t k = 0; k < 2; ++k) targets.push_back(10 * normal(2, Draw::frequency, i, k));
      weights.push_back(0.5 + 2 * uniform(3, Draw::frequency, i));
    }
  }

  RowBlock<float> block(bool weighted = false) const {
    RowBlock<float> b;
    b.rows = rows;
    b.cols = b.stride = features;
    b.values = z.data();
    b.targets = targets.data();
    b.target_count = 2;
    b.weights = weighted ? weights.data() : nullptr;
    return b;
  }

  GramFold empty(Products products = Products::rounded) const {
    return GramFold(features, 1.0, {Task::regression, 0, {0, 1}, {50, 60}}, 3.0, products);
  }
};

GramFold sum_in_blocks(const Problem& p, int threads, std::size_t block_rows, bool weighted = false,
                       Products products = Products::rounded) {
  Threads team(threads);
  GramFold sum = p.empty(products);
  for (std::size_t begin = 0; begin < p.rows; begin += block_rows)
    sum.add({cpu_backend(), team}, p.block(weighted).slice(begin, std::min(block_rows, p.rows - begin)));
  return sum;
}

TEST(GramFold, AgreesWithPlainSums) {
  const Problem p(1500, 65);
  for (const bool weighted : {false, true}) {
    const GramFold sum = sum_in_blocks(p, 2, 1024, weighted);
    Threads team(2);
    const TiledSymmetric<double> g = sum.gram(team);
    const Matrix<double> r = sum.moment();
    const auto w = [&](std::size_t i) { return weighted ? p.weights[i] : 3.0; };  // weight bound 3 stands for w = 1
    for (std::size_t a = 0; a < p.features; a += 7)
      for (std::size_t b = 0; b <= a; b += 5) {
        double expected = 0;
        for (std::size_t i = 0; i < p.rows; ++i) expected += w(i) * p.z[i * 65 + a] * p.z[i * 65 + b];
        EXPECT_NEAR(g.at(a, b), expected, 1e-6 * sum.weight());
      }
    for (std::size_t a = 0; a < p.features; ++a) {
      double moment = 0, mean = 0;
      for (std::size_t i = 0; i < p.rows; ++i) {
        moment += w(i) * p.z[i * 65 + a] * (p.targets[2 * i + 1] - 1) / 60;
        mean += w(i) * p.z[i * 65 + a];
      }
      EXPECT_NEAR(r(a, 1), moment, 1e-6);
      EXPECT_NEAR(r(a, 2), mean, 1e-6);
    }
    double weight = 0;
    for (std::size_t i = 0; i < p.rows; ++i) weight += w(i);
    EXPECT_NEAR(sum.weight(), weight, 1e-6);
  }
}

TEST(GramFold, SumIsTheSameToTheBitForAnyThreadsAndBlocks) {
  const Problem p(5000, 300);
  const GramFold one = sum_in_blocks(p, 1, 1024);
  for (int threads : {2, 3, 7})
    for (std::size_t block : {1024, 2048, 5120})
      EXPECT_EQ(one, sum_in_blocks(p, threads, block)) << threads << " " << block;
}

TEST(GramFold, PartsMergeInAnyOrderAndSubtractExactly) {
  const Problem p(4096, 70);
  Threads team(2);
  std::vector<GramFold> parts;
  for (std::size_t part = 0; part < 4; ++part) {
    parts.push_back(p.empty());
    parts.back().add({cpu_backend(), team}, p.block().slice(part * 1024, 1024));
  }
  GramFold forward = p.empty(), backward = p.empty();
  for (std::size_t i = 0; i < 4; ++i) {
    forward.merge(parts[i]);
    backward.merge(parts[3 - i]);
  }
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward, sum_in_blocks(p, 2, 4096));
  for (std::size_t i = 1; i < 4; ++i) forward.subtract(parts[i]);
  EXPECT_EQ(forward, parts[0]);
}

TEST(GramFold, RemovingRowsEqualsSubtractingTheirSumsAndAddingThemRestoresEveryBit) {
  const Problem p(3000, 70);
  Threads team(3);
  const Workers on{cpu_backend(), team};
  for (const bool weighted : {false, true}) {
    const GramFold all = sum_in_blocks(p, 2, 1024, weighted);
    RowBlock<float> some = p.block(weighted).slice(500, 1700);  // chunks of their own, and a rest
    some.first = 0;
    GramFold part = p.empty(), expected = all, found = all;
    part.add(on, some);
    expected.subtract(part);
    found.remove(on, some);
    EXPECT_EQ(expected, found);
    EXPECT_NE(all, found);
    found.add(on, some.slice(0, 1024));
    found.add(on, some.slice(1024, 676));
    EXPECT_EQ(all, found);
  }
}

TEST(GramFold, RefusesSumsOfAnotherMap) {
  GramFold a(4, 1.0, {Task::regression, 0, {0}, {1}});
  EXPECT_THROW(a.merge(GramFold(4, 2.0, {Task::regression, 0, {0}, {1}})), std::invalid_argument);
  EXPECT_THROW(a.merge(GramFold(5, 1.0, {Task::regression, 0, {0}, {1}})), std::invalid_argument);
  EXPECT_THROW(a.merge(GramFold(4, 1.0, {Task::regression, 0, {0}, {1}}, 1, Products::whole)), std::invalid_argument);
}

// sqrt(w / 3) z as whole numbers, in the fold's own arithmetic.
std::int32_t whole(const Problem& p, bool weighted, std::size_t i, std::size_t j) {
  const float root = weighted ? float(std::sqrt(p.weights[i] / 3.0)) : 1.0f;
  return to_whole(root * p.z[i * p.features + j], float(kMostWhole));
}

TEST(WholeGramFold, IsTheSumOfWholeNumbers) {
  const Problem p(1500, 83);
  for (const bool weighted : {false, true}) {
    const GramFold sum = sum_in_blocks(p, 2, 1024, weighted, Products::whole);
    Threads team(2);
    const TiledSymmetric<double> g = sum.gram(team);
    const Matrix<double> r = sum.moment();
    for (std::size_t a = 0; a < p.features; a += 3)
      for (std::size_t b = 0; b <= a; b += 5) {
        std::int64_t expected = 0;
        double plain = 0;
        for (std::size_t i = 0; i < p.rows; ++i) {
          expected += std::int64_t{whole(p, weighted, i, a)} * whole(p, weighted, i, b);
          plain += (weighted ? p.weights[i] : 3.0) * p.z[i * 83 + a] * p.z[i * 83 + b];
        }
        EXPECT_EQ(g.at(a, b), double(expected) * (3.0 / (16256.0 * 16256.0)));
        // Each product is off by at most 1 / 16256 of the bound, and by far less in the mean.
        EXPECT_NEAR(g.at(a, b), plain, 3.0 * 1500 / 16256 / 16);
      }
    for (std::size_t a = 0; a < p.features; ++a) {
      double moment = 0, mean = 0;
      for (std::size_t i = 0; i < p.rows; ++i) {
        const double root = weighted ? std::sqrt(p.weights[i] / 3.0) : 1, q = whole(p, weighted, i, a) / 16256.0;
        moment += 3.0 * root * q * (p.targets[2 * i + 1] - 1) / 60;
        mean += 3.0 * root * q;
      }
      EXPECT_NEAR(r(a, 1), moment, 1e-6);
      EXPECT_NEAR(r(a, 2), mean, 1e-6);
    }
  }
}

TEST(WholeGramFold, IsTheSameToTheBitForAnyThreadsBlocksAndBackend) {
  const Problem p(5000, 300);
  for (const bool weighted : {false, true}) {
    const GramFold one = sum_in_blocks(p, 1, 1024, weighted, Products::whole);
    for (int threads : {2, 5})
      for (std::size_t block : {1024, 2048, 5120})
        EXPECT_EQ(one, sum_in_blocks(p, threads, block, weighted, Products::whole)) << threads << " " << block;
    Threads team(2);
    GramFold reference = p.empty(Products::whole);
    reference.add({reference_backend(), team}, p.block(weighted));
    EXPECT_EQ(one, reference);
  }
}

// A map to CSR and the same to dense rows: a column of each of eight groups is not 0.
class OneOfEight final : public Map {
 public:
  explicit OneOfEight(bool sparse) : sparse_(sparse) {}
  std::size_t inputs() const override { return 8; }
  std::size_t outputs() const override { return 8 * 61; }
  double bound() const override { return 1; }
  std::size_t nonzeros() const override { return sparse_ ? 8 : 0; }
  void apply(const Backend&, const RowBlock<float>& x, MatrixView<float> out) const override {
    for (std::size_t i = 0; i < x.rows; ++i) {
      std::fill_n(out.row(i), out.cols, 0.0f);
      for (std::size_t g = 0; g < 8; ++g) out(i, column(x, i, g)) = x.values[i * x.stride + g];
    }
  }
  void apply(const Backend&, const RowBlock<double>&, MatrixView<double>) const override { FAIL(); }
  bool apply_sparse(const Backend&, const RowBlock<float>& x, SparseRows<float>& rows) const override {
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t g = 0; g < 8; ++g) rows.add(column(x, i, g), x.values[i * x.stride + g]);
      rows.end_row();
    }
    return true;
  }
  std::string spec() const override { return "one_of_eight"; }
  void save(Archive&) const override {}

 private:
  static std::size_t column(const RowBlock<float>& x, std::size_t i, std::size_t g) {
    return 61 * g + std::size_t(30 * (1 + x.values[i * x.stride + g]));
  }
  bool sparse_;
};

TEST(WholeGramFold, ProductsOfSparseFeaturesAreThoseOfDenseOnes) {
  const Problem p(2500, 8);
  const OneOfEight sparse(true), dense(false);
  for (const bool weighted : {false, true}) {
    std::vector<GramFold> sums;
    for (const Map* map : {static_cast<const Map*>(&dense), static_cast<const Map*>(&sparse)})
      for (const int threads : {1, 3}) {
        Threads team(threads);
        GramFold& sum = sums.emplace_back(map->outputs(), 1.0, p.empty().code(), 3.0, Products::whole);
        std::vector<int> seen(p.rows);
        sum.add_unmapped({cpu_backend(), team}, *map, p.block(weighted),
                         [&](std::size_t begin, MatrixView<const float> z) {
                           for (std::size_t i = 0; i < z.rows; ++i) ++seen[begin + i];
                         });
        EXPECT_EQ(seen, std::vector<int>(p.rows, 1));
      }
    for (const GramFold& sum : sums) EXPECT_EQ(sum, sums[0]);
  }
}

// Any rows, in other blocks and under other numbers than they were added by.
TEST(WholeGramFold, AnyRowsAreRemovedAndAddedBackExactly) {
  const Problem p(3000, 70);
  Threads team(3);
  const Workers on{cpu_backend(), team};
  for (const bool weighted : {false, true}) {
    const GramFold all = sum_in_blocks(p, 2, 1024, weighted, Products::whole);
    GramFold left = all, rest = p.empty(Products::whole);
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{1990, 7}, {3, 1}, {500, 900}})
      left.remove(on, p.block(weighted).slice(first, count));
    for (const auto& [first, count] :
         {std::pair<std::size_t, std::size_t>{1997, 1003}, {1400, 590}, {4, 496}, {0, 3}}) {
      RowBlock<float> some = p.block(weighted).slice(first, count);
      some.first = 77;
      rest.add(on, some);
    }
    EXPECT_EQ(left, rest);
    EXPECT_NE(left, all);
    for (std::size_t i = 500; i < 1400; i += 300) left.add(on, p.block(weighted).slice(i, 300));
    left.add(on, p.block(weighted).slice(1990, 7));
    left.add(on, p.block(weighted).slice(3, 1));
    EXPECT_EQ(left, all);
  }
}

TEST(GramFold, ByRowAnyRowsAreRemovedExactlyAndEachIsRoundedOnce) {
  const Problem p(3000, 70);
  Threads team(3);
  const Workers on{cpu_backend(), team};
  for (const bool weighted : {false, true}) {
    const GramFold all = sum_in_blocks(p, 2, 1024, weighted, Products::by_row);
    GramFold left = all, rest = p.empty(Products::by_row);
    left.remove(on, p.block(weighted).slice(1990, 7));
    left.remove(on, p.block(weighted).slice(3, 1));
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{1997, 1003}, {4, 1986}, {0, 3}}) {
      RowBlock<float> some = p.block(weighted).slice(first, count);
      some.first = 77;
      rest.add(on, some);
    }
    EXPECT_EQ(left, rest);
    if (weighted) continue;
    const TiledSymmetric<double> gram = all.gram(team);
    for (std::size_t a = 0; a < 70; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        double sum = 0;
        for (std::size_t i = 0; i < p.rows; ++i) sum += double(p.z[i * 70 + a]) * double(p.z[i * 70 + b]);
        // Rows without weights weigh as the heaviest, 3; half a quantum is lost for each.
        EXPECT_NEAR(gram.at(a, b), 3 * sum, double(p.rows) * 3 * 0x1p-33);
      }
  }
}

TEST(WholeGramFold, ClassesAndNumbersKeepTheirDigits) {
  const std::size_t n = 700, D = 5;
  Problem p(n, D);
  const TargetCode numbers{Task::regression, 0, {0, 1}, {50, 60}}, classes{Task::classification, 3, {}, {}};
  for (std::size_t i = 0; i < 2 * n; ++i) p.targets[i] = double(i % 3);
  Threads team(2);
  for (const TargetCode& code : {numbers, classes})
    for (const bool weighted : {false, true}) {
      GramFold sum(D, 1.0, code, 3.0, Products::whole);
      sum.add({cpu_backend(), team}, p.block(weighted));
      const Matrix<double> r = sum.moment();
      for (std::size_t j = 0; j < D; ++j)
        for (std::size_t k = 0; k < code.columns(); ++k) {
          double expected = 0;
          for (std::size_t i = 0; i < n; ++i) {
            const double root = weighted ? std::sqrt(p.weights[i] / 3.0) : 1;
            expected += 3.0 * root * whole(p, weighted, i, j) / 16256.0 * code.encode(&p.targets[2 * i], k);
          }
          EXPECT_NEAR(r(j, k), expected, 3.0 * n * 0x1p-29 / 4) << j << " " << k << " " << weighted;
        }
    }
}

TEST(WholeGramFold, RefusesTargetsFarOutsideOfTheirRange) {
  Problem p(10, 3);
  p.targets[4] = 60.0 * 2000;
  Threads team(1);
  GramFold sum = p.empty(Products::whole);
  EXPECT_THROW(sum.add({cpu_backend(), team}, p.block()), std::invalid_argument);
}

// Mapped a few rows at a time, packed before they leave the cache: the sums, and the rows that are held out, are those
// of features that were written first.
TEST(WholeGramFold, OfUnmappedRowsIsThatOfTheirFeatures) {
  const std::size_t n = 2500;
  const Problem p(n, 7);
  for (const auto form : {FourierOptions::Form::cossin, FourierOptions::Form::shifted})
    for (const std::size_t features : {2, 90, 346, 1100})
      for (const bool weighted : {false, true}) {
        FourierOptions options;
        options.kernel = parse_kernel("laplacian");
        options.features = features;
        options.form = form;
        const MapPtr map = fourier(7, options);
        RowBlock<float> x = p.block(weighted);
        x.first = 300;
        Threads team(3);
        const Workers on{cpu_backend(), team};
        Matrix<float> z(n, features);
        map_rows(on, *map, x, z.view());
        const GramAndHeld empty{
            GramFold(features, map->bound(), {Task::regression, 0, {0, 1}, {50, 60}}, 3.0, Products::whole),
            HeldOut(features, 2, 0.1, 4)};
        GramAndHeld expected = empty;
        expected.add(on, x.with_values(MatrixView<const float>(z.view())));
        EXPECT_GT(expected.held.rows(), 100u);
        for (const int threads : {1, 3}) {
          Threads some(threads);
          GramAndHeld found = empty;
          found.add_unmapped({cpu_backend(), some}, *map, x);
          EXPECT_TRUE(found == expected) << features << " " << weighted << " " << threads;
        }
      }
}

TEST(WholeGramFold, TakesFloatOnly) {
  const std::vector<double> z = {0.5, 0.25}, y = {1, 2};
  auto block = RowBlock<double>::dense({z.data(), 1, 2, 2});
  block.targets = y.data();
  block.target_count = 1;
  Threads team(1);
  GramFold sum(2, 1.0, {Task::regression, 0, {0}, {1}}, 1, Products::whole);
  EXPECT_THROW(sum.add({cpu_backend(), team}, block), std::invalid_argument);
  GramFold rounded(2, 1.0, {Task::regression, 0, {0}, {1}});
  EXPECT_FALSE(rounded.adds_unmapped());
  const RowBlock<float> none;
  EXPECT_THROW(rounded.add_unmapped({cpu_backend(), team}, *fourier(1, {.features = 2}), none), std::invalid_argument);
}

TEST(TargetCode, TwoClassesAreOneColumnAndMoreAreOneEach) {
  const TargetCode two{Task::classification, 2, {}, {}}, three{Task::classification, 3, {}, {}};
  EXPECT_EQ(two.columns(), 1u);
  EXPECT_EQ(three.columns(), 3u);
  const double label = 1;
  EXPECT_EQ(two.encode(&label, 0), 1);
  EXPECT_EQ(three.encode(&label, 1), 1);
  EXPECT_EQ(three.encode(&label, 2), -1);
}

}  // namespace
}  // namespace bochner
