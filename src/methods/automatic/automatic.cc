// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/clock.h"
#include "base/option.h"
#include "base/require.h"
#include "choose/plan.h"
#include "learn/deviation.h"
#include "methods/automatic/machine_memory.h"
#include "methods/automatic/race.h"
#include "methods/automatic/race_kernels.h"
#include "methods/automatic/race_log_loss.h"
#include "methods/automatic/race_plan.h"
#include "methods/automatic/race_report.h"
#include "methods/automatic/race_rivals.h"
#include "methods/automatic/race_trees.h"
#include "rows/column_inputs.h"
#include "run/compute.h"
#include "run/logged.h"
#include "run/memory_plan.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr std::size_t kToldTargets = 8;  // whose blends are said
constexpr double kLongRace = 10;         // processor seconds that a user should know of
constexpr double kLeakShare = 0.95, kLeakError = 1e-3;
constexpr double kWorkingShare = 0.5;  // share of the memory for all that is not rows
constexpr std::size_t kLeastRows = 30, kMostInputs = 2000, kMostOutputs = 2000;
constexpr std::size_t kLeastKept = 200;  // rows that must fit in memory

// What a row takes while all that is learnt lies beside it: inputs, metrics' projections and leaves (of classes those
// of a third kernel too); codes.
double row_bytes(const Schema& schema, std::size_t outputs) {
  const std::size_t codes = schema.task == Task::classification ? schema.labels.size() : schema.targets;
  const double copies = schema.task == Task::classification ? 9 : 7;
  // Levels of texts are told by other rows in the race than in the refit.
  const std::vector<std::size_t> levels = coded_levels(schema);
  const bool told = std::any_of(levels.begin(), levels.end(), [](std::size_t count) { return count > 0; });
  return double(schema.inputs) * 4 + double(outputs) * 4 * (copies + (told ? 2 : 0)) + double(codes) * 8 * 6;
}

RaceSize race_size(const Schema& schema, const Survey& survey, std::span<const TwofoldColumn> columns) {
  RaceSize size{double(survey.rows()), double(schema.inputs), 0, double(schema.targets)};
  for (const TwofoldColumn& c : columns) size.inputs += double(c.outputs());
  size.classes = schema.task == Task::classification;
  if (size.classes) size.outputs = schema.labels.size() > 2 ? double(schema.labels.size()) : 1;
  return size;
}

// How far the race goes: as the effort says, or as far as the budget carries. With a budget the threads count, those of
// the beginning where a training is resumed.
BudgetedRace planned(const RaceSize& size, const TrainOptions& options, int threads, const Execution& execution) {
  if (options.budget > 0) {
    const auto count = [&]() -> std::vector<double> { return {double(threads)}; };
    threads = int(kept_count(logged(execution.checkpoint, "threads of the budget", 1, count)[0], 1, 1 << 20));
    return race_within(options.budget, threads, *options.automatic, size);
  }
  BudgetedRace race;
  race.plan = race_plan(*options.automatic);
  race.forecast = forecast(race.plan, size);
  return race;
}

Deviation learn_deviation(const UnseenRows& unseen, KernelVariance variance, const Intervals& intervals) {
  Deviation deviation{std::move(variance.map), {}, intervals.rows};
  std::vector<double> residuals(unseen.targets.rows());
  for (std::size_t k = 0; k < unseen.targets.cols(); ++k) {
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      const double predicted = unseen.predictions(i, k);
      residuals[i] = (unseen.targets(i, k) - predicted) / intervals.targets[k].spread(predicted);
    }
    deviation.targets.push_back(likeliest_scales(residuals, variance.held, unseen.weights));
  }
  return deviation;
}

// What program and reader leave.
double free_memory(const Execution& execution) {
  constexpr double kProgram = 48 << 20;
  const double all = double(memory_limit(execution));
  return std::max(all / 2, all - kProgram);
}

// That of the beginning where a training is resumed: what is learnt depends on it where it is small.
double memory_of(const Execution& execution) {
  const auto limit = [&]() -> std::vector<double> { return {std::floor(free_memory(execution))}; };
  return double(kept_count(logged(execution.checkpoint, "memory of the race", 1, limit)[0], 1));
}

