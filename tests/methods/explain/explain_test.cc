// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/explain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/error.h"
#include "bochner/nystroem.h"
#include "maps/fourier.h"
#include "maps/tree_sum.h"
#include "methods/automatic/radial.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/grid_linear.h"
#include "methods/explain/legendre.h"
#include "random/draw.h"

namespace bochner {
namespace {

using Unknown = ExplainOptions::Unknown;

double draw(std::size_t i, std::size_t j) { return normal(5, Draw::sample, i, j); }

// Five columns that become seven inputs: numbers a, b and c, a text of three levels, and a number that no map reads.
Schema five_columns() {
  using Kind = Column::Kind;
  Schema schema;
  schema.columns = {
      {.name = "a"}, {.name = "b"},      {.name = "kind", .kind = Kind::category, .levels = {"x", "y", "z"}},
      {.name = "c"}, {.name = "unused"}, {.name = "y", .kind = Kind::target}};
  schema.inputs = 7;
  schema.targets = 1;
  return schema;
}
const std::vector<std::size_t> kOwner = {0, 1, 2, 2, 2, 3, 4};

Matrix<double> rows_of(std::size_t n, std::size_t begin) {
  Matrix<double> x(n, 7);
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t j : {0u, 1u, 5u, 6u}) x(i, j) = draw(begin + i, j);
    x(i, 2 + (begin + i) * 7 % 3) = 1;
  }
  return x;
}

// Weights of the inputs that a map reads: the last one has none.
std::vector<ColumnScaling> scales() {
  std::vector<ColumnScaling> all;
  for (std::size_t j = 0; j < 7; ++j)
    all.push_back(
        {.method = ColumnScaling::Method::standardize, .center = 0.1 * double(j), .factor = j == 6 ? 0 : 0.6});
  return all;
}

Matrix<double> weights(std::size_t rows, std::size_t cols) {
  Matrix<double> w(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < cols; ++k) w(i, k) = draw(1000 + i, k);
  return w;
}

Model model_of(std::vector<MapPtr> maps, std::size_t outputs = 1, bool wide = true) {
  Schema schema = five_columns();
  schema.targets = outputs;
  if (outputs > 1) schema.columns.pop_back();
  for (std::size_t k = 0; k < outputs && outputs > 1; ++k)
    schema.columns.push_back({.name = "y" + std::to_string(k), .kind = Column::Kind::target});
  const MapPtr head = maps.back();
  maps.pop_back();
  return Model(schema, std::move(maps), head, Report{}, wide);
}
Model with_head(const MapPtr& map, std::size_t outputs = 1) {
  return model_of({scaling(scales()), map, linear(weights(map->outputs(), outputs), std::vector<double>(outputs, 0.7))},
                  outputs);
}

// v(S) of every coalition by the model's own predictions: the mean over whole background rows, or over every mix of
// their columns.
struct Game {
  std::vector<std::vector<double>> worth;  // [set][output]
  std::size_t players = 5;

  Game(const Model& model, const Matrix<double>& background, const double* x, Unknown unknown) {
    const std::size_t B = background.rows();
    const std::size_t mixes = unknown == Unknown::rows ? B : std::size_t(std::pow(double(B), 5) + 0.5);
    for (std::size_t set = 0; set < 32; ++set) {
      Matrix<double> rows(mixes, 7);
      for (std::size_t m = 0; m < mixes; ++m) {
        std::size_t digits = m, from[5];
        for (std::size_t& b : from) {
          b = unknown == Unknown::rows ? m : digits % B;
          digits /= B;
        }
        for (std::size_t c = 0; c < 7; ++c) rows(m, c) = set >> kOwner[c] & 1 ? x[c] : background(from[kOwner[c]], c);
      }
      const Matrix<double> found = model.predict(std::as_const(rows).view());
      worth.emplace_back(model.outputs(), 0.0);
      for (std::size_t m = 0; m < mixes; ++m)
        for (std::size_t k = 0; k < model.outputs(); ++k) worth.back()[k] += found(m, k) / double(mixes);
    }
  }
  static double weight(std::size_t size, std::size_t n) {
    return std::tgamma(double(size + 1)) * std::tgamma(double(n - size)) / std::tgamma(double(n + 1));
  }
  double value(std::size_t j, std::size_t k) const {
    double sum = 0;
    for (std::size_t set = 0; set < 32; ++set)
      if (!(set >> j & 1))
        sum += weight(std::size_t(__builtin_popcountll(set)), 5) * (worth[set | 1u << j][k] - worth[set][k]);
    return sum;
  }
  double interaction(std::size_t i, std::size_t j, std::size_t k) const {
    double sum = 0;
    for (std::size_t set = 0; set < 32; ++set)
      if (!(set >> j & 1) && !(set >> i & 1))
        sum += weight(std::size_t(__builtin_popcountll(set)), 4) *
               (worth[set | 1u << j | 1u << i][k] - worth[set | 1u << j][k] - worth[set | 1u << i][k] + worth[set][k]);
    return sum;
  }
};

