// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/svd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bochner/archive.h"
#include "bochner/transform.h"
#include "model/saved_model.h"
#include "random/draw.h"
#include "solve/dense.h"

namespace bochner {
namespace {

// Rows with singular values that fall as a power, about a mean, on directions that are no axes; or CSR rows.
struct Problem {
  std::size_t n, d;
  std::vector<float> x;

  Problem(std::size_t rows, std::size_t cols, double power, double mean = 0, std::size_t factors = 40)
      : n(rows), d(cols), x(rows * cols) {
    std::vector<double> size(factors);
    for (std::size_t k = 0; k < factors; ++k) size[k] = std::pow(double(k + 1), -power);
    Matrix<double> v(factors, d);
    for (std::size_t k = 0; k < factors; ++k)
      for (std::size_t j = 0; j < d; ++j) v(k, j) = size[k] * normal(2, Draw::frequency, k, j);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> row(d, mean);
      for (std::size_t k = 0; k < factors; ++k) {
        const double u = normal(1, Draw::frequency, i, k);
        for (std::size_t j = 0; j < d; ++j) row[j] += u * v(k, j);
      }
      std::copy(row.begin(), row.end(), x.begin() + std::ptrdiff_t(i * d));
    }
  }
  Schema schema() const {
    Schema schema;
    schema.inputs = d;
    return schema;
  }
  Model factor(const SvdOptions& options) const {
    return svd(*memory_rows<float>({x.data(), n, d, d}, {}, schema()), options);
  }
  // The eigenvalues of (A - mean)^T (A - mean), or those of the products of rows where they are fewer.
  std::vector<double> eigenvalues(bool center) const {
    std::vector<double> mean(d), a(x.begin(), x.end());
    for (std::size_t i = 0; center && i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) mean[j] += a[i * d + j] / double(n);
    for (std::size_t i = 0; i < n * d; ++i) a[i] -= mean[i % d];
    const std::size_t size = std::min(n, d);
    Matrix<double> c(size, size);
    const MatrixView<const double> view{a.data(), n, d, d};
    if (n < d)
      multiply_transposed(1, view, view, 0, c.view());
    else
      transposed_multiply(1, view, view, 0, c.view());
    return largest_eigen(c, size).values;
  }
};

double tail(const std::vector<double>& values, std::size_t rank) {
  double sum = 0;
  for (std::size_t k = rank; k < values.size(); ++k) sum += std::max(values[k], 0.0);
  return sum;
}

// |A - A V V^T|_F^2 of the rows themselves, in double.
double left_of(const Problem& p, const Model& model) {
  Archive archive;
  model.head()->save(archive);
  const std::size_t r = model.outputs();
  const std::vector<double> v = archive.get<double>("directions", {p.d, r});
  const std::vector<double> mean = archive.get<double>("mean", {archive.length("mean")});
  const std::vector<double>& offsets = model.schema().offsets;
  double left = 0;
  for (std::size_t i = 0; i < p.n; ++i) {
    std::vector<double> u(r);
    for (std::size_t j = 0; j < p.d; ++j) {
      const double a = double(p.x[i * p.d + j]) - (offsets.empty() ? 0 : offsets[j]) - (mean.empty() ? 0 : mean[j]);
      left += a * a;
      for (std::size_t k = 0; k < r; ++k) u[k] += a * v[j * r + k];
    }
    for (const double value : u) left -= value * value;
  }
  return left;
}

class Svd : public SavedModel {};

struct Shape {
  const char* name;
  std::size_t n, d;
};
// Few columns (the covariance), many (a space of columns), more than rows (a space of rows).
constexpr Shape kShapes[] = {{"covariance", 1500, 60}, {"columns", 1300, 700}, {"rows", 500, 900}};

TEST_F(Svd, ErrorIsWithinOnePercentOfTheLeast) {
  for (const Shape& shape : kShapes)
    for (const double power : {0.3, 1.0})
      for (const bool center : {false, true}) {
        const Problem p(shape.n, shape.d, power, 0.5);
        const Model model = p.factor({.rank = 6, .center = center, .seed = 3});
        const std::vector<double> values = p.eigenvalues(center);
        const double best = std::sqrt(tail(values, 6));
        EXPECT_LT(std::sqrt(left_of(p, model)), 1.01 * best) << shape.name << power << center;
        const Factor factor = *factor_of(*model.map());
        EXPECT_NEAR(factor.error * std::sqrt(factor.total), std::sqrt(left_of(p, model)), 1e-3 * best) << shape.name;
        for (std::size_t k = 0; k < 6; ++k)
          EXPECT_NEAR(factor.singular_values[k], std::sqrt(values[k]), 0.02 * std::sqrt(values[k])) << shape.name << k;
      }
}

TEST_F(Svd, MorePassesComeNearer) {
  for (const Shape& shape : {kShapes[1], kShapes[2]}) {
    const Problem p(shape.n, shape.d, 0.4);
    const double best = tail(p.eigenvalues(false), 6);
    double before = 1e300;
    for (const std::size_t passes : {1, 3, 5}) {
      const Model model = p.factor({.rank = 6, .passes = passes});
      EXPECT_EQ(factor_of(*model.map())->passes, passes) << shape.name;
      const double left = left_of(p, model);
      EXPECT_LT(left, 1.001 * before) << shape.name << passes;
      EXPECT_GT(left, 0.999 * best) << shape.name << passes;
      const double told = std::pow(factor_of(*model.map())->error, 2) * factor_of(*model.map())->total;
      EXPECT_LT(left, 1.001 * told) << shape.name << passes;  // what is told is no less
      before = left;
    }
    EXPECT_LT(before, 1.01 * best) << shape.name;
  }
}

TEST_F(Svd, ThreadsAndBlocksDoNotChangeAByte) {
  for (const Shape& shape : kShapes) {
    const Problem p(shape.n + 1100, shape.d, 0.5, 1);
    const std::string one = saved(p.factor({.rank = 5, .center = true, .execution = {.threads = 1}}));
    for (const int threads : {2, 3})
      EXPECT_EQ(saved(p.factor({.rank = 5, .center = true, .execution = {.threads = threads, .block_rows = 1024}})),
                one)
          << shape.name;
  }
}

TEST_F(Svd, ComponentsAreOrthonormalWhateverTheRank) {
  const Problem low(300, 90, 0.5, 2, 3);  // rank 3, and 1 by the mean
  Problem zero(50, 30, 0.5);
  std::fill(zero.x.begin(), zero.x.end(), 0.f);
  const Problem one_row(1, 40, 0.5);
  Problem wide(20, 800, 0.5, 0, 2);
  for (const auto& [p, rank] :
       {std::pair<const Problem*, std::size_t>{&low, 12}, {&zero, 4}, {&one_row, 1}, {&wide, 20}})
    for (const bool center : {false, true}) {
      const Model model = p->factor({.rank = rank, .center = center});
      Archive archive;
      model.head()->save(archive);
      const std::vector<double> v = archive.get<double>("directions", {p->d, rank});
      for (std::size_t a = 0; a < rank; ++a)
        for (std::size_t b = 0; b <= a; ++b) {
          double product = 0;
          for (std::size_t j = 0; j < p->d; ++j) product += v[j * rank + a] * v[j * rank + b];
          EXPECT_NEAR(product, a == b ? 1 : 0, 1e-6) << p->n << " " << a << " " << b << center;
        }
      EXPECT_LT(left_of(*p, model), 1e-6 * std::max(factor_of(*model.map())->total, 1e-3));
    }
}

// The problem with one of twenty numbers left, as dense rows and as CSR.
struct SparseProblem : Problem {
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;

