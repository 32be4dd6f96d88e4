// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/conjugate.h"

#include <algorithm>
#include <utility>

#include "base/pieces.h"
#include "methods/bins/pieces.h"
#include "solve/pcg.h"

namespace bochner {

namespace {

constexpr std::size_t kGatherRows = 8 * kPieceRows;  // a grid's p is read from the cache many times

}  // namespace

GridConjugate::GridConjugate(Threads& threads, BinSource& source, const GridTargets& targets,
                             std::span<const double> intercept, double shift)
    : threads_(threads),
      source_(source),
      targets_(targets),
      shift_(shift),
      n_(targets.rows()),
      K_(targets.outputs),
      residuals_(targets.code),
      Zp_(targets.code.size()),
      weighted_(targets.weight.empty() ? 0 : targets.code.size()),
      grids_(source.grids()),
      sums_(std::size_t(threads.count())) {
  for (std::size_t i = 0; i < residuals_.size(); ++i) residuals_[i] -= float(intercept[i % K_]);
}

// Calls work(cell, bin, output) for the cells of a grid and adds what it returns to sums[output]. One output: eight
// sums side by side, always in the same way, which the compiler turns into vectors.
template <class Work>
void GridConjugate::add_cells(std::size_t g, double* sums, const Work& work) const {
  const std::size_t bins = source_.bins(g).size();
  if (K_ == 1) {
    constexpr std::size_t kSums = 8;
    double part[kSums] = {};
    std::size_t c = 0;
    for (; c + kSums <= bins; c += kSums)
      for (std::size_t s = 0; s < kSums; ++s) part[s] += double(work(c + s, c + s, std::size_t(0)));
    for (; c < bins; ++c) part[0] += double(work(c, c, std::size_t(0)));
    for (const double p : part) sums[0] += p;
    return;
  }
  std::size_t cell = 0;
  for (std::size_t bin = 0; bin < bins; ++bin)
    for (std::size_t k = 0; k < K_; ++k, ++cell) sums[k] += double(work(cell, bin, k));
}

void GridConjugate::start() {
  scatter(residuals_, true);
  const Threads::Undivided whole(threads_);
  const std::vector<double> rz = over_grids([&](std::size_t g, double* sums) {
    OneGrid& grid = grids_[g];
    grid.r = grid.Ap;
    grid.value.assign(grid.r.size(), 0);
    grid.p.assign(grid.r.size() + K_, 0);
    const float *r = grid.r.data(), *mass = source_.bins(g).mass.data();
    add_cells(g, sums, [&](std::size_t c, std::size_t bin, std::size_t) { return r[c] * r[c] * inverse(mass[bin]); });
  });
  new_direction(rz, std::vector<float>(K_));
}

void GridConjugate::step(bool last) {
  gather();
  // p.Ap = |W^1/2 Z p|^2 + shift |p|^2 is known from the rows alone, so the last step needs no sums over bins.
  std::vector<float> alpha(K_);
  for (std::size_t k = 0; k < K_; ++k) {
    const double of_rows = sum_rows(threads_, n_, [&](std::size_t i) {
      const double zp = Zp_[i * K_ + k];
      return double(targets_.weight_of(i)) * zp * zp;
    });
    alpha[k] = float(cg_alpha(rz_[k], of_rows + shift_ * pp_[k]));
  }
  if (!last) scatter(Zp_, false);

  const Threads::Undivided whole(threads_);
  each_in_pieces(threads_, n_, kPieceRows, [&](std::size_t i) {
    for (std::size_t k = 0; k < K_; ++k) residuals_[i * K_ + k] -= alpha[k] * Zp_[i * K_ + k];
  });
  const float shift = float(shift_);
  const std::vector<double> rz = over_grids([&](std::size_t g, double* sums) {
    OneGrid& grid = grids_[g];
    float *value = grid.value.data(), *r = grid.r.data();
    const float *p = grid.p.data(), *Ap = grid.Ap.data();
    const float* mass = source_.bins(g).mass.data();
    add_cells(g, sums, [&](std::size_t c, std::size_t bin, std::size_t k) {
      value[c] += alpha[k] * p[c];
      if (last) return 0.0f;
      r[c] -= alpha[k] * (Ap[c] + shift * p[c]);
      return r[c] * r[c] * inverse(mass[bin]);
    });
  });
  if (last) return;
  std::vector<float> beta(K_);
  for (std::size_t k = 0; k < K_; ++k) beta[k] = float(cg_beta(rz[k], rz_[k]));
  new_direction(rz, beta);
}

void GridConjugate::keep_values() {
  for (OneGrid& grid : grids_) {
    OneGrid left;
    left.value = std::move(grid.value);
    grid = std::move(left);
  }
}

double GridConjugate::loss() const {
  return sum_rows(threads_, n_, [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < K_; ++k) sum += 0.5 * double(residuals_[i * K_ + k]) * double(residuals_[i * K_ + k]);
    return double(targets_.weight_of(i)) * sum;
  });
}

