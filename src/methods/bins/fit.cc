// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/fit.h"

#include <algorithm>
#include <utility>

#include "base/archive.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/require.h"
#include "methods/bins/binned_rows.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/dual.h"
#include "methods/bins/pursuit.h"
#include "run/checkpoint.h"

namespace bochner {

namespace {

constexpr double kSettled = 0.01;  // a share of the training loss, which falls long after predictions have settled

// What all ways to solve have in common: the bins, and a state that a checkpoint may keep.
template <class T>
class Fitting {
 public:
  virtual ~Fitting() = default;

  GridFit run() {
    if (Checkpoint* checkpoint = options_.checkpoint) {
      if (const auto saved = checkpoint->take(options_.step)) load(*saved);
      checkpoint->saved_when_stopped(options_.step, saving(), [&] { solve(); });
    } else {
      solve();
    }
    GridFit fit;
    describe(fit);
    fit.loss = std::move(loss_);
    fit.state = std::move(state());
    if (options_.head) fit.head = head();
    return fit;
  }

 protected:
  Fitting(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
          const GridFitOptions& options, std::size_t memory)
      : threads_(threads),
        rows_(rows),
        targets_(targets),
        binning_(binning),
        options_(options),
        P_(binning.grids),
        shift_(options.lambda * double(P_)),  // |w|^2 = P |v|^2
        bins_(threads, rows, targets.weight, binning, memory),
        intercept_(grid_intercept(targets, options.loss)) {}

  virtual void solve() = 0;
  virtual std::vector<float>& state() = 0;
  virtual std::vector<float>& values(std::size_t g) = 0;
  virtual void keep_values() {}  // everything else may go
  virtual void describe(GridFit&) {}
  virtual void save(Archive& archive) = 0;
  virtual void load(const Archive& archive) = 0;

  Checkpoint::Save saving() {
    return [this](Archive& archive) { save(archive); };
  }
  void offer() {
    if (options_.checkpoint) options_.checkpoint->offer(options_.step, saving());
  }

  // What the passes needed goes as the head comes: a plan of memory counts on it.
  std::shared_ptr<const GridLinear> head() {
    keep_values();
    auto map = bins_.take_map();
    std::vector<float> v;
    v.reserve(map->outputs() * targets_.outputs);
    for (std::size_t g = 0; g < P_; ++g) {
      std::vector<float>& of_grid = values(g);
      v.insert(v.end(), of_grid.begin(), of_grid.end());
      of_grid = std::vector<float>();
    }
    return std::make_shared<GridLinear>(std::move(map), std::move(v), intercept_);
  }

  Threads& threads_;
  const GridRows<T>& rows_;
  const GridTargets& targets_;
  const BinningOptions& binning_;
  const GridFitOptions& options_;
  std::size_t P_;
  double shift_;
  BinnedRows<T> bins_;
  std::vector<double> intercept_;
  std::vector<double> loss_;
};

// Sweeps over the grids, which pursuit may choose and a joint block may share the residuals with.
template <class T>
class Sweeping final : public Fitting<T> {
 public:
  Sweeping(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
           const GridFitOptions& options, JointBlock* joint)
      : Fitting<T>(threads, rows, targets, binning, options, options.memory),
        joint_(joint),
        values_(binning.grids),
        sweeper_(threads, targets, options.loss, intercept_) {}

 private:
  using Fitting<T>::bins_, Fitting<T>::intercept_, Fitting<T>::loss_, Fitting<T>::options_, Fitting<T>::P_;

  void solve() override {
    const std::size_t batch = bins_.batch();
    for (; sweep_ < options_.passes && !settled(); ++sweep_, done_ = 0) {
      joint_step(sweep_);
      for (std::size_t begin = done_ / batch * batch; begin < P_; begin += batch) {
        const std::size_t count = std::min(batch, P_ - begin);
        if (sweep_ == 0 && options_.pursuit > 1) {
          pursue(begin, count);
          continue;
        }
        bins_.fill(begin, count);
        for (std::size_t g = std::max(begin, done_); g < begin + count; ++g) step(g);
        if (batch < P_) sweeper_.finish();  // before the columns go
        if (options_.progress)
          options_.progress("sweeps", (double(sweep_) + double(begin + count) / double(P_)) / options_.passes);
      }
      sweeper_.finish();
      loss_.push_back(sweeper_.loss());
    }
    joint_step(sweep_);
  }

  // Grids alone settle within the sweeps given; with a joint block that depends on how much the two have in common.
  bool settled() const {
    const std::size_t n = loss_.size();
    return joint_ && n > 1 && loss_[n - 2] - loss_[n - 1] <= kSettled * loss_[n - 1];
  }

  // Before the sweep, unless an earlier run had it.
  void joint_step(int sweep) {
    if (!joint_ || joint_steps_ > sweep) return;
    const Threads::Undivided whole(this->threads_);
    joint_->step(sweeper_.state());
    ++joint_steps_;
  }

