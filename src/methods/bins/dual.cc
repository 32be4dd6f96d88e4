// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/dual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/archive.h"
#include "base/option.h"
#include "base/pieces.h"
#include "base/require.h"
#include "methods/bins/pieces.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kChunkCells = std::size_t(1) << 23;  // visited between two looks at the clock
constexpr std::size_t kColumnsAhead = 8;                   // rows whose cells are fetched before the cells' values

}  // namespace

GridDual::GridDual(Threads& threads, std::size_t grids, const GridTargets& targets, std::span<const double> intercept,
                   const GridDualOptions& options)
    : threads_(threads),
      targets_(targets),
      intercept_(intercept.begin(), intercept.end()),
      options_(options),
      n_(targets.rows()),
      K_(targets.outputs),
      P_(grids),
      chunk_(std::max<std::size_t>(64, kChunkCells / (P_ * K_))),
      offset_(P_ + 1, 1),
      order_(n_),
      a_(K_, std::vector<float>(n_)),
      v_(K_),
      scores_(n_ * K_),
      estimates_(K_),
      certificates_(K_),
      certified_(K_),
      open_(K_) {
  std::iota(open_.begin(), open_.end(), std::size_t(0));
  draw_order();
}

void GridDual::read(BinSource& source) {
  cells_.resize(n_ * P_);
  std::vector<std::uint32_t> known(n_);
  source.each(true, [&](std::size_t begin, std::size_t count) {
    for (std::size_t g = begin; g < begin + count; ++g) offset_[g + 1] = offset_[g] + source.bins(g).size();
    require(offset_[begin + count] <= std::numeric_limits<std::uint32_t>::max(),
            "svm: more than 2^32 bins; use fewer {} (grids), or min_rows=2 to forget bins of a single row",
            Option::features);
    each_in_pieces(threads_, n_, kPieceRows, [&](std::size_t i) {
      for (std::size_t g = begin; g < begin + count; ++g) {
        const std::uint32_t bin = source.columns(g)[i];
        const bool forgotten = bin == source.bins(g).size();
        cells_[i * P_ + g] = forgotten ? 0 : std::uint32_t(offset_[g]) + bin;
        known[i] += !forgotten;
      }
    });
  });
  if (std::any_of(known.begin(), known.end(), [&](std::uint32_t bins) { return bins != P_; }))
    known_ = std::move(known);
  for (auto& v : v_) v.assign(offset_[P_], 0);
}

// A drawn order that depends on the epoch alone, so that a run may go on within it.
void GridDual::draw_order() {
  std::iota(order_.begin(), order_.end(), std::uint32_t(0));
  for (std::size_t t = n_; t > 1; --t)
    std::swap(order_[t - 1], order_[bits(options_.seed, Draw::visit, t, std::uint64_t(epoch_)) % t]);
}

GridDual::Row GridDual::row(std::size_t i) const {
  const double c = double(targets_.weight_of(i)) / options_.shift;
  return {c, options_.loss == GridLoss::squared_hinge ? 0.5 / c : 0};
}