// What the inputs of the rows become, and which of them are levels of texts.
struct RacedColumns {
  std::vector<TwofoldColumn> all;
  std::vector<LevelColumn> levels;
};

class Race {
 public:
  Race(Rows& rows, const Survey& survey, const TrainOptions& options, Threads& threads, const Execution& execution,
       RacedColumns columns)
      : size_(race_size(rows.schema(), survey, columns.all)),
        plan_(planned(size_, options, threads.count(), execution)),
        rows_(rows),
        survey_(survey),
        options_(options),
        on_(workers_on(threads)),
        execution_(execution),
        memory_(memory_of(execution)),
        code_(target_code(rows.schema(), survey, true)),
        input_columns_(std::move(columns.all)),
        inputs_(twofold(input_columns_)),
        source_(rows, survey.rows(), row_bytes(rows.schema(), inputs_->outputs()), memory_for_rows(), options.seed,
                plan_.plan.most_rows),
        kin_{source_.groups(options.groups), source_.times(options.times),
             with_codes(std::move(columns.levels), Stream(source_.rows(), nullptr, on_.threads, execution_),
                        source_.count())},
        race_rows_(Stream(source_.rows(), inputs_, on_.threads, execution_), code_, source_.count(), options.seed,
                   race_folds(plan_.plan, size_), kin_),
        rivals_({rows, source_, race_rows_, code_, plan_.short_of_rows(),
                 kin_.levels.empty() && kin_.times.empty() ? nullptr : inputs_},
                options_, beside_rows(), [this](const std::string& line) { say(line); }) {}

  Fitted run() {
    Clock clock;
    if (options_.optimize.score == Optimize::Score::quantile) report_.quantile = options_.optimize.level;
    say(plan_.text(options_.budget));
    if (options_.budget > 0 || plan_.forecast.total() >= kLongRace)
      give_notice(options_, report_.notes.back());  // a forecast must come before the work
    if (leave_out_pursuits(plan_.plan, double(columns())))
      say(fmt::format("bins of few inputs left out: {} outputs", columns()));
    for (const ColumnInputs& column : column_inputs(rows_.schema()))
      if (const std::string cycles = cycles_text(input_columns_[column.first]); !cycles.empty())
        say(fmt::format("{}: the date itself, {}", column.name, cycles));
    if (!options_.times.empty())
      say(fmt::format("in order of time: {} rows at the end are held out{}", race_rows_.held().size(),
                      race_rows_.folds() > 1 ? fmt::format(", in {} blocks that judge what the rows before them taught",
                                                           race_rows_.folds())
                                             : ""));
    else if (race_rows_.folds() > 1)
      say(fmt::format("few rows: {} folds of {} rows are held out in turn", race_rows_.folds(),
                      race_rows_.fold(0).held.size()));
    if (source_.sampled())
      say(fmt::format("{} of {} rows race and make the kernels and trees{}", source_.count(), survey_.rows(),
                      plan_.short_of_rows() ? "" : "; bins are fitted on all"));
    race_metrics();
    report_.seconds.emplace_back("metric", clock.lap());
    race_boosting();
    report_.seconds.emplace_back("trees", clock.lap());
    if (size_.classes)
      for (Candidate& sharp : race_log_loss(on_, race_rows_, input_columns_, options_.seed, talk()))
        add(std::move(sharp));
    for (Candidate& rival : rivals_.race(plan_.plan.rivals, candidates_)) add(std::move(rival));
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
    learn_uncertainty(unseen_, code_.task, fitted);
    if (options_.ridge.deviation && fitted.intervals)
      fitted.deviation = learn_deviation(unseen_, variance_(), *fitted.intervals);
    return fitted;
  }

 private:
  std::size_t columns() const { return code_.columns(); }

