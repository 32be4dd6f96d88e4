// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/map_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bochner {
namespace {

using Rule = Bandwidth::Rule;
using testing::AllOf;
using testing::HasSubstr;

PitchLaw law(PitchLaw::Family family) {
  PitchLaw law;
  law.family = family;
  return law;
}

std::string refusal(const std::string& text) {
  try {
    parse_map_options(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(MapOptions, WordsBecomeTypes) {
  EXPECT_EQ(parse_map_options("none"), MapOptions(NoMap{}));
  EXPECT_EQ(parse_map_options("fourier"), MapOptions());
  EXPECT_EQ(parse_map_options("fourier:form=shifted,draw=orthogonal"),
            MapOptions(Fourier{.form = FourierOptions::Form::shifted, .draw = FourierOptions::Draw::orthogonal}));
  EXPECT_EQ(parse_map_options("nystroem:landmarks=leverage,tolerance=1e-3"),
            MapOptions(Nystroem{.landmarks = NystroemOptions::Choice::leverage, .tolerance = 1e-3}));
  EXPECT_EQ(parse_map_options("binning:order=2"), MapOptions(Binning{.order_low = 2, .order_high = 2}));
  EXPECT_EQ(parse_map_options("binning:law=log-uniform,low=0.01,high=0.4,order=1-3,pursuit=5,min_rows=2,max_bins=64,"
                              "sweeps=4"),
            MapOptions(Binning{.law = law(PitchLaw::Family::log_uniform),
                               .low = 0.01,
                               .high = 0.4,
                               .order_low = 1,
                               .order_high = 3,
                               .pursuit = 5,
                               .min_rows = 2,
                               .max_bins = 64,
                               .sweeps = 4}));
  EXPECT_EQ(parse_map_options("binning:steps=3"), MapOptions(Binning{.steps = 3}));
  EXPECT_EQ(parse_map_options("binning:epochs=7"), MapOptions(Binning{.epochs = 7}));
}

TEST(MapOptions, PartsOfAMixtureHaveTheirOwnFeaturesKernelBandwidthAndWeight) {
  const MapOptions expected(std::vector<MapPart>{
      {.map = Fourier{}, .features = 500},
      {.map = Nystroem{}, .kernel = matern(2.5), .bandwidth = Rule::median},
      {.map = Binning{}, .bandwidth = 1e+3, .weight = 0.5},
  });
  EXPECT_EQ(
      parse_map_options("fourier:features=500+nystroem:kernel=matern:nu=2.5,bandwidth=median+binning:bandwidth=1e+3,"
                        "weight=0.5"),
      expected);
}

TEST(MapOptions, ALengthScaleInAPartsKernelIsItsBandwidth) {
  const MapPart part = parse_map_options("fourier:kernel=laplacian:sigma=3").parts[0];
  EXPECT_EQ(part.bandwidth, Bandwidth(3));
  EXPECT_EQ(part.kernel, laplacian());
  EXPECT_THAT(refusal("fourier:kernel=laplacian:sigma=3,bandwidth=2"), HasSubstr("expected one of them"));
}

TEST(MapOptions, TypesBecomeTheSameWordsAgain) {
  for (const char* text :
       {"none", "fourier", "fourier:draw=orthogonal,form=shifted", "project:dims=100,kind=hash,signs=4",
        "project:dims=20|fourier+binning", "project:density=0.25,dims=9,kind=sparse|project:dims=4,store=seed|nystroem",
        "fourier:draw=structured", "nystroem:landmarks=uniform,tolerance=0.001",
        "binning:epochs=3,high=0.25,law=reciprocal,low=0.125,max_bins=64,min_rows=2,order=1-2,pursuit=5",
        "binning:order=2,steps=4", "binning:sweeps=9",
        "fourier:bandwidth=auto,features=60,kernel=cauchy,weight=2+binning",
        "fourier:bandwidth=2.5,kernel=matern:nu=0.5+nystroem:kernel=rational-quadratic:alpha=2"}) {
    EXPECT_EQ(map_words(parse_map_options(text)), text);
    EXPECT_EQ(parse_map_options(map_words(parse_map_options(text))), parse_map_options(text)) << text;
  }
}

TEST(MapOptions, WordsThatAreNotUnderstoodAreRefusedWithWhatWasExpected) {
  // Another test of this program may have registered a kind.
  EXPECT_THAT(refusal("nystrom"), AllOf(HasSubstr("map: found \"nystrom\", expected fourier, binning, nystroem"),
                                        HasSubstr(" or none; did you mean 'nystroem'?")));
  EXPECT_THAT(refusal("rff"), HasSubstr("did you mean 'fourier'?"));
  EXPECT_EQ(refusal("fourier:colour=blue"), "fourier: found the key \"colour\", expected form, draw");
  EXPECT_THAT(refusal("fourier:form=round"), HasSubstr("expected cossin or shifted"));
  EXPECT_THAT(refusal("fourier:form=shifted,form=cossin"), HasSubstr("given twice"));
  EXPECT_THAT(refusal("none:form=shifted"), HasSubstr("expected none"));
  EXPECT_THAT(refusal("binning:grids=3"), HasSubstr("expected law, low, high"));
  for (const char* text : {"binning:order=2-1", "binning:order=x", "binning:order=", "binning:order=0"})
    EXPECT_THAT(refusal(text), HasSubstr("expected a number of inputs")) << text;
  for (const char* text : {"binning:pursuit=1.5", "binning:steps=-1", "binning:max_bins=1e20", "fourier:features=0"})
    EXPECT_THAT(refusal(text), HasSubstr("expected a whole number")) << text;
  EXPECT_THAT(refusal("nystroem:tolerance=x"), HasSubstr("expected a number"));
  for (const char* text : {"", ":form=shifted", "nystroem:landmarks=best", "binning:law=gaussian", "fourier+",
                           "fourier:kernel=x", "fourier:bandwidth=wide", "fourier:form"})
    EXPECT_NE(refusal(text), "none") << text;
}

TEST(MapOptions, KernelsSideBySideBecomePartsLikeTheOneGiven) {
  const MapPart like{.map = Fourier{.draw = FourierOptions::Draw::orthogonal}, .features = 40};
  const std::vector<MapPart> parts = parse_kernel_parts("gaussian+matern:nu=2.5,sigma=3,weight=2", like);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0], (MapPart{.map = like.map, .features = 40, .kernel = gaussian()}));
  EXPECT_EQ(parts[1], (MapPart{.map = like.map, .features = 40, .kernel = matern(2.5), .bandwidth = 3, .weight = 2}));
  EXPECT_THROW(parse_kernel_parts("gaussian:weight=2"), std::invalid_argument);  // one part needs no weight
}

TEST(Bandwidth, WordsAndTypesAreTheSame) {
  const std::vector<std::pair<const char*, Bandwidth>> pairs = {
      {"", Rule::searched}, {"auto", Rule::searched_per_input},     {"median", Rule::median}, {"scale", Rule::scale},
      {"2.5", 2.5},         {"1,2,3", std::vector<double>{1, 2, 3}}};
  for (const auto& [text, bandwidth] : pairs) {
    EXPECT_EQ(parse_bandwidth(text), bandwidth) << text;
    EXPECT_EQ(bandwidth_words(bandwidth), text);
  }
  for (const char* text : {"wide", "0", "-1", "nan", "inf", "1,,2", ",1", "1;2", "1e400"})
    EXPECT_THROW(parse_bandwidth(text), std::invalid_argument) << text;
}

TEST(MapOptions, AFactorThatIsANumberIsTheWeightOfAProduct) {
  for (const char* text : {"gaussian(a)*2", "gaussian(a) * 2 ", "2*gaussian(a)", " 2 * gaussian(a)"}) {
    const std::vector<MapPart> parts = parse_kernel_parts(text + std::string("+linear(b)"));
    ASSERT_EQ(parts.size(), 2u) << text;
    EXPECT_EQ(parts[0].weight, 2) << text;
    EXPECT_EQ(parts[1].weight, std::nullopt);
  }
  EXPECT_EQ(parse_kernel_parts("gaussian(a)*linear(b)")[0].weight, std::nullopt);
  EXPECT_THROW(parse_kernel_parts("gaussian(a)*1e999+linear(b)"), std::invalid_argument);
  EXPECT_THROW(parse_kernel_parts("gaussian(a)*"), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
