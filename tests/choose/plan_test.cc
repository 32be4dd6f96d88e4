// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/map_parts.h"
#include "choose/problem.h"
#include "methods/bins/plan_binning.h"

namespace bochner {
namespace {

using Rule = Bandwidth::Rule;
using testing::Contains;
using testing::HasSubstr;

MapOptions mixture(std::vector<MapPart> parts) { return parts; }

TEST(MapParts, ShareTheFeaturesThatNoneOfThemNames) {
  const std::vector<PartPlan> parts =
      map_parts({.map = mixture({{}, {.map = Fourier{}, .features = 30}, {.map = Nystroem{}}}), .features = 100});
  EXPECT_EQ(map_size(*parts[0].kind, parts[0].request).features, 50u);
  EXPECT_EQ(map_size(*parts[1].kind, parts[1].request).features, 30u);
  EXPECT_EQ(map_size(*parts[2].kind, parts[2].request).features, 50u);
}

TEST(MapParts, OfOneLawDrawDifferently) {
  const std::vector<PartPlan> parts = map_parts({.map = mixture({{}, {}}), .seed = 5});
  EXPECT_EQ(parts[0].request.seed, 5u);
  EXPECT_NE(parts[1].request.seed, 5u);
}

TEST(MapParts, TakeFromTheWholeWhatTheyDoNotSay) {
  const TrainOptions whole{
      .kernel = cauchy(), .bandwidth = Rule::median, .map = mixture({{}, {.kernel = gaussian(), .bandwidth = 2}})};
  const std::vector<PartPlan> parts = map_parts(whole);
  EXPECT_EQ(parts[0].request.kernel, cauchy());
  EXPECT_EQ(parts[0].bandwidth, Bandwidth(Rule::median));
  EXPECT_EQ(parts[1].request.kernel, gaussian());
  EXPECT_EQ(parts[1].bandwidth, Bandwidth(2));
}

TEST(MapParts, BinsBesideOthersAreTheirOwn) {
  const auto bins = [](TrainOptions options, MapPart part) {
    part.map = Binning{};
    options.map = mixture({{}, std::move(part)});
    const std::vector<PartPlan> parts = map_parts(options);
    return *bins_of(parts);
  };
  const auto law_of = [](const PartPlan& part) { return std::get<Binning>(part.request.options).law; };
  const PartPlan plain = bins({.bandwidth = 3, .features = 500}, {});
  EXPECT_EQ(plain.bandwidth, Bandwidth(Rule::searched));
  EXPECT_EQ(plain.request.features, 0u);
  EXPECT_EQ(law_of(plain)->family, PitchLaw::Family::hat);
  EXPECT_EQ(bins({.bandwidth = Rule::searched_per_input}, {}).bandwidth, Bandwidth(Rule::searched_per_input));
  EXPECT_EQ(bins({}, {.bandwidth = 3}).bandwidth, Bandwidth(3));
  EXPECT_FALSE(law_of(bins({.kernel = laplacian()}, {})));
  EXPECT_FALSE(law_of(bins({}, {.kernel = laplacian()})));
}

TEST(MapParts, RefuseWhatDoesNotGoTogether) {
  for (const MapOptions& map :
       {mixture({}), mixture({{}, {.map = NoMap{}}}), mixture({{.weight = 2}}), mixture({{.weight = 0}, {}}),
        mixture({{.weight = -1}, {}}), mixture({{.map = Binning{}}, {.map = Binning{}}})})
    EXPECT_THROW(map_parts({.map = map}), std::invalid_argument);
}

TEST(CheckOptions, FindsWhatIsWrongBeforeThereAreRows) {
  const auto refuses = [](const TrainOptions& options, std::size_t inputs = 0) {
    EXPECT_THROW(check_options(options, inputs), std::invalid_argument);
  };
  refuses({.kernel = laplacian(), .map = Fourier{.draw = FourierOptions::Draw::orthogonal}});  // not of the L2 distance
  refuses({.map = Nystroem{.tolerance = 2.0}});
  refuses({.bandwidth = std::vector<double>{1, 2}}, 3);
  refuses({.bandwidth = std::vector<double>{}});
  refuses({.bandwidth = 0});
  refuses({.kernel = cauchy(), .map = Binning{}});
  refuses({.map = mixture({{}, {.map = Binning{.steps = 3}}})});
  refuses({.map = CustomMap{"nobody registered it"}});
  EXPECT_NO_THROW(check_options({.bandwidth = std::vector<double>{1, 2}}));
  EXPECT_NO_THROW(check_options({.bandwidth = std::vector<double>{1, 2}}, 2));
}

TEST(BinningFit, SolvesByWhatTheLossAllows) {
  const auto solver = [](const Binning& map, Learner learner = Learner::ridge) {
    const TrainOptions options{.map = map, .learner = {.learner = learner}};
    const BinningFit fit = binning_fit(options, map_parts(options)[0], 3, 1000);
    return std::pair(fit.fit.solver, fit.fit.passes);
  };
  EXPECT_EQ(solver({}), std::pair(GridSolver::conjugate, 8));
  EXPECT_EQ(solver({.steps = 3}), std::pair(GridSolver::conjugate, 3));
  EXPECT_EQ(solver({.sweeps = 3}), std::pair(GridSolver::sweeps, 3));
  EXPECT_EQ(solver({.order_low = 1, .order_high = 2}), std::pair(GridSolver::sweeps, 1));
  EXPECT_EQ(solver({}, Learner::logistic).first, GridSolver::sweeps);
  EXPECT_EQ(solver({.epochs = 4}, Learner::svm), std::pair(GridSolver::dual, 4));
}

TEST(MapSize, IsWhatTheMapsWillBe) {
  const Problem p(300);
  const auto size = [&](const TrainOptions& options) { return map_size(options, p.schema, 300); };
  EXPECT_EQ(size({.features = 7}).features, 8u);  // cos and sin come in pairs
  EXPECT_EQ(size({.features = 7}).step, 2u);
  EXPECT_EQ(size({.map = Fourier{.form = FourierOptions::Form::shifted}, .features = 7}).features, 7u);
  EXPECT_EQ(size({.map = Nystroem{}, .features = 1000}).features, 300u);  // there are no more rows
  EXPECT_EQ(size({.map = mixture({{}, {.map = Nystroem{}}}), .features = 40}).features, 40u);
  EXPECT_EQ(size({.map = mixture({{}, {.map = Nystroem{}}}), .features = 40}).step, 0u);
  EXPECT_EQ(size({.map = NoMap{}}).features, 4u);
  EXPECT_FALSE(size({.map = NoMap{}}).bounded);
  EXPECT_TRUE(size({}).bounded);
}

class MakePlan : public testing::Test {
 protected:
  Plan plan(const TrainOptions& options) { return make_plan(p_.schema, survey_, options, p_.threads); }

