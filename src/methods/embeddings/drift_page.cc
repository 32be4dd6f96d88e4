// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/page_style.h"
#include "base/svg.h"
#include "bochner/drift.h"

namespace bochner {

namespace {

constexpr std::size_t kMostShown = 24, kMostLevels = 12, kMostLines = 200;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string p_text(double p, std::size_t permutations) {
  const double least = 1 / double(permutations + 1);
  return p <= least * (1 + 1e-9) ? fmt::format("≤ {:.2g}", least) : fmt::format("{:.2g}", p);
}

// Shares of both files side by side, a pair of bars for each level; the most changed first.
std::string level_chart(const Drift::ColumnChange& column) {
  std::vector<std::size_t> order(column.share_new.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  const auto change = [&](std::size_t k) { return std::fabs(column.share_new[k] - column.share_reference[k]); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return change(a) > change(b); });
  const auto seen = [&](std::size_t k) { return column.share_new[k] + column.share_reference[k] > 0; };
  order.erase(std::remove_if(order.begin(), order.end(), [&](std::size_t k) { return !seen(k); }), order.end());
  if (order.size() > kMostLevels) order.resize(kMostLevels);
  double most = 1e-12;
  for (const std::size_t k : order) most = std::max({most, column.share_new[k], column.share_reference[k]});
  const double label = 110, width = 300 - label, row = 24;
  Svg svg(300, row * double(order.size()) + 8, "levels of " + column.name);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t k = order[i];
    const std::string name = k < column.levels.size() ? column.levels[k] : "others";
    const double y = row * double(i) + 4;
    svg.text({label - 8, y + 15}, shortened(name.empty() ? "(missing)" : name, 14), "end", "tick");
    svg.rect({label, y + 2, width * column.share_reference[k] / most, 9}, "bar",
             fmt::format("{}: {} of the reference", name, percent(column.share_reference[k])));
    svg.rect({label, y + 11, width * column.share_new[k] / most, 9}, "c1 fill",
             fmt::format("{}: {} of the new rows", name, percent(column.share_new[k])));
  }
  return std::move(svg).done();
}

// Densities of both files as steps, missing cells left out: they have bars below. The outer bins are open; they are
// drawn as wide as their neighbours.
std::string density_chart(const Drift::ColumnChange& column) {
  std::vector<double> edges = column.edges;
  if (edges.empty()) return "";
  const double first = edges.size() > 1 ? edges[1] - edges[0] : 1,
               last = edges.size() > 1 ? edges.back() - edges[edges.size() - 2] : 1;
  edges.insert(edges.begin(), edges.front() - first);
  edges.push_back(edges.back() + last);
  double most = 0;
  const auto densities = [&](const std::vector<double>& share, double missing) {
    std::vector<double> found;
    for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
      const double width = edges[k + 1] - edges[k];
      found.push_back(width > 0 && missing < 1 ? share[k] / width / (1 - missing) : 0.0);
      most = std::max(most, found.back());
    }
    return found;
  };
  const std::vector<double> reference = densities(column.share_reference, column.missing_reference),
                            fresh = densities(column.share_new, column.missing_new);
  const bool gaps = column.missing_reference + column.missing_new > 0;
  const Axis x = column.dates ? date_axis(edges.front(), edges.back(), 3) : round_axis(edges.front(), edges.back(), 4);
  const PlotFrame frame{{48, 24, 240, 110}, x, round_axis(0, most > 0 ? most * 1.05 : 1, 3)};
  Svg svg(300, gaps ? 190 : 160, "densities of " + column.name);
  const auto steps = [&](const std::vector<double>& density) {
    std::vector<Point> points = {frame.at(edges.front(), 0)};
    for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
      points.push_back(frame.at(edges[k], density[k]));
      points.push_back(frame.at(edges[k + 1], density[k]));
    }
    points.push_back(frame.at(edges.back(), 0));
    return points;
  };
  draw_axes(svg, frame, "", column.dates ? "density (a day)" : "density");
  svg.path(steps(reference), "band", true);
  svg.path(steps(reference), "c0 stroke");
  svg.path(steps(fresh), "c1 stroke");
  if (gaps) {
    svg.text({47, 180}, "missing", "end", "tick");
    svg.rect({52, 166, 236 * column.missing_reference, 9}, "bar",
             percent(column.missing_reference) + " of the reference");
    svg.rect({52, 175, 236 * column.missing_new, 9}, "c1 fill", percent(column.missing_new) + " of the new rows");
  }
  return std::move(svg).done();
}

