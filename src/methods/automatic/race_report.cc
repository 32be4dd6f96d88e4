// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_report.h"

#include <algorithm>
#include <cmath>

#include "maps/map_rows.h"
#include "methods/automatic/landmark_ridge.h"
#include "rows/column_inputs.h"

namespace bochner {

namespace {

constexpr std::size_t kLeastLearnt = 100, kMostJudged = 2000;
constexpr std::size_t kMostPoints = 7;
constexpr double kMostPredictions = 60000;  // sum over the shuffled columns
constexpr double kCurveLambdas[] = {1e-8, 1e-6, 1e-4, 1e-2};

// The rows of a small machine: some to learn from in a drawn order, some held out.
class SmallMachine {
 public:
  SmallMachine(const Workers& on, const RaceRows& rows, const Metric& metric, std::uint64_t seed)
      : on_(on), rows_(rows), metric_(metric), project_(linear(metric.matrix(), {})) {
    const std::vector<std::uint32_t> others = rows.machine().numbers(false);
    for (const std::uint32_t i : draw_rows(others.size(), std::min(kMostReportRows, others.size()), seed, 4000000))
      learnt_.push_back(others[i]);
    for (const std::uint32_t i :
         draw_rows(rows.fold(0).held.size(), std::min(kMostJudged, rows.fold(0).held.size()), seed, 4000001))
      held_.push_back(rows.fold(0).held[i]);
    held_x_ = gathered(held_);
  }

  std::size_t most() const { return learnt_.size(); }
  const Matrix<float>& held_x() const { return held_x_; }
  std::size_t held() const { return held_.size(); }

  // Learns from the first `count` rows; what it leaves over on the rows held out with the best lambda.
  double learn(std::size_t count) {
    const std::vector<std::uint32_t> chosen(learnt_.begin(), learnt_.begin() + std::ptrdiff_t(count));
    const Matrix<float> x = gathered(chosen);
    Matrix<float> u(count, project_->outputs());
    map_rows(on_, *project_, RowBlock<float>::dense(x.view()), u.view());
    Matrix<double> y(count, rows_.machine().rows.y.cols);
    std::vector<double> weights;
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(rows_.machine().rows.y.row(chosen[i]), y.cols(), &y(i, 0));
      if (!rows_.machine().rows.weights.empty()) weights.push_back(rows_.machine().rows.weights[chosen[i]]);
    }
    std::vector<std::uint32_t> landmarks(std::min(kMostReportLandmarks, count));
    for (std::size_t m = 0; m < landmarks.size(); ++m) landmarks[m] = std::uint32_t(m);
    const LandmarkRidge ridge(on_, {u.view(), y.view(), weights}, landmarks, std::vector<char>(count, 0), metric_.q);
    double best = 0;
    machine_ = nullptr;
    for (const double lambda : kCurveLambdas) {
      const MapPtr map = chain({project_, ridge.fit(lambda, false)});
      const double found = left_over(*map, held_x_.view());
      if (machine_ && !(found < best)) continue;
      best = found;
      machine_ = map;
    }
    return best;
  }

  // The unexplained variance of the last model learnt if the held-out rows have these inputs instead.
  double left_over(MatrixView<const float> x) const { return left_over(*machine_, x); }

 private:
  Matrix<float> gathered(const std::vector<std::uint32_t>& rows) const {
    const MatrixView<const float> all = rows_.machine().rows.x;
    Matrix<float> x(rows.size(), all.cols);
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(all.row(rows[i]), all.cols, &x(i, 0));
    return x;
  }

  double left_over(const Map& map, MatrixView<const float> x) const {
    const Matrix<double> found = predict_rows(on_, map, x);
    const FlowRows& all = rows_.machine().rows;
    double error = 0, variance = 0;
    for (std::size_t p = 0; p < x.rows; ++p) {
      const double w = all.weights.empty() ? 1 : all.weights[held_[p]];
      for (std::size_t k = 0; k < found.cols(); ++k) {
        error += w * std::pow(all.y(held_[p], k) - found(p, k), 2);
        variance += w * std::pow(all.y(held_[p], k) - rows_.fold(0).mean[k], 2);
      }
    }
    return variance > 0 ? error / variance : 0;
  }

  const Workers& on_;
  const RaceRows& rows_;
  const Metric& metric_;
  MapPtr project_, machine_;
  std::vector<std::uint32_t> learnt_, held_;
  Matrix<float> held_x_;
};

// Where each input of the rows begins among what twofold columns put out, and the end.
std::vector<std::size_t> places_of(std::span<const TwofoldColumn> columns) {
  std::vector<std::size_t> places = {0};
  for (const TwofoldColumn& c : columns) places.push_back(places.back() + c.outputs());
  return places;
}

}  // namespace

RaceReport report_race(const Workers& on, const RaceRows& rows, const Metric& diagonal, const Schema& schema,
                       std::span<const TwofoldColumn> columns, const RaceReportOptions& options) {
  RaceReport report;
  SmallMachine machine(on, rows, diagonal, options.seed);
  std::vector<std::size_t> counts = {machine.most()};
  while (options.curve && counts.back() / 2 >= kLeastLearnt && counts.size() < kMostPoints)
    counts.push_back(counts.back() / 2);
  double whole = 0;
  for (std::size_t p = counts.size(); p-- > 0;) {
    whole = machine.learn(counts[p]);
    if (options.curve) report.curve.push_back({counts[p], whole});
  }

  const std::vector<double> shares = distance_shares(diagonal, rows.inputs(), columns);
  const std::vector<std::size_t> places = places_of(columns);
  const std::vector<ColumnInputs> of_file = column_inputs(schema);
  const std::size_t n =
      std::min(machine.held(), std::max<std::size_t>(100, std::size_t(kMostPredictions / double(of_file.size()))));
  const MatrixView<const float> held = machine.held_x().view().slice(0, std::min(n, machine.held()));
  const double plain = machine.left_over(held);
  Matrix<float> x(held.rows, held.cols);
  std::copy_n(held.data, held.rows * held.cols, x.data());
  for (std::size_t c = 0; c < of_file.size(); ++c) {
    Report::Importance found{of_file[c].name};
    for (std::size_t j = of_file[c].first; j < of_file[c].first + of_file[c].count; ++j) found.distance += shares[j];
    const std::size_t begin = places[of_file[c].first], end = places[of_file[c].first + of_file[c].count];
    if (end > begin) {
      const std::vector<std::uint32_t> order = draw_rows(held.rows, held.rows, options.seed, 4000002 + c);
      for (std::size_t i = 0; i < held.rows; ++i)
        std::copy(held.row(order[i]) + begin, held.row(order[i]) + end, &x(i, begin));
      found.shuffled = machine.left_over(std::as_const(x).view()) - plain;
      for (std::size_t i = 0; i < held.rows; ++i) std::copy(held.row(i) + begin, held.row(i) + end, &x(i, begin));
    }
    report.importance.push_back(std::move(found));
  }
  std::stable_sort(report.importance.begin(), report.importance.end(),
                   [](const auto& a, const auto& b) { return a.shuffled > b.shuffled; });
  return report;
}

}  // namespace bochner