  Problem p_{400};
  Survey survey_ = p_.survey();
};

TEST_F(MakePlan, ScalesAndThenMaps) {
  const Plan made = plan({.bandwidth = 2, .features = 33});
  ASSERT_EQ(made.maps.size(), 2u);
  EXPECT_EQ(made.map()->inputs(), 4u);
  EXPECT_EQ(made.map()->outputs(), 34u);
  EXPECT_EQ(made.kernel, "gaussian");
  EXPECT_EQ(made.bandwidth, std::vector<double>{2});
  EXPECT_THAT(made.notes, Contains("features: 34, since cos and sin come in pairs"));
}

TEST_F(MakePlan, PlacesAndPeriodsAreNotScaledButAsPartsOfAMixture) {
  const auto places = CustomMap{"great-circle", {{"length", "300"}}};
  EXPECT_EQ(plan({.map = places, .features = 32}).maps.size(), 1u);  // no scaling before it
  EXPECT_EQ(plan({.map = CustomMap{"polynomial", {}}, .features = 32}).maps.size(), 2u);
  const Plan mixed = plan({.map = mixture({{.map = places}, {.map = Fourier{}, .bandwidth = 1}}), .features = 32});
  EXPECT_EQ(mixed.maps.size(), 2u);
  EXPECT_THAT(mixed.notes, Contains(HasSubstr("great-circle sees scaled inputs")));
}

TEST_F(MakePlan, RefusesAnOffsetBeforeAKernelThatDependsOnWhereZeroIs) {
  p_.schema.offsets = {60, 0, 0, 0};
  for (const char* kernel : {"great-circle(0,1)", "chi2(0)", "minmax(0,1)"}) {
    const TrainOptions options{.map = CustomMap{"product", {{"of", kernel}}}, .features = 32};
    EXPECT_THROW(plan(options), Error) << kernel;
  }
  for (const char* kernel : {"great-circle(1,2)", "periodic(0)", "hamming(0)", "linear(0)"}) {
    const TrainOptions options{.map = CustomMap{"product", {{"of", kernel}}}, .features = 32};
    EXPECT_NO_THROW(plan(options)) << kernel;
  }
}

TEST_F(MakePlan, ChoosesFeaturesByTheRowsAndTheBandwidthByItsRule) {
  const Plan made = plan({.bandwidth = Rule::median});
  EXPECT_EQ(made.map()->outputs(), 128u);  // the least
  EXPECT_THAT(made.notes, Contains("features: 128 for 400 rows"));
  EXPECT_THAT(made.notes, Contains(HasSubstr("by the median rule")));
  ASSERT_EQ(made.bandwidth.size(), 1u);
  EXPECT_NEAR(made.bandwidth[0], 2.6, 0.3);  // median |x - y| of 4 standard normals
}

TEST_F(MakePlan, RidgeChoosesFeaturesByRowsLeftOut) {
  Problem p(1500, 6);
  const Survey survey = p.survey();
  const auto made = [&](PlanFor aim, const TrainOptions& options = {}) {
    return make_plan(p.schema, survey, options, p.threads, nullptr, aim).map()->outputs();
  };
  EXPECT_EQ(made(PlanFor::features), 128u);
  EXPECT_EQ(made(PlanFor::training), made(PlanFor::sums)) << "parts make the maps of the whole";
  EXPECT_EQ(made(PlanFor::training, {.features = 64}), 64u);
  EXPECT_EQ(made(PlanFor::training, {.learner = {.learner = Learner::svr}}), 128u);
}

TEST(FeatureSearch, TakesMoreFeaturesWhereTheyLowerTheErrorOnly) {
  for (const bool hard : {true, false}) {
    Problem p(1500, 2);
    for (std::size_t i = 0; i < 1500; ++i)
      p.y(i, 0) = hard ? std::sin(4 * p.x(i, 0)) * std::sin(4 * p.x(i, 1)) : p.x(i, 0) + normal(8, Draw::sample, i, 0);
    const Plan made = make_plan(p.schema, p.survey(), {}, p.threads, nullptr, PlanFor::training);
    const std::size_t features = made.map()->outputs();
    EXPECT_EQ(features > 128, hard) << features;
    EXPECT_THAT(made.notes, Contains(HasSubstr("by the error of rows left out")));
  }
}

TEST_F(MakePlan, ManyRowsTakeAsManyFeaturesAsTheRuleSays) {
  EXPECT_EQ(most_chosen_features({}, p_.schema, 200), 0u);
  EXPECT_EQ(most_chosen_features({}, p_.schema, 400), 256u);
  EXPECT_EQ(most_chosen_features({}, p_.schema, 5000), 1024u);
  EXPECT_EQ(most_chosen_features({}, p_.schema, 100000), 0u);
  EXPECT_EQ(most_chosen_features({.map = Nystroem{}}, p_.schema, 5000), 0u);
}

TEST_F(MakePlan, SearchesALengthScalePerInputThatTellsWhichMatter) {
  const Plan made = plan({.bandwidth = Rule::searched_per_input, .features = 128});
  ASSERT_EQ(made.bandwidth.size(), 4u);
  for (const std::size_t matters : {0, 1})
    for (const std::size_t other : {2, 3}) EXPECT_LT(made.bandwidth[matters], made.bandwidth[other]);
}

TEST_F(MakePlan, LeavesBinsAndLinearModelsTheScaledRows) {
  EXPECT_EQ(plan({.map = NoMap{}}).map()->outputs(), 4u);
  EXPECT_EQ(plan({.map = Binning{}}).map(), nullptr);  // and unscaled ones
  EXPECT_EQ(plan({.map = Binning{.order_low = 1, .order_high = 2}}).map()->outputs(), 4u);
}

TEST_F(MakePlan, GivesAMixtureWithBinsBothMaps) {
  const Plan made = plan({.bandwidth = 2, .map = mixture({{}, {.map = Binning{}}}), .features = 20});
  EXPECT_TRUE(made.maps.empty());
  ASSERT_TRUE(made.dense);
  EXPECT_EQ(made.dense->outputs(), 20u);
  EXPECT_EQ(made.bins_scaling, nullptr);
}

TEST_F(MakePlan, IsAFunctionOfSurveyAndOptionsAlone) {
  for (const AnyMap& map : {AnyMap(Fourier{}), AnyMap(Nystroem{})}) {
    const TrainOptions options{.map = map, .features = 16, .seed = 3};
    EXPECT_EQ(plan(options).bandwidth, plan(options).bandwidth);
    EXPECT_EQ(plan(options).map()->spec(), plan(options).map()->spec());
  }
}

}  // namespace
}  // namespace bochner
