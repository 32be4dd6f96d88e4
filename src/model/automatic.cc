// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/clock.h"
#include "bochner/error.h"
#include "choose/blend.h"
#include "choose/metric_machine.h"
#include "learn/score.h"
#include "maps/twofold.h"
#include "run/compute.h"
#include "run/memory_plan.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr std::size_t kLeastRows = 200, kMostInputs = 2000, kMostOutputs = 64;
constexpr double kHeldShare = 0.15;
constexpr std::size_t kMostHeld = 10000;

MachineEffort effort_of(Effort effort) {
  MachineEffort e;
  if (effort == Effort::fast) {
    e = {{60, 0, 40, 20}, {1500, 750, 1500}, {4000, 1000, 3000}, 2000, 3e11, {}};
    e.leaf.trees = 1;
    e.leaf.lambdas = {1e-7, 1e-5, 1e-3};
  }
  if (effort == Effort::best) {
    e.most_landmarks = 5000;
    e.most_products = 8e12;
  }
  return e;
}

// Trainings that race beside the kernels in a learnt metric.
struct Rival {
  const char* name;
  MapOptions map;
};
std::vector<Rival> rivals(Effort effort) {
  std::vector<Rival> all = {{"linear", NoMap{}}, {"bins", Binning{}}};
  if (effort != Effort::fast) all.push_back({"bins of 1-2 inputs", Binning{.order_low = 1, .order_high = 2}});
  return all;
}

struct Candidate {
  std::string name;
  Matrix<double> held;            // its predictions of the rows held out, coded
  double error = 0;               // their mean squared error
  std::function<MapPtr()> refit;  // on all rows: from rows as they are to codes
};

class Race {
 public:
  Race(Rows& rows, const Survey& survey, const TrainOptions& options, Threads& threads, const Execution& execution,
       std::vector<TwofoldColumn> columns)
      : rows_(rows),
        survey_(survey),
        options_(options),
        on_(workers_on(threads)),
        execution_(execution),
        code_(target_code(rows.schema(), survey, true)),
        input_columns_(std::move(columns)),
        inputs_(twofold(input_columns_)) {}

  Fitted run() {
    Clock clock;
    read();
    hold_out();
    race_metrics();
    report_.seconds.emplace_back("metric", clock.lap());
    for (const Rival& rival : rivals(*options_.automatic)) race_training(rival);
    report_.seconds.emplace_back("rivals", clock.lap());
    Fitted fitted{blend(), {}};
    report_.seconds.emplace_back("refit", clock.lap());
    report_.rows = survey_.rows();
    report_.inputs = rows_.schema().inputs;
    report_.features = inputs_->outputs();
    report_.map = fitted.head->spec();
    report_.learner = "automatic";
    report_.solver = "cholesky";
    fitted.report = std::move(report_);
    return fitted;
  }

 private:
  std::size_t columns() const { return code_.columns(); }
  void say(const std::string& line) { report_.notes.push_back(line); }

  void read() {
    const Stream stream(rows_, inputs_, on_.threads, execution_);
    const std::size_t n = survey_.rows();
    x_ = Matrix<float>(n, inputs_->outputs());
    y_ = Matrix<double>(n, columns());
    targets_ = Matrix<double>(n, rows_.schema().task == Task::classification ? 1 : columns());
    stream.each("rows", [&](const auto& block) {
      for (std::size_t i = 0; i < block.rows; ++i) {
        const std::size_t row = block.first + i;
        std::copy_n(block.values + i * block.stride, block.cols, &x_(row, 0));
        const double* target = block.targets + i * block.target_count;
        std::copy_n(target, targets_.cols(), &targets_(row, 0));
        for (std::size_t k = 0; k < columns(); ++k) y_(row, k) = code_.encode(target, k);
        if (block.weights) {
          weights_.resize(n, 1.0);
          weights_[row] = block.weights[i];
        }
      }
    });
    rows_in_memory_.rows = {x_.view(), y_.view(), weights_};
  }