  MachineEffort effort(double rows, std::size_t folds) const {
    RaceSize raced = size_;
    raced.rows = rows;
    return within_memory(machine_effort(plan_.plan, raced, folds), kWorkingShare * memory_);
  }
  // How trainings run while the rows lie in memory.
  Execution beside_rows() const {
    const double rows = double(source_.count()) * row_bytes(rows_.schema(), inputs_->outputs());
    Execution execution = execution_;
    execution.memory = std::size_t(std::max(memory_ / 4, memory_ - rows));
    return execution;
  }
  double memory_for_rows() const { return memory_ - working_bytes(effort(double(survey_.rows()), 1)); }
  void say(const std::string& line) { report_.notes.push_back(line); }
  void warn(const std::string& line) {
    if (!line.empty()) give_notice(options_, report_.notes.emplace_back("warning: " + line));
  }

  // A line if one column of several tells nearly everything, which columns that are known beforehand seldom do.
  std::string leak() const {
    const Score& score = *report_.score;
    const bool solved = score.error ? *score.error < kLeakError : score.r2.value_or(0) > 1 - kLeakError;
    if (!solved || report_.importance.size() < 2) return "";
    double all = 0;
    for (const Report::Importance& i : report_.importance) all += std::max(i.shuffled, 0.0);
    for (const Report::Importance& i : report_.importance)
      if (i.distance > kLeakShare || i.shuffled > kLeakShare * all)
        return fmt::format("`{}` alone gives the answer: is it known when you predict? {} leaves it out", i.column,
                           spelled(Option::ignore, i.column));
    return "";
  }

  std::string standing(const Candidate& c) const {
    return fmt::format("{}: unexplained variance {:.2f} % on {} rows held out", c.name,
                       100 * race_rows_.relative(c.error), race_rows_.held().size());
  }

  void add(Candidate c) {
    say(standing(c));
    candidates_.push_back(std::move(c));
  }

  MachineTalk talk() {
    return {[this](const std::string& line) { say(line); }, execution_.progress, execution_.checkpoint};
  }

  void race_metrics() {
    RacedKernels kernels = race_kernels(on_, race_rows_, inputs_, effort(double(source_.count()), race_rows_.folds()),
                                        options_.seed, talk());
    tell_importance(kernels.diagonal);
    RaceReport seen = report_race(on_, race_rows_, kernels.diagonal, rows_.schema(), input_columns_,
                                  {plan_.plan.curve, options_.seed});
    report_.importance = std::move(seen.importance);
    report_.learning_curve = std::move(seen.curve);
    for (Candidate& kernel : kernels.candidates) add(std::move(kernel));
    variance_ = std::move(kernels.variance);
  }

  void race_boosting() {
    BoostingOptions options;
    options.seed = options_.seed;
    options.rounds = plan_.plan.tree_rounds;
    for (const Candidate& kernel : candidates_) options.hopeless = std::min(options.hopeless, kHopeless * kernel.error);
    if (execution_.progress)
      options.progress = [&, rounds = double(options.rounds)](std::size_t leaves, std::size_t round) {
        execution_.progress(fmt::format("trees of {} leaves", leaves), std::min(1.0, double(round) / rounds));
      };
    for (Candidate& trees : race_trees(on_, race_rows_, input_columns_, options, candidates_, talk())) {
      trees.refit = [this, refit = std::move(trees.refit)] { return chain({inputs_, refit()}); };
      add(std::move(trees));
    }
  }