// p = M^-1 r + beta p.
void GridConjugate::new_direction(std::vector<double> rz, std::span<const float> beta) {
  rz_ = std::move(rz);
  pp_ = over_grids([&](std::size_t g, double* sums) {
    OneGrid& grid = grids_[g];
    float* p = grid.p.data();
    const float *r = grid.r.data(), *mass = source_.bins(g).mass.data();
    add_cells(g, sums, [&](std::size_t c, std::size_t bin, std::size_t k) {
      p[c] = r[c] * inverse(mass[bin]) + beta[k] * p[c];
      return p[c] * p[c];
    });
  });
}

void GridConjugate::gather() {
  std::fill(Zp_.begin(), Zp_.end(), 0.0f);
  source_.each(true, [&](std::size_t begin, std::size_t count) {
    in_pieces(threads_, n_, kGatherRows, [&](std::size_t from, std::size_t rows) {
      const std::size_t end = from + rows;
      for (std::size_t g = begin; g < begin + count; ++g) {
        const std::uint32_t* columns = source_.columns(g);
        const float* p = grids_[g].p.data();
        if (K_ == 1) {
          for (std::size_t i = from; i < end; ++i) Zp_[i] += p[columns[i]];
        } else {
          for (std::size_t i = from; i < end; ++i)
            for (std::size_t k = 0; k < K_; ++k) Zp_[i * K_ + k] += p[columns[i] * K_ + k];
        }
      }
    });
  });
}

void GridConjugate::scatter(const std::vector<float>& of_rows, bool ascending) {
  const float* numbers = of_rows.data();
  if (!weighted_.empty()) {
    each_in_pieces(threads_, n_, kPieceRows, [&](std::size_t i) {
      for (std::size_t k = 0; k < K_; ++k) weighted_[i * K_ + k] = targets_.weight[i] * of_rows[i * K_ + k];
    });
    numbers = weighted_.data();
  }
  source_.each(ascending, [&](std::size_t begin, std::size_t count) {
    threads_.run(count, [&](std::size_t at, int thread) {
      const std::size_t g = begin + at, cells = source_.bins(g).size() * K_;
      const std::uint32_t* columns = source_.columns(g);
      std::vector<double>& sums = sums_[std::size_t(thread)];
      sums.assign(cells + K_, 0);
      if (K_ == 1) {
        for (std::size_t i = 0; i < n_; ++i) sums[columns[i]] += double(numbers[i]);
      } else {
        for (std::size_t i = 0; i < n_; ++i)
          for (std::size_t k = 0; k < K_; ++k) sums[columns[i] * K_ + k] += double(numbers[i * K_ + k]);
      }
      grids_[g].Ap.assign(sums.begin(), sums.begin() + std::ptrdiff_t(cells));
    });
  });
}

// Sums of each output over all bins, grid by grid.
std::vector<double> GridConjugate::over_grids(const std::function<void(std::size_t g, double* sums)>& term) {
  std::vector<double> part(grids_.size() * K_), sum(K_);
  threads_.run(grids_.size(), [&](std::size_t g, int) { term(g, &part[g * K_]); });
  for (std::size_t i = 0; i < part.size(); ++i) sum[i % K_] += part[i];
  return sum;
}

void GridConjugate::save(Archive& archive) const {
  archive.put_view("residuals", std::span<const float>(residuals_), {residuals_.size()});
  archive.put_view("steepness", std::span<const double>(rz_), {K_});
  archive.put_view("length", std::span<const double>(pp_), {K_});
  for (std::size_t g = 0; g < grids_.size(); ++g) {
    const OneGrid& grid = grids_[g];
    const std::string name = std::to_string(g);
    archive.put_view("value " + name, std::span<const float>(grid.value), {grid.value.size()});
    archive.put_view("slope " + name, std::span<const float>(grid.r), {grid.r.size()});
    archive.put_view("direction " + name, std::span<const float>(grid.p), {grid.p.size()});
  }
}

void GridConjugate::load(const Archive& archive) {
  residuals_ = archive.get<float>("residuals", {n_ * K_});
  rz_ = archive.get<double>("steepness", {K_});
  pp_ = archive.get<double>("length", {K_});
  for (std::size_t g = 0; g < grids_.size(); ++g) {
    OneGrid& grid = grids_[g];
    const std::size_t cells = source_.bins(g).size() * K_;
    const std::string name = std::to_string(g);
    grid.value = archive.get<float>("value " + name, {cells});
    grid.r = archive.get<float>("slope " + name, {cells});
    grid.p = archive.get<float>("direction " + name, {cells + K_});
  }
}

}  // namespace bochner
