// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bochner {

// Text of strangers inside HTML: <, >, &, quotes; control characters and bytes that are no UTF-8 become U+FFFD.
std::string escaped(std::string_view text);
// At most so many characters, the last an ellipsis where some were cut. Not escaped yet.
std::string shortened(std::string_view text, std::size_t most);
// Four digits: "12.35", "0.001235", "1.2e+09"; of a date its day; of what is no number "none".
std::string short_number(double value, bool date = false);
// "1,234".
std::string grouped(double count);

// Numbers from low to high with ticks at round places; at() is the share of the way.
struct Axis {
  enum class Ticks { numbers, days, months, years };  // but for numbers: of dates, in days since 1970-01-01

  double low = 0, high = 1;
  std::vector<double> ticks = {};
  Ticks kind = Ticks::numbers;
  double at(double value) const { return (value - low) / (high - low); }
  std::string text(double tick) const;  // "20", "1.5M", "2024-03"
};
Axis round_axis(double low, double high, std::size_t ticks);
// The same for days since 1970-01-01, at firsts of years or months or at days.
Axis date_axis(double low, double high, std::size_t ticks);

struct Point {
  double x = 0, y = 0;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

// A picture. Looks come from the page's classes; `title` is what a pointer that rests on a shape shows.
class Svg {
 public:
  Svg(double width, double height, std::string_view label);

  void line(Point a, Point b, std::string_view look);
  void path(const std::vector<Point>& points, std::string_view look, bool closed = false);
  void rect(Box box, std::string_view look, std::string_view title = {}, double opacity = 1);
  void circle(Point at, double radius, std::string_view look, std::string_view title = {});
  // anchor: start, middle or end.
  void text(Point at, std::string_view text, std::string_view anchor, std::string_view look = "label");
  std::string done() &&;

 private:
  std::string text_;
};

// The frame of a picture with two axes: room for their ticks and names on the left and below.
struct PlotFrame {
  Box box;
  Axis x, y;
  Point at(double a, double b) const { return {box.x + box.width * x.at(a), box.y + box.height * (1 - y.at(b))}; }
};
void draw_axes(Svg& svg, const PlotFrame& frame, std::string_view x_name, std::string_view y_name);

}  // namespace bochner
