// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "methods/automatic/inside_leaves.h"
#include "methods/automatic/race.h"
#include "methods/automatic/race_report.h"

namespace bochner {

namespace {

// Seconds of a core, measured with one thread on one Neoverse V1.
constexpr double kCell = 6e-8;             // read, surveyed and encoded
constexpr double kEntry = 5e-9;            // an entry of a kernel
constexpr double kProduct = 5e-11;         // an input of an entry, in float
constexpr double kSlope = 6.5e-9;          // an entry with its derivative
constexpr double kOfSlope = 7e-11;         // an input or target of it
constexpr double kMultiply = 5e-11;        // a product of doubles: Gram sums, large factors
constexpr double kFloatMultiply = 3e-11;   // a product of floats: factors of leaves
constexpr double kFactor = 5e-11;          // a product in the small factors of the metric
constexpr double kBinned = 2e-9;           // row x input x target in a histogram
constexpr double kTreeRow = 4e-8;          // that finds its leaf
constexpr double kBin = 2e-9;              // a bin of a leaf, looked over for a split
constexpr double kRivalCell = 2.5e-6;      // a row x column of a rival's training
constexpr double kMostRivalColumns = 128;  // that its time grows with: bins are drawn for few
constexpr double kOfTraining = 40;         // columns that a training on a sample takes as long as
constexpr double kCachedTargets = 30;      // targets whose tables of bins lie in caches
constexpr double kUncached = 0.35;         // share of a rival's training for each target more

constexpr double kGrown = 0.4;             // share of models that grow
constexpr double kAllRounds = 40000;       // rows from which trees take all of their rounds
constexpr double kLeastRoundsShare = 0.2;  // fewer rows stop them earlier, down to this share,
constexpr double kFewTargets = 8;          // but later the more targets above these share the trees

constexpr double kSerial = 0.1;  // share of the work that threads do not share
constexpr double kLeastRows = 1000;
constexpr double kMostPursued = 64;    // targets
constexpr double kLargeTable = 20000;  // rows
// The first steps draw few of a small table's rows: their gradients are noisy, which keeps a metric of many inputs from
// learning the rows by heart, and take a quarter of the time.
constexpr double kSmallTable = 6000;
constexpr FlowBatch kFewOfSmall = {200, 200};
constexpr double kVeryLargeTable = 100000;
// A metric that learns nothing has something to add from kManyInputs inputs on; in a large table it is worth its time
// only from kVeryManyInputs on.
constexpr double kManyInputs = 24, kVeryManyInputs = 128;
constexpr double kFoldSeconds = 45;   // limit for metrics, their models of one size and trees, in all folds together
constexpr double kVeryFewRows = 200;  // too few for a share held out once: always folds

constexpr double kLeastGain = 0.002;      // that a rival must add to the blend: of its error
constexpr double kNear = 1.1;             // errors of a rival that all rows may bring to the front
constexpr std::size_t kManyRows = 40000;  // whose sample does not judge all rivals,
constexpr double kFarBehind = 2;          // but for errors so many times that of the best

// A plan between fast and what a budget of a few seconds leaves.
RacePlan quick_plan() {
  RacePlan plan = race_plan(Effort::fast);
  plan.name = "quick";
  plan.machine.steps = {60, 0, 60, 20};
  plan.machine.few = {300, 500};
  plan.machine.more = {600, 900};
  plan.machine.most_landmarks = 500;
  plan.machine.most_products = 1e11;
  plan.machine.most_leaf_products = 5e10;
  plan.machine.leaf.leaf_rows = 500;
  plan.machine.grows = false;
  plan.tree_rounds = 200;
  plan.rivals.resize(1);
  plan.judges = 0;
  plan.flow_of_few_rows = std::nullopt;
  return plan;
}

double flow_step(FlowBatch batch, const RaceSize& size, bool full) {
  const double shrink = std::min(1.0, size.rows / double(batch.fitted + batch.scored));
  const double a = shrink * double(batch.fitted), b = shrink * double(batch.scored);
  const double d = full && size.inputs > 512 ? 256 : size.inputs, c = std::min(size.outputs, 32.0);
  const double by_metric = full ? (a + b) * d * d + d * d * d : 0;
  return a * (a + b) * (kSlope + kOfSlope * (1.3 * d + c)) + kFactor * a * a * a / 3 +
         kMultiply * (3 * a * (a + b) * c + by_metric);
}

double flow_seconds(const MachineEffort& e, const RaceSize& size) {
  const auto steps = [&](std::size_t phase) { return double(e.steps[phase]); };
  return steps(0) * flow_step(e.few, size, false) + steps(1) * flow_step(e.more, size, false) +
         steps(2) * flow_step(e.few, size, true) + steps(3) * flow_step(e.more, size, true);
}

// The small machine that looks at inputs, learnt from these rows and from half of them, a quarter, ...
double report_seconds(const RacePlan& plan, const RaceSize& size) {
  const double n = std::min(size.rows, double(kMostReportRows)), m = std::min(n, double(kMostReportLandmarks)),
               d = std::min(size.inputs, 512.0);
  const double learnt = n * m * (kEntry + kProduct * d) + kMultiply * (n * m * m + 4 * m * m * m / 3);
  return (plan.curve ? 2 : 1) * learnt + 60000 * m * (kEntry + kProduct * d);
}

// Landmarks and rows of a leaf of a machine in a metric.
std::pair<double, double> machine_size(const MachineEffort& e, double rows, std::size_t times) {
  return {std::min(rows, double(affordable_landmarks(e, rows, times))),
          std::min(rows, double(affordable_leaf_rows(e, rows, times)))};
}

// One machine, fitted and fitted again.
double machine_seconds(const MachineEffort& e, const RaceSize& size, std::size_t times, bool leaves) {
  const double n = size.rows, d = size.inputs > 512 ? 256 : size.inputs;
  const auto [M, L] = machine_size(e, n, times);
  const double entry = kEntry + kProduct * (d + 2 * size.outputs);
  const double landmarks = n * M * (3 * entry + kMultiply * M) + 5 * kMultiply * M * M * M / 3;
  if (!leaves) return landmarks;
  const double of_tree = n * L * (entry + kFloatMultiply * L / 3) + n * d * 20 * kProduct;
  const double raced = n >= 1e5 ? 1 : double(e.leaf.trees);
  return landmarks + of_tree * (raced + double(e.leaf.trees) + std::min(1.0, 40 * L / n));
}

bool gaussian_races(const RacePlan& plan, const RaceSize& size) {
  return plan.gaussian && size.classes && size.inputs >= (size.rows < kLargeTable ? kManyInputs : kVeryManyInputs);
}

double machines(const RacePlan& plan, const RaceSize& size) { return gaussian_races(plan, size) ? 3 : 2; }

// Machines grow where leaves gain much, and there are no leaves where all rows fitted are landmarks.
double kernels_seconds(const RacePlan& plan, const RaceSize& size, double fitted_share) {
  const MachineEffort e = machine_effort(plan, size, 1);
  const bool leaves = machine_size(e, size.rows, 1).first < fitted_share * size.rows;
  const bool inside = leaves && e.grows && learns_inside_leaves(e.inside, size.rows);
  const bool grows = leaves && e.grows && (inside || machine_size(e, size.rows, 2) != machine_size(e, size.rows, 1));
  return machines(plan, size) *
         (machine_seconds(e, size, 1, leaves) + (grows ? kGrown * machine_seconds(e, size, 2, true) : 0) +
          (inside ? kGrown * double(e.inside.steps * kGroupsOfStep) * flow_step(e.inside.batch, size, true) : 0));
}

// Trees of 8 and of 31 leaves take most of the rounds, and half of them again; for few rows symmetric trees as well.
double trees_seconds(const RacePlan& plan, const RaceSize& size) {
  const double rows = std::min(0.7 * size.rows, std::max(30000.0, 0.1 * size.rows));
  const double per_row = size.columns * (size.outputs + 2) / 3;
  const auto seconds = [&](double leaf_bins, double most, double limiting) {  // bins of an input in all leaves
    const double rounds = std::min({double(plan.tree_rounds), most, 6e8 / limiting});
    const double a_tree = (rows * kBinned + leaf_bins * kBin) * per_row + size.rows * kTreeRow;
    return rounds < 100 ? 0 : 1.1 * rounds * a_tree;
  };
  const double sums = rows * per_row;
  return seconds(8 * 128, 1e9, sums) + seconds(31 * 128, 1e9, sums) +
         (size.rows > 1e5 ? 0 : seconds(64 * 64, 600, sums + 64 * 64 * per_row));
}

// All but the linear one, which takes next to nothing, on a sample; one on all rows and again.
double rivals_seconds(const RacePlan& plan, const RaceSize& size) {
  const double count = double(plan.rivals.size()) - 1;
  const double targets = std::max(std::sqrt(size.outputs), kUncached * (size.outputs - kCachedTargets));
  const double cells = std::min(size.columns, kMostRivalColumns) * targets;
  if (count < 1) return 0;
  const double sampled = count * double(rival_sample_rows(size.rows, size.columns)) + std::min(size.rows, 20000.0);
  return (cells + kOfTraining) * kRivalCell * sampled + 2 * cells * kRivalCell * size.rows;
}

RaceSize with_rows(RaceSize size, double rows) {
  size.rows = std::min(size.rows, rows);
  return size;
}

// The plans on all rows, from the furthest to the shortest.
std::vector<RacePlan> plans_from(Effort most) {
  std::vector<RacePlan> plans;
  for (const Effort effort : {Effort::best, Effort::normal, Effort::fast}) {
    if (int(effort) > int(most)) continue;
    plans.push_back(race_plan(effort));
    plans.push_back(race_plan(effort));
    plans.back().name += ", machines that do not grow";
    plans.back().machine.grows = false;
    plans.back().judges = 0;
  }
  plans.push_back(quick_plan());
  return plans;
}

}  // namespace

std::size_t rival_sample_rows(double rows, double inputs) {
  constexpr double kMost = 10000, kShare = 0.25, kMostValues = 2e6;
  return std::size_t(std::min({kMost, kShare * rows, kMostValues / inputs}));
}

RacePlan race_plan(Effort effort) {
  RacePlan plan;
  plan.name = effort == Effort::fast ? "fast" : effort == Effort::normal ? "normal" : "best";
  plan.rivals = {{"linear", NoMap{}, false},
                 {"bins", Binning{}, true},
                 {"bins of 1-2 inputs", Binning{.order_low = 1, .order_high = 2}, false}};
  plan.flow_of_few_rows = {{120, 0, 150, 60}, {500, 500}, {700, 700}};
  MachineEffort& e = plan.machine;
  if (effort == Effort::fast) {
    plan.flow_of_few_rows = {{100, 0, 100, 40}, {400, 400}, {600, 600}};
    e.steps = {100, 0, 100, 40};
    e.few = {400, 600};
    e.more = {800, 1200};
    e.most_products = 3e11;
    e.most_leaf_products = 2e11;
    e.most_landmarks = 1000;
    e.leaf.lambdas = {1e-7, 1e-5, 1e-3};
    e.inside.steps = 40;
    plan.curve = false;
    plan.tree_rounds = 500;
    plan.judges = 0;
    plan.gaussian = false;
    return plan;
  }
  plan.flow_of_many_rows = {e.steps, {1000, 1000}, {2500, 2500}};
  plan.leaf_trees_of_large = 4;
  plan.rivals.push_back({"bins of 1-3 inputs", Binning{.order_low = 1, .order_high = 3}, false, "bins of 1-2 inputs"});
  plan.rivals.push_back({"fourier", Fourier{}, false});
  if (effort == Effort::best) {
    plan.flow_of_few_rows = plan.flow_of_many_rows = std::nullopt;
    e.steps = {160, 50, 200, 100};
    e.few = {800, 1000};
    e.more = {2500, 3000};
    e.most_landmarks = 5000;
    e.leaf.leaf_rows = 2000;
    e.most_products = 8e12;
    e.most_entries = 1e9;
    e.most_leaf_products = 6e12;
    plan.judges = 6000;
  }
  return plan;
}

bool leave_out_pursuits(RacePlan& plan, double outputs) {
  if (outputs <= kMostPursued) return false;
  return std::erase_if(plan.rivals, [](const Rival& rival) {
           const auto* bins = std::get_if<Binning>(&rival.map.parts[0].map);
           return bins && bins->order_low > 0;
         }) > 0;
}

double least_gain(double judges) { return std::max(kLeastGain, 1 / judges); }

bool adds_to_blend(const FirstRace& race, const RivalStanding& rival) {
  return rival.blended < (1 - least_gain(race.judges)) * race.blended;
}

std::vector<char> go_on(const FirstRace& race, const std::vector<RivalStanding>& rivals) {
  double least = std::numeric_limits<double>::infinity();
  for (const RivalStanding& rival : rivals) least = std::min(least, rival.error);
  const double most = std::min(kFarBehind * least, kHopeless * race.best_error);
  std::vector<char> on;
  for (const RivalStanding& rival : rivals) {
    const bool adds = adds_to_blend(race, rival);
    const bool near = race.sampled && rival.error == least && rival.error < kNear * race.best_error;
    const bool may_gain = race.rows >= kManyRows && rival.gains_with_rows && rival.error <= most;
    on.push_back(std::isfinite(rival.error) && (adds || near || may_gain));
  }
  return on;
}

std::string RaceForecast::text() const {
  std::string parts;
  const auto add = [&](const char* name, double seconds) {
    if (seconds >= 0.5) parts += fmt::format("{}{} {:.0f}", parts.empty() ? "" : ", ", name, seconds);
  };
  add("rows", rows);
  add("metric", metric);
  add("kernels", kernels);
  add("trees", trees);
  add("rivals", rivals);
  const double seconds = std::ceil(total());
  return fmt::format("about {:.0f} processor second{}{}", seconds, seconds == 1 ? "" : "s",
                     parts.empty() ? "" : " (" + parts + ")");
}

std::string BudgetedRace::text(double budget) const {
  const std::string work = "forecast: " + forecast.text();
  if (budget == 0) return work;
  const std::string with =
      fmt::format("{}, {:.0f} s with {} thread{}", work, std::ceil(seconds), threads, threads == 1 ? "" : "s");
  if (seconds > budget)
    return fmt::format("{}: more than the budget of {:g} s, and the shortest race there is", with, budget);
  return fmt::format("{}: effort {} in the budget of {:g} s", with, plan.name, budget);
}

RaceForecast forecast(const RacePlan& given, const RaceSize& size) {
  RacePlan plan = given;
  leave_out_pursuits(plan, size.outputs);
  const RaceSize raced = with_rows(size, double(plan.most_rows));
  const std::size_t folds = race_folds(plan, size);
  const double times = double(folds), flow = flow_seconds(machine_effort(plan, raced, folds), raced);
  const double fitted_share = folds > 1 ? 1 - 1 / double(kFoldParts) : 1 - kHeldShare;
  const double of_few_targets = std::clamp(raced.rows / kAllRounds, kLeastRoundsShare, 1.0);
  const double rounds_share = std::min(1.0, of_few_targets * std::max(1.0, raced.outputs / kFewTargets));
  return {size.rows * size.columns * kCell, times * flow + report_seconds(plan, raced),
          times * kernels_seconds(plan, raced, fitted_share), times * rounds_share * trees_seconds(plan, raced),
          (1 + 0.5 * (times - 1)) * rivals_seconds(plan, raced)};
}

MachineEffort machine_effort(const RacePlan& plan, const RaceSize& size, std::size_t folds) {
  MachineEffort effort = plan.machine;
  effort.gaussian = gaussian_races(plan, size);
  const bool large = size.rows >= kLargeTable;
  if (large) effort.leaf.trees = plan.leaf_trees_of_large;
  const std::optional<FlowEffort> flow = !large                         ? plan.flow_of_few_rows
                                         : size.rows >= kVeryLargeTable ? plan.flow_of_many_rows
                                                                        : std::nullopt;
  if (!flow) return effort;
  effort.steps = flow->steps;
  effort.few = flow->few;
  effort.more = flow->more;
  if (size.rows < kSmallTable) effort.few = kFewOfSmall;
  if (!large && folds > 1)
    for (std::size_t& steps : effort.steps) steps = 2 * steps / 3;
  return effort;
}

std::size_t race_folds(const RacePlan& plan, const RaceSize& size) {
  const RaceSize raced = with_rows(size, double(plan.most_rows));
  const double judges = raced.rows < kVeryFewRows ? raced.rows : double(plan.judges);
  const double wanted = std::ceil(double(kFoldParts) * judges / raced.rows);
  const double one = flow_seconds(machine_effort(plan, raced, 2), raced) +
                     2 * machine_seconds(plan.machine, raced, 1, true) + trees_seconds(plan, raced);
  const double affordable = std::max(1.0, kFoldSeconds / one);
  return std::size_t(std::clamp(std::min(wanted, affordable), 1.0, double(kFoldParts)));
}

BudgetedRace race_within(double seconds, int threads, Effort most, const RaceSize& size) {
  const double share = kSerial + (1 - kSerial) / double(std::max(1, threads));
  BudgetedRace race;
  race.threads = std::max(1, threads);
  const auto fits = [&](RacePlan plan) {
    race.plan = std::move(plan);
    race.forecast = forecast(race.plan, size);
    race.seconds = race.forecast.total() * share;
    return race.seconds <= seconds;
  };
  for (RacePlan& plan : plans_from(most))
    if (fits(std::move(plan))) return race;
  RacePlan plan = quick_plan();
  for (double rows = size.rows / 2; rows >= kLeastRows; rows /= 2) {
    plan.most_rows = std::size_t(rows);
    if (fits(plan)) return race;
  }
  return race;
}

}  // namespace bochner
