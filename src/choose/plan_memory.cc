// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/plan_memory.h"

#include <algorithm>

#include "base/option.h"
#include "base/require.h"
#include "choose/learnt_with_head.h"
#include "choose/map_parts.h"
#include "choose/plan.h"
#include "choose/sample_trial.h"
#include "learn/learner.h"
#include "learn/ridge/solver_choice.h"
#include "rows/in_memory.h"

namespace bochner {

namespace {

std::string raise_memory() { return fmt::format("raise {}", Option::memory); }

constexpr double kMega = 1 << 20;
constexpr double kProgram = 16 * kMega;  // code, libraries and small things
constexpr double kThread = 5 * kMega;    // its share of BLAS buffers, packed tiles and arenas
constexpr double kReader = 12 * kMega;   // a chunk of text and its cuts
constexpr double kReaderThread = 5 * kMega;
constexpr double kRowsAtFirst = 4096;  // asked for at a time when rows are put into memory
constexpr double kBufferGrowth = 2.5;  // bytes of the buffers against those of the rows read into them
constexpr double kSmallCopy = 64 << 20;
constexpr double kSampledRow = 160;  // bytes besides the row's numbers

// Bytes held for each input, whatever the rows: the survey's facts, its scaling (twice while it is chosen), and of
// dense rows its column in several schemas.
constexpr double kFacts = 32, kDenseFacts = 24, kScaling = 72, kColumn = 600;
// Frequencies of a map come in panels of 16: one may be mostly empty, and while it is drawn it is there in double too.
constexpr double kPanel = 16 * (4 + 4 + 8);
// And while they are looked at by a thread, and scalings are chosen.
constexpr double kChoosing = 160;

double input_bytes(const Schema& schema) { return kFacts + 2 * kScaling + (schema.sparse ? 0 : kColumn); }
double look_bytes(const Schema& schema, int threads) {
  return kChoosing + threads * (kFacts + (schema.sparse ? 0 : kDenseFacts));
}

}  // namespace

MemoryPlan program_memory(int threads, double readers) {
  MemoryPlan plan;
  plan.add("program", kProgram + threads * kThread);
  return plan.add("reader", readers * (kReader + threads * kReaderThread));
}

namespace {

class MemoryPlanning {
 public:
  MemoryPlanning(const Rows& rows, std::size_t n, const TrainOptions& options, int threads)
      : rows_(rows), schema_(rows.schema()), n_(double(n)), options_(options), threads_(threads) {
    const MapSize map = map_size(options, schema_, n);
    step_ = map.step;
    searched_ = searches_bandwidth(options);
    size_.rows = n;
    chosen_ = most_chosen_features(options, schema_, n);
    size_.features = std::max(map.features, chosen_);
    size_.outputs = outputs_of(schema_);
    size_.targets = schema_.targets;
    size_.map_weights = map.weights;
    size_.nonzeros = map.nonzeros;
    size_.weighted = is_weighted(schema_) || options.balanced || !options.class_weights.empty();
    size_.bounded = map.bounded;
    size_.validation = options.validation != nullptr;
    size_.precision = options.double_precision ? Precision::float64 : Precision::float32;
    size_.block_rows = options.execution.block_rows;
    size_.threads = threads;
    limit_ = double(memory_limit(options.execution));
  }

  TrainingMemory run() {
    if (has_bins(options_.map)) return run_bins();
    TrainingMemory memory;
    memory.keep_rows = worth_copying() && whole(size_, true).total() <= limit_;
    const MemoryPlan plan = whole(size_, memory.keep_rows);
    if (plan.total() > limit_) refuse(plan);
    if (plan.worth_saying(limit_)) give_notice(options_, plan.text(limit_));
    if (!memory.keep_rows && row_bytes() > 0 && !lies_in_memory(rows_))
      give_notice(options_,
                  fmt::format("rows take {} in memory and are read from disk on every pass", size_text(row_bytes())));
    return shared(memory);
  }

 private:
  TrainingMemory shared(TrainingMemory memory) const {
    memory.around = around(memory.keep_rows);
    memory.for_fit = std::size_t(limit_ - memory.around.total());
    return memory;
  }

  // How many bins rows occupy is not known before the rows are: the fit plans them once it has counted. Here is only
  // what it takes at least, and whether the rows stay even if every bin holds no more than two.
  TrainingMemory run_bins() {
    MemoryPlan least;
    least.add("packed rows", n_ * 4);
    least.add("targets", n_ * 4 * 2 * double(size_.outputs));
    least.add("bins of rows", n_ * 4);
    const auto plan_of = [&](bool keep) { return peak_of({before(keep), around(keep).add(least)}); };
    TrainingMemory memory;
    const bool few = around(true).total() <= around(false).total();  // rows that take no more than reading them again
    memory.keep_rows = worth_copying() && plan_of(true).total() <= limit_ &&
                       (few || around(true).add(most_of_bins()).total() <= limit_);
    const MemoryPlan plan = plan_of(memory.keep_rows);
    if (plan.total() > limit_) refuse(plan);
    if (plan.worth_saying(limit_))
      give_notice(options_, fmt::format("memory: at least {} of {}: {}; bins are counted when the rows are there",
                                        size_text(plan.total()), size_text(limit_), plan.items_text()));
    return shared(memory);
  }

