// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/page_style.h"
#include "base/svg.h"
#include "bochner/explain.h"

namespace bochner {

namespace {

constexpr std::size_t kMostSteps = 14, kMostOutputs = 3, kMostBars = 25;
constexpr double kWidth = 440;  // a picture: two beside each other, one on a phone

// A step of the waterfall.
struct Step {
  std::string name;
  double value = 0;
};

// The columns of one row, the largest value first; those beyond the most shown are one step.
std::vector<Step> steps_of(const Explanation& rows, std::size_t line, const std::vector<std::string>& cells) {
  const std::size_t p = rows.columns.size();
  std::vector<std::size_t> order(p);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(rows.values(line, a)) > std::abs(rows.values(line, b));
  });
  const std::size_t shown = p > kMostSteps ? kMostSteps - 1 : p;
  std::vector<Step> steps;
  for (std::size_t s = 0; s < shown; ++s) {
    const std::size_t j = order[s];
    const std::string cell = j < cells.size() ? fmt::format(" = {}", shortened(cells[j], 14)) : "";
    steps.push_back(
        {shortened(rows.columns[j], 32 - std::min<std::size_t>(cell.size(), 16)) + cell, rows.values(line, j)});
  }
  if (shown < p) {
    steps.push_back({fmt::format("{} other columns", p - shown)});
    for (std::size_t s = shown; s < p; ++s) steps.back().value += rows.values(line, order[s]);
  }
  return steps;
}

// Bars that begin at the end of the one before: from the base to the score. Lines of HTML, which a phone can show.
std::string waterfall(const std::vector<Step>& steps, double base, double score) {
  double low = std::min(base, score), high = std::max(base, score), at = base;
  for (const Step& step : steps) {
    at += step.value;
    low = std::min(low, at);
    high = std::max(high, at);
  }
  const double reach = high > low ? high - low : 1;
  const auto place = [&](double value) { return 100 * (value - low) / reach; };
  std::string html = "<div class=\"bars\" role=\"img\" aria-label=\"how the base becomes the score\">\n";
  const auto line = [&](const std::string& name, const std::string& bars, const std::string& number) {
    html += fmt::format("<span class=\"who\">{}</span><span class=\"track\">{}</span><span class=\"n\">{}</span>\n",
                        name, bars, number);
  };
  const auto level = [&](const char* name, double value) {
    line(fmt::format("<b>{}</b>", name), fmt::format("<i class=\"level\" style=\"left:{:.2f}%\"></i>", place(value)),
         fmt::format("<b>{}</b>", short_number(value)));
  };
  level("base", base);
  at = base;
  for (const Step& step : steps) {
    const double next = at + step.value;
    line(escaped(step.name),
         fmt::format("<i class=\"level\" style=\"left:{:.2f}%\"></i><i class=\"main alone{}\" "
                     "style=\"left:{:.2f}%;width:{:.2f}%\"></i>",
                     place(at), step.value < 0 ? " less" : "", place(std::min(at, next)),
                     place(std::max(at, next)) - place(std::min(at, next))),
         fmt::format("{}{}", step.value < 0 ? "" : "+", short_number(step.value)));
    at = next;
  }
  level("score", score);
  return html + "</div>\n";
}

std::string bars_of(const std::vector<ColumnImportance>& importance, const std::string& output) {
  double most = 0;
  for (const ColumnImportance& one : importance) most = std::max(most, one.mean + 2 * one.standard_error);
  if (!(most > 0)) most = 1;
  std::string html = "<div class=\"bars\" role=\"img\" aria-label=\"mean size of values\">\n";
  std::size_t shown = 0;
  for (const ColumnImportance& one : importance) {
    if (one.output != output || shown++ == kMostBars) continue;
    const double length = 100 * one.mean / most, reach = 200 * one.standard_error / most;
    html += fmt::format(
        "<span class=\"who\">{}</span><span class=\"track\"><i class=\"main alone\" style=\"width:{:.2f}%\"></i>"
        "<i class=\"reach alone\" style=\"left:{:.2f}%;width:{:.2f}%\"></i></span><span class=\"n\">{} ± {}</span>\n",
        escaped(shortened(one.column, 60)), length, std::max(0.0, length - reach), reach + std::min(length, reach),
        short_number(one.mean), short_number(one.standard_error));
  }
  return html + "</div>\n";
}

std::size_t third_of(double rank) { return rank < 1.0 / 3 ? 0 : rank > 2.0 / 3 ? 2 : 1; }
constexpr const char* kThirds[] = {"c0", "c2", "c1"};

// What the colours are: thirds of the partner's cells, or some of its levels.
std::string key_of(const Dependence& one) {
  std::string names[] = {"the lowest third", "between", "the highest third"};
  std::set<std::size_t> met[3];
  for (std::size_t i = 0; i < one.partner_cells.size() && !one.partner_levels.empty(); ++i)
    if (const double cell = one.partner_cells[i]; cell >= 0 && cell < double(one.partner_levels.size()))
      met[third_of(one.partner_ranks[i])].insert(std::size_t(cell));
  std::string key;
  for (std::size_t t = 0; t < 3; ++t) {
    if (!one.partner_levels.empty()) {
      if (met[t].empty()) continue;
      names[t].clear();
      std::size_t shown = 0;
      for (const std::size_t level : met[t])
        if (++shown <= 3) names[t] += (shown > 1 ? ", " : "") + shortened(one.partner_levels[level], 24);
      if (shown > 3) names[t] += fmt::format(" and {} other{}", shown - 3, shown == 4 ? "" : "s");
    }
    key += fmt::format("{} <i class=\"key {}\"></i> {}", key.empty() ? "" : ";", kThirds[t], escaped(names[t]));
  }
  return key;
}

