// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bochner/csv_text.h"

namespace bochner {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The bytes of the UTF-8 character that text begins with; 0: it is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t count = first < 0x80                    ? 1
                            : first >= 0xF0 && first < 0xF5 ? 4
                            : first >= 0xE0                 ? 3
                            : first >= 0xC2                 ? 2
                                                            : 0;
  if (count == 0 || first >= 0xF5 || count > text.size()) return 0;
  for (std::size_t i = 1; i < count; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool beyond = (first == 0xED && byte(1) >= 0xA0) || (first == 0xF4 && byte(1) >= 0x90);
  return overlong || beyond ? 0 : count;
}

// The text at a tick of an axis: "20", "1.5M".
std::string tick_text(double value) {
  for (const auto& [unit, name] : {std::pair<double, const char*>{1e9, "G"}, {1e6, "M"}, {1e4, "k"}})
    if (std::fabs(value) >= unit && std::fabs(value) < 1e12)
      return short_number(value / (unit == 1e4 ? 1e3 : unit)) + name;
  return short_number(value);
}

std::string title_of(std::string_view title) {
  return title.empty() ? std::string() : fmt::format("<title>{}</title>", escaped(title));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t count = character_bytes(text.substr(i));
    const char c = text[i];
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (count == 0 || (static_cast<unsigned char>(c) < 0x20) || c == 0x7F)
      out += c == '\n' || c == '\t' ? std::string_view(" ") : kReplacement;
    else
      out += text.substr(i, count);
    i += std::max<std::size_t>(count, 1);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t count = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++count) {
    if (count + 1 == most) cut = i;
    i += std::max<std::size_t>(character_bytes(text.substr(i)), 1);
  }
  return count <= most ? std::string(text) : std::string(text.substr(0, cut)) + "…";
}

std::string short_number(double value, bool date) {
  if (std::isnan(value)) return "none";
  return date ? date_text(std::floor(value)) : fmt::format("{:.4g}", value == 0 ? 0.0 : value);
}

std::string grouped(double count) {
  const std::string digits = fmt::format("{:.0f}", std::fabs(count));
  std::string text = count < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

Axis round_axis(double low, double high, std::size_t ticks) {
  if (!(high > low)) {
    const double reach = std::max(std::fabs(low) * 1e-3, 0.5);
    low -= reach;
    high += reach;
  }
  const double rough = (high - low) / double(ticks), unit = std::pow(10.0, std::floor(std::log10(rough)));
  const double step = unit * (rough / unit < 1.5 ? 1 : rough / unit < 3.5 ? 2 : rough / unit < 7.5 ? 5 : 10);
  Axis axis{low, high, {}};
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && axis.ticks.size() < 50; ++k)
    axis.ticks.push_back(k == 0 ? 0.0 : k * step);
  return axis;
}

std::string Axis::text(double tick) const {
  constexpr std::size_t kLetters[] = {0, 10, 7, 4};
  return kind == Ticks::numbers ? tick_text(tick) : date_text(tick).substr(0, kLetters[std::size_t(kind)]);
}

Axis date_axis(double low, double high, std::size_t ticks) {
  using namespace std::chrono;
  if (!(high > low)) low -= 1, high += 1;
  const double rough = (high - low) / double(ticks);
  Axis axis{low, high, {}, Axis::Ticks::days};
  for (const double step : {1, 2, 5, 10, 20}) {  // their texts are long
    if (step < 1.5 * rough) continue;
    for (double day = std::ceil(low / step) * step; day <= high; day += step) axis.ticks.push_back(day);
    return axis;
  }
  constexpr double kMonth = 365.25 / 12;
  int step = 1200;
  for (const int months : {600, 240, 120, 60, 24, 12, 6, 3, 2, 1})
    if (months * kMonth >= 0.75 * rough) step = months;
  axis.kind = step < 12 ? Axis::Ticks::months : Axis::Ticks::years;
  const int first = int(std::floor(1970 * 12 + low / kMonth)) / step * step;
  for (int month = first; axis.ticks.size() < 50; month += step) {
    const double day(double((sys_days(year(month / 12) / (month % 12 + 1) / 1)).time_since_epoch().count()));
    if (day > high) break;
    if (day >= low) axis.ticks.push_back(day);
  }
  return axis;
}

Svg::Svg(double width, double height, std::string_view label)
    : text_(fmt::format(
          "<svg viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}\">\n",
          width, height, width, height, escaped(label))) {}

void Svg::line(Point a, Point b, std::string_view look) {
  text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", a.x, a.y, b.x,
                       b.y, look);
}

void Svg::path(const std::vector<Point>& points, std::string_view look, bool closed) {
  text_ += "<path d=\"";
  for (std::size_t i = 0; i < points.size(); ++i)
    text_ += fmt::format("{}{:.1f} {:.1f}", i ? "L" : "M", points[i].x, points[i].y);
  text_ += fmt::format("{}\" class=\"{}\"/>\n", closed ? "Z" : "", look);
}

void Svg::rect(Box b, std::string_view look, std::string_view title, double opacity) {
  text_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"", b.x, b.y,
                       std::max(b.width, 0.0), std::max(b.height, 0.0), look);
  if (opacity < 1) text_ += fmt::format(" fill-opacity=\"{:.3f}\"", opacity);
  text_ += fmt::format(">{}</rect>\n", title_of(title));
}

void Svg::circle(Point at, double radius, std::string_view look, std::string_view title) {
  text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\">{}</circle>\n", at.x, at.y,
                       radius, look, title_of(title));
}

void Svg::text(Point at, std::string_view text, std::string_view anchor, std::string_view look) {
  text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", at.x, at.y,
                       anchor, look, escaped(text));
}

std::string Svg::done() && { return std::move(text_) + "</svg>\n"; }

void draw_axes(Svg& svg, const PlotFrame& frame, std::string_view x_name, std::string_view y_name) {
  const Box& b = frame.box;
  for (const double tick : frame.y.ticks) {
    const double y = frame.at(frame.x.low, tick).y;
    svg.line({b.x, y}, {b.x + b.width, y}, "grid");
    svg.text({b.x - 8, y + 4}, frame.y.text(tick), "end", "tick");
  }
  for (const double tick : frame.x.ticks) {
    const double x = frame.at(tick, frame.y.low).x;
    svg.line({x, b.y + b.height}, {x, b.y + b.height + 4}, "axis");
    svg.text({x, b.y + b.height + 18}, frame.x.text(tick), "middle", "tick");
  }
  svg.line({b.x, b.y + b.height}, {b.x + b.width, b.y + b.height}, "axis");
  svg.text({b.x + b.width / 2, b.y + b.height + 38}, x_name, "middle", "name");
  svg.text({b.x, b.y - 10}, y_name, "start", "name");
}

}  // namespace bochner