  void tell_importance(const Metric& metric) {
    const std::vector<double> shares = distance_shares(metric, race_rows_.inputs(), input_columns_);
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
    const std::vector<std::string> names = rows_.schema().input_names();
    std::string line;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()) && shares[order[i]] > 0.01; ++i)
      line += fmt::format("{}{} {:.0f} %", line.empty() ? "" : ", ", names[order[i]], 100 * shares[order[i]]);
    say("share of the distance that inputs make: " + line);
  }

  // The blend, decoded.
  MapPtr blend() {
    const FinalBlend final_blend = race_rows_.conclude(candidates_, options_.optimize);
    const Matrix<double>& b = final_blend.weights;
    score(final_blend);
    std::vector<MapPtr> parts;
    std::vector<double> constant = final_blend.shift;
    for (std::size_t k = 0; k < columns() && code_.task == Task::regression; ++k)
      constant[k] = code_.center[k] + code_.unit[k] * constant[k];
    for (std::size_t j = 0; j < b.rows(); ++j) {
      if (mean_weight(b, j) == 0) continue;
      Matrix<double> weight(columns(), columns());
      for (std::size_t k = 0; k < columns(); ++k)
        weight(k, k) = b(j, k) * (code_.task == Task::regression ? code_.unit[k] : 1.0);
      parts.push_back(chain({candidates_[j].refit(), linear(std::move(weight), constant)}));
      constant.assign(columns(), 0.0);
      report_.part_weights.push_back(mean_weight(b, j));
    }
    if (!parts.empty()) return parts.size() == 1 ? parts[0] : sum(std::move(parts));
    say(code_.task == Task::regression ? fmt::format("no signal was found: the model answers {}", constant_name())
                                       : "no signal was found: the model always answers the most frequent class");
    return linear(Matrix<double>(rows_.schema().inputs, columns()), constant);
  }

  const char* constant_name() const { return report_.quantile ? "a constant" : "the mean"; }

  static double mean_weight(const Matrix<double>& b, std::size_t candidate) {
    double sum = 0;
    for (std::size_t k = 0; k < b.cols(); ++k) sum += b(candidate, k);
    return sum / double(b.cols());
  }

  // "blend: 0.41 kernel of scaled inputs + ...", of several numbers each its own.
  void tell_blend(const Matrix<double>& b, std::size_t k, const std::string& of) {
    std::string line;
    for (std::size_t j = 0; j < b.rows(); ++j)
      if (b(j, k) > 0)
        line += fmt::format("{}{:.2f} {}", line.empty() ? "" : " + ", b(j, k),
                            candidates_[j].name.substr(0, candidates_[j].name.find(" (")));
    if (!line.empty()) say(fmt::format("blend{}: {}", of, line));
    if (line.empty() && !of.empty())
      say(fmt::format("blend{}: no signal was found, {} is answered", of, constant_name()));
  }

  void score(const FinalBlend& blend) {
    const Matrix<double>& b = blend.weights;
    report_.score = race_rows_.score(blend.held);
    const std::string repeated = race_rows_.repeated().warning();
    warn(repeated.empty() ? leak() : repeated);  // rows known by heart make any column look as if it told all
    unseen_ = race_rows_.unseen(blend.held, class_weights(rows_.schema(), survey_, options_));
    for (std::size_t j = 0; j < b.rows(); ++j)
      report_.candidates.push_back({candidates_[j].name, race_rows_.relative(candidates_[j].error), mean_weight(b, j)});
    report_.validation = fmt::format("{} {}rows held out{}; the same rows chose lambda", race_rows_.held().size(),
                                     options_.times.empty() ? "" : "later ",
                                     race_rows_.folds() > 1 ? fmt::format(" in {} folds", race_rows_.folds()) : "");
    const bool own = code_.task == Task::regression && columns() > 1;
    const std::vector<std::string> names = rows_.schema().target_names();
    for (std::size_t k = 0; k < (own ? std::min(columns(), kToldTargets) : 1); ++k)
      tell_blend(b, k, (own ? " of " + names[k] : "") + blend.name);
  }

  RaceSize size_;
  BudgetedRace plan_;
  Rows& rows_;
  const Survey& survey_;
  const TrainOptions& options_;
  Workers on_;
  Execution execution_;
  double memory_;
  TargetCode code_;
  std::vector<TwofoldColumn> input_columns_;
  MapPtr inputs_;  // what they make of the rows
  RaceSource source_;
  RaceKin kin_;
  RaceRows race_rows_;
  RaceRivals rivals_;
  std::vector<Candidate> candidates_;
  std::function<KernelVariance()> variance_;
  UnseenRows unseen_;  // as the blend predicted them
  Report report_;
};

