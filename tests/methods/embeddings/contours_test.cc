// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/contours.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

namespace bochner {
namespace {

Expansion one_bump(double weight = 1) {
  Expansion bump{Matrix<double>(1, 2), {weight}, gaussian(1.0)};
  bump.points(0, 0) = 3;
  bump.points(0, 1) = -2;
  return bump;
}

struct Segments {
  std::vector<double> x, y;
};
Segments segments_of(const std::string& svg, const std::string& look) {
  Segments found;
  const std::regex line("<line x1=\"([-0-9.]+)\" y1=\"([-0-9.]+)\" x2=\"([-0-9.]+)\" y2=\"([-0-9.]+)\" class=\"" +
                        look + "\"/>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), line), end; at != end; ++at) {
    found.x.push_back((std::stod((*at)[1]) + std::stod((*at)[3])) / 2);
    found.y.push_back((std::stod((*at)[2]) + std::stod((*at)[4])) / 2);
  }
  return found;
}

TEST(ValuesAt, IsTheSumOfKernels) {
  Matrix<double> at(2, 2);
  at(0, 0) = 3, at(0, 1) = -2, at(1, 0) = 4, at(1, 1) = -2;
  const std::vector<double> values = values_at(one_bump(2), at.view());
  EXPECT_NEAR(values[0], 2, 1e-12);
  EXPECT_NEAR(values[1], 2 * std::exp(-0.5), 1e-12);
}

TEST(Contours, OfOneBumpAreCircles) {
  ContourOptions options{.levels = 1};
  options.window = {{{0, 6}, {-5, 1}}};
  const Segments circle = segments_of(contour_plot(one_bump(), options), "level");
  ASSERT_GT(circle.x.size(), 40u);
  double cx = 0, cy = 0;
  for (std::size_t i = 0; i < circle.x.size(); ++i) cx += circle.x[i], cy += circle.y[i];
  cx /= double(circle.x.size()), cy /= double(circle.x.size());
  const auto [left, right] = std::minmax_element(circle.x.begin(), circle.x.end());
  const auto [top, bottom] = std::minmax_element(circle.y.begin(), circle.y.end());
  const double a = (*right - *left) / 2, b = (*bottom - *top) / 2;  // axes of the ellipse that the frame makes of it
  for (std::size_t i = 0; i < circle.x.size(); ++i)
    EXPECT_NEAR(std::hypot((circle.x[i] - cx) / a, (circle.y[i] - cy) / b), 1, 0.03);
}

TEST(Contours, DivideTheSigns) {
  Expansion two{Matrix<double>(2, 2), {1, -1}, gaussian(0.7)};
  two.points(1, 0) = 2;
  const std::string svg = contour_plot(two, {.title = "a < b & \"c\"", .levels = 4});
  EXPECT_GT(segments_of(svg, "zero").x.size(), 20u);
  EXPECT_GT(segments_of(svg, "under").x.size(), 20u);
  EXPECT_NE(svg.find("xmlns=\"http://www.w3.org/2000/svg\""), svg.npos);
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;"), svg.npos);
  EXPECT_EQ(svg.find("a < b"), svg.npos);
}

TEST(Contours, RefuseWhatIsNoPlane) {
  Expansion line{Matrix<double>(5, 1), std::vector<double>(5, 0.2), gaussian(1.0)};
  EXPECT_THROW(contour_plot(line), std::invalid_argument);
  EXPECT_THROW(contour_plot(one_bump(), {.levels = 0}), std::invalid_argument);
  ContourOptions options;
  options.window = {{{1, 1}, {0, 2}}};
  EXPECT_THROW(contour_plot(one_bump(), options), std::invalid_argument);
  Expansion none{Matrix<double>(0, 2), {}, gaussian(1.0)};
  EXPECT_THROW(contour_plot(none), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