  SparseProblem(std::size_t rows, std::size_t cols, double power, double scale = 1) : Problem(rows, cols, power) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::uint32_t j = 0; j < d; ++j) {
        float& value = x[i * d + j];
        value = uniform(5, Draw::frequency, i, j) < 0.05 ? float(scale) * (value + float(j % 7)) : 0;
        if (value != 0) {
          columns.push_back(j);
          values.push_back(value);
        }
      }
      offsets.push_back(columns.size());
    }
  }
  RowBlock<float> block() const {
    RowBlock<float> all{.rows = n, .cols = d, .values = values.data()};
    all.offsets = offsets.data();
    all.columns = columns.data();
    return all;
  }
  Schema sparse_schema() const {
    Schema sparse = schema();
    sparse.sparse = true;
    return sparse;
  }
  Model sparse_factor(const SvdOptions& options) const {
    return svd(*memory_rows<float>(block(), sparse_schema()), options);
  }
};

TEST_F(Svd, CsrRowsGiveTheSameFactor) {
  const SparseProblem p(1200, 800, 0.6);
  RowBlock<float> block = p.block();
  const Schema schema = p.sparse_schema();
  for (const std::size_t rows : {p.n, std::size_t(400)})  // more than columns, and fewer
    for (const bool center : {false, true}) {
      block.rows = rows;
      Problem part = p;
      part.n = rows;
      part.x.resize(rows * p.d);
      const Model sparse = svd(*memory_rows<float>(block, schema), {.rank = 4, .center = center});
      const std::vector<double> exact = part.eigenvalues(center);
      EXPECT_LT(left_of(part, sparse), 1.02 * tail(exact, 4)) << rows << center;
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(factor_of(*sparse.map())->singular_values[k] / std::sqrt(exact[k]), 1, 5e-3);
      // What the model makes of CSR rows is what it makes of dense ones.
      const Matrix<float> a = transform<float>(sparse.map(), *memory_rows<float>(block, schema));
      const Matrix<float> b = transform<float>(sparse.map(), MatrixView<const float>{part.x.data(), rows, p.d, p.d});
      for (std::size_t i = 0; i < rows * 4; ++i) EXPECT_NEAR(a.data()[i], b.data()[i], 1e-4);
    }
}

