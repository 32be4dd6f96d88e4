// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/page_style.h"
#include "base/svg.h"
#include "bochner/insight.h"
#include "methods/report/charts.h"

namespace bochner {

namespace {

constexpr double kLeastShare = 0.02, kLeastDotRows = 10;  // share and number of rows for a dot of the calibration curve
constexpr std::size_t kMostBars = 25, kMostTargets = 4, kMostConfused = 12, kMostMatrix = 200;

std::string percent(double share, int digits = 2) { return fmt::format("{:.{}f} %", 100 * share, digits); }

class Page {
 public:
  Page(const Model& model, const Insight& insight, const std::string& title)
      : model_(model), insight_(insight), e_(insight.evaluation), report_(model.report()) {
    out_ = page_head(title);
  }

  std::string done() && {
    summary();
    importance();
    rankings();
    classes() ? sure_of_classes() : sure_of_numbers();
    if (classes()) confusion();
    dependence();
    making();
    out_ += kPageFoot;
    return std::move(out_);
  }

 private:
  bool classes() const { return model_.schema().task == Task::classification; }
  std::string target_name(std::size_t k) const { return model_.puts_out().names[k]; }

  void heading(const std::string& text, const std::string& words) {
    out_ += fmt::format("<section>\n<h2>{}</h2>\n", escaped(text));
    paragraph(words, "soft");
  }
  void close() { out_ += "</section>\n"; }
  void paragraph(const std::string& text, const char* look) {
    if (!text.empty()) out_ += fmt::format("<p class=\"{}\">{}</p>\n", look, escaped(text));
  }
  void figure(const std::string& svg, const std::string& caption) {
    out_ += fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", svg, escaped(caption));
  }
  void tile(const std::string& value, const std::string& name) {
    out_ += fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(name));
  }
  void tile(const char* name, const std::optional<double>& value) {
    if (value) tile(fmt::format("{:.4f}", *value), name);
  }

  std::string verdict() const {
    const Score& s = e_.score;
    const std::string rows = grouped(double(s.rows)) + (s.rows == 1 ? " row" : " rows");
    if (classes()) {
      std::string text = fmt::format("It errs on {} of {}", percent(s.error.value_or(0)), rows);
      if (s.standard_error) text += fmt::format(" (give or take {:.2f})", 100 * *s.standard_error);
      if (s.baseline_error)
        text += fmt::format(". Always answering the most frequent class would err on {}", percent(*s.baseline_error));
      if (s.log_loss && s.baseline_log_loss)
        text += fmt::format(". Its log-loss is {:.4f}; that of always giving each class its share {:.4f}", *s.log_loss,
                            *s.baseline_log_loss);
      return text + ".";
    }
    if (!s.r2) return fmt::format("Predictions of {}.", rows);
    std::string text = fmt::format("It explains {} of the variance on {}", percent(*s.r2), rows);
    if (s.standard_error) text += fmt::format(" (give or take {:.2f})", 100 * *s.standard_error);
    if (s.rmse && model_.outputs() == 1) text += fmt::format(". It is typically off by {}", short_number(*s.rmse));
    return text + ". Always answering the mean would explain nothing.";
  }