  void hold_out() {
    const std::size_t n = x_.rows(), count = std::min(kMostHeld, std::size_t(kHeldShare * double(n)));
    rows_in_memory_.held.assign(n, 0);
    for (const std::uint32_t row : draw_rows(n, count, options_.seed, 2000000)) rows_in_memory_.held[row] = 1;
    held_ = rows_in_memory_.numbers(true);
    mean_.assign(columns(), 0.0);
    double weight = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (rows_in_memory_.held[i]) continue;
      weight += weight_of(i);
      for (std::size_t k = 0; k < columns(); ++k) mean_[k] += weight_of(i) * y_(i, k);
    }
    for (double& m : mean_) m /= weight > 0 ? weight : 1;
  }

  double weight_of(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  // The share of the variance that is left, on the rows held out.
  double relative(double error) const {
    double sum = 0, weight = 0;
    for (const std::uint32_t i : held_) {
      weight += weight_of(i);
      for (std::size_t k = 0; k < columns(); ++k) sum += weight_of(i) * (y_(i, k) - mean_[k]) * (y_(i, k) - mean_[k]);
    }
    return sum > 0 ? error * weight / sum : 1;
  }

  std::string standing(const Candidate& c) const {
    return fmt::format("{}: {:.2f} % of the variance left over on {} rows held out", c.name, 100 * relative(c.error),
                       held_.size());
  }

  void add(Candidate c) {
    say(standing(c));
    candidates_.push_back(std::move(c));
  }

  void race_metrics() {
    const MachineTalk talk{[&](const std::string& line) { say(line); }, execution_.progress};
    const MachineEffort effort = effort_of(*options_.automatic);
    const std::vector<Metric> metrics = learn_metrics(on_, rows_in_memory_, effort, options_.seed, talk);
    tell_importance(metrics[0]);
    for (const Metric& metric : metrics) {
      machines_.push_back(std::make_unique<MetricMachine>(on_, rows_in_memory_, metric, effort, options_.seed));
      const MetricMachine& m = *machines_.back();
      add({fmt::format("kernel of {} ({})", metric.diagonal.empty() ? "learnt directions" : "scaled inputs", m.text()),
           m.held_predictions(), m.error(), [this, &m] {
             return chain({inputs_, m.refit()});
           }});
    }
  }

  // By the diagonal of W: scale^2 times the variance of what enters.
  void tell_importance(const Metric& metric) {
    std::vector<double> share(metric.diagonal.size(), 0.0);
    double total = 0;
    for (std::size_t j = 0; j < share.size(); ++j) {
      double mean = 0, squares = 0;
      for (std::size_t i = 0; i < x_.rows(); ++i) mean += double(x_(i, j)) / double(x_.rows());
      for (std::size_t i = 0; i < x_.rows(); ++i) squares += (x_(i, j) - mean) * (x_(i, j) - mean) / double(x_.rows());
      share[j] = metric.diagonal[j] * metric.diagonal[j] * squares;
      total += share[j];
    }
    std::vector<double> of_input(rows_.schema().inputs, 0.0);
    std::size_t at = 0;
    for (std::size_t j = 0; j < input_columns_.size(); ++j)
      for (std::size_t k = 0; k < input_columns_[j].outputs(); ++k) of_input[j] += share[at++] / total;
    std::vector<std::size_t> order(of_input.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return of_input[a] > of_input[b]; });
    const std::vector<std::string> names = rows_.schema().input_names();
    std::string line;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()) && of_input[order[i]] > 0.01; ++i)
      line += fmt::format("{}{} {:.0f} %", line.empty() ? "" : ", ", names[order[i]], 100 * of_input[order[i]]);
    say("share of the distance that inputs make: " + line);
  }

  TrainOptions other_options(const MapOptions& map) const {
    TrainOptions other;
    other.map = map;
    other.seed = other.ridge.seed = options_.seed;
    other.execution = execution_;
    other.execution.checkpoint = nullptr;
    return other;
  }

  // Coded again, where a model's own maps decode.
  MapPtr coded(const Model& model) const {
    if (code_.task == Task::classification) return model.map();
    Matrix<double> unit(columns(), columns());
    std::vector<double> shift(columns());
    for (std::size_t k = 0; k < columns(); ++k) {
      unit(k, k) = 1 / code_.unit[k];
      shift[k] = -code_.center[k] / code_.unit[k];
    }
    return chain({model.map(), linear(std::move(unit), std::move(shift))});
  }

  void race_training(const Rival& rival) {
    const std::vector<char>& held = rows_in_memory_.held;
    const auto part = [&](char side) {
      return subset_rows(rows_, [&held, side](std::uint64_t row) { return held[row] == side; });
    };
    try {
      const Model model = train(*part(0), other_options(rival.map));
      if (model.schema().offsets != rows_.schema().offsets || model.outputs() != columns()) return;
      Matrix<double> values = model.predict(*part(1), execution_);
      for (std::size_t i = 0; i < values.rows() && code_.task == Task::regression; ++i)
        for (std::size_t k = 0; k < columns(); ++k) values(i, k) = (values(i, k) - code_.center[k]) / code_.unit[k];
      const double error = squared_error({x_.view(), y_.view(), weights_}, values, held_);
      add({rival.name, std::move(values), error,
           [this, map = rival.map] { return coded(train(rows_, other_options(map))); }});
    } catch (const std::invalid_argument& e) {
      say(fmt::format("{} left out: {}", rival.name, e.what()));
    } catch (const Error& e) {
      if (e.kind() != Error::Kind::data) throw;
      say(fmt::format("{} left out: {}", rival.name, e.what()));
    }
  }

  std::vector<double> weights_of_candidates() const {
    const std::size_t k = candidates_.size(), c = columns();
    Matrix<double> gram(k, k);
    std::vector<double> moment(k, 0.0);
    for (std::size_t p = 0; p < held_.size(); ++p)
      for (std::size_t o = 0; o < c; ++o) {
        const double w = weight_of(held_[p]);
        for (std::size_t a = 0; a < k; ++a) {
          const double pa = candidates_[a].held(p, o) - mean_[o];
          moment[a] += w * pa * (y_(held_[p], o) - mean_[o]);
          for (std::size_t b = 0; b < k; ++b) gram(a, b) += w * pa * (candidates_[b].held(p, o) - mean_[o]);
        }
      }
    return blend_weights(gram, moment);
  }

  // y = mean + sum_j b_j (p_j - mean), decoded.
  MapPtr blend() {
    const std::vector<double> b = weights_of_candidates();
    score(b);
    std::vector<MapPtr> parts;
    double total = 0;
    for (const double w : b) total += w;
    std::vector<double> constant(columns());
    for (std::size_t k = 0; k < columns(); ++k) {
      constant[k] = mean_[k] * (1 - total);
      if (code_.task == Task::regression) constant[k] = code_.center[k] + code_.unit[k] * constant[k];
    }
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (b[j] == 0) continue;
      Matrix<double> weight(columns(), columns());
      for (std::size_t k = 0; k < columns(); ++k)
        weight(k, k) = b[j] * (code_.task == Task::regression ? code_.unit[k] : 1.0);
      parts.push_back(chain({candidates_[j].refit(), linear(std::move(weight), constant)}));
      constant.assign(columns(), 0.0);
      report_.part_weights.push_back(b[j]);
    }
    if (!parts.empty()) return parts.size() == 1 ? parts[0] : sum(std::move(parts));
    say("no signal was found: the model answers the mean");
    return linear(Matrix<double>(rows_.schema().inputs, columns()), constant);
  }

  void score(const std::vector<double>& b) {
    std::string line;
    Scorer scorer(code_.task, columns());
    std::vector<double> values(columns());
    for (std::size_t p = 0; p < held_.size(); ++p) {
      for (std::size_t k = 0; k < columns(); ++k) {
        values[k] = mean_[k];
        for (std::size_t j = 0; j < b.size(); ++j) values[k] += b[j] * (candidates_[j].held(p, k) - mean_[k]);
        if (code_.task == Task::regression) values[k] = code_.center[k] + code_.unit[k] * values[k];
      }
      scorer.add(values.data(), &targets_(held_[p], 0), weight_of(held_[p]));
    }
    report_.score = scorer.score();
    report_.validation = fmt::format("{} rows held out, which also chose the blend", held_.size());
    for (std::size_t j = 0; j < b.size(); ++j)
      if (b[j] > 0)
        line += fmt::format("{}{:.2f} {}", line.empty() ? "" : " + ", b[j],
                            candidates_[j].name.substr(0, candidates_[j].name.find(" (")));
    if (!line.empty()) say("blend: " + line);
  }

  Rows& rows_;
  const Survey& survey_;
  const TrainOptions& options_;
  Workers on_;
  Execution execution_;
  TargetCode code_;
  std::vector<TwofoldColumn> input_columns_;
  MapPtr inputs_;  // what they make of the rows
  Matrix<float> x_;
  Matrix<double> y_, targets_;
  std::vector<double> weights_, mean_;
  MachineRows rows_in_memory_;
  std::vector<std::uint32_t> held_;
  std::vector<std::unique_ptr<MetricMachine>> machines_;
  std::vector<Candidate> candidates_;
  Report report_;
};

