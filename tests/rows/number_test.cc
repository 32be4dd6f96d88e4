// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

namespace bochner {
namespace {

double reference(const std::string& text, double) { return std::strtod(text.c_str(), nullptr); }
float reference(const std::string& text, float) { return std::strtof(text.c_str(), nullptr); }

// Our value has the very bits of strtod or strtof, and the whole text is taken.
template <class T>
void expect_exact(const std::string& text) {
  const std::string line = text + "\n";
  T value = T(-77);
  const char* const end = parse_number(line.c_str(), value);
  const T wanted = reference(text, T{});
  if (std::isinf(wanted)) {
    EXPECT_EQ(end, nullptr) << text;
    return;
  }
  ASSERT_EQ(end, line.c_str() + text.size()) << text;
  EXPECT_EQ(value, wanted) << text;
  EXPECT_EQ(std::signbit(value), std::signbit(wanted)) << text;
}

void expect_exact_both(const std::string& text) {
  expect_exact<double>(text);
  expect_exact<float>(text);
}

TEST(Number, IsRoundedToNearestAsStrtodDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 40000; ++i) {
    const std::uint64_t a = random(), b = random();
    const char* const sign = b & 1 ? "-" : b & 2 ? "+" : "";
    expect_exact_both(fmt::format("{}{}", sign, a >> (b >> 8) % 64));
    expect_exact_both(fmt::format("{}{}.{}", sign, (a >> (b >> 8) % 64), b >> (a >> 8) % 64));
    expect_exact_both(fmt::format("{}{}e{}", sign, a >> (b >> 8) % 64, int(b % 80) - 40));
    expect_exact_both(fmt::format("{}0.{:0{}}", sign, a % 100000, b % 30 + 1));
    expect_exact<double>(fmt::format("{}.{}E{}", a % 10, b, int(a % 700) - 350));
  }
}

TEST(Number, ComesBackFromItsShortestAndItsLongText) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 40000; ++i) {
    const double d = std::bit_cast<double>(random());
    const float f = std::bit_cast<float>(std::uint32_t(random()));
    if (std::isfinite(d)) {
      expect_exact<double>(fmt::format("{}", d));
      expect_exact_both(fmt::format("{:.17e}", d));
    }
    if (std::isfinite(f)) {
      expect_exact_both(fmt::format("{}", f));
      // Half way between two floats and a hair to either side: where rounding twice goes wrong.
      const double half = (double(f) + double(std::nextafter(f, INFINITY))) / 2;
      if (std::isfinite(half)) expect_exact_both(fmt::format("{:.20e}", half));
      if (std::abs(f) > 1e-3 && std::abs(f) < 1e6) expect_exact_both(fmt::format("{:.40f}", half));
    }
  }
}

TEST(Number, RoundsFloatsOnceInTheFastPath) {
  // 2^24 + 1 and a hair more: as a double it is the tie, as a float it must go up.
  expect_exact_both("16777217.000000001");
  expect_exact_both("16777217");
  expect_exact_both("16777216.9999999999");
  expect_exact_both("1.00000017881393432617187499");
  expect_exact_both("1.00000017881393432617187501");
}

TEST(Number, TakesTheOddForms) {
  for (const char* text : {"0",
                           "-0",
                           "+0",
                           "00012",
                           "5.",
                           ".5",
                           "-.5e1",
                           "1E5",
                           "1e+05",
                           "1e-05",
                           "0e999999",
                           "0.0000000000000000000000000000000000000000000000000001",
                           "1e-400",
                           "-1e-400",
                           "123456789012345678901234567890",
                           "9007199254740993",
                           "4.9e-324",
                           "2.4e-324",
                           "2.2250738585072011e-308",
                           "1.7976931348623157e308",
                           "1e22",
                           "1e23",
                           "340282346638528859811704183484516925440"})
    expect_exact_both(text);
}

TEST(Number, StopsBeforeWhatIsNoNumber) {
  double value = 0;
  for (const char* text : {"", "-", "+", ".", "e5", "-.e", "x", "--1", "nan", "inf"})
    EXPECT_EQ(parse_number((std::string(text) + "\n").c_str(), value), nullptr) << text;
  for (const char* text : {"1,2", "1 ", "1\n", "1x", "1e", "1e+", "1-"}) {
    const std::string line = std::string(text) + "\n";
    EXPECT_EQ(parse_number(line.c_str(), value), line.c_str() + 1) << text;
    EXPECT_EQ(value, 1);
  }
}

TEST(Number, CellsAreClassified) {
  double value = 0;
  for (const char* text : {"nan", "NaN", "-inf", "Infinity", "1e999", "-1e999"})
    EXPECT_EQ(classify(text, value), CellKind::special) << text;
  for (const char* text : {"na", "n/a", "1x", "0x10", "1 2", "infinite", "1e", "-"})
    EXPECT_EQ(classify(text, value), CellKind::text) << text;
  EXPECT_EQ(classify("-2.5e1", value), CellKind::number);
  EXPECT_EQ(value, -25);
  EXPECT_EQ(classify("1,5", value), CellKind::text);
  EXPECT_EQ(classify("-2,5e1", value, ','), CellKind::number);
  EXPECT_EQ(value, -25);
  EXPECT_EQ(classify("2.5", value, ','), CellKind::text);
  EXPECT_EQ(classify("1,5e999", value, ','), CellKind::special);
}

TEST(Number, MayHaveACommaForAPoint) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const double d = std::bit_cast<double>(random());
    if (!std::isfinite(d)) continue;
    std::string text = fmt::format("{:.{}e}", d, random() % 25);
    const double wanted = reference(text, 0.0);
    if (const std::size_t point = text.find('.'); point != text.npos) text[point] = ',';
    double value = -77;
    const std::string line = text + ";";
    const char* const end = parse_number(line.c_str(), value, ',');
    ASSERT_EQ(end, line.c_str() + text.size()) << text;
    EXPECT_EQ(value, wanted) << text;
  }
}

TEST(Number, LabelsHaveOneForm) {
  EXPECT_EQ(number_label(1.0), "1");
  EXPECT_EQ(number_label(-0.0), "0");
  EXPECT_EQ(number_label(-1), "-1");
  EXPECT_EQ(number_label(0.1), "0.1");
  EXPECT_EQ(number_label(1e20), "1e+20");
}

}  // namespace
}  // namespace bochner