  void summary() {
    const Score& s = e_.score;
    paragraph(verdict(), "lead");
    if (const std::string warning = model_.report().warning(s); !warning.empty())
      out_ += fmt::format("<div class=\"warning\">{}</div>\n", escaped(warning));
    paragraph(s.hint(), "soft");
    out_ += "<div class=\"tiles\">\n";
    if (s.error) tile(percent(*s.error), "error");
    if (s.baseline_error) tile(percent(*s.baseline_error), "error of the most frequent class");
    tile("R2", s.r2);
    if (s.rmse && model_.outputs() == 1) tile(short_number(*s.rmse), "rmse");
    if (s.mae && model_.outputs() == 1) tile(short_number(*s.mae), "mean absolute error");
    tile("log-loss", s.log_loss);
    tile("log-loss of a constant", s.baseline_log_loss);
    tile("AUC", s.auc);
    tile("calibration error", e_.calibration_error);
    if (e_.coverage.size() == 1) tile(percent(e_.coverage[0].inside, 1), "of the rows in the 90 % intervals");
    tile(grouped(double(s.rows)), "rows here");
    if (report_.rows > 0) tile(grouped(double(report_.rows)), "rows of training");
    out_ += "</div>\n";
    for (const std::string& note : insight_.notes) paragraph(note, "soft");
    if (e_.per_target.empty()) return;
    out_ +=
        "<table><tr><th>target</th><th class=\"n\">R2</th><th class=\"n\">rmse</th><th class=\"n\">in the 90 % "
        "intervals</th></tr>\n";
    for (std::size_t k = 0; k < e_.per_target.size(); ++k)
      out_ += fmt::format(
          "<tr><td>{}</td><td class=\"n\">{:.4f}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
          escaped(e_.targets[k]), e_.per_target[k].r2.value_or(0), short_number(e_.per_target[k].rmse.value_or(0)),
          k < e_.coverage.size() ? percent(e_.coverage[k].inside, 1) : "-");
    out_ += "</table>\n";
  }

  void importance() {
    if (insight_.importance.empty()) return;
    std::vector<Bar> bars;
    bool metric = false;
    for (const Insight::Importance& i : insight_.importance) {
      if (bars.size() == kMostBars) break;
      const auto known = std::find_if(report_.importance.begin(), report_.importance.end(),
                                      [&](const Report::Importance& r) { return r.column == i.column; });
      const bool found = known != report_.importance.end();
      metric = metric || found;
      bars.push_back({i.column, i.rise, i.standard_error, found ? known->distance : -1});
    }
    heading("What matters",
            fmt::format("How much the {} rises when the values of one column are shuffled among {} rows: "
                        "what the model loses without it. Columns that say the same share the loss.",
                        insight_.measure, grouped(double(insight_.shuffled_rows))));
    std::string caption =
        fmt::format("Unshuffled: {}. Whiskers: two standard errors of the shuffles.", short_number(insight_.measured));
    if (insight_.importance.size() > kMostBars)
      caption += fmt::format(" The {} largest of {} columns.", kMostBars, insight_.importance.size());
    if (metric) caption += " The thin bar is the column's share of the distance in the metric that was learnt.";
    figure(bar_chart(bars, insight_.measure), caption);
    close();
  }

  void sure_of_classes() {
    if (e_.promises.empty()) return;
    heading(
        "How sure it is",
        "Of all rows with a predicted probability, how many were of that class? On the dashed line probabilities are "
        "right; below it the model is too sure.");
    out_ += "<div class=\"pair\">\n";
    const std::string of = e_.labels.size() == 2 ? " of " + shortened(e_.labels[1], 20) : " of the likeliest class";
    double weight = 0;
    for (const Evaluation::Promise& p : e_.promises) weight += p.weight;
    const double share = std::max(kLeastShare, kLeastDotRows / double(std::max<std::uint64_t>(1, e_.score.rows)));
    figure(promise_chart(joined_promises(e_.promises, share * weight), double(e_.score.rows), of),
           fmt::format("Calibration error {:.4f}: the mean distance from the line. Shaded: how many rows; a dot stands "
                       "for {:.0f} of them or more. Whiskers: 95 % intervals of what was found.",
                       e_.calibration_error.value_or(0), std::ceil(share * double(e_.score.rows))));
    if (model_.calibration()) paragraph("Probabilities: " + model_.calibration()->text() + ".", "soft");
    out_ += "</div>\n";
    thresholds();
    close();
  }

