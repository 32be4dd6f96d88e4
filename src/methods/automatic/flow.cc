// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/require.h"
#include "random/draw.h"
#include "random/powers.h"

namespace bochner {

namespace {

constexpr double kLeastQ = 0.4, kRangeQ = 1.6;  // q = 0.4 + 1.6 / (1 + e^-theta)
constexpr double kDecay = 30;                   // decay of a full W's move V: (30 / n) |V|^2
constexpr double kSlower = 0.3;                 // rate of a full W against that of q and lambda
constexpr std::uint64_t kFirstKinDraw = 1000;   // draws that part kin, one a step
constexpr std::size_t kPairs = 2000;            // pairs of rows whose median distance is the first scale

double q_of(double theta) { return kLeastQ + kRangeQ / (1 + portable_exp(-theta)); }
double theta_of(double q) { return -portable_log(kRangeQ / (q - kLeastQ) - 1); }

// Kingma & Ba 2015, with the second moment forgotten faster: the rows change with each step.
class Adam {
 public:
  explicit Adam(std::size_t size) : first_(size, 0.0), second_(size, 0.0) {}

  void move(std::vector<double>& x, const std::vector<double>& gradient, double rate, std::size_t step) {
    const double steps = double(step + 1), bias1 = 1 - portable_power(0.9, steps),
                 bias2 = 1 - portable_power(0.95, steps);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double g = std::isfinite(gradient[i]) ? gradient[i] : 0;
      first_[i] += 0.1 * (g - first_[i]);
      second_[i] += 0.05 * (g * g - second_[i]);
      x[i] -= rate * (first_[i] / bias1) / (std::sqrt(second_[i] / bias2) + 1e-8);
    }
  }

 private:
  std::vector<double> first_, second_;
};

// What the steps move: logs of a diagonal, or V of W = W_0 + unit V.
class Moving {
 public:
  Moving(const Metric& start, bool full) : full_(full) {
    if (!full) {
      for (const double w : start.diagonal) at_.push_back(portable_log(w));
      return;
    }
    origin_ = start.matrix();
    const std::size_t d = origin_.rows();
    std::vector<double> norms(d, 0.0);
    double largest = 0;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        norms[j] += origin_(i, j) * origin_(i, j);
        largest = std::max(largest, std::fabs(origin_(i, j)));
      }
    std::nth_element(norms.begin(), norms.begin() + std::ptrdiff_t((d - 1) / 2), norms.end());
    unit_ = std::max(std::sqrt(norms[(d - 1) / 2]), 0.1 * largest);
    at_.assign(d * d, 0.0);
  }

  void put(Metric& metric) const {
    if (!full_) {
      metric.diagonal.resize(at_.size());
      std::transform(at_.begin(), at_.end(), metric.diagonal.begin(), portable_exp);
      return;
    }
    metric.diagonal.clear();
    metric.full = origin_;
    for (std::size_t i = 0; i < at_.size(); ++i) metric.full.data()[i] += unit_ * at_[i];
  }

  std::vector<double> gradient(const std::vector<double>& by_metric, double rows) const {
    if (!full_) return by_metric;
    std::vector<double> g(at_.size());
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = unit_ * by_metric[i] + 2 * kDecay / rows * at_[i];
    return g;
  }

  std::vector<double>& at() { return at_; }

 private:
  bool full_;
  Matrix<double> origin_;
  double unit_ = 1;
  std::vector<double> at_;
};

// Fewer rows than it asks for: both shares shrink.
FlowBatch fitting_batch(FlowBatch batch, std::size_t rows) {
  const std::size_t wanted = batch.fitted + batch.scored;
  if (wanted > rows) {
    batch.fitted = rows * batch.fitted / wanted;
    batch.scored = rows - batch.fitted;
  }
  return batch;
}

struct FlowDraw {
  std::uint64_t seed;
  std::size_t step;
};

std::vector<std::uint32_t> draw(const FlowRows& rows, const FlowBatch& batch, FlowDraw draw) {
  std::vector<std::uint32_t> drawn = draw_rows(rows.x.rows, batch.fitted + batch.scored, draw.seed, draw.step);
  if (rows.kin.empty()) return drawn;
  return parted_by_kin(std::move(drawn), batch.fitted, rows.kin, draw.seed, draw.step);
}