Explanation explained(const Model& model, const Matrix<double>& x, const Matrix<double>& background,
                      const ExplainOptions& options = {}, int threads = 1) {
  const auto rows = memory_rows<double>(x.view(), {}, model.schema());
  const auto against = memory_rows<double>(background.view(), {}, model.schema());
  return explain(model, *rows, *against, options, {.threads = threads});
}

// Values, base, scores and pairs are those of the game, to 1e-9 of the scores' size.
void expect_exact(const Model& model, Unknown unknown, const std::string& what) {
  SCOPED_TRACE(what);
  const Matrix<double> background = rows_of(3, 50), x = rows_of(4, 0);
  const Explanation found = explained(model, x, background, {.unknown = unknown, .evaluations = 1000, .pairs = true});
  const Matrix<double> predicted = model.predict(x.view());
  EXPECT_EQ(found.errors.rows(), 0u);
  ASSERT_EQ(found.columns, (std::vector<std::string>{"a", "b", "kind", "c", "unused"}));
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const Game game(model, background, &x(i, 0), unknown);
    for (std::size_t k = 0; k < model.outputs(); ++k) {
      const std::size_t row = i * model.outputs() + k;
      EXPECT_NEAR(found.base[k], game.worth[0][k], 1e-9);
      EXPECT_NEAR(found.scores(i, k), predicted(i, k), 1e-9);
      for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_NEAR(found.values(row, j), game.value(j, k), 1e-9) << "row " << i << " column " << j;
        double sum = 0;
        for (std::size_t other = 0; other < 5; ++other) {
          sum += found.pairs(row, j * 5 + other);
          if (other == j) continue;
          EXPECT_NEAR(2 * found.pairs(row, j * 5 + other), game.interaction(j, other, k), 1e-9);
        }
        EXPECT_NEAR(sum, found.values(row, j), 1e-12);
      }
      EXPECT_EQ(found.values(row, 4), 0);
    }
  }
}
void expect_exact(const Model& model, const std::string& what) {
  expect_exact(model, Unknown::columns, what + ", each column by itself");
  expect_exact(model, Unknown::rows, what + ", whole rows");
}

// Trees with thresholds on inputs 0 to 5, some of them twice on a path.
MapPtr forest(std::size_t outputs) {
  std::vector<InputTree> trees;
  for (std::size_t t = 0; t < 6; ++t) {
    InputTree tree;
    const auto node = [&](std::size_t at) {
      const std::uint32_t input = std::uint32_t((t + at * 2) % 6);
      return InputTree::Node{input, input > 1 && input < 5 ? 0.2f : float(draw(2000 + t, at)), 0, 0};
    };
    for (std::size_t at = 0; at < 7; ++at) {
      tree.nodes.push_back(node(at));
      const std::int64_t child = std::int64_t(2 * at + 1);
      tree.nodes[at].below = child < 7 ? child : -1 - (child - 7);
      tree.nodes[at].above = child < 7 ? child + 1 : -1 - (child - 6);
    }
    tree.leaves = weights(8, outputs);
    trees.push_back(std::move(tree));
  }
  trees.push_back({{}, weights(1, outputs)});
  return tree_sum(7, std::move(trees), std::vector<double>(outputs, 0.25));
}

TEST(Explain, GaussLegendreIntegratesPolynomials) {
  for (const std::size_t n : {1u, 2u, 5u, 16u, 75u}) {
    const UnitRule rule = gauss_legendre(n);
    for (std::size_t power = 0; power < 2 * n; ++power) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += rule.weights[i] * std::pow(rule.nodes[i], double(power));
      EXPECT_NEAR(sum, 1 / double(power + 1), 2e-15) << n << " nodes, power " << power;
    }
  }
}