  void rankings() {
    if (e_.ranking.empty()) return;
    const std::string name = shortened(e_.labels[1], 20);
    heading("How it ranks",
            fmt::format("Rows in the order of their scores, those that look most like {} first: what is "
                        "found, and at what price, if the first so many are taken for it.",
                        name));
    out_ += "<div class=\"pair\">\n";
    figure(ranking_chart(e_.ranking, false),
           fmt::format("ROC curve: the share of {} that is found over the share of the others taken for it. The area "
                       "below is the AUC, {:.4f}; the dashed line is chance.",
                       name, e_.score.auc.value_or(0)));
    figure(ranking_chart(e_.ranking, true),
           fmt::format("Precision over recall: how many of the rows taken are {}, if so many of all are to be found. "
                       "The dashed line is its share of all rows.",
                       name));
    out_ += "</div>\n";
    close();
  }

  void thresholds() {
    if (e_.cuts.empty()) return;
    const std::string name = escaped(shortened(e_.labels[1], 20));
    out_ += fmt::format(
        "<h3>What a threshold does</h3>\n<table><tr><th class=\"n\">probability of {} from</th><th class=\"n\">rows "
        "flagged</th><th class=\"n\">of all {} (recall)</th><th class=\"n\">of those flagged (precision)</th></tr>\n",
        name, name);
    const auto share = [](double value) { return std::isfinite(value) ? percent(value, 1) : std::string("-"); };
    for (const Evaluation::Cut& cut : e_.cuts)
      out_ += fmt::format(
          "<tr><td class=\"n\">{:.2f}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
          cut.threshold, grouped(cut.flagged), share(cut.recall), share(cut.precision));
    out_ += "</table>\n";
  }

  void sure_of_numbers() {
    if (insight_.pairs.empty() || insight_.pairs[0].empty()) return;
    const Intervals* intervals = model_.intervals() ? &*model_.intervals() : nullptr;
    heading("How sure it is", intervals ? "Each dot is a row. Nine of ten should lie in the band, which comes from the "
                                          "errors on rows that training held out."
                                        : "Each dot is a row; on the dashed line a prediction is right.");
    for (std::size_t k = 0; k < std::min(kMostTargets, insight_.pairs.size()); ++k) {
      if (insight_.pairs.size() > 1) out_ += fmt::format("<h3>{}</h3>\n", escaped(target_name(k)));
      std::string caption;
      if (k < e_.coverage.size())
        caption = fmt::format("{} of all rows lie in the 90 % intervals, whose mean width is {}.",
                              percent(e_.coverage[k].inside, 1), short_number(e_.coverage[k].width));
      out_ += "<div class=\"pair\">\n";
      figure(pair_chart(insight_.pairs[k], intervals, k, target_name(k)), caption);
      figure(residual_chart(insight_.pairs[k], target_name(k)),
             "How far off: the middle 99 % of the rows, the rest at the ends.");
      out_ += "</div>\n";
    }
    if (insight_.pairs.size() > kMostTargets)
      paragraph(fmt::format("The first {} of {} targets.", kMostTargets, insight_.pairs.size()), "soft");
    close();
  }

  void confusion() {
    if (e_.confusion.empty()) return;
    heading("What it mistakes for what",
            "Rows are the true classes, columns the answers; the diagonal is right. Darker: a "
            "larger share of the class.");
    if (e_.labels.size() <= kMostMatrix) figure("<div class=\"scroll\">" + confusion_chart(e_) + "</div>", "");
    struct Mistake {
      double count, share;
      std::size_t truth, answer;
    };
    std::vector<Mistake> mistakes;
    for (std::size_t c = 0; c < e_.labels.size(); ++c) {
      double total = 0;
      for (const double v : e_.confusion[c]) total += v;
      for (std::size_t a = 0; a < e_.labels.size(); ++a)
        if (a != c && e_.confusion[c][a] > 0)
          mistakes.push_back({e_.confusion[c][a], e_.confusion[c][a] / total, c, a});
    }
    if (e_.labels.size() > 2 && !mistakes.empty()) {
      std::stable_sort(mistakes.begin(), mistakes.end(),
                       [](const Mistake& a, const Mistake& b) { return a.count > b.count; });
      out_ +=
          "<table><tr><th>true class</th><th>answered as</th><th class=\"n\">rows</th><th class=\"n\">of the "
          "class</th></tr>\n";
      for (std::size_t i = 0; i < std::min(kMostConfused, mistakes.size()); ++i)
        out_ += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                            escaped(e_.labels[mistakes[i].truth]), escaped(e_.labels[mistakes[i].answer]),
                            grouped(mistakes[i].count), percent(mistakes[i].share, 1));
      out_ += "</table>\n";
    }
    close();
  }