// The gradient of each of the groups of a step, one group a thread; a loss that is not finite where it has none.
std::vector<FlowGradient> gradients_of_groups(const Workers& on, const FlowRows& rows, const FlowPhase& phase,
                                              const Metric& metric, FlowDraw of_step,
                                              std::vector<FlowRoom<float>>& rooms) {
  const std::uint64_t seed = of_step.seed;
  const std::size_t step = of_step.step;
  const std::vector<std::uint32_t> drawn = draw_rows(phase.groups.size(), kGroupsOfStep, seed, step);
  FlowGradient none;
  none.loss = std::numeric_limits<double>::infinity();
  std::vector<FlowGradient> gradients(drawn.size(), none);
  rooms.resize(std::size_t(on.threads.count()));
  on.threads.run(drawn.size(), [&](std::size_t g, int thread) {
    const std::vector<std::uint32_t>& group = phase.groups[drawn[g]];
    const FlowBatch batch = fitting_batch(phase.batch, group.size());
    if (batch.fitted == 0 || batch.scored == 0) return;
    std::vector<std::uint32_t> members =
        draw_rows(group.size(), batch.fitted + batch.scored, seed, phase.steps + step * kGroupsOfStep + g);
    for (std::uint32_t& row : members) row = group[row];
    gradients[g] = flow_gradient<float>(on, rows, members, batch, metric, &rooms[std::size_t(thread)]);
  });
  return gradients;
}

// The gradient of the log of the mean squared error over some of the groups.
FlowGradient groups_gradient(const std::vector<FlowGradient>& groups, const Metric& metric) {
  FlowGradient mean;
  mean.metric.assign(metric.diagonal.empty() ? metric.full.rows() * metric.full.cols() : metric.diagonal.size(), 0.0);
  double total = 0;
  for (const FlowGradient& of : groups) {
    const double error = portable_exp(of.loss);
    if (!std::isfinite(error)) continue;  // no row that is scored has a weight
    total += error;
    mean.q += error * of.q;
    mean.log_lambda += error * of.log_lambda;
    for (std::size_t i = 0; i < of.metric.size(); ++i) mean.metric[i] += error * of.metric[i];
  }
  total = std::max(total, std::numeric_limits<double>::min());
  mean.loss = portable_log(total / double(groups.size()));
  mean.q /= total;
  mean.log_lambda /= total;
  for (double& slope : mean.metric) slope /= total;
  return mean;
}

}  // namespace

Matrix<double> Metric::matrix() const {
  if (diagonal.empty()) return full;
  Matrix<double> W(diagonal.size(), diagonal.size());
  for (std::size_t j = 0; j < diagonal.size(); ++j) W(j, j) = diagonal[j];
  return W;
}

std::vector<std::uint32_t> draw_rows(std::size_t n, std::size_t count, std::uint64_t seed, std::uint64_t draw) {
  count = std::min(count, n);
  std::vector<std::uint32_t> order(count);
  std::unordered_map<std::uint32_t, std::uint32_t> moved;  // numbers that stand elsewhere than at first: few of many
  const auto at = [&](std::size_t place) {
    const auto found = moved.find(std::uint32_t(place));
    return found == moved.end() ? std::uint32_t(place) : found->second;
  };
  for (std::size_t i = 0; i < count; ++i) {  // Fisher and Yates
    const std::size_t other = std::min(n - 1, i + std::size_t(uniform(seed, Draw::visit, i, draw) * double(n - i)));
    order[i] = at(other);
    moved[std::uint32_t(other)] = at(i);
  }
  return order;
}