TEST(Explain, FourierFeaturesOfEveryDrawAndFormAreThoseOfAllCoalitions) {
  using Draw = FourierOptions::Draw;
  for (const auto draw : {Draw::independent, Draw::orthogonal, Draw::structured, Draw::quasi})
    for (const auto form : {FourierOptions::Form::cossin, FourierOptions::Form::shifted}) {
      const MapPtr map = fourier(7, {.kernel = gaussian(1.3), .features = 38, .form = form, .seed = 3, .draw = draw});
      expect_exact(with_head(map), map->spec());
    }
  const auto chosen =
      std::make_shared<FourierMap>(7, FourierOptions{.features = 6}, std::vector<std::uint64_t>{2, 5, 11});
  expect_exact(with_head(chosen), chosen->spec());
}

TEST(Explain, FourierFeaturesOfEveryKernelAreThoseOfAllCoalitions) {
  for (const char* kernel : {"laplacian:sigma=2", "cauchy:sigma=1", "matern:nu=1.5,sigma=1", "laplacian2:sigma=1"}) {
    const MapPtr map = fourier(7, {.kernel = parse_kernel(kernel), .features = 64, .seed = 1});
    expect_exact(with_head(map, 3), map->spec());
  }
}

TEST(Explain, AMetricBeforeFourierFeaturesMultipliesTheirFrequencies) {
  const MapPtr map = fourier(4, {.kernel = gaussian(2), .features = 40});
  Matrix<double> metric = weights(7, 4);
  for (std::size_t k = 0; k < 4; ++k) metric(6, k) = 0;
  expect_exact(model_of({linear(metric, {0.1, 0, -0.4, 2}), map, linear(weights(40, 1), {})}), "metric");
}

TEST(Explain, LandmarksOfProductKernelsAreThoseOfAllCoalitions) {
  Matrix<double> points = rows_of(9, 200);
  for (std::size_t i = 0; i < points.rows(); ++i) points(i, 6) = 0;
  for (const char* kernel : {"gaussian:sigma=2", "laplacian:sigma=3", "cauchy:sigma=2"})
    expect_exact(with_head(nystroem_at(std::as_const(points).view(), parse_kernel(kernel)), 2), kernel);
  Matrix<float> narrow(9, 7);
  for (std::size_t i = 0; i < 63; ++i) narrow.data()[i] = float(points.data()[i]) / 2;
  expect_exact(model_of({scaling(scales()), radial_machine(narrow, 2, weights(9, 1), {0.5})}), "radial");
}

TEST(Explain, LinearModelsAreThoseOfAllCoalitions) {
  Matrix<double> w = weights(7, 3);
  for (std::size_t k = 0; k < 3; ++k) w(6, k) = 0;
  expect_exact(model_of({linear(w, {1, 2, 3})}, 3), "linear");
}

TEST(Explain, TreesAreThoseOfAllCoalitions) {
  expect_exact(model_of({forest(1)}), "trees");
  expect_exact(model_of({forest(2), linear(weights(2, 2), {1, -1})}, 2), "trees before a linear map");
}

// The bins that some rows occupy; the levels of a text are one group.
std::shared_ptr<const BinningMap> grids(std::size_t low, std::size_t high, double scale = 2) {
  BinningOptions options{.law = {}, .length_scales = {scale}, .grids = 20, .order_low = low, .order_high = high};
  if (high > 0) options.groups = {0, 1, 2, 2, 2, 3, 4};
  const Matrix<double> x = rows_of(150, 300);
  std::vector<std::vector<std::uint64_t>> bins;
  std::vector<std::uint64_t> hashes(x.rows());
  for (std::size_t g = 0; g < options.grids; ++g) {
    plain_bin_hashes(RowBlock<double>::dense(x.view()), draw_grid<double>(7, options, g), hashes.data());
    std::sort(hashes.begin(), hashes.end());
    bins.emplace_back(hashes.begin(), std::unique(hashes.begin(), hashes.end()));
  }
  return std::make_shared<BinningMap>(7, options, std::move(bins));
}
MapPtr bin_head(std::shared_ptr<const BinningMap> bins, std::size_t outputs) {
  std::vector<float> values(bins->outputs() * outputs);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(draw(3000, i));
  return std::make_shared<GridLinear>(std::move(bins), std::move(values), std::vector<double>(outputs, 0.3));
}
std::vector<ColumnScaling> all_but_the_last() {
  std::vector<ColumnScaling> same(7);
  same[6] = {.method = ColumnScaling::Method::standardize, .factor = 0};
  return same;
}

