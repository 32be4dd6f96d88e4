// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/archive.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "bochner/error.h"

namespace bochner {
namespace {

template <class Action>
std::string model_error(Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::model);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

template <class T>
class ArchiveOf : public testing::Test {};
using Types = testing::Types<double, float, std::int64_t, std::uint64_t, std::uint32_t, std::uint8_t>;
TYPED_TEST_SUITE(ArchiveOf, Types);

TYPED_TEST(ArchiveOf, GivesBackWhatWasPut) {
  using T = TypeParam;
  const std::vector<T> values = {T(0), std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), 1, 2, 3};
  Archive archive;
  archive.put<T>("x", values, {2, 3});
  EXPECT_EQ(archive.get<T>("x", {2, 3}), values);
  EXPECT_EQ(archive.shape("x"), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(archive.arrays.at("x").bytes.size(), 6 * sizeof(T));
}

TEST(Archive, AnEmptyShapeIsOneValueAndAZeroExtentIsNone) {
  Archive archive;
  archive.put<double>("one", std::vector<double>{7}, {});
  archive.put<double>("none", {}, {3, 0, std::numeric_limits<std::size_t>::max()});
  EXPECT_EQ(archive.get<double>("one", {}), std::vector<double>{7});
  EXPECT_TRUE(archive.get<double>("none", archive.shape("none")).empty());
}

TEST(Archive, NamesTheArrayThatIsAbsentOrOfAnotherKind) {
  Archive archive;
  archive.put<float>("w", std::vector<float>{1, 2}, {2});
  EXPECT_NE(model_error([&] { archive.get<float>("v", {2}); }).find("'v' is absent"), std::string::npos);
  EXPECT_NE(model_error([&] { archive.shape("v"); }).find("'v' is absent"), std::string::npos);
  EXPECT_NE(model_error([&] { archive.get<double>("w", {2}); }).find("F32 2, expected F64 2"), std::string::npos);
  EXPECT_NE(model_error([&] { archive.get<float>("w", {1, 2}); }).find("expected F32 1 x 2"), std::string::npos);
}

TEST(Archive, TheLengthIsThatOfOneDimension) {
  Archive archive;
  archive.put<float>("w", std::vector<float>{1, 2}, {2});
  archive.put<float>("wide", std::vector<float>{1, 2}, {1, 2});
  archive.put<float>("one", std::vector<float>{1}, {});
  EXPECT_EQ(archive.length("w"), 2u);
  EXPECT_NE(model_error([&] { archive.length("wide"); }).find("1 x 2, expected one dimension"), std::string::npos);
  EXPECT_NE(model_error([&] { archive.length("one"); }).find("one value, expected one dimension"), std::string::npos);
  EXPECT_NE(model_error([&] { archive.length("none"); }).find("absent"), std::string::npos);
}

TEST(Archive, AFlagIsTrueOrFalse) {
  const nlohmann::json tree = {{"yes", true}, {"no", false}, {"one", 1}};
  EXPECT_TRUE(get_flag(tree, "yes"));
  EXPECT_FALSE(get_flag(tree, "no"));
  EXPECT_NE(model_error([&] { get_flag(tree, "one"); }).find("'one' is 1, expected true or false"), std::string::npos);
  EXPECT_NE(model_error([&] { get_flag(tree, "other"); }).find("absent"), std::string::npos);
  EXPECT_NE(model_error([&] { get_flag(5, "one"); }).find("expected in an object"), std::string::npos);
}

TEST(Archive, BytesThatDoNotFitTheShapeAreAnError) {
  Archive archive;
  archive.put<float>("w", std::vector<float>{1, 2}, {2});
  archive.arrays["w"].bytes.pop_back();
  EXPECT_NE(model_error([&] { archive.get<float>("w", {2}); }).find("7 bytes"), std::string::npos);
}

TEST(Archive, RefusesAShapeThatDoesNotHoldTheValues) {
  Archive archive;
  const std::vector<double> values(4);
  EXPECT_THROW(archive.put<double>("x", values, {5}), std::invalid_argument);
  // 2^62 * 4 * 4 wraps around to 0, which must not pass for "no values".
  EXPECT_THROW(archive.put<double>("x", {}, {std::size_t(1) << 62, 4, 4}), std::invalid_argument);
  archive.put<double>("x", values, {4});
  EXPECT_THROW(archive.put<double>("x", values, {4}), std::invalid_argument);
}

TEST(Archive, ChildrenNestAndDoNotMix) {
  Archive leaf, other, middle, top;
  leaf.tree["kind"] = "leaf";
  leaf.put<double>("w", std::vector<double>{1}, {1});
  other.tree["kind"] = "other";
  other.put<double>("w", std::vector<double>{2}, {1});
  middle.tree["kind"] = "middle";
  middle.put_child("1", leaf);
  middle.put_child("10", other);
  top.put_child("chain", middle);

  const Archive back = top.child("chain");
  EXPECT_EQ(get_text(back.tree, "kind"), "middle");
  EXPECT_EQ(back.child("1").tree, leaf.tree);
  EXPECT_EQ(back.child("1").arrays, leaf.arrays);
  EXPECT_EQ(back.child("10").arrays, other.arrays);
  EXPECT_THROW(middle.put_child("1", leaf), std::invalid_argument);
  EXPECT_NE(model_error([&] { top.child("tail"); }).find("'tail' is absent"), std::string::npos);
}

TEST(ArchiveTree, ReadsWhatIsThere) {
  const auto tree = nlohmann::json::parse(R"({"a": 1.5, "b": 18446744073709551615, "c": "text", "d": 3})");
  EXPECT_EQ(get_number(tree, "a"), 1.5);
  EXPECT_EQ(get_number(tree, "d"), 3.0);
  EXPECT_EQ(get_count(tree, "b", ~0ull), ~0ull);
  EXPECT_EQ(get_count(tree, "d", 3), 3u);
  EXPECT_EQ(get_count(nlohmann::json{{"n", 5}}, "n", 5), 5u);
  EXPECT_EQ(get_text(tree, "c"), "text");
}

TEST(ArchiveTree, NamesTheKeyAndWhatWasExpected) {
  const auto tree = nlohmann::json::parse(R"({"a": -1, "b": 2.5, "c": null, "d": 4, "e": "\u00e9"})");
  EXPECT_NE(model_error([&] { get_count(tree, "a", 9); }).find("'a' is -1, expected a whole"), std::string::npos);
  EXPECT_NE(model_error([&] { get_count(tree, "b", 9); }).find("'b' is 2.5"), std::string::npos);
  EXPECT_NE(model_error([&] { get_count(tree, "d", 3); }).find("from 0 to 3"), std::string::npos);
  EXPECT_NE(model_error([&] { get_number(tree, "c"); }).find("'c' is null, expected a finite"), std::string::npos);
  EXPECT_NE(model_error([&] { get_text(tree, "a"); }).find("expected text"), std::string::npos);
  EXPECT_NE(model_error([&] { get_node(tree, "z"); }).find("'z' is absent"), std::string::npos);
  EXPECT_NE(model_error([&] { get_node(nlohmann::json(3), "z"); }).find("in a number"), std::string::npos);
  EXPECT_NE(model_error([&] { get_number({{"x", std::string(5000, 'q')}}, "x"); }).find("..."), std::string::npos);
}

}  // namespace
}  // namespace bochner
