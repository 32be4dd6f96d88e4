// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/suggest.h"

#include <gtest/gtest.h>

namespace bochner {
namespace {

TEST(Suggest, DistanceCountsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("--traget", "--target"), 1u);
  EXPECT_EQ(edit_distance("SVM", "svm"), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Suggest, NamesTheNearestAndNothingFar) {
  const std::vector<std::string> words = {"train", "predict", "transform"};
  EXPECT_EQ(suggestion("trian", words), "; did you mean 'train'?");
  EXPECT_EQ(suggestion("xyz", words), "");
  EXPECT_EQ(near_words("trasn", words), (std::vector<std::string>{"train"}));
}

}  // namespace
}  // namespace bochner