  void step(std::size_t g) {
    values_[g].resize(bins_.bins(g).size() * this->targets_.outputs);
    sweeper_.step(bins_.columns(g), bins_.bins(g), this->shift_, values_[g].data());
    done_ = g + 1;
    this->offer();
  }

  // Chooses grids one after the other, each by what the ones before left over.
  void pursue(std::size_t begin, std::size_t count) {
    if (!pursuit_)
      pursuit_ = std::make_unique<GridPursuit<T>>(this->threads_, this->rows_, this->binning_, options_.drawn.get());
    for (std::size_t g = std::max(begin, done_); g < begin + count; ++g) {
      sweeper_.finish();
      bins_.ids()[g] = pursuit_->choose(sweeper_, this->shift_, g * options_.pursuit, options_.pursuit);
      bins_.fill(g, 1);
      step(g);
      if (options_.progress) options_.progress("pursuit", double(g + 1) / double(P_));
    }
    sweeper_.finish();
  }

  std::vector<float>& state() override { return sweeper_.state(); }
  std::vector<float>& values(std::size_t g) override { return values_[g]; }

  // Saves between two steps: how far, the grids, their values and the residuals of the rows. The bins are found again.
  void save(Archive& archive) override {
    sweeper_.finish();
    archive.tree["sweep"] = sweep_;
    archive.tree["done"] = done_;
    archive.put_view("grids", std::span<const std::uint64_t>(bins_.ids()), {P_});
    archive.tree["turns"] = joint_steps_;
    archive.put_view("rows", std::span<const float>(sweeper_.state()), {sweeper_.state().size()});
    archive.put_view("loss", std::span<const double>(loss_), {loss_.size()});
    for (std::size_t g = 0; g < P_; ++g)
      archive.put_view(value_name(g), std::span<const float>(values_[g]), {values_[g].size()});
    Archive state;
    if (joint_) joint_->save(state);
    archive.put_child("partner", std::move(state));
  }

  void load(const Archive& archive) override {
    sweep_ = int(get_count(archive.tree, "sweep", std::uint64_t(options_.passes)));
    done_ = get_count(archive.tree, "done", P_);
    bins_.ids() = archive.get<std::uint64_t>("grids", {P_});
    joint_steps_ = int(get_count(archive.tree, "turns", std::uint64_t(options_.passes) + 1));
    const double at_start = sweeper_.loss();
    sweeper_.state() = archive.get<float>("rows", {sweeper_.state().size()});
    loss_ = archive.get<double>("loss", {std::size_t(sweep_)});
    if (joint_) joint_->load(archive.child("partner"));
    const std::size_t known = sweep_ > 0 ? P_ : done_;
    bins_.find(known);
    for (std::size_t g = 0; g < known; ++g)
      values_[g] = archive.get<float>(value_name(g), {bins_.bins(g).size() * this->targets_.outputs});
    check_loaded(at_start);
  }

  // No step raises the objective (of squares; Newton steps of the logistic loss may a little): a state above the start
  // is of no training, and the sums in fixed point have no room for it.
  void check_loaded(double at_start) const {
    double squares = 0;
    for (const std::vector<float>& values : values_)
      for (const float v : values) squares += double(v) * double(v);
    const double room = options_.loss == GridLoss::squared ? 1.01 : 1e6;
    if (!(sweeper_.loss() + 0.5 * this->shift_ * squares <= room * at_start) || !(squares < 1e60))
      fail(Error::Kind::data, "the checkpoint's sweeps hold values that no training leaves; leave {} out",
           Option::resume);
  }

  static std::string value_name(std::size_t g) { return "values " + std::to_string(g); }

  JointBlock* joint_;
  int sweep_ = 0, joint_steps_ = 0;  // joint_steps_: those of the joint block
  std::size_t done_ = 0;             // grids of this sweep
  std::vector<std::vector<float>> values_;
  GridSweeper sweeper_;
  std::unique_ptr<GridPursuit<T>> pursuit_;
};

// Conjugate gradients over all grids at once.
template <class T>
class Conjugating final : public Fitting<T> {
 public:
  Conjugating(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
              const GridFitOptions& options)
      : Fitting<T>(threads, rows, targets, binning, options, options.memory),
        solver_(threads, this->bins_, targets, this->intercept_, this->shift_) {}

 private:
  using Fitting<T>::loss_, Fitting<T>::options_;

  void solve() override {
    if (!started_) {
      solver_.start();
      started_ = true;
    }
    while (done_ < options_.passes) {
      solver_.step(done_ + 1 == options_.passes);
      {  // a step is counted together with its loss, or a stop between the two would leave a state that nothing reads
        const Threads::Undivided whole(this->threads_);
        loss_.push_back(solver_.loss());
        ++done_;
      }
      if (options_.progress) options_.progress("steps", double(done_) / options_.passes);
      this->offer();
    }
  }

  std::vector<float>& state() override { return solver_.residuals(); }
  std::vector<float>& values(std::size_t g) override { return solver_.values(g); }
  void keep_values() override { solver_.keep_values(); }

