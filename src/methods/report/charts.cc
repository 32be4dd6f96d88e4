// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/svg.h"

namespace bochner {

namespace {

constexpr double kWidth = 640;

std::string short_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// The 95 % interval of a share that was found among n rows (Wilson 1927).
std::pair<double, double> share_interval(double share, double n) {
  constexpr double z = 1.96;
  const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double reach = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {std::max(0.0, middle - reach), std::min(1.0, middle + reach)};
}

}  // namespace

std::string curve_look(std::size_t i) { return fmt::format("c{}", i % 5); }

std::string bar_chart(const std::vector<Bar>& bars, const std::string& unit) {
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value + 2 * bar.error);
  if (!(most > 0)) most = 1;
  std::string html = fmt::format("<div class=\"bars\" role=\"img\" aria-label=\"bars of {}\">\n", escaped(unit));
  for (const Bar& bar : bars) {
    const double length = 100 * std::max(bar.value, 0.0) / most, reach = 100 * 2 * bar.error / most;
    html += fmt::format(
        "<span class=\"who\">{}</span><span class=\"track\" title=\"{}\"><i class=\"main{}\" "
        "style=\"width:{:.2f}%\"></i>",
        escaped(shortened(bar.name, 60)), escaped(fmt::format("{}: {} {}", bar.name, short_number(bar.value), unit)),
        bar.second >= 0 ? "" : " alone", length);
    if (bar.second >= 0)
      html += fmt::format("<i class=\"thin\" style=\"width:{:.2f}%\" title=\"{}\"></i>", 100 * bar.second,
                          escaped(fmt::format("{}: {} of the distance", bar.name, short_percent(bar.second))));
    if (reach > 0)
      html +=
          fmt::format("<i class=\"reach{}\" style=\"left:{:.2f}%;width:{:.2f}%\"></i>", bar.second >= 0 ? "" : " alone",
                      std::max(length - reach, 0.0), reach + std::min(length, reach));
    html += fmt::format("</span><span class=\"n\">{}</span>\n", short_number(bar.value));
  }
  return html + "</div>\n";
}

std::vector<Evaluation::Promise> joined_promises(const std::vector<Evaluation::Promise>& promises, double least) {
  std::vector<Evaluation::Promise> joined;
  const auto add = [](Evaluation::Promise& to, const Evaluation::Promise& p) {
    const double weight = to.weight + p.weight;
    to.promised += (p.promised - to.promised) * p.weight / weight;
    to.found += (p.found - to.found) * p.weight / weight;
    to.weight = weight;
  };
  for (const Evaluation::Promise& p : promises) {
    if (joined.empty() || joined.back().weight >= least)
      joined.push_back(p);
    else
      add(joined.back(), p);
  }
  if (joined.size() > 1 && joined.back().weight < least) {
    add(joined[joined.size() - 2], joined.back());
    joined.pop_back();
  }
  return joined;
}

std::string promise_chart(const std::vector<Evaluation::Promise>& promises, double rows, const std::string& of) {
  const Axis axis{0, 1, {0, 0.2, 0.4, 0.6, 0.8, 1}};
  const PlotFrame frame{{56, 28, 330, 330}, axis, axis};
  Svg svg(410, 412, "predicted and found probabilities");
  double total = 0, most = 0;
  for (const auto& p : promises) total += p.weight, most = std::max(most, p.weight);
  for (const auto& p : promises) {  // how many rows have such a probability
    const double height = 60 * p.weight / most, x = frame.at(p.promised, 0).x;
    svg.rect({x - 7, frame.box.y + frame.box.height - height, 14, height}, "mass",
             fmt::format("{} of the rows", short_percent(p.weight / total)));
  }
  draw_axes(svg, frame, "predicted probability" + of, "found");
  svg.line(frame.at(0, 0), frame.at(1, 1), "ideal");
  std::vector<Point> points;
  for (const auto& p : promises) points.push_back(frame.at(p.promised, p.found));
  svg.path(points, "c0 stroke");
  for (const auto& p : promises) {
    const auto [low, high] = share_interval(p.found, std::max(1.0, p.weight / total * rows));
    svg.line(frame.at(p.promised, low), frame.at(p.promised, high), "whisker");
    svg.circle(frame.at(p.promised, p.found), 4, "dot",
               fmt::format("predicted {}, found {} (95 %: {} to {}), {} rows", short_percent(p.promised),
                           short_percent(p.found), short_percent(low), short_percent(high), grouped(p.weight)));
  }
  return std::move(svg).done();
}

