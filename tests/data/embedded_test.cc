// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "embedded_digits.h"

namespace bochner {
namespace {

TEST(EmbeddedDigits, AreTheShippedFile) {
  std::ifstream in(BOCHNER_TEST_DATA "/digits.csv.gz", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  ASSERT_GT(file.size(), 50000u);
  const std::span<const unsigned char> digits = embedded_digits();
  EXPECT_TRUE(std::equal(digits.begin(), digits.end(), file.begin(), file.end(),
                         [](unsigned char a, char b) { return a == static_cast<unsigned char>(b); }));
}

}  // namespace
}  // namespace bochner