TEST(Explain, BinsOfFewColumnsAreThoseOfAllCoalitions) {
  const MapPtr flat = scaling(all_but_the_last());
  for (const auto& [low, high] : {std::pair{1u, 1u}, {1u, 2u}, {2u, 3u}, {0u, 0u}}) {
    const auto bins = grids(low, high);
    const std::string order = std::to_string(low) + " to " + std::to_string(high) + " columns";
    expect_exact(model_of({flat, bin_head(bins, 2)}, 2), "bins of " + order);
    expect_exact(model_of({flat, bins, linear(weights(bins->outputs(), 1), {0.2})}), "bin features of " + order);
  }
  expect_exact(model_of({flat, sum({bin_head(grids(1, 2), 1), forest(1)}), linear(weights(1, 1), {3})}), "sum");
}

TEST(Explain, BinsOfTooManyCellsAreSampled) {
  const Model model = model_of({scaling(all_but_the_last()), bin_head(grids(0, 0, 0.05), 1)});
  const Matrix<double> background = rows_of(200, 50), x = rows_of(5, 0);
  const Explanation found = explained(model, x, background, {.unknown = Unknown::columns, .evaluations = 300});
  EXPECT_EQ(found.errors.rows(), 5u);
  const Matrix<double> predicted = model.predict(x.view());
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found.scores(i, 0), predicted(i, 0), 1e-9);
}

TEST(Explain, SumsAndConcatenationsAddUp) {
  const MapPtr first = fourier(7, {.features = 20}), second = fourier(7, {.kernel = laplacian(2), .features = 16});
  expect_exact(with_head(concat({first, second}, {0.3, 0.7})), "concatenation");
  const MapPtr machine = chain({first, linear(weights(20, 1), {0.1})});
  std::vector<ColumnScaling> same(7);
  same[6] = {.method = ColumnScaling::Method::standardize, .factor = 0};
  expect_exact(model_of({scaling(same), sum({machine, forest(1)}), linear(weights(1, 1), {3})}), "sum");
}

// exp(-|x - z|^1.3) is no product: all coalitions are predicted.
MapPtr no_product(std::size_t outputs = 1) {
  Matrix<float> points(12, 7);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 6; ++j) points(i, j) = float(draw(700 + i, j));
  return radial_machine(points, 1.3, weights(12, outputs), std::vector<double>(outputs, 0.5));
}

TEST(Explain, MapsWithoutAClosedFormAreListedIfThatIsCheap) {
  expect_exact(model_of({scaling(scales()), no_product(2)}, 2), Unknown::rows, "listed");
}

TEST(Explain, SampledValuesAddUpAndErrByTheirStandardErrors) {
  const Model model = model_of({scaling(scales()), no_product()});
  const Matrix<double> background = rows_of(400, 50), x = rows_of(60, 0);
  const ExplainOptions all{.background_rows = 400, .evaluations = 400 * 32};
  const Explanation exact = explained(model, x, background, all);
  const Explanation found = explained(model, x, background, {.background_rows = 400, .evaluations = 300});
  ASSERT_EQ(exact.errors.rows(), 0u);
  ASSERT_EQ(found.errors.rows(), 60u);
  double squares = 0, count = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    EXPECT_NEAR(found.scores(i, 0), exact.scores(i, 0), 1e-9);
    EXPECT_EQ(found.values(i, 4), 0);
    EXPECT_EQ(found.errors(i, 4), 0);
    for (std::size_t j = 0; j < 4; ++j, ++count) {
      ASSERT_GT(found.errors(i, j), 0);
      squares += std::pow((found.values(i, j) - exact.values(i, j)) / found.errors(i, j), 2);
    }
  }
  EXPECT_GT(squares / count, 0.6);  // few of many background rows were met: errors are as said
  EXPECT_LT(squares / count, 1.4);
  // Background rows that were all met tell their own spread: errors are smaller than said.
  const Matrix<double> few = rows_of(40, 50);
  const Explanation known = explained(model, x, few, {.evaluations = 40 * 32});
  const Explanation met = explained(model, x, few, {.evaluations = 400});
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_LT(std::abs(met.values(i, j) - known.values(i, j)), 4 * met.errors(i, j));
}