std::string ranking_chart(const std::vector<Evaluation::RankingPoint>& ranking, bool precision) {
  const Axis axis{0, 1, {0, 0.2, 0.4, 0.6, 0.8, 1}};
  const PlotFrame frame{{56, 28, 330, 330}, axis, axis};
  Svg svg(410, 412, precision ? "precision over recall" : "recall over false alarms");
  draw_axes(svg, frame, precision ? "recall" : "false alarms", precision ? "precision" : "recall");
  const double by_chance = precision ? ranking.back().precision : 0;
  svg.line(frame.at(0, by_chance), frame.at(1, precision ? by_chance : 1), "ideal");
  std::vector<Point> points;
  if (!precision) points.push_back(frame.at(0, 0));
  for (const Evaluation::RankingPoint& p : ranking)
    points.push_back(precision ? frame.at(p.recall, p.precision) : frame.at(p.false_alarms, p.recall));
  svg.path(points, "c0 stroke");
  return std::move(svg).done();
}

std::string pair_chart(const std::vector<Insight::Pair>& pairs, const Intervals* intervals, std::size_t target,
                       const std::string& name) {
  std::vector<double> predictions, targets;
  for (const auto& p : pairs) predictions.push_back(p.prediction), targets.push_back(p.target);
  std::sort(predictions.begin(), predictions.end());
  std::sort(targets.begin(), targets.end());
  // The middle 99.5 %: one stray row must not press the others together.
  const std::size_t trim = pairs.size() / 400;
  const double low = predictions[trim], high = predictions[predictions.size() - 1 - trim];
  const PlotFrame frame{
      {64, 28, 330, 330},
      round_axis(low, high, 5),
      round_axis(std::min(low, targets[trim]), std::max(high, targets[targets.size() - 1 - trim]), 5)};
  Svg svg(416, 412, "targets over predictions");
  draw_axes(svg, frame, "predicted " + shortened(name, 30), "found");
  if (intervals && intervals->greatest_level() >= 0.9) {
    std::vector<Point> edge, other;
    for (int i = 0; i <= 40; ++i) {
      const double p = frame.x.low + (frame.x.high - frame.x.low) * i / 40;
      const auto [lower, upper] = intervals->around(p, 0.9, target);
      const auto inside = [&](double y) { return std::clamp(y, frame.y.low, frame.y.high); };
      edge.push_back(frame.at(p, inside(upper)));
      other.push_back(frame.at(p, inside(lower)));
    }
    edge.insert(edge.end(), other.rbegin(), other.rend());
    svg.path(edge, "band", true);
  }
  const double from = std::max(frame.x.low, frame.y.low), to = std::min(frame.x.high, frame.y.high);
  if (to > from) svg.line(frame.at(from, from), frame.at(to, to), "ideal");
  std::size_t shown = 0;
  const std::size_t every = std::max<std::size_t>(1, pairs.size() / 1000);
  for (std::size_t i = 0; i < pairs.size(); i += every) {
    const auto& p = pairs[i];
    if (p.prediction < frame.x.low || p.prediction > frame.x.high || p.target < frame.y.low || p.target > frame.y.high)
      continue;
    svg.circle(frame.at(p.prediction, p.target), 2.2, "speck");
    ++shown;
  }
  return std::move(svg).done();
}