  void dependence() {
    if (insight_.dependence.empty()) return;
    const bool chances = classes() && model_.has_probabilities();
    heading("How it answers",
            fmt::format("The mean {} where every row is given the same value of one column and keeps its others.",
                        !classes() ? "prediction"
                        : chances  ? "probability"
                                   : "score"));
    const auto& names = insight_.dependence[0].names;
    if (names.size() > 1) {
      out_ += "<p class=\"soft\">";
      for (std::size_t c = 0; c < names.size(); ++c)
        out_ += fmt::format("<span class=\"key {}\"></span>{}", curve_look(c), escaped(shortened(names[c], 30)));
      out_ += "</p>\n";
    }
    out_ += "<div class=\"many\">\n";
    for (const Insight::Dependence& d : insight_.dependence)
      out_ +=
          fmt::format("<div><h3>{}</h3>{}</div>\n", escaped(shortened(d.column, 60)), dependence_chart(d, classes()));
    out_ += "</div>\n";
    close();
  }

  void making() {
    heading("How it was made", report_.learner.empty()
                                   ? ""
                                   : fmt::format("{} on {} rows of {} inputs.",
                                                 !report_.candidates.empty()
                                                     ? "The automatic machine: a race of kernels, bins and a linear "
                                                       "model on rows held out, and a blend of them, learnt"
                                                     : "The learner " + report_.learner,
                                                 grouped(double(report_.rows)), grouped(double(report_.inputs))));
    if (report_.score)
      paragraph(fmt::format("Its own score: {} ({}).", report_.score->text(), report_.validation), "soft");
    candidates();
    if (report_.learning_curve.size() > 1)
      figure(curve_chart(report_.learning_curve),
             "A kernel machine learnt from fewer rows, judged on the rows held out: where it still falls, more rows "
             "help.");
    if (!report_.notes.empty()) {
      out_ += "<h3>What was chosen</h3>\n<ul class=\"notes\">\n";
      for (const std::string& note : report_.notes)
        if (!is_of_candidate(note)) out_ += fmt::format("<li>{}</li>\n", escaped(note));
      out_ += "</ul>\n";
    }
    close();
  }

  // What the table of candidates has told already.
  bool is_of_candidate(const std::string& note) const {
    return std::any_of(report_.candidates.begin(), report_.candidates.end(), [&](const Report::Candidate& c) {
      return note.starts_with(c.name + ": ") && note.find("unexplained variance") != note.npos;
    });
  }

  void candidates() {
    if (report_.candidates.empty()) return;
    out_ +=
        "<table><tr><th>candidate</th><th class=\"n\">unexplained variance</th><th "
        "class=\"n\">weight</th><th></th></tr>\n";
    for (const Report::Candidate& c : report_.candidates)
      out_ += fmt::format(
          "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{:.2f}</td><td><span class=\"meter\" "
          "style=\"width:{:.0f}px\"></span></td></tr>\n",
          escaped(c.name), percent(c.left_over), c.weight, 120 * std::clamp(c.weight, 0.0, 1.0));
    out_ += "</table>\n";
  }

  const Model& model_;
  const Insight& insight_;
  const Evaluation& e_;
  const Report& report_;
  std::string out_;
};

}  // namespace

std::string html_page(const Model& model, const Insight& insight, const std::string& title) {
  return Page(model, insight, title).done();
}

}  // namespace bochner