// The rows lie in memory, and the space is that of the rows, or of the columns, whatever the sizes of numbers.
TEST_F(Svd, CsrRowsInMemoryGiveOneFactorForAnyThreads) {
  for (const auto& [n, d] : {std::pair<std::size_t, std::size_t>{1500, 900}, {700, 1400}})
    for (const double scale : {1.0, 1e12, 1e-12})
      for (const bool center : {false, true}) {
        const SparseProblem p(n, d, 0.6, scale);
        const Model one = p.sparse_factor({.rank = 20, .center = center, .seed = 2, .execution = {.threads = 1}});
        EXPECT_EQ(factor_of(*one.map())->method, n < d ? "block Lanczos of the rows" : "block Lanczos");
        EXPECT_EQ(saved(p.sparse_factor({.rank = 20, .center = center, .seed = 2, .execution = {.threads = 3}})),
                  saved(one));
        const std::vector<double> values = p.eigenvalues(center);
        const Factor factor = *factor_of(*one.map());
        EXPECT_LT(left_of(p, one), 1.005 * tail(values, 20));
        EXPECT_NEAR(std::pow(factor.error, 2) * factor.total / left_of(p, one), 1, 1e-4);
        EXPECT_LT(*factor.above_best, 0.01);
        for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(factor.singular_values[k] / std::sqrt(values[k]), 1, 1e-3);
      }
}

// Twenty numbers beside others ten thousand times as large: products in float would lose them.
TEST_F(Svd, SmallComponentsOfCsrRowsAreNotBlurred) {
  const std::size_t n = 600, d = 1000;
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      columns.push_back(std::uint32_t((i % 12) * 80 + j));
      values.push_back(float((i % 12 < 6 ? 1e4 : 1) * (1 + double(i % 12)) * (1 + 0.1 * double(j))));
    }
    offsets.push_back(columns.size());
  }
  RowBlock<float> block{.rows = n, .cols = d, .values = values.data()};
  block.offsets = offsets.data();
  block.columns = columns.data();
  Schema schema;
  schema.inputs = d;
  schema.sparse = true;
  const Model model = svd(*memory_rows<float>(block, schema), {.rank = 12});
  std::vector<double> expected;
  for (std::size_t g = 0; g < 12; ++g)
    expected.push_back((g < 6 ? 1e4 : 1) * (1 + double(g)) * std::sqrt(50 * (1 + 1.21 + 1.44)));
  std::sort(expected.rbegin(), expected.rend());
  for (std::size_t k = 0; k < 12; ++k)
    EXPECT_NEAR(factor_of(*model.map())->singular_values[k] / expected[k], 1, 1e-5) << k;
}

TEST_F(Svd, InputsFarFromZeroAreCentredInDouble) {
  const Problem p(600, 30, 0.7);
  std::vector<double> far(p.x.begin(), p.x.end());
  for (double& value : far) value += 1e9;
  const SvdOptions options{.rank = 3, .center = true};
  const Model near = p.factor(options);
  const Model shifted =
      svd(*memory_rows<double>(MatrixView<const double>{far.data(), p.n, p.d, p.d}, {}, p.schema()), options);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(factor_of(*shifted.map())->singular_values[k] / factor_of(*near.map())->singular_values[k], 1, 1e-4);
}

TEST_F(Svd, AModelReadAgainMapsTheSame) {
  const Problem p(200, 12, 0.5, 1);
  const Model model = p.factor({.rank = 4, .center = true});
  saved(model);
  const Model again = Model::load(path_.string());
  EXPECT_EQ(factor_of(*again.map())->singular_values, factor_of(*model.map())->singular_values);
  EXPECT_EQ(again.puts_out().kind, Outputs::Kind::components);
  const MatrixView<const float> x{p.x.data(), p.n, p.d, p.d};
  EXPECT_EQ(transform<float>(again.map(), x), transform<float>(model.map(), x));
}

TEST_F(Svd, TheWayBackLeadsToTheNearestRow) {
  const Problem p(300, 20, 0.5, 1);
  const MatrixView<const float> x{p.x.data(), p.n, p.d, p.d};
  for (const std::size_t rank : {5, 20}) {
    const Model model = p.factor({.rank = rank, .center = true});
    const MapPtr map = model.map();
    const Matrix<float> y = transform<float>(map, x), back = transform<float>(map->inverse(map), y.view());
    double left = 0;
    for (std::size_t i = 0; i < p.n * p.d; ++i) left += std::pow(double(back.data()[i]) - double(p.x[i]), 2);
    EXPECT_NEAR(left, left_of(p, model), 1e-3 * factor_of(*model.map())->total);
    if (rank == 20) {
      EXPECT_LT(left, 1e-6 * factor_of(*model.map())->total);
    }
  }
}

TEST_F(Svd, RefusesARankThatTheRowsCannotHave) {
  const Problem p(20, 30, 0.5);
  try {
    p.factor({.rank = 21});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("expected 1 to 20"), std::string::npos) << e.what();
  }
  EXPECT_THROW(p.factor({.rank = 0}), std::invalid_argument);
  EXPECT_THROW(p.factor({.rank = 2, .passes = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