std::string residual_chart(const std::vector<Insight::Pair>& pairs, const std::string& name) {
  std::vector<double> residuals;
  for (const auto& p : pairs) residuals.push_back(p.target - p.prediction);
  std::sort(residuals.begin(), residuals.end());
  const std::size_t trim = residuals.size() / 200, bins = std::clamp<std::size_t>(residuals.size() / 25, 5, 31);
  const double reach =
      std::max({std::fabs(residuals[trim]), std::fabs(residuals[residuals.size() - 1 - trim]), 1e-300});
  std::vector<double> counts(bins, 0.0);
  for (const double r : residuals) {
    const double at = (r + reach) / (2 * reach) * double(bins);
    counts[std::size_t(std::clamp(at, 0.0, double(bins) - 1))] += 1;
  }
  const PlotFrame frame{{64, 28, 330, 330},
                        round_axis(-reach, reach, 5),
                        round_axis(0, *std::max_element(counts.begin(), counts.end()), 5)};
  Svg svg(416, 412, "histogram of residuals");
  draw_axes(svg, frame, "found less predicted " + shortened(name, 22), "rows");
  for (std::size_t b = 0; b < bins; ++b) {
    const Point a = frame.at(-reach + 2 * reach * double(b) / double(bins), counts[b]);
    svg.rect({a.x + 0.5, a.y, frame.box.width / double(bins) - 1, frame.box.y + frame.box.height - a.y}, "bar",
             fmt::format("{} rows", grouped(counts[b])));
  }
  svg.line({frame.at(0, 0).x, frame.box.y}, {frame.at(0, 0).x, frame.box.y + frame.box.height}, "ideal");
  return std::move(svg).done();
}

std::string confusion_chart(const Evaluation& e) {
  const std::size_t n = e.labels.size();
  const bool numbers = n <= 12, names = n <= 40;
  const double left = names ? 130 : 24, top = names ? (n <= 12 ? 40 : 90) : 24;
  const double cell = std::clamp((kWidth - left) / double(n), 4.0, 64.0), side = cell * double(n);
  Svg svg(left + side + 10, top + side + 10, "confusion matrix");
  for (std::size_t c = 0; c < n; ++c) {
    double total = 0;
    for (const double v : e.confusion[c]) total += v;
    const double y = top + cell * double(c);
    if (names) svg.text({left - 8, y + cell / 2 + 4}, shortened(e.labels[c], 16), "end");
    if (numbers)
      svg.text({left + cell * (double(c) + 0.5), top - 10}, shortened(e.labels[c], std::size_t(cell / 8.5)), "middle");
    for (std::size_t a = 0; a < n; ++a) {
      const double share = total > 0 ? e.confusion[c][a] / total : 0;
      const Box box{left + cell * double(a), y, cell - 1, cell - 1};
      if (share == 0 && n > 40) continue;
      svg.rect(box,
               share == 0 ? "none"
               : a == c   ? "right"
                          : "wrong",
               fmt::format("{} answered as {}: {} ({})", e.labels[c], e.labels[a], grouped(e.confusion[c][a]),
                           short_percent(share)),
               share == 0 ? 1 : 0.12 + 0.88 * std::sqrt(share));
      if (numbers && e.confusion[c][a] > 0)
        svg.text({box.x + cell / 2, box.y + cell / 2 + 4}, grouped(e.confusion[c][a]), "middle",
                 share > 0.35 ? "inside" : "label");
    }
  }
  return std::move(svg).done();
}

namespace {

// Few levels as points above their names.
std::string level_chart(const Insight::Dependence& d, const Axis& y, const std::string& name) {
  const double row = 24, left = 120, width = 150;
  Svg svg(310, 40 + row * double(d.levels.size()) + 24, "mean prediction for levels of " + d.column);
  const auto x_of = [&](double v) { return left + width * y.at(v); };
  for (const double tick : y.ticks) {
    svg.line({x_of(tick), 26}, {x_of(tick), 30 + row * double(d.levels.size())}, "grid");
    svg.text({x_of(tick), 46 + row * double(d.levels.size())}, short_number(tick), "middle", "tick");
  }
  svg.text({left, 16}, name, "start", "name");
  for (std::size_t p = 0; p < d.levels.size(); ++p) {
    const double at = 40 + row * double(p);
    svg.text({left - 10, at + 4}, shortened(d.levels[p].empty() ? "(missing)" : d.levels[p], 15), "end");
    for (std::size_t c = 0; c < d.means.size(); ++c)
      svg.circle({x_of(d.means[c][p]), at}, 4.5, curve_look(c) + " fill",
                 fmt::format("{}: {}", d.levels[p], short_number(d.means[c][p])));
  }
  return std::move(svg).done();
}

}  // namespace