double GridDual::score(std::size_t i, const float* v) const {
  const std::uint32_t* cell = &cells_[i * P_];
  float sum[4] = {};
  std::size_t g = 0;
  for (; g + 4 <= P_; g += 4)
    for (std::size_t s = 0; s < 4; ++s) sum[s] += v[cell[g + s]];
  for (; g < P_; ++g) sum[0] += v[cell[g]];
  return double((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

// What a row adds to the objective and to the duality gap. |v|^2 = sum_i a_i y_i (f_i - intercept), so the gap is a sum
// over rows of terms that are never negative:  c xi + a (y f - 1),  or  (2 c xi - a)^2 / 4c  for the squared hinge.
void GridDual::add(std::size_t i, std::size_t k, double a, double f, double& objective, double& gap) const {
  const double c = row(i).c, y = targets_.code[i * K_ + k], slack = std::max(0.0, 1 - y * f);
  objective += 0.5 * a * y * (f - intercept_[k]);
  if (options_.loss == GridLoss::squared_hinge) {
    objective += c * slack * slack;
    const double off = 2 * c * slack - a;
    gap += slack > 0 ? off * off / (4 * c) : a * (y * f - 1) + a * a / (4 * c);
  } else {
    objective += c * slack;
    gap += c * slack + a * (y * f - 1);
  }
}

void GridDual::visit(std::size_t k, std::size_t begin, std::size_t end) {
  std::vector<float>& v = v_[k];
  std::vector<float>& as = a_[k];
  Estimate estimate = estimates_[k];
  const double b = intercept_[k];
  const auto fetch_cells = [&](std::size_t t) {
    if (t >= n_) return;
    const std::size_t i = order_[t];
    for (std::size_t g = 0; g < P_; g += 16) __builtin_prefetch(&cells_[i * P_ + g]);
    __builtin_prefetch(&cells_[i * P_ + P_ - 1]);
    __builtin_prefetch(&as[i]);
    __builtin_prefetch(&targets_.code[i * K_ + k]);
  };
  for (std::size_t t = begin; t < std::min(end, begin + kColumnsAhead); ++t) fetch_cells(t);
  for (std::size_t t = begin; t < end; ++t) {
    fetch_cells(t + kColumnsAhead);
    if (t + 1 < end) {
      const std::uint32_t* next = &cells_[order_[t + 1] * P_];
      for (std::size_t g = 0; g < P_; ++g) __builtin_prefetch(&v[next[g]], 1);
    }
    const std::size_t i = order_[t];
    if (targets_.weight_of(i) == 0) continue;
    const auto [c, D] = row(i);
    const double a = as[i], y = targets_.code[i * K_ + k], f = b + score(i, v.data());
    add(i, k, a, f, estimate.objective, estimate.gap);
    const double slope = y * f - 1 + D * a, curvature = (known_.empty() ? double(P_) : double(known_[i])) + D;
    const double most = options_.loss == GridLoss::hinge ? c : std::numeric_limits<double>::max();
    // A row without bins moves nothing, and is as far from its optimum as its bound.
    const double best = curvature > 0 ? a - slope / curvature : slope < 0 ? most : 0;
    const float next = float(std::clamp(best, 0.0, most));
    const float change = float(y) * (next - as[i]);
    if (change == 0) continue;
    as[i] = next;
    const std::uint32_t* cell = &cells_[i * P_];
    for (std::size_t g = 0; g < P_; ++g) v[cell[g]] += change;
    v[0] = 0;
  }
  estimates_[k] = estimate;
}

bool GridDual::advance() {
  if (open_.empty() || epoch_ >= options_.epochs) return false;
  threads_.check_stop();
  const std::size_t end = std::min(n_, at_ + chunk_);
  {
    const Threads::Undivided whole(threads_);
    threads_.run(open_.size(), [&](std::size_t o, int) { visit(open_[o], at_, end); });
    at_ = end;
  }
  if (at_ == n_) end_epoch();
  return true;
}

void GridDual::end_epoch() {
  const Threads::Undivided whole(threads_);
  ++epoch_;
  at_ = 0;
  draw_order();
  std::vector<std::size_t> open;
  for (const std::size_t k : open_) {
    const Estimate estimate = std::exchange(estimates_[k], {});
    certified_[k] = false;
    if (estimate.gap <= options_.tolerance * estimate.objective || epoch_ == options_.epochs) certify(k);
    if (!certified_[k] || certificates_[k].gap > options_.tolerance * certificates_[k].objective) open.push_back(k);
  }
  open_ = open;
}

double GridDual::fraction() const {
  return open_.empty() ? 1 : (double(epoch_) + double(at_) / double(n_)) / options_.epochs;
}

void GridDual::certify(std::size_t k) {
  struct Sums {
    double objective = 0, gap = 0, loss = 0;
  };
  std::vector<Sums> part(pieces(n_, kPieceRows));
  threads_.run(part.size(), [&](std::size_t piece, int) {
    const std::size_t end = std::min(n_, (piece + 1) * kPieceRows);
    for (std::size_t i = piece * kPieceRows; i < end; ++i) {
      const double f = intercept_[k] + score(i, v_[k].data());
      scores_[i * K_ + k] = float(f);
      if (targets_.weight_of(i) == 0) continue;
      add(i, k, a_[k][i], f, part[piece].objective, part[piece].gap);
      const double slack = std::max(0.0, 1 - double(targets_.code[i * K_ + k]) * f);
      part[piece].loss +=
          double(targets_.weight_of(i)) * (options_.loss == GridLoss::squared_hinge ? slack * slack : slack);
    }
  });
  certificates_[k] = {};
  for (const Sums& p : part) {
    certificates_[k].objective += p.objective;
    certificates_[k].gap += p.gap;
    certificates_[k].loss += p.loss;
  }
  certified_[k] = true;
}

GridDual::Certificate GridDual::certificate() {
  Certificate all;
  for (std::size_t k = 0; k < K_; ++k) {
    if (!certified_[k]) certify(k);
    all.objective += certificates_[k].objective;
    all.gap += certificates_[k].gap;
    all.loss += certificates_[k].loss;
  }
  return all;
}

std::vector<float>& GridDual::scores() {
  certificate();
  return scores_;
}

void GridDual::copy_values(std::size_t g, std::vector<float>& v) const {
  const std::size_t bins = offset_[g + 1] - offset_[g];
  v.resize(bins * K_);
  for (std::size_t c = 0; c < bins; ++c)
    for (std::size_t k = 0; k < K_; ++k) v[c * K_ + k] = v_[k][offset_[g] + c];
}

void GridDual::save(Archive& archive) const {
  archive.tree["epoch"] = epoch_;
  archive.tree["at"] = at_;
  std::vector<std::uint64_t> open(K_);
  for (const std::size_t k : open_) open[k] = 1;
  archive.put("open", std::span<const std::uint64_t>(open), {K_});
  std::vector<double> estimates;
  for (const Estimate& e : estimates_) estimates.insert(estimates.end(), {e.objective, e.gap});
  archive.put("estimates", std::span<const double>(estimates), {estimates.size()});
  for (std::size_t k = 0; k < K_; ++k) {
    archive.put_view("a " + std::to_string(k), std::span<const float>(a_[k]), {a_[k].size()});
    archive.put_view("v " + std::to_string(k), std::span<const float>(v_[k]), {v_[k].size()});
  }
}

void GridDual::load(const Archive& archive) {
  epoch_ = int(get_count(archive.tree, "epoch", std::uint64_t(options_.epochs)));
  at_ = get_count(archive.tree, "at", n_);
  const auto open = archive.get<std::uint64_t>("open", {K_});
  open_.clear();
  for (std::size_t k = 0; k < K_; ++k)
    if (open[k]) open_.push_back(k);
  const auto estimates = archive.get<double>("estimates", {2 * K_});
  for (std::size_t k = 0; k < K_; ++k) {
    estimates_[k] = {estimates[2 * k], estimates[2 * k + 1]};
    a_[k] = archive.get<float>("a " + std::to_string(k), {n_});
    v_[k] = archive.get<float>("v " + std::to_string(k), {offset_[P_]});
  }
  draw_order();
}

}  // namespace bochner