  MemoryPlan most_of_bins() const {
    const std::vector<PartPlan> parts = map_parts(options_);
    return learnt_with_head().most_memory(options_, *bins_of(parts), schema_.inputs, size_, row_values());
  }

  // Rows in memory are read from where they lie, but for few: a copy is quicker to pass over.
  bool worth_copying() const { return row_bytes() > 0 && (!lies_in_memory(rows_) || row_bytes() <= kSmallCopy); }

  double row_bytes() const { return double(rows_.memory_bytes(std::size_t(size_.element()))); }

  // Numbers of a row.
  double row_values() const {
    if (!schema_.sparse || n_ == 0) return double(schema_.inputs);
    return double(rows_.memory_bytes(8) - rows_.memory_bytes(4)) / 4 / n_;
  }

  // What is there all the time.
  MemoryPlan around(bool keep) const {
    const Execution execution{.memory = std::size_t(limit_), .block_rows = options_.execution.block_rows};
    const double block = keep ? kRowsAtFirst
                              : double(Stream::block_rows(std::max<std::size_t>(1, std::size_t(row_values())),
                                                          size_.precision, execution));
    const double readers = size_.validation ? 2 : 1;
    MemoryPlan plan = program_memory(threads_, readers);
    plan.add("rows read", readers * kBufferGrowth * std::min(block, n_) * row_values() * size_.element());
    if (keep) plan.add("rows", row_bytes());
    plan.add("inputs", double(schema_.inputs) * (input_bytes(schema_) + (size_.map_weights > 0 ? kPanel : 0)));
    return plan;
  }

  // Before the fit: a look over the rows, and trials on some of them.
  MemoryPlan before(bool keep) const {
    MemoryPlan plan = around(keep);
    const double sampled = std::min(n_, double(Survey::most_sampled(schema_)));
    const Execution execution{.memory = std::size_t(limit_), .block_rows = options_.execution.block_rows};
    const double seen =
        std::min(n_, double(Stream::block_rows(std::max<std::size_t>(1, schema_.inputs), size_.precision, execution)));
    const double sparse = schema_.sparse ? 1.5 : 1;
    plan.add("look over inputs", double(schema_.inputs) * look_bytes(schema_, threads_));
    plan.add("sampled rows", (sampled + seen) * (row_values() * sizeof(double) * sparse + kSampledRow));
    if (const double working = learning_bytes(options_, schema_); working > 0) plan.add("learnt maps", working);
    if (searched_ || chosen_ > 0)
      plan.add("trials", SampleTrial::bytes(
                             schema_, size_.rows,
                             searches_by_features() ? std::min(size_.features, kSearchFeatures) : kSearchFeatures));
    return plan;
  }

  // Trials have no more features than the map: bins and learners that compare rows have none.
  bool searches_by_features() const {
    return !has_bins(options_.map) && !learner_row(options_.learner.learner).has_neighbors;
  }

  MemoryPlan fit(const FitSize& size, double memory) const {
    return options_.learner.learner == Learner::ridge ? ridge_memory(size, options_.ridge, memory)
                                                      : learner_memory(size, options_.learner, memory);
  }

  MemoryPlan whole(const FitSize& size, bool keep) const {
    MemoryPlan plan = around(keep);
    plan.add(fit(size, std::max(limit_ - plan.total(), 0.0)));
    return peak_of({before(keep), plan});
  }

  double fewest() const {
    const double read_again = whole(size_, false).total();
    return row_bytes() > 0 ? std::min(read_again, whole(size_, true).total()) : read_again;
  }

  // The least memory whose own plan fits: with more of it there are also more threads and larger blocks. A little more
  // than that, since it is told with few digits.
  template <class Needed>
  double least(Needed needed_by) const {
    MemoryPlanning other = *this;
    for (double needed; (needed = needed_by(other)) > other.limit_;) {
      other.limit_ = 1.05 * needed + kMega;
      other.threads_ = other.size_.threads = threads_within(options_.execution.threads, std::size_t(other.limit_));
    }
    return other.limit_;
  }

  // What the features that are asked for take, and the look over the rows, which fewer of them take as well.
  std::string advice() const {
    const double all = least([](const MemoryPlanning& p) { return p.fewest(); });
    const double fewer = least([](const MemoryPlanning& p) { return p.before(false).total(); });
    const std::string text = fmt::format("{} to {} at least", raise_memory(), size_text(all));
    if (step_ == 0 || all <= 1.1 * fewer) return text;
    return fmt::format("{}, or {} with fewer features", text, size_text(fewer));
  }