  void save(Archive& archive) override {
    archive.tree["done"] = done_;
    archive.tree["started"] = started_;
    archive.put_view("loss", std::span<const double>(loss_), {loss_.size()});
    if (started_) solver_.save(archive);
  }

  void load(const Archive& archive) override {
    if (!get_flag(archive.tree, "started")) return;
    done_ = int(get_count(archive.tree, "done", std::uint64_t(options_.passes)));
    loss_ = archive.get<double>("loss", {std::size_t(done_)});
    this->bins_.find(this->P_);
    solver_.load(archive);
    started_ = true;
  }

  bool started_ = false;
  int done_ = 0;
  GridConjugate solver_;
};

// Dual coordinate descent over the rows.
template <class T>
class Descending final : public Fitting<T> {
 public:
  Descending(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
             const GridFitOptions& options)
      : Fitting<T>(threads, rows, targets, binning, options, memory_for_columns(rows.rows, binning.grids, options)),
        solver_(threads, binning.grids, targets, this->intercept_,
                {options.loss, this->shift_, options.tolerance, options.passes, binning.seed}) {}

 private:
  using Fitting<T>::options_;

  // The bins of all rows stand side by side, beside the columns of a few grids.
  static std::size_t memory_for_columns(std::size_t rows, std::size_t grids, const GridFitOptions& options) {
    const std::size_t turned = std::min(kGridsTurned, grids), column = sizeof(std::uint32_t) * rows;
    const std::size_t budget = options.memory ? options.memory : default_memory() / 2;
    require((grids + turned) * column <= budget,
            "svm: the bins of {} rows in {} grids need {} MB, {} MB are left for them; use fewer {} (grids), "
            "more {}, or {} or logistic, which find them again",
            rows, grids, (grids + turned) * column / 1000000, budget / 1000000, Option::features, Option::memory,
            spelled(Option::learner, "ridge"));
    return turned * column;
  }

  void read() {
    if (read_) return;
    solver_.read(this->bins_);
    read_ = true;
  }

  void solve() override {
    read();
    while (solver_.advance()) {
      if (options_.progress) options_.progress("epochs", solver_.fraction());
      this->offer();
    }
    this->loss_ = {solver_.certificate().loss};
  }

  void describe(GridFit& fit) override {
    const GridDual::Certificate certificate = solver_.certificate();
    fit.objective = double(this->P_) * certificate.objective;  // |w|^2 = P |v|^2
    fit.gap = double(this->P_) * certificate.gap;
    fit.epochs = solver_.epochs();
    fit.converged = solver_.converged();
  }

  std::vector<float>& state() override { return solver_.scores(); }
  std::vector<float>& values(std::size_t g) override {
    solver_.copy_values(g, values_);
    return values_;
  }

  void save(Archive& archive) override {
    archive.tree["read"] = read_;
    if (read_) solver_.save(archive);
  }

  void load(const Archive& archive) override {
    if (!get_flag(archive.tree, "read")) return;
    read();
    solver_.load(archive);
  }

  GridDual solver_;
  bool read_ = false;
  std::vector<float> values_;  // those of the grid asked for last
};

}  // namespace

template <class T>
GridFit fit_grids(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
                  const GridFitOptions& options, JointBlock* joint) {
  const bool conjugate = options.solver == GridSolver::conjugate;
  require(!joint || (options.loss == GridLoss::squared && !conjugate),
          "grids: a joint block needs the squared loss and sweeps");
  require(!conjugate || (options.loss == GridLoss::squared && options.pursuit <= 1),
          "grids: conjugate gradients need the squared loss and grids that are not chosen by pursuit; use sweeps");
  require(rows.rows > 0 && targets.rows() == rows.rows, "grids: {} rows and {} targets, expected as many, at least 1",
          rows.rows, targets.rows());
  require(options.lambda >= 0 && options.passes > 0, "grids: lambda {} and {} passes, expected lambda >= 0, passes > 0",
          options.lambda, options.passes);
  const bool dual = options.solver == GridSolver::dual;
  require(dual == has_hinge(options.loss) && (!dual || (options.pursuit <= 1 && options.lambda > 0)),
          "grids: the hinge losses and dual coordinate descent go together, with lambda > 0 and without pursuit");
  check_binning(rows.inputs, binning);
  if (dual) return Descending<T>(threads, rows, targets, binning, options).run();
  if (conjugate) return Conjugating<T>(threads, rows, targets, binning, options).run();
  return Sweeping<T>(threads, rows, targets, binning, options, joint).run();
}

template GridFit fit_grids(Threads&, const GridRows<float>&, const GridTargets&, const BinningOptions&,
                           const GridFitOptions&, JointBlock*);
template GridFit fit_grids(Threads&, const GridRows<double>&, const GridTargets&, const BinningOptions&,
                           const GridFitOptions&, JointBlock*);

}  // namespace bochner
