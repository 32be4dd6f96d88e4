// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace bochner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Spec, IsANameAndKeysWithValues) {
  const Spec spec("matern:nu=2.5,sigma=1e+3");
  EXPECT_EQ(spec.name(), "matern");
  EXPECT_TRUE(spec.has("nu"));
  EXPECT_FALSE(spec.has("p"));
  EXPECT_EQ(spec.number("nu", 0), 2.5);
  EXPECT_EQ(spec.number("sigma", 0), 1000);
  EXPECT_EQ(spec.number("p", 7), 7);
  EXPECT_EQ(spec.text("nu", ""), "2.5");
  EXPECT_EQ(spec.text("p", "none"), "none");
  EXPECT_EQ(Spec("fourier").values().size(), 0u);
  EXPECT_EQ(Spec("fourier:").name(), "fourier");
}

TEST(Spec, KeysAreLeftOutOfItsText) {
  const Spec spec("matern:nu=2.5,sigma=3,weight=0.5");
  EXPECT_EQ(spec.without({"weight"}), "matern:nu=2.5,sigma=3");
  EXPECT_EQ(spec.without({"weight", "nu", "sigma"}), "matern");
}

TEST(Spec, RefusesWhatItDoesNotUnderstand) {
  EXPECT_THAT(refusal([] { Spec("matern:nu"); }), HasSubstr("matern: found \"nu\", expected key=value"));
  EXPECT_THAT(refusal([] { Spec("matern:=3"); }), HasSubstr("expected key=value"));
  EXPECT_THAT(refusal([] { Spec("matern:nu=1,nu=2"); }), HasSubstr("nu is given twice"));
  EXPECT_THAT(refusal([] { Spec("matern:nu=two").number("nu", 0); }), HasSubstr("found nu=two, expected a number"));
  EXPECT_THAT(refusal([] { Spec("matern:nu=2.5x").number("nu", 0); }), HasSubstr("expected a number"));
  EXPECT_THAT(refusal([] {
                Spec("matern:mu=2").allow({"nu", "sigma"});
              }),
              HasSubstr("found the key \"mu\", expected nu, sigma"));
  EXPECT_THAT(refusal([] { Spec("none:x=1").allow({}); }), HasSubstr("expected none"));
}

TEST(Spec, PartsOfAMixtureBeginWithALetter) {
  EXPECT_THAT(split_parts("fourier:features=10+binning:order=1-2"),
              ElementsAre("fourier:features=10", "binning:order=1-2"));
  EXPECT_THAT(split_parts("gaussian:sigma=1e+3+laplacian"), ElementsAre("gaussian:sigma=1e+3", "laplacian"));
  EXPECT_THAT(split_parts("fourier"), ElementsAre("fourier"));
  EXPECT_THAT(split_parts("fourier+"), ElementsAre("fourier+"));
}

}  // namespace
}  // namespace bochner