TEST(Explain, SampledErrorsEndBelowTheirShareOfTheSpread) {
  const Model model = model_of({scaling(scales()), no_product(2)}, 2);
  const Matrix<double> background = rows_of(90, 50), x = rows_of(40, 0);
  const Explanation found = explained(model, x, background);
  const Explanation exact = explained(model, x, background, {.evaluations = 90 * 32});
  ASSERT_EQ(found.errors.rows(), 80u);
  ASSERT_EQ(exact.errors.rows(), 0u);
  const Matrix<double> scores = model.predict(background.view());
  double ratios = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0, squares = 0;
    for (std::size_t b = 0; b < 90; ++b) mean += scores(b, k) / 90;
    for (std::size_t b = 0; b < 90; ++b) squares += std::pow(scores(b, k) - mean, 2) / 90;
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t j = 0; j < 5; ++j) {
        const std::size_t row = i * 2 + k;
        EXPECT_LE(found.errors(row, j), 0.025 * std::sqrt(squares) * (1 + 1e-9));
        if (j < 4) ratios += std::pow((found.values(row, j) - exact.values(row, j)) / found.errors(row, j), 2);
      }
  }
  EXPECT_LT(ratios / 320, 1.2);
  EXPECT_GT(ratios, 0);
}

TEST(Explain, SampledValuesOfSumsAddUpBehindTheirEncodings) {
  // Two machines without a product, behind scalings of their own: rows of coalitions are mixed behind these.
  std::vector<ColumnScaling> other = scales();
  for (ColumnScaling& one : other) one.factor *= 0.5;
  const MapPtr both = sum({chain({scaling(scales()), no_product()}), chain({scaling(other), no_product()})});
  expect_exact(model_of({both}), Unknown::rows, "listed behind encodings");
  const Matrix<double> background = rows_of(200, 50), x = rows_of(12, 0);
  const Model model = model_of({both});
  const Explanation found = explained(model, x, background, {.background_rows = 200});
  const Explanation exact = explained(model, x, background, {.background_rows = 200, .evaluations = 200 * 32});
  const Matrix<double> predicted = model.predict(x.view());
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(found.scores(i, 0), predicted(i, 0), 1e-9);
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_LT(std::abs(found.values(i, j) - exact.values(i, j)), 5 * found.errors(i, j));
    EXPECT_EQ(found.values(i, 4), 0);
  }
}

TEST(Explain, TreesTakeMoreBackgroundRowsThanASetHolds) {
  const Model model = model_of({forest(1)});
  const Matrix<double> background = rows_of(300, 50), x = rows_of(3, 0);
  const Explanation found = explained(model, x, background, {.unknown = Unknown::rows, .background_rows = 300});
  for (std::size_t i = 0; i < 3; ++i) {
    const Game game(model, background, &x(i, 0), Unknown::rows);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(found.values(i, j), game.value(j, 0), 1e-9);
  }
}

TEST(Explain, EqualColumnsHaveEqualValues) {
  const MapPtr map = fourier(7, {.features = 64});
  Matrix<double> twice(7, 7);
  for (std::size_t j = 0; j < 7; ++j) twice(j, j) = 1;
  for (std::size_t k = 0; k < 7; ++k) twice(1, k) = twice(0, k);  // a and b enter by their sum
  const Model model = model_of({linear(twice, {}), map, linear(weights(64, 1), {})});
  Matrix<double> background = rows_of(30, 50), x = rows_of(10, 0);
  for (Matrix<double>* rows : {&background, &x})
    for (std::size_t i = 0; i < rows->rows(); ++i) (*rows)(i, 1) = (*rows)(i, 0);
  const Explanation found = explained(model, x, background);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NE(found.values(i, 0), 0);
    EXPECT_NEAR(found.values(i, 0), found.values(i, 1), 1e-12);
  }
}

