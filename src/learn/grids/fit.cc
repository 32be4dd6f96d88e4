// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/grids/fit.h"

#include <algorithm>
#include <numeric>

#include "base/memory.h"
#include "base/require.h"
#include "learn/grids/pursuit.h"
#include "maps/draw_grid.h"
#include "run/checkpoint.h"

namespace bochner {

namespace {

constexpr double kSettled = 0.01;  // of the training loss, which falls long after the predictions stand

// Grids, their bins and the bins of the rows; the latter for a batch of grids at a time where memory is short.
template <class T>
class Fitting {
 public:
  Fitting(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
          const GridFitOptions& options, GridPartner* partner)
      : threads_(threads),
        rows_(rows),
        targets_(targets),
        binning_(binning),
        options_(options),
        partner_(partner),
        P_(binning.grids),
        shift_(options.lambda * double(P_)),  // |w|^2 = P |v|^2
        ids_(P_),
        bins_(P_),
        values_(P_),
        scratch_(std::size_t(threads.count())),
        intercept_(grid_intercept(targets, options.loss)),
        sweeper_(threads, targets, options.loss, intercept_) {
    std::iota(ids_.begin(), ids_.end(), std::uint64_t(0));
    const std::size_t budget = options.memory ? options.memory : default_memory() / 2;
    batch_ = std::clamp<std::size_t>(budget / (sizeof(std::uint32_t) * rows.rows), 1, P_);
    columns_.resize(batch_ * rows.rows);
  }

  GridFit run() {
    if (Checkpoint* checkpoint = options_.checkpoint) {
      if (const auto saved = checkpoint->take(options_.step)) load(*saved);
      checkpoint->saved_when_stopped(options_.step, saving(), [&] { sweep_all(); });
    } else {
      sweep_all();
    }
    GridFit fit;
    fit.head = head();
    fit.loss = std::move(loss_);
    fit.state = std::move(sweeper_.state());
    return fit;
  }

 private:
  void sweep_all() {
    for (; sweep_ < options_.sweeps && !settled(); ++sweep_, done_ = 0) {
      partner_turn(sweep_);
      for (std::size_t begin = done_ / batch_ * batch_; begin < P_; begin += batch_) {
        const std::size_t count = std::min(batch_, P_ - begin);
        if (sweep_ == 0 && options_.pursuit > 1) {
          pursue(begin, count);
          continue;
        }
        if (batch_ < P_)
          bin(begin, count);
        else
          bin(binned_, P_ - binned_);
        for (std::size_t g = std::max(begin, done_); g < begin + count; ++g) step(g);
        if (batch_ < P_) sweeper_.finish();  // before the columns go
        if (options_.progress)
          options_.progress("sweeps", (double(sweep_) + double(begin + count) / double(P_)) / options_.sweeps);
      }
      sweeper_.finish();
      loss_.push_back(sweeper_.loss());
    }
    partner_turn(sweep_);
  }

  // Grids alone settle within the sweeps given; with a partner that depends on how much the two have in common.
  bool settled() const {
    const std::size_t n = loss_.size();
    return partner_ && n > 1 && loss_[n - 2] - loss_[n - 1] <= kSettled * loss_[n - 1];
  }

  // Before the sweep, unless an earlier run had it.
  void partner_turn(int sweep) {
    if (!partner_ || turns_ > sweep) return;
    const Threads::Undivided whole(threads_);
    partner_->step(sweeper_.state());
    ++turns_;
  }

  std::uint32_t* columns(std::size_t g) { return columns_.data() + (g % batch_) * rows_.rows; }

  void step(std::size_t g) {
    values_[g].resize(bins_[g].size() * targets_.outputs);
    sweeper_.step(columns(g), bins_[g], shift_, values_[g].data());
    done_ = g + 1;
    if (options_.checkpoint) options_.checkpoint->offer(options_.step, saving());
  }

  // Between two steps: how far, the grids, their values and what they leave of the rows. The bins are found again.
  Checkpoint::Save saving() {
    return [this](Archive& archive) {
      sweeper_.finish();
      archive.tree["sweep"] = sweep_;
      archive.tree["done"] = done_;
      archive.put_view("grids", std::span<const std::uint64_t>(ids_), {P_});
      archive.tree["turns"] = turns_;
      archive.put_view("rows", std::span<const float>(sweeper_.state()), {sweeper_.state().size()});
      archive.put_view("loss", std::span<const double>(loss_), {loss_.size()});
      for (std::size_t g = 0; g < P_; ++g)
        archive.put_view(value_name(g), std::span<const float>(values_[g]), {values_[g].size()});
      Archive partner;
      if (partner_) partner_->save(partner);
      archive.put_child("partner", partner);
    };
  }