// Of the survey's sample, and of its ranges where the sample has one value of an input only.
std::vector<TwofoldColumn> input_columns(const Schema& schema, const Survey& survey) {
  const Matrix<double> sample = survey.sample_inputs(Survey::most_sampled(schema));
  std::vector<TwofoldColumn> columns;
  std::vector<double> values(sample.rows());
  for (std::size_t j = 0; j < schema.inputs; ++j) {
    for (std::size_t i = 0; i < sample.rows(); ++i) values[i] = sample(i, j);
    columns.push_back(twofold_column(values));
    const Survey::ColumnFacts& facts = survey.columns()[j];
    if (columns.back().kind == TwofoldColumn::Kind::left_out && facts.indicator && facts.min < facts.max)
      columns.back() = {TwofoldColumn::Kind::two_values, 0, 1, {}, {}};
  }
  return columns;
}

// Why the machine does not suit, or nothing.
std::string unsuited(const Schema& schema, const Survey& survey, const Execution& execution, std::size_t outputs) {
  const std::size_t codes = schema.task == Task::classification ? schema.labels.size() : schema.targets;
  if (survey.rows() < kLeastRows) return fmt::format("{} rows are fewer than {}", survey.rows(), kLeastRows);
  if (outputs == 0) return "no input varies";
  if (outputs > kMostInputs) return fmt::format("{} inputs are more than {}", outputs, kMostInputs);
  if (codes > kMostOutputs) return fmt::format("{} outputs are more than {}", codes, kMostOutputs);
  const double bytes = double(survey.rows()) * (double(outputs) * 4 * 7 + double(codes) * 8 * 6);
  if (bytes > double(memory_limit(execution)))
    return fmt::format("{} rows do not fit in memory with all that is learnt beside them", survey.rows());
  return "";
}

}  // namespace

std::optional<Fitted> fit_automatic(Rows& rows, const Survey& survey, const TrainOptions& options, Threads& threads,
                                    const Execution& execution) {
  std::vector<TwofoldColumn> columns;
  std::size_t outputs = rows.schema().inputs;
  if (outputs <= kMostInputs) {
    columns = input_columns(rows.schema(), survey);
    outputs = 0;
    for (const TwofoldColumn& c : columns) outputs += c.outputs();
  }
  if (const std::string reason = unsuited(rows.schema(), survey, execution, outputs); !reason.empty()) {
    if (options.say) options.say("automatic machine: " + reason + "; trained as without it");
    return std::nullopt;
  }
  return Race(rows, survey, options, threads, execution, std::move(columns)).run();
}

}  // namespace bochner
