// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/backend.h"
#include "bochner/check.h"
#include "bochner/nystroem.h"
#include "methods/check/subject.h"
#include "model/saved_model.h"
#include "random/draw.h"

namespace bochner {
namespace {

const std::string kData = BOCHNER_TEST_DATA;

Matrix<float> normals(std::size_t n, std::size_t d) {
  Matrix<float> x(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = float(normal(4, Draw::candidate, i, j));
  return x;
}

MapCheck check_rows(const CheckSubject& subject, const Matrix<float>& x, const CheckOptions& options) {
  Threads threads(2);
  return check_subject_on(
      subject, x.view(), [](std::size_t i) { return i; }, options, threads);
}

// Grids and Fourier features that see the rows in units of their own.
struct Mixed {
  MapPtr features = fourier(3, {.kernel = gaussian(1.5), .features = 100, .seed = 3});
  MapPtr doubled = scaling(std::vector<ColumnScaling>(3, {.method = ColumnScaling::Method::standardize, .factor = 2}));
  BinningOptions grids;

  Mixed() {
    grids.law = parse_pitch_law("laplacian");
    grids.length_scales = {4, 6, 8};
    grids.grids = 80;
  }
  std::unique_ptr<CheckSubject> subject(double dense, double bins) const {
    std::vector<CheckPart> parts;
    parts.push_back({dense, nullptr, check_subject(features)});
    parts.push_back({bins, doubled, check_grids(3, grids)});
    return check_mixture(std::move(parts));
  }
};

double epsilon(const MapCheck& found, const std::string& of) {
  for (const MapCheck::Bound& bound : found.bounds)
    if (bound.of == of) return bound.epsilon;
  ADD_FAILURE() << "no bound of " << of;
  return 0;
}

TEST(CheckMixture, KernelIsTheWeightedMeanOfTheParts) {
  const Matrix<float> x = normals(30, 3);
  const Kernel k[2] = {gaussian(1.5), laplacian(3)};
  std::vector<MapPtr> maps;
  for (const Kernel& kernel : k) maps.push_back(fourier(3, {.kernel = kernel, .features = 64, .seed = maps.size()}));
  const MapPtr mixed = concat(maps, {1, 3});
  const MapCheck found = check(mixed, x.view(), {.draws = 1});

  Matrix<float> z(30, 128);
  RowBlock<float> block;
  block.rows = 30;
  block.cols = block.stride = 3;
  block.values = x.data();
  mixed->apply(cpu_backend(), block, z.view());
  double squares = 0, expected = 0;
  for (std::size_t i = 0; i < 30; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<double> a(3), b(3), a2(3), b2(3);
      for (std::size_t c = 0; c < 3; ++c) a2[c] = 2 * (a[c] = x(i, c)), b2[c] = 2 * (b[c] = x(j, c));
      double estimate = 0, exact = 0;
      for (std::size_t f = 0; f < 128; ++f) estimate += double(z(i, f)) * double(z(j, f)) / 4;
      for (const int part : {0, 1}) {
        const double share = part ? 0.75 : 0.25, once = kernel_value(k[part], a, b);
        exact += share * once;
        expected += share * share * 0.5 * (1 + kernel_value(k[part], a2, b2) - 2 * once * once) / 32 / 435;
      }
      squares += (estimate - exact) * (estimate - exact) / 435;
    }
  EXPECT_EQ(found.weight, 4);
  EXPECT_EQ(found.features, 128u);
  EXPECT_NEAR(found.rms_error, std::sqrt(squares), 1e-6);
  EXPECT_NEAR(*found.expected_variance, expected, 1e-12);
}

TEST(CheckMixture, IsUnbiasedAndOfTheVarianceOfIndependentParts) {
  const Matrix<float> x = normals(60, 3);
  for (const double bins : {0.5, 1.0, 3.0}) {
    const MapCheck found = check_rows(*Mixed().subject(1, bins), x, {.draws = 400});
    EXPECT_LT(std::fabs(*found.bias), 5 * *found.bias_deviation) << bins;
    EXPECT_NEAR(*found.variance / *found.expected_variance, 1, 0.12) << bins;
    EXPECT_LT(found.worst_error, epsilon(found, "these pairs")) << bins;
    // k is positive definite with k(x, x) = 1, and so is the estimate.
    EXPECT_NEAR(found.trace_error, 0, 1e-6);
  }
}

TEST(CheckMixture, OfOneKernelTwiceIsAsTheMapOfAllItsFeatures) {
  const Matrix<float> x = normals(50, 3);
  const auto half = [](std::uint64_t seed) {
    return fourier(3, {.kernel = gaussian(2), .features = 200, .seed = seed});
  };
  const MapCheck two = check(concat({half(1), half(1000)}), x.view());
  const MapCheck whole = check(fourier(3, {.kernel = gaussian(2), .features = 400, .seed = 1}), x.view());
  EXPECT_NEAR(*two.expected_variance, *whole.expected_variance, 1e-12);
  for (const char* of : {"one pair", "these pairs"}) EXPECT_NEAR(epsilon(two, of), epsilon(whole, of), 1e-12);
  EXPECT_GE(epsilon(two, "all pairs as far apart"), epsilon(whole, "all pairs as far apart"));
}

TEST(CheckMixture, LambdaIsThatOfTraining) {
  // Weights of 5 with lambda 5 weigh as weights of 1 with lambda 1.
  const Matrix<float> x = normals(40, 3);
  const MapCheck small = check_rows(*Mixed().subject(1, 1), x, {.draws = 1, .lambda = 1e-2});
  const MapCheck large = check_rows(*Mixed().subject(5, 5), x, {.draws = 1, .lambda = 5e-2});
  EXPECT_NEAR(small.ridge_error, large.ridge_error, 1e-9);
  EXPECT_EQ(large.lambda, 5e-2);
}

TEST(CheckMixture, HasNoBoundWhereAPartHasNone) {
  const Matrix<float> x = normals(40, 3);
  const MapPtr orthogonal =
      fourier(3, {.kernel = gaussian(2), .features = 60, .draw = FourierOptions::Draw::orthogonal});
  const MapCheck found = check(concat({Mixed().features, orthogonal}), x.view());
  EXPECT_TRUE(found.bounds.empty());
  EXPECT_NE(found.text().find("none is known"), std::string::npos);
}

TEST(CheckMixture, WithLandmarksIsWithinTheirResidualAndTheChanceOfTheRest) {
  const Matrix<float> x = normals(80, 3);
  Matrix<double> sample(80, 3);
  std::copy_n(x.data(), 240, sample.data());
  const MapPtr landmarks = nystroem(sample.view(), {.kernel = gaussian(1), .landmarks = 20, .seed = 1});
  const MapCheck mixed = check(concat({Mixed().features, landmarks}), x.view(), {.draws = 100});
  const MapCheck alone = check(landmarks, x.view()), features = check(Mixed().features, x.view());
  EXPECT_FALSE(mixed.one_sided);
  EXPECT_NEAR(epsilon(mixed, "these pairs"), (alone.bounds.at(0).epsilon + epsilon(features, "these pairs")) / 2, 1e-9);
  EXPECT_LT(mixed.worst_error, epsilon(mixed, "these pairs"));
  EXPECT_NEAR(*mixed.expected_variance, *features.expected_variance / 4, 1e-12);
  EXPECT_NEAR(*mixed.bias, alone.mean_error / 2, 5 * *mixed.bias_deviation);
  EXPECT_FALSE(mixed.bands.front().expected_rms) << "theory knows nothing of the landmarks' own error";
}

using CheckMixtureModel = SavedModel;

TEST_F(CheckMixtureModel, KnowsTheWeightsTrainingChose) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const Model model = train(*rows, {.map = parse_map_options("fourier:features=100+binning:bandwidth=1e6")});
  ASSERT_EQ(model.report().part_weights.size(), 2u);
  const auto fresh = open_rows(kData + "/cpu-new.csv", model.schema());
  const MapCheck found = check(*fresh, model, {.sample = 150});
  EXPECT_NEAR(found.weight, model.report().part_weights[0] + model.report().part_weights[1], 1e-9 * found.weight);
  EXPECT_EQ(found.lambda, model.report().lambda);
  EXPECT_LT(found.rms_error, 0.2);
  EXPECT_NE(found.kernel.find("hat"), std::string::npos);
  EXPECT_NE(found.kernel.find("gaussian"), std::string::npos);
  saved(model);
  EXPECT_EQ(check(*fresh, Model::load(path_.string()), {.sample = 150}).text(), found.text());

  Report silent = model.report();
  silent.part_weights.clear();
  EXPECT_THROW(check(*fresh, Model(model.schema(), model.maps(), model.head(), silent)), std::invalid_argument);
}

TEST(CheckMixture, OfKernelsIsTheMapThatTrainingMakes) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  const TrainOptions options{.bandwidth = 4,
                             .map = parse_map_options("fourier:kernel=gaussian+fourier:kernel=laplacian,weight=2"),
                             .features = 60};
  const MapCheck planned = check(*rows, options, {.sample = 100});
  const MapCheck trained = check(*rows, train(*rows, options), {.sample = 100, .lambda = planned.lambda});
  EXPECT_EQ(planned.rms_error, trained.rms_error);
  EXPECT_EQ(planned.ridge_error, trained.ridge_error);
  EXPECT_EQ(planned.weight, 3);
}

std::string bandwidth_note(const std::vector<std::string>& notes) {
  const auto found = std::find_if(notes.begin(), notes.end(),
                                  [](const std::string& note) { return note.find("trials; shortest") != note.npos; });
  return found == notes.end() ? "none" : *found;
}

TEST(CheckAuto, FindsTheLengthScalesThatTrainingFinds) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.targets = {"usr"}});
  for (const char* map : {"binning:law=hat", "fourier+binning", "binning:order=1-2"}) {
    const TrainOptions options{.bandwidth = Bandwidth::Rule::searched_per_input, .map = parse_map_options(map)};
    const std::string trained = bandwidth_note(train(*rows, options).report().notes);
    EXPECT_NE(trained, "none") << map;
    EXPECT_EQ(bandwidth_note(check(*rows, options, {.sample = 50, .draws = 1}).notes), trained) << map;
  }
}

TEST(CheckAuto, NeedsATarget) {
  const auto rows = open_rows(kData + "/cpu-small.csv", {.target_required = false});
  for (const char* map : {"binning:law=hat", "fourier", "fourier+binning", "fourier+binning:bandwidth=auto"})
    EXPECT_THROW(check(*rows, {.bandwidth = parse_bandwidth(std::string(map).ends_with("auto") ? "1" : "auto"),
                               .map = parse_map_options(map)}),
                 std::invalid_argument)
        << map;
  EXPECT_GT(check(*rows, {.map = parse_map_options("fourier+binning"), .features = 50}, {.sample = 50}).rms_error, 0);
}

}  // namespace
}  // namespace bochner