// A point for each row: its cell to the right, its value upwards, in colours by thirds of the partner's ranks.
std::string points_of(const Dependence& one) {
  double low = 0, high = 0, left = INFINITY, right = -INFINITY;
  for (std::size_t i = 0; i < one.cells.size(); ++i) {
    if (!std::isfinite(one.cells[i])) continue;
    low = std::min(low, one.values[i]), high = std::max(high, one.values[i]);
    left = std::min(left, one.cells[i]), right = std::max(right, one.cells[i]);
  }
  if (!(left <= right)) return {};
  const double up = std::max(1e-9, 0.05 * (high - low)), aside = 0.03 * (right - left);
  PlotFrame frame{{64, 26, kWidth - 76, 230}, {}, round_axis(low - up, high + up, 5)};
  if (!one.levels.empty())
    frame.x = {left - 0.5, right + 0.5, {}};
  else
    frame.x = one.dates ? date_axis(left - aside, right + aside, 4) : round_axis(left - aside, right + aside, 4);
  Svg svg(kWidth, 306, "values of a column against its cells");
  draw_axes(svg, frame, one.name, "adds to the score");
  const double room = frame.box.width / (frame.x.high - frame.x.low);
  for (std::size_t l = 0; l < one.levels.size(); ++l)
    if (double(l) >= left && double(l) <= right && (room > 40 || l % std::size_t(1 + 40 / room) == 0))
      svg.text({frame.at(double(l), frame.y.low).x, frame.box.y + frame.box.height + 18},
               shortened(one.levels[l], std::size_t(std::max(3.0, std::max(room, 40.0) / 8))), "middle", "tick");
  for (std::size_t i = 0; i < one.cells.size(); ++i) {
    if (!std::isfinite(one.cells[i])) continue;
    const double rank = one.partner_ranks.empty() ? 0.5 : one.partner_ranks[i];
    const double beside = one.levels.empty() ? 0 : 0.5 * (rank - 0.5);
    svg.circle(frame.at(one.cells[i] + beside, one.values[i]), 2.4,
               rank < 1.0 / 3   ? "c0 fill"
               : rank > 2.0 / 3 ? "c1 fill"
                                : "c2 fill");
  }
  return std::move(svg).done();
}

std::string dependence_html(const std::vector<Dependence>& all) {
  std::string html;
  for (const Dependence& one : all) {
    const std::string picture = points_of(one);
    if (picture.empty()) continue;
    html +=
        fmt::format("<figure>\n<h3>What {} adds</h3>\n{}<figcaption>A point for each row", escaped(one.name), picture);
    if (!one.partner.empty()) html += fmt::format(". Its colour is {}:{}", escaped(one.partner), key_of(one));
    html += ".</figcaption>\n</figure>\n";
  }
  if (html.empty()) return html;
  return fmt::format(
      "<section>\n<h2>What columns add, by their cells</h2>\n<p class=\"soft\">To the right the cell of a row, upwards "
      "what "
      "it adds to the score.</p>\n<div class=\"pair\">\n{}</div>\n</section>\n",
      html);
}

// The outputs of a row that are shown: all if they are few, otherwise the largest.
std::vector<std::size_t> shown_outputs(const Explanation& rows, std::size_t row) {
  const std::size_t K = rows.outputs.size();
  std::vector<std::size_t> shown(K <= kMostOutputs ? K : 1);
  std::iota(shown.begin(), shown.end(), 0u);
  if (K > kMostOutputs)
    shown[0] = std::size_t(std::max_element(&rows.scores(row, 0), &rows.scores(row, 0) + K) - &rows.scores(row, 0));
  return shown;
}

}  // namespace

std::string html_page(const Explanation& rows, const std::vector<ColumnImportance>& importance,
                      const std::vector<std::vector<std::string>>& cells, const std::string& title,
                      const std::vector<Dependence>& dependence) {
  std::string page = page_head(title);
  const std::size_t K = rows.outputs.size();
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (const std::size_t k : shown_outputs(rows, i)) {
      page += fmt::format(
          "<section>\n<h2>Row {}: {}</h2>\n<p class=\"soft\">The mean score over the background is {}. Each column "
          "adds "
          "what its bar says, to the right what raises the score, to the left what lowers it. The score of the row is "
          "{}.</p>\n",
          rows.first + i, escaped(rows.outputs[k]), short_number(rows.base[k]), short_number(rows.scores(i, k)));
      const std::vector<std::string> none;
      page += fmt::format("{}</section>\n", waterfall(steps_of(rows, i * K + k, i < cells.size() ? cells[i] : none),
                                                      rows.base[k], rows.scores(i, k)));
    }
  for (std::size_t k = 0; k < std::min(K, kMostOutputs) && !importance.empty(); ++k) {
    page += fmt::format(
        "<section>\n<h2>What matters: {}</h2>\n<p class=\"soft\">The mean size of each column's values over the rows, "
        "with two standard errors.</p>\n{}</section>\n",
        escaped(rows.outputs[k]), bars_of(importance, rows.outputs[k]));
  }
  return page + dependence_html(dependence) + kPageFoot;
}

}  // namespace bochner