// "p 0.002, distance 28.8 %, missing 2.5 % → 30.0 %"
std::string caption_of(const Drift::ColumnChange& column, std::size_t permutations) {
  std::string text = fmt::format("p {}, distance {}", p_text(column.p_value, permutations), percent(column.distance));
  if (column.missing_reference + column.missing_new > 0)
    text += fmt::format(", missing {} → {}", percent(column.missing_reference), percent(column.missing_new));
  return text;
}

class DriftPage {
 public:
  DriftPage(const Drift& drift, const std::string& title) : drift_(drift) {
    for (std::size_t c = 0; c < drift.columns.size(); ++c) order_.push_back(c);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const auto &x = drift_.columns[a], &y = drift_.columns[b];
      return std::pair(x.p_value, -x.distance) < std::pair(y.p_value, -y.distance);
    });
    out_ = page_head(title);
  }

  std::string done() && {
    summary();
    windows();
    pictures();
    table();
    scales();
    out_ += kPageFoot;
    return std::move(out_);
  }

 private:
  void paragraph(const std::string& text, const char* look) {
    out_ += fmt::format("<p class=\"{}\">{}</p>\n", look, escaped(text));
  }
  void tile(const std::string& value, const std::string& name) {
    out_ += fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(name));
  }

  std::size_t moved() const {
    return std::size_t(std::count_if(drift_.columns.begin(), drift_.columns.end(),
                                     [](const Drift::ColumnChange& c) { return c.p_value <= 0.05; }));
  }

  void summary() {
    const std::string p = p_text(drift_.p_value, drift_.permutations);
    std::string verdict = drift_.p_value <= 0.05
                              ? fmt::format(
                                    "The rows have changed: if they had not, a difference as large would come "
                                    "with probability {}.",
                                    p)
                              : fmt::format("No change of the rows as a whole was found (p {}).", p);
    if (!drift_.columns.empty())
      verdict += fmt::format(" {} of {} columns moved.", moved() == 0 ? "None" : grouped(double(moved())),
                             grouped(double(drift_.columns.size())));
    paragraph(verdict, "lead");
    out_ += "<div class=\"tiles\">\n";
    tile(p, "p-value of all columns together");
    tile(short_number(drift_.statistic), "MMD², unbiased");
    tile(grouped(double(moved())), "columns with p ≤ 0.05, corrected");
    tile(grouped(double(drift_.rows_reference)), "rows of the reference");
    tile(grouped(double(drift_.rows_new)), "new rows");
    out_ += "</div>\n";
    for (const std::string& name : drift_.missing_in_new)
      out_ += fmt::format("<div class=\"warning\">The new file has no column {}.</div>\n", escaped(name));
    for (const std::string& name : drift_.missing_in_reference)
      out_ += fmt::format("<div class=\"warning\">The reference has no column {}.</div>\n", escaped(name));
    for (const std::string& note : drift_.notes) paragraph(note, "soft");
  }

  void windows() {
    if (drift_.windows.empty()) return;
    double most = 1e-12;
    for (const Drift::Window& w : drift_.windows) most = std::max(most, w.statistic);
    out_ +=
        "<section>\n<h2>When</h2>\n<p class=\"soft\">Windows of the new rows in their order, each beside the whole "
        "reference. p is corrected for the number of windows.</p>\n<table><tr><th class=\"n\">from row</th><th "
        "class=\"n\">rows</th><th class=\"n\">p</th><th class=\"n\">MMD², unbiased</th><th></th></tr>\n";
    for (std::size_t i = 0; i < std::min(kMostLines, drift_.windows.size()); ++i) {
      const Drift::Window& w = drift_.windows[i];
      out_ += fmt::format(
          "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{:.2g}</td><td "
          "class=\"n\">{}</td><td><span "
          "class=\"meter\" style=\"width:{:.0f}px\"></span></td></tr>\n",
          grouped(double(w.first)), grouped(double(w.rows)), w.p_value, short_number(w.statistic),
          160 * std::max(w.statistic, 0.0) / most);
    }
    out_ += "</table>\n</section>\n";
  }

  void pictures() {
    if (drift_.columns.empty()) return;
    out_ += "<section>\n<h2>Which columns moved</h2>\n";
    out_ +=
        "<p class=\"soft\"><span class=\"key c0\"></span>reference<span class=\"key c1\"></span>new rows. The most "
        "changed first.</p>\n<div class=\"many\">\n";
    const std::size_t count =
        std::min(kMostShown, std::max<std::size_t>(moved(), std::min<std::size_t>(6, order_.size())));
    for (std::size_t i = 0; i < count && i < order_.size(); ++i) {
      const Drift::ColumnChange& column = drift_.columns[order_[i]];
      out_ += fmt::format("<div><h3>{}</h3>{}<p class=\"soft\">{}</p></div>\n", escaped(shortened(column.name, 60)),
                          column.text ? level_chart(column) : density_chart(column),
                          escaped(caption_of(column, drift_.permutations)));
    }
    out_ += "</div>\n</section>\n";
  }

  void table() {
    if (drift_.columns.empty()) return;
    out_ +=
        "<section>\n<h2>All columns</h2>\n<p class=\"soft\">p-values are corrected for the number of columns (Westfall "
        "and Young): if no column has changed, any of them is below 0.05 with a probability of at most 0.05. The "
        "distance is the share of rows that would have to move to another bin.</p>\n<table><tr><th>column</th><th "
        "class=\"n\">p</th><th class=\"n\">p alone</th><th class=\"n\">distance</th><th class=\"n\">mean, "
        "reference</th><th class=\"n\">mean, new</th>";
    const bool gaps = std::any_of(drift_.columns.begin(), drift_.columns.end(),
                                  [](const Drift::ColumnChange& c) { return c.missing_reference + c.missing_new > 0; });
    if (gaps) out_ += "<th class=\"n\">missing, reference</th><th class=\"n\">missing, new</th>";
    out_ += "</tr>\n";
    for (std::size_t i = 0; i < std::min(kMostLines, order_.size()); ++i) {
      const Drift::ColumnChange& c = drift_.columns[order_[i]];
      out_ += fmt::format(
          "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
          "class=\"n\">{}</td><td class=\"n\">{}</td>",
          escaped(c.name), p_text(c.p_value, drift_.permutations), p_text(c.p_value_alone, drift_.permutations),
          percent(c.distance), c.text ? "" : short_number(c.mean_reference, c.dates),
          c.text ? "" : short_number(c.mean_new, c.dates));
      if (gaps)
        out_ += fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td>",
                            c.text ? "" : percent(c.missing_reference), c.text ? "" : percent(c.missing_new));
      out_ += "</tr>\n";
    }
    out_ += "</table>\n</section>\n";
  }

  void scales() {
    out_ += fmt::format(
        "<section>\n<h2>How it was tested</h2>\n<p class=\"soft\">Maximum mean discrepancy of the {} kernel by {} "
        "random "
        "features, {} permutations of {} blocks of {}. The overall p-value joins the bandwidths below.</p>\n"
        "<table><tr><th class=\"n\">bandwidth</th><th class=\"n\">MMD², unbiased</th><th class=\"n\">p of it "
        "alone</th></tr>\n",
        escaped(drift_.kernel), grouped(double(drift_.features)), grouped(double(drift_.permutations)),
        grouped(double(drift_.blocks)),
        drift_.block_rows == 1 ? "one row" : grouped(double(drift_.block_rows)) + " rows");
    for (const Drift::Scale& s : drift_.scales)
      out_ +=
          fmt::format("<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                      short_number(s.bandwidth), short_number(s.mmd2_unbiased), p_text(s.p_value, drift_.permutations));
    out_ += "</table>\n</section>\n";
  }

  const Drift& drift_;
  std::vector<std::size_t> order_;  // the most changed column first
  std::string out_;
};

}  // namespace

std::string html_page(const Drift& drift, const std::string& title) { return DriftPage(drift, title).done(); }

}  // namespace bochner