  std::size_t largest() const {
    if (step_ == 0) return 0;
    const auto plan = [&](std::size_t D) {
      FitSize smaller = size_;
      smaller.features = D;
      const MemoryPlan read_again = whole(smaller, false), kept = whole(smaller, true);
      return row_bytes() > 0 && kept.total() < read_again.total() ? kept : read_again;  // few rows take no more
    };
    return largest_that_fits(size_.features, step_, limit_, plan, kWideFeatures);
  }

  [[noreturn]] void refuse(const MemoryPlan& plan) const {
    const bool given = options_.execution.memory > 0;
    const std::string subject(given ? spelled(Option::memory) : "memory");
    const std::string allowed =
        fmt::format("{} are allowed{}", size_text(limit_), given ? "" : ", 3/4 of what is free");
    const std::size_t D = largest();
    std::string remedy = raise_memory();
    if (D > 0)
      remedy = fmt::format("the largest number that fits is {}; or {}", D, raise_memory());
    else if (before(false).total() > limit_)
      remedy = advice();
    if (D > 0 && options_.learner.learner != Learner::ridge) remedy += ", or use ridge";
    if (has_bins(options_.map))
      mistake("{}: grids need at least {} ({}), {}; {}", subject, size_text(plan.total()), plan.items_text(), allowed,
              raise_memory());
    mistake("{}: {} features need {} ({}), {}; {}", subject, size_.features, size_text(plan.total()), plan.items_text(),
            allowed, remedy);
  }

  const Rows& rows_;
  const Schema& schema_;
  double n_;
  const TrainOptions& options_;
  int threads_;
  std::size_t step_ = 1;
  bool searched_ = false;
  std::size_t chosen_ = 0;  // features at most, if their number is chosen by trials
  FitSize size_;
  double limit_ = 0;
};

}  // namespace

TrainingMemory plan_training_memory(const Rows& rows, std::size_t n, const TrainOptions& options, int threads) {
  return MemoryPlanning(rows, n, options, threads).run();
}

void say_or_refuse(const MemoryPlan& plan, double limit, const std::string& what, const std::string& remedy,
                   const std::function<void(const std::string&)>& say) {
  require(plan.total() <= limit, "memory: {} needs {} ({}), {} are allowed; {}", what, size_text(plan.total()),
          plan.items_text(), size_text(limit), remedy);
  if (say && plan.worth_saying(limit)) say(plan.text(limit));
}

void check_survey_memory(const Schema& schema, int threads, const Execution& execution) {
  MemoryPlan plan = program_memory(threads, 1);
  plan.add("inputs", double(schema.inputs) * (input_bytes(schema) + look_bytes(schema, threads)));
  say_or_refuse(plan, double(memory_limit(execution)), fmt::format("a look over {} inputs", schema.inputs),
                raise_memory(), {});
}

void plan_sums_memory(FitSize size, const Schema& schema, std::size_t step, const TrainOptions& options) {
  const double limit = double(memory_limit(options.execution));
  const Execution execution{.memory = std::size_t(limit), .block_rows = options.execution.block_rows};
  const auto plan_of = [&](std::size_t D) {
    FitSize s = size;
    s.features = D;
    MemoryPlan plan = program_memory(s.threads, 1);
    const double block = double(Stream::block_rows(D, s.precision, execution)) * double(schema.inputs) * s.element();
    plan.add("rows read", kBufferGrowth * block);
    plan.add("inputs", double(schema.inputs) * input_bytes(schema));
    plan.add("sampled rows", double(Survey::most_sampled(schema)) * (double(schema.inputs) * sizeof(double)));
    return plan.add(sums_memory(s, limit));
  };
  const MemoryPlan plan = plan_of(size.features);
  std::string remedy = raise_memory();
  if (plan.total() > limit && step > 0)
    if (const std::size_t D = largest_that_fits(size.features, step, limit, plan_of))
      remedy = fmt::format("the largest number that fits is {}; or {}", D, raise_memory());
  say_or_refuse(plan, limit, spelled(Option::features, std::to_string(size.features)), remedy, options.say);
}

void plan_solve_memory(std::size_t features, std::size_t outputs, int threads, const Execution& execution,
                       const std::function<void(const std::string&)>& say) {
  MemoryPlan plan = program_memory(threads, 0);
  plan.add(solve_memory(features, outputs, threads));
  say_or_refuse(plan, double(memory_limit(execution)), fmt::format("solving for {} features", features), raise_memory(),
                say);
}

void check_fit_memory(const MemoryPlan& plan, std::size_t features, const Execution& execution) {
  say_or_refuse(plan, double(memory_limit(execution)), fmt::format("a fit of {} features", features),
                "use fewer, or allow more memory", {});
}

}  // namespace bochner
