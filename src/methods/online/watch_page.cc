// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/page_style.h"
#include "base/svg.h"
#include "bochner/watch.h"

namespace bochner {

namespace {

constexpr std::size_t kMostLooks = 1024, kMostAlarms = 100;

struct StreamLine {
  std::vector<double> values;
  const char* look;
};

// Lines over rows of the stream, with a mark at each alarm.
std::string stream_chart(const std::vector<Watched>& looks, const std::vector<StreamLine>& lines,
                         const std::string& name, const std::vector<std::uint64_t>& alarms,
                         std::optional<double> level) {
  double low = lines[0].values[0], high = low;
  for (const StreamLine& line : lines)
    for (const double value : line.values) low = std::min(low, value), high = std::max(high, value);
  if (level) low = std::min(low, *level), high = std::max(high, *level);
  const double room = 0.05 * (high - low);
  const PlotFrame frame{{72, 16, 780, 220},
                        round_axis(0, double(looks.back().rows), 8),
                        round_axis(low >= 0 ? std::max(0.0, low - room) : low - room, high + room, 5)};
  Svg svg(880, 282, name + " over rows of the stream");
  draw_axes(svg, frame, "rows of the stream", name);
  if (level) svg.line(frame.at(0, *level), frame.at(double(looks.back().rows), *level), "ideal");
  for (const std::uint64_t alarm : alarms) {
    const double x = frame.at(double(alarm), frame.y.low).x;
    svg.line({x, frame.box.y}, {x, frame.box.y + frame.box.height}, "c4 stroke");
  }
  for (const StreamLine& line : lines) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < looks.size(); ++i) points.push_back(frame.at(double(looks[i].rows), line.values[i]));
    svg.path(points, line.look);
    if (points.size() == 1) svg.circle(points[0], 3, "dot");
  }
  return std::move(svg).done();
}

std::string wide_figure(const std::string& svg, const std::string& caption) {
  return fmt::format("<figure><div class=\"scroll\">{}</div><figcaption>{}</figcaption></figure>\n", svg,
                     escaped(caption));
}

std::string figure_tile(const std::string& value, const std::string& name) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(name));
}

Watched joined_looks(const Watched& first, const Watched& second, std::uint64_t begin) {
  Watched both = second;
  const double a = double(first.rows - begin), b = double(second.rows - first.rows);
  both.loss = (a * first.loss + b * second.loss) / (a + b);
  both.evidence = std::max(first.evidence, second.evidence);
  return both;
}

}  // namespace

std::string WatchHistory::loss_name(const Model& model) {
  if (!model.puts_out().of_targets()) return "-log density";
  return model.schema().task == Task::classification ? "share of wrong classes" : "mean squared error";
}

void WatchHistory::add(const Watched& seen) {
  looks_.push_back(seen);
  if (seen.alarm) alarms_.push_back(*seen.alarm);
  trained_ += seen.change == Watched::Change::trained;
  if (looks_.size() > kMostLooks) join_neighbors();
}

void WatchHistory::join_neighbors() {
  std::vector<Watched> fewer;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < looks_.size(); i += 2) {
    fewer.push_back(i + 1 < looks_.size() ? joined_looks(looks_[i], looks_[i + 1], begin) : looks_[i]);
    begin = fewer.back().rows;
  }
  looks_ = std::move(fewer);
}

std::string WatchHistory::page(const std::string& title, const std::string& loss_name) const {
  std::string page = page_head(title);
  if (looks_.empty()) return page + "<p>No rows came.</p>\n" + kPageFoot;
  const Watched& last = looks_.back();
  page += "<div class=\"tiles\">\n" + figure_tile(grouped(double(last.rows)), "rows of the stream");
  page += figure_tile(short_number(last.mean_loss), loss_name + " of all") +
          figure_tile(short_number(last.loss), "of the last look");
  page += figure_tile(grouped(double(alarms_.size())), alarms_.size() == 1 ? "alarm" : "alarms");
  page += figure_tile(grouped(double(last.kept)), "rows that the model is of");
  if (trained_ > 0) page += figure_tile(grouped(double(trained_)), "trained anew");
  page += "</div>\n";
  StreamLine loss{{}, "c0 stroke"}, mean{{}, "c1 stroke"}, evidence{{}, "c0 stroke"};
  for (const Watched& look : looks_) {
    loss.values.push_back(look.loss);
    mean.values.push_back(look.mean_loss);
    evidence.values.push_back(std::log10(std::max(look.evidence, 1e-300)));
  }
  page += "<section>\n<h2>Loss</h2>\n";
  page += wide_figure(stream_chart(looks_, {loss, mean}, loss_name, alarms_, {}),
                      "Rows were predicted before they were learnt. Blue: the rows of a look; orange: all rows so far; "
                      "upright: alarms.");
  page += "</section>\n<section>\n<h2>Evidence that errors have grown</h2>\n";
  page +=
      wide_figure(stream_chart(looks_, {evidence}, "log10 of the e-value", alarms_, -std::log10(level_)),
                  fmt::format("Dashed: the alarm, at an e-value of {}. While nothing changes it is ever reached with a "
                              "chance of at most {}.",
                              short_number(1 / level_), short_number(level_)));
  page += "</section>\n";
  if (!alarms_.empty()) {
    page += "<section>\n<h2>Alarms</h2>\n<table><tr><th class=\"n\">row</th></tr>\n";
    for (std::size_t i = alarms_.size() - std::min(alarms_.size(), kMostAlarms); i < alarms_.size(); ++i)
      page += fmt::format("<tr><td class=\"n\">{}</td></tr>\n", grouped(double(alarms_[i])));
    page += "</table>\n</section>\n";
  }
  return page + kPageFoot;
}

}  // namespace bochner