  void load(const Archive& archive) {
    sweep_ = int(get_count(archive.tree, "sweep", std::uint64_t(options_.sweeps)));
    done_ = get_count(archive.tree, "done", P_);
    ids_ = archive.get<std::uint64_t>("grids", {P_});
    turns_ = int(get_count(archive.tree, "turns", std::uint64_t(options_.sweeps) + 1));
    sweeper_.state() = archive.get<float>("rows", {sweeper_.state().size()});
    loss_ = archive.get<double>("loss", {std::size_t(sweep_)});
    if (partner_) partner_->load(archive.child("partner"));
    const std::size_t known = sweep_ > 0 ? P_ : done_;
    for (std::size_t begin = 0; begin < known; begin += batch_) bin(begin, std::min(batch_, known - begin));
    for (std::size_t g = 0; g < known; ++g)
      values_[g] = archive.get<float>(value_name(g), {bins_[g].size() * targets_.outputs});
  }

  static std::string value_name(std::size_t g) { return "values " + std::to_string(g); }

  // The bins of all rows in some grids: found for the first time, or again as they were.
  void bin(std::size_t begin, std::size_t count) {
    threads_.run(count, [&](std::size_t k, int thread) {
      const std::size_t g = begin + k;
      const Grid<T> grid = draw_grid<T>(rows_.inputs, binning_, ids_[g]);
      if (bins_[g].size() == 0) {
        bins_[g] = occupy(rows_, grid, binning_, targets_.weight, scratch_[std::size_t(thread)], columns(g));
        return;
      }
      const HashIndex table(bins_[g].hashes);
      std::vector<std::uint64_t> hashes(GridRows<T>::kBlock);
      for (const PackedRows<T>& block : rows_.blocks) {
        bin_hashes(block, grid, hashes.data());
        table.find({hashes.data(), block.rows}, columns(g) + block.first);
      }
      std::replace(columns(g), columns(g) + rows_.rows, HashIndex::kNone, std::uint32_t(bins_[g].size()));
    });
    binned_ = begin + count;
  }

  // Chooses grids one after the other, each by what the ones before left over.
  void pursue(std::size_t begin, std::size_t count) {
    if (!pursuit_) pursuit_ = std::make_unique<GridPursuit<T>>(threads_, rows_, binning_);
    for (std::size_t g = std::max(begin, done_); g < begin + count; ++g) {
      sweeper_.finish();
      ids_[g] = pursuit_->choose(sweeper_, shift_, g * options_.pursuit, options_.pursuit);
      bin(g, 1);
      step(g);
      if (options_.progress) options_.progress("pursuit", double(g + 1) / double(P_));
    }
    sweeper_.finish();
  }

  std::shared_ptr<const GridLinear> head() {
    std::vector<std::vector<std::uint64_t>> hashes;
    std::vector<float> v;
    for (std::size_t g = 0; g < P_; ++g) {
      hashes.push_back(std::move(bins_[g].hashes));
      v.insert(v.end(), values_[g].begin(), values_[g].end());
    }
    auto map = std::make_shared<BinningMap>(rows_.inputs, binning_, std::move(hashes), std::move(ids_));
    return std::make_shared<GridLinear>(std::move(map), std::move(v), intercept_);
  }

  Threads& threads_;
  const GridRows<T>& rows_;
  const GridTargets& targets_;
  const BinningOptions& binning_;
  const GridFitOptions& options_;
  GridPartner* partner_;
  std::size_t P_, batch_ = 1;
  int sweep_ = 0, turns_ = 0;  // turns of the partner
  std::size_t done_ = 0;       // grids of this sweep
  std::size_t binned_ = 0;     // grids whose bins were found
  std::vector<double> loss_;
  double shift_;
  std::vector<std::uint64_t> ids_;
  std::vector<OccupiedBins> bins_;
  std::vector<std::vector<float>> values_;
  std::vector<BinScratch> scratch_;
  AlignedVector<std::uint32_t> columns_;  // batch x rows
  std::vector<double> intercept_;
  GridSweeper sweeper_;
  std::unique_ptr<GridPursuit<T>> pursuit_;
};

}  // namespace

template <class T>
GridFit fit_grids(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
                  const GridFitOptions& options, GridPartner* partner) {
  require(!partner || options.loss == GridLoss::squared, "grids: a partner needs the squared loss");
  require(rows.rows > 0 && targets.rows() == rows.rows, "grids: {} rows and {} targets, expected as many, at least 1",
          rows.rows, targets.rows());
  require(options.lambda >= 0 && options.sweeps > 0, "grids: lambda {} and {} sweeps, expected lambda >= 0, sweeps > 0",
          options.lambda, options.sweeps);
  check_binning(rows.inputs, binning);
  return Fitting<T>(threads, rows, targets, binning, options, partner).run();
}

template GridFit fit_grids(Threads&, const GridRows<float>&, const GridTargets&, const BinningOptions&,
                           const GridFitOptions&, GridPartner*);
template GridFit fit_grids(Threads&, const GridRows<double>&, const GridTargets&, const BinningOptions&,
                           const GridFitOptions&, GridPartner*);

}  // namespace bochner
