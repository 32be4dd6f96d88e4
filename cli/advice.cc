// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "bochner/map_kind.h"

namespace bochner {

namespace {

constexpr std::size_t kMost = 3;
// docs/choosing-a-map.md has the measurements behind these.
constexpr std::uint64_t kFewRows = 5000, kManyRows = 100000;
constexpr std::size_t kFewInputs = 100;  // a length scale each can be searched
constexpr double kMixed = 0.2;           // share of the columns that are text

class Advice {
 public:
  Advice(const Model& model, const TrainOptions& options)
      : schema_(model.schema()), report_(model.report()), options_(options) {
    if (!report_.candidates.empty()) {
      if (options.automatic != Effort::best && may_gain())
        say("--effort best: more landmarks and leaves, in a few times the time");
      return;
    }
    if (learner_row(options.learner.learner).has_neighbors) {
      if (unsaid() && schema_.inputs > 1 && schema_.inputs <= kFewInputs)
        say("--bandwidth auto: a length scale per input, searched; rows are compared by it");
      say("no --learner: a machine that is fitted to the rows, not only looked up in them");
      return;
    }
    if (options.map.parts.size() > 1) {
      mixture();
      return;
    }
    lambda();
    const AnyMap& map = options.map.parts[0].map;
    if (std::holds_alternative<Binning>(map))
      bins(std::get<Binning>(map));
    else if (std::holds_alternative<NoMap>(map))
      say("--map fourier: a kernel instead of a linear model");
    else if (std::holds_alternative<Project>(map))
      say("--map 'project:...|fourier': a kernel of the projected rows instead of a linear model");
    else
      features(std::holds_alternative<Fourier>(map));
  }

  std::vector<std::string> lines;

 private:
  void say(std::string line) { lines.push_back(std::move(line)); }

  // Whether more effort may help: there is something to learn, and something left to learn.
  bool may_gain() const {
    constexpr double kNothing = 1e-3;
    const Score score = report_.score.value_or(Score{});
    if (report_.part_weights.empty() || !score.warning().empty()) return false;
    return score.error ? *score.error > kNothing : score.r2.value_or(0) < 1 - kNothing;
  }
  // Whether a bandwidth is searched that could be one per input.
  bool unsaid() const {
    const MapKind& kind = kind_of(options_.map.parts[0].map);
    return options_.bandwidth == Bandwidth::Rule::searched &&
           (kind.has_kernel || kind.learnt_with_head || learner_row(options_.learner.learner).has_neighbors);
  }

  // The share of the columns that is text.
  double text_share() const {
    double text = 0, all = 0;
    for (const Column& column : schema_.columns) {
      text += column.kind == Column::Kind::category;
      all += column.kind == Column::Kind::category || column.kind == Column::Kind::numeric;
    }
    return all > 0 ? text / all : 0;
  }

  void mixture() { say("each part alone: whether the mixture is worth its time"); }

  // Lambda stands at the end of what was tried: the best may lie beyond.
  void lambda() {
    if (report_.path.size() < 2) return;
    const auto by_lambda = [](const auto& a, const auto& b) { return a.lambda < b.lambda; };
    const auto [least, most] = std::minmax_element(report_.path.begin(), report_.path.end(), by_lambda);
    const bool given = !options_.ridge.lambdas.empty();
    if (report_.lambda <= least->lambda && given && least->lambda > 0)
      say(fmt::format("--lambda {:.3g}: the best was the smallest tried", least->lambda / 10));
    if (report_.lambda >= most->lambda && given)
      say(fmt::format("--lambda {:.3g}: the best was the largest tried", most->lambda * 10));
    if (report_.lambda >= most->lambda && !given)
      say("other inputs or another target: the strongest lambda was best, so little was learned");
  }

  void bins(const Binning& map) {
    const bool low_order = map.order_high > 0;
    const MapPart& part = options_.map.parts[0];
    const MapRequest asked{.options = part.map, .features = part.features ? part.features : options_.features};
    if (low_order && unsaid() && schema_.inputs <= kFewInputs)
      say("--bandwidth auto: a length scale per input, searched");
    if (!low_order && text_share() >= kMixed)
      say("--map binning:order=1-2: functions of one and two columns, for tables of mixed columns");
    say(fmt::format("--features {}: twice the grids in twice the time",
                    2 * map_size(kind_of(part.map), asked).features));
    if (report_.rows < kManyRows) say("--bandwidth auto without --map: a smooth kernel, where the target is smooth");
  }

  void features(bool fourier) {
    const bool alike = unsaid() && schema_.inputs > 1 && schema_.inputs <= kFewInputs;
    if (text_share() >= kMixed)
      say("--map binning:order=1-2: functions of one and two columns, for tables of mixed columns");
    if (alike) say("--bandwidth auto: a length scale per input, searched; often the largest gain");
    if (report_.rows >= kManyRows && !schema_.sparse && schema_.inputs <= kFewInputs)
      say("--map binning --bandwidth auto: as local as the rows allow, where near rows have near targets");
    const std::size_t more = 2 * report_.features;
    if (more <= 4 * report_.rows && more <= 65536)
      say(fmt::format("--features {}: twice as many; four times the time of the solve", more));
    if (fourier && report_.rows <= kFewRows)
      say("--map nystroem: the fewest features for an error, on a few thousand rows and a smooth target");
    if (options_.kernel.family == Kernel::Family::gaussian)
      say("--kernel laplacian or --kernel matern:nu=1.5: better where the target is rough");
    else
      say("--kernel gaussian: better where the target is smooth");
  }

  const Schema& schema_;
  const Report& report_;
  const TrainOptions& options_;
};

}  // namespace

std::vector<std::string> advice(const Model& model, const TrainOptions& options, bool tested) {
  std::vector<std::string> lines = Advice(model, options).lines;
  if (lines.size() > kMost) lines.resize(kMost);
  if (!tested) lines.push_back("--test 0.2: a score on rows that nothing in the training saw");
  return lines;
}

}  // namespace bochner