TEST(Explain, AnyThreadsGiveTheSameBits) {
  const MapPtr map = fourier(7, {.features = 100});
  for (const Model& model : {with_head(map, 2), model_of({scaling(scales()), no_product()}), model_of({forest(1)}),
                             model_of({bin_head(grids(1, 2), 2)}, 2)})
    for (const Unknown unknown : {Unknown::columns, Unknown::rows}) {
      const Matrix<double> background = rows_of(70, 500), x = rows_of(45, 0);
      const ExplainOptions options{.unknown = unknown, .background_rows = 50, .evaluations = 200};
      const Explanation one = explained(model, x, background, options, 1),
                        four = explained(model, x, background, options, 4);
      EXPECT_EQ(one.values, four.values);
      EXPECT_EQ(one.scores, four.scores);
      EXPECT_EQ(one.errors, four.errors);
      EXPECT_EQ(one.base, four.base);
      // A row's values do not depend on those beside it.
      const Matrix<double> first = rows_of(1, 0);
      const Explanation alone = explained(model, first, background, options);
      for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(alone.values(0, j), one.values(0, j));
    }
}

TEST(Explain, AModelInFloatAddsUpToItsScore) {
  const MapPtr map = fourier(7, {.features = 200});
  const Model model = model_of({scaling(scales()), map, linear(weights(200, 1), {})}, 1, /*wide=*/false);
  const Matrix<double> background = rows_of(300, 50), x = rows_of(20, 0);
  const Explanation found = explained(model, x, background);
  const Matrix<double> predicted = model.predict(x.view());
  for (std::size_t i = 0; i < 20; ++i) {
    double sum = found.base[0];
    for (std::size_t j = 0; j < 5; ++j) sum += found.values(i, j);
    EXPECT_NEAR(sum, found.scores(i, 0), 1e-12);
    EXPECT_NEAR(sum, predicted(i, 0), 1e-4);
  }
}

TEST(Explain, OffsetsOfInputsAndTargetsAreTaken) {
  Schema schema = five_columns();
  schema.offsets = {1e9, 0, 0, 0, 0, 0, 0};
  const MapPtr map = fourier(7, {.features = 64});
  Model model(schema, {map}, linear(weights(64, 1), {}), Report{}, true);
  model.set_target_offsets({1e6});
  Schema plain = schema;
  plain.offsets.clear();
  Matrix<double> background = rows_of(30, 50), x = rows_of(5, 0);
  const Explanation near = explained(Model(plain, {map}, model.head(), Report{}, true), x, background);
  for (Matrix<double>* rows : {&background, &x})
    for (std::size_t i = 0; i < rows->rows(); ++i) (*rows)(i, 0) += 1e9;
  const auto rows = memory_rows<double>(x.view(), {}, plain);
  const auto against = memory_rows<double>(background.view(), {}, plain);
  const Explanation far = explain(model, *rows, *against);
  EXPECT_NEAR(far.base[0], near.base[0] + 1e6, 1e-5);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(far.values(0, j), near.values(0, j), 1e-5);
}

TEST(Explain, ImportanceIsTheMeanSize) {
  Matrix<double> w(7, 1);
  w(0, 0) = 1;
  w(5, 0) = -3;
  const Model model = model_of({linear(w, {})});
  const Matrix<double> background = rows_of(2000, 5000), x = rows_of(2000, 0);
  ImportanceSum sum;
  sum.add(explained(model, x, background));
  const std::vector<ColumnImportance> found = sum.importance();
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].column, "c");
  EXPECT_NEAR(found[0].mean, 3 * std::sqrt(2 / M_PI), 0.15);
  EXPECT_NEAR(found[0].standard_error, 3 * std::sqrt((1 - 2 / M_PI) / 2000), 0.003);
  EXPECT_EQ(found[1].column, "a");
  EXPECT_NEAR(found[2].mean, 0, 1e-12);
  EXPECT_EQ(sum.rows(), 2000u);
  EXPECT_EQ(sum.largest_error(), 0);
}

TEST(Explain, RefusesWhatItCannotExplain) {
  const Matrix<double> none(0, 7), x = rows_of(3, 0);
  const Model model = with_head(fourier(7, {.features = 10}));
  EXPECT_THROW(explained(model, x, none), Error);
  const Model sampled = model_of({scaling(scales()), no_product()});
  EXPECT_THROW(explained(sampled, x, rows_of(50, 9), {.evaluations = 100, .pairs = true}), std::invalid_argument);
  EXPECT_EQ(explained(model, none, x).rows(), 0u);
}

}  // namespace
}  // namespace bochner
