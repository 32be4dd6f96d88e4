// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

TEST(ExplainPage, DependencesKnowTheirPartners) {
  const std::size_t n = 200;
  Matrix<double> cells(n, 3), values(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < 3; ++j) cells(i, j) = double((i + 1) * (j == 0 ? 37 : j == 1 ? 59 : 83) % 199) / 199;
    values(i, 0) = 3 * cells(i, 0) * cells(i, 2);
    values(i, 1) = 0.1 * cells(i, 1);
  }
  cells(7, 0) = NAN;
  const std::vector<Dependence> found = dependences({"a<", "b", "c"}, cells, values);
  ASSERT_EQ(found.size(), 2u);  // c has no values
  EXPECT_EQ(found[0].name, "a<");
  EXPECT_EQ(found[0].partner, "c");
  EXPECT_EQ(found[1].column, 1u);
  Explanation none;
  none.columns = {"a<", "b", "c"};
  none.outputs = {"y"};
  const std::string page = html_page(none, {}, {}, "t", found);
  EXPECT_THAT(page, HasSubstr("What a&lt; adds"));
  EXPECT_EQ(page.find("nan"), page.npos);
  std::size_t points = 0;
  for (std::size_t at = page.find("<circle"); at != page.npos; at = page.find("<circle", at + 1)) ++points;
  EXPECT_EQ(points, 2 * n - 1);
  std::vector<Dependence> text = {found[1]};  // a partner of text is named by its levels
  text[0].partner_levels = {"<x>"};
  text[0].partner_cells.assign(n, 0);
  EXPECT_THAT(html_page(none, {}, {}, "t", text), HasSubstr("</i> &lt;x&gt;"));
  EXPECT_THROW(dependences({"a"}, cells, values), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