// The columns, from the survey's sample less rows of weight 0, and from its ranges if the sample has only one value of
// an input.
std::vector<TwofoldColumn> input_columns(const Schema& schema, const Survey& survey) {
  const std::size_t most = Survey::most_sampled(schema);
  const Matrix<double> sample = survey.sample_inputs(most);
  const std::span<const Survey::SampledRow> rows = survey.sample(most);
  const std::vector<char> dates = date_inputs(schema);
  std::vector<TwofoldColumn> columns;
  for (std::size_t j = 0; j < schema.inputs; ++j) {
    std::vector<double> values;
    double least = sample(0, j), greatest = least;  // range over all rows of the sample
    for (std::size_t i = 0; i < sample.rows(); ++i) {
      least = std::min(least, sample(i, j));
      greatest = std::max(greatest, sample(i, j));
      if (rows[i].weight > 0) values.push_back(sample(i, j));
    }
    const double offset = schema.offsets.empty() ? 0 : schema.offsets[j];
    columns.push_back(values.empty() ? TwofoldColumn{}
                      : dates[j]     ? date_column(std::move(values), offset)
                                     : twofold_column(std::move(values)));
    const Survey::ColumnFacts& facts = survey.columns()[j];
    const bool unseen = least == greatest && facts.min < facts.max;  // the other value, by the sample
    if (columns.back().kind == TwofoldColumn::Kind::left_out && facts.indicator && unseen)
      columns.back() = {TwofoldColumn::Kind::two_values, 0, 1, {}, {}};
  }
  return columns;
}

// Numbers of rows to come go no farther than those learnt from: as dates without a cycle.
void keep_within_range(std::vector<TwofoldColumn>& columns) {
  for (TwofoldColumn& column : columns)
    if (column.kind == TwofoldColumn::Kind::number) column.kind = TwofoldColumn::Kind::date;
}

// Why the machine does not suit, or nothing.
std::string unsuited(const Schema& schema, const Survey& survey, const Execution& execution, std::size_t outputs) {
  const std::size_t codes = schema.task == Task::classification ? schema.labels.size() : schema.targets;
  if (survey.rows() < kLeastRows) return fmt::format("{} rows are fewer than {}", survey.rows(), kLeastRows);
  if (outputs == 0) return "no input varies";
  if (outputs > kMostInputs) return fmt::format("{} inputs are more than {}", outputs, kMostInputs);
  if (codes > kMostOutputs) return fmt::format("{} outputs are more than {}", codes, kMostOutputs);
  if (double(kLeastKept) * row_bytes(schema, outputs) > (1 - kWorkingShare) * free_memory(execution))
    return fmt::format("{} rows of {} outputs do not fit in memory", kLeastKept, codes);
  return "";
}

}  // namespace

std::optional<Fitted> fit_automatic(Rows& rows, const Survey& survey, const TrainOptions& options, Threads& threads,
                                    const Execution& execution) {
  require(options.optimize.suits(rows.schema().task), "optimize: found a score of {}, the targets are {}; use {}",
          rows.schema().task == Task::classification ? "numbers" : "classes",
          rows.schema().task == Task::classification ? "classes" : "numbers",
          rows.schema().task == Task::classification ? "error, log-loss or auc" : "rmse, mae or quantile:LEVEL");
  std::vector<TwofoldColumn> columns;
  std::vector<LevelColumn> levels;
  std::size_t outputs = rows.schema().inputs;
  if (outputs <= kMostInputs) {
    columns = input_columns(rows.schema(), survey);
    levels = level_columns(Stream(rows, nullptr, threads, execution), target_code(rows.schema(), survey, true),
                           survey.class_rows());
    for (const LevelColumn& level : levels) columns[level.input] = level.column;
    if (!options.times.empty()) keep_within_range(columns);
    outputs = 0;
    std::vector<std::size_t> first;
    for (const TwofoldColumn& c : columns) {
      first.push_back(outputs);
      outputs += c.outputs();
    }
    for (LevelColumn& level : levels) level.first = first[level.input];
  }
  if (const std::string reason = unsuited(rows.schema(), survey, execution, outputs); !reason.empty()) {
    if (options.optimize.score == Optimize::Score::quantile)
      fail(Error::Kind::data, "optimize: the automatic machine cannot be trained: {}; use {} at the quantile {:g}",
           reason, spelled(Option::learner, "quantile"), options.optimize.level);
    give_notice(options, "automatic machine: " + reason + "; trained as without it");
    return std::nullopt;
  }
  return Race(rows, survey, options, threads, execution, {std::move(columns), std::move(levels)}).run();
}

}  // namespace bochner
