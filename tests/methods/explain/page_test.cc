// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bochner/explain.h"

namespace bochner {
namespace {

using ::testing::HasSubstr;

TEST(ExplainPage, EscapesNames) {
  Explanation one;
  one.columns = {"<b>", "b"};
  one.outputs = {"price & co"};
  one.base = {1};
  one.values = Matrix<double>(1, 2);
  one.values(0, 0) = 2;
  one.values(0, 1) = -0.5;
  one.scores = Matrix<double>(1, 1);
  one.scores(0, 0) = 2.5;
  const std::string page = html_page(one, {{"<b>", "price & co", 2, 0.1}}, {{"<i>", "3"}}, "<title>");
  for (const char* part : {"&lt;b&gt; = &lt;i&gt;", "price &amp; co", "+2", "-0.5", "2.5", "&lt;title&gt;"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* part : {"<b> =", "<i>\"", "http://", "<script"}) EXPECT_EQ(page.find(part), page.npos) << part;
}

}  // namespace
}  // namespace bochner