std::vector<std::uint32_t> parted_by_kin(std::vector<std::uint32_t> drawn, std::size_t fitted,
                                         std::span<const std::uint64_t> kin, std::uint64_t seed, std::size_t step) {
  struct Place {
    double of_kin;  // drawn for all rows with the same number
    std::size_t at;
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    places.push_back({uniform(seed, Draw::split, kin[drawn[i]], kFirstKinDraw + step), i});
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.of_kin != b.of_kin ? a.of_kin < b.of_kin : a.at < b.at; });
  const auto by_place = [](const Place& a, const Place& b) { return a.at < b.at; };
  const auto cut = places.begin() + std::ptrdiff_t(std::min(fitted, places.size()));
  std::sort(places.begin(), cut, by_place);
  std::sort(cut, places.end(), by_place);
  std::vector<std::uint32_t> parted;
  for (const Place& place : places) parted.push_back(drawn[place.at]);
  return parted;
}

namespace {

// The median distance of kPairs pairs of rows.
double median_distance(MatrixView<const float> x, std::uint64_t seed) {
  const std::size_t n = x.rows;
  std::vector<double> distances;
  for (std::size_t p = 0; p < kPairs; ++p) {
    const auto pick = [&](std::uint64_t side) {
      return std::min(n - 1, std::size_t(uniform(seed, Draw::candidate, p, side) * double(n)));
    };
    const float* a = x.row(pick(0));
    const float* b = x.row(pick(1));
    double t = 0;
    for (std::size_t j = 0; j < x.cols; ++j) t += (double(a[j]) - b[j]) * (double(a[j]) - b[j]);
    distances.push_back(std::sqrt(t));
  }
  std::nth_element(distances.begin(), distances.begin() + kPairs / 2, distances.end());
  return std::max(distances[kPairs / 2], 1e-3);
}

}  // namespace

Metric flow_start(const FlowRows& rows, std::uint64_t seed) {
  Metric start;
  start.diagonal.assign(rows.x.cols, 0.7 / median_distance(rows.x, seed));
  start.q = q_of(-0.5);
  return start;
}

Metric gaussian_of_median_distance(MatrixView<const float> x, std::uint64_t seed) {
  Metric metric;
  metric.diagonal.assign(x.cols, 1 / median_distance(x, seed));
  metric.q = 2;
  metric.lambda = 1e-6;
  return metric;
}

Metric flow(const Workers& on, const FlowRows& rows, Metric start, const FlowPhase& phase, std::uint64_t seed,
            const std::function<void(std::size_t, double)>& tell) {
  const std::size_t n = rows.x.rows;
  const FlowBatch batch = fitting_batch(phase.batch, n);
  require(batch.fitted > 0 && batch.scored > 0, "flow: {} rows are too few", n);
  require(phase.full || !start.diagonal.empty(), "flow: a full metric cannot become diagonal");
  if (phase.steps == 0) return start;
  Metric metric = std::move(start);
  Moving moving(metric, phase.full);
  std::vector<double> shape = {theta_of(metric.q), portable_log(metric.lambda)};
  Adam of_metric(moving.at().size()), of_shape(2);
  std::vector<FlowRoom<float>> rooms(1);
  for (std::size_t step = 0; step < phase.steps; ++step) {
    moving.put(metric);
    metric.q = q_of(shape[0]);
    metric.lambda = portable_exp(shape[1]);
    const FlowGradient g =
        phase.groups.empty()
            ? flow_gradient(on, rows, draw(rows, batch, {seed, step}), batch, metric, &rooms[0])
            : groups_gradient(gradients_of_groups(on, rows, phase, metric, {seed, step}, rooms), metric);
    const double root = portable_cos_pi(0.5 * double(step) / double(phase.steps));  // root of (1 + cos) / 2
    const double rate = phase.rate * std::min(1.0, double(step + 1) / 5) * root * root;
    of_metric.move(moving.at(), moving.gradient(g.metric, double(n)), rate * (phase.full ? kSlower : 1.0), step);
    of_shape.move(shape, {g.q * (metric.q - kLeastQ) * (kLeastQ + kRangeQ - metric.q) / kRangeQ, g.log_lambda}, rate,
                  step);
    if (tell) tell(step, g.loss);
  }
  moving.put(metric);
  metric.q = q_of(shape[0]);
  metric.lambda = portable_exp(shape[1]);
  return metric;
}

}  // namespace bochner