namespace {

// A number that is the same wherever it is there, or missing: two levels.
Insight::Dependence as_levels(const Insight::Dependence& d) {
  Insight::Dependence two = d;
  two.levels = {short_number(d.at[0], d.dates), ""};
  for (std::size_t c = 0; c < d.means.size(); ++c) two.means[c].push_back(d.missing[c]);
  two.missing.clear();
  return two;
}

}  // namespace

std::string dependence_chart(const Insight::Dependence& d, bool classes) {
  if (d.at.size() == 1 && !d.missing.empty()) return dependence_chart(as_levels(d), classes);
  double low = d.means[0][0], high = low;
  for (const auto& curve : d.means)
    for (const double v : curve) low = std::min(low, v), high = std::max(high, v);
  for (const double v : d.missing) low = std::min(low, v), high = std::max(high, v);
  const double room = 0.08 * (high - low);
  const Axis y = round_axis(low - room, high + room, 4);
  const std::string name = d.names.size() > 1 ? (classes ? "of the classes" : "prediction") : shortened(d.names[0], 30);
  if (!d.levels.empty()) return level_chart(d, round_axis(low - room, high + room, 3), name);
  const Axis x = d.dates ? date_axis(d.at.front(), d.at.back(), 3) : round_axis(d.at.front(), d.at.back(), 4);
  const double gap = d.missing.empty() ? 0 : 66;  // where missing cells stand, behind the axis
  const PlotFrame frame{{52, 28, 238 - gap, 170}, x, y};
  Svg svg(310, 250, "mean prediction over " + d.column);
  draw_axes(svg, frame, shortened(d.column, 34), name);
  for (std::size_t c = 0; c < d.means.size(); ++c) {
    std::vector<Point> points;
    for (std::size_t p = 0; p < d.at.size(); ++p) points.push_back(frame.at(d.at[p], d.means[c][p]));
    svg.path(points, curve_look(c) + " stroke");
    if (d.at.size() <= 12)
      for (const Point& p : points) svg.circle(p, 3, curve_look(c) + " fill");
    if (d.missing.empty()) continue;
    const Point at{frame.box.x + frame.box.width + 0.6 * gap, frame.at(x.low, d.missing[c]).y};
    svg.circle(at, 4.5, curve_look(c) + " fill", fmt::format("missing: {}", short_number(d.missing[c])));
    if (c == 0) svg.text({at.x, frame.box.y + frame.box.height + 18}, "missing", "middle", "tick");
  }
  return std::move(svg).done();
}

std::string curve_chart(const std::vector<Report::CurvePoint>& curve) {
  double low = curve[0].left_over, high = low;
  for (const auto& p : curve) low = std::min(low, p.left_over), high = std::max(high, p.left_over);
  const double room = 0.15 * (high - low);
  const double first = std::log2(double(curve.front().rows)), last = std::log2(double(curve.back().rows));
  const PlotFrame frame{{64, 28, 330, 200},
                        {first - 0.2, last + 0.2, {}},
                        round_axis(100 * std::max(0.0, low - room), 100 * (high + room), 5)};
  Svg svg(416, 282, "learning curve");
  draw_axes(svg, frame, "rows learnt from", "unexplained variance, %");
  std::vector<Point> points;
  for (const auto& p : curve) {
    points.push_back(frame.at(std::log2(double(p.rows)), 100 * p.left_over));
    svg.text({points.back().x, frame.box.y + frame.box.height + 18}, grouped(double(p.rows)), "middle", "tick");
  }
  svg.path(points, "c0 stroke");
  for (std::size_t i = 0; i < points.size(); ++i)
    svg.circle(points[i], 4, "dot",
               fmt::format("{} rows: {} unexplained", curve[i].rows, short_percent(curve[i].left_over)));
  return std::move(svg).done();
}

}  // namespace bochner
