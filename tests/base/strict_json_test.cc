// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/strict_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bochner/error.h"

namespace bochner {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_strict_json(text, "m.model: header");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::model);
    return error.what();
  }
  return "";
}

TEST(StrictJson, ReadsWhatJsonAllows) {
  const auto tree = parse_strict_json(R"( {"a": [1, -2.5e3, true, null, "\u00e9"], "b": {"a": {}}} )", "x");
  EXPECT_EQ(tree["a"][1], -2500.0);
  EXPECT_EQ(tree["a"][4], "\xC3\xA9");
  EXPECT_EQ(tree["b"]["a"], nlohmann::json::object());  // the same key in another object
}

TEST(StrictJson, RefusesWhatItDoesNotAndNamesThePlace) {
  for (const char* text : {"", "{", "[1,]", "{'a': 1}", "{\"a\": 1} x", "nan", "[1e999]", "\"\xff\"", "{\"a\" 1}",
                           "// 1\n1", "[01]", "\"a\nb\""}) {
    const std::string said = refusal(text);
    EXPECT_EQ(said.rfind("m.model: header", 0), 0u) << text << ": " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << text;
  }
}

TEST(StrictJson, RefusesAKeyTwiceInOneObject) {
  EXPECT_NE(refusal(R"({"a": 1, "b": 2, "a": 3})").find("'a'"), std::string::npos);
  EXPECT_NE(refusal(R"([{"x": {"k": 1, "k": 1}}])"), "");
  EXPECT_EQ(refusal(R"([{"k": 1}, {"k": 1}])"), "");
}

TEST(StrictJson, RefusesTreesThatAreTooDeep) {
  const auto nested = [](int depth) {
    return std::string(std::size_t(depth), '[') + std::string(std::size_t(depth), ']');
  };
  EXPECT_EQ(refusal(nested(kMaxJsonDepth)), "");
  EXPECT_NE(refusal(nested(kMaxJsonDepth + 1)), "");
  EXPECT_NE(refusal(std::string(100000, '[')), "");
}

TEST(StrictJson, ForeignTextFitsOneLineOfAMessage) {
  const std::string shown = printable(std::string("a\n\x1b\xff") + std::string(1000, 'b'));
  EXPECT_LE(shown.size(), 70u);
  for (const char c : shown) EXPECT_TRUE(c >= ' ' && c < 127) << int(c);
}

}  // namespace
}  // namespace bochner
