// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/preconditioner.h"

#include <algorithm>
#include <cmath>

namespace bochner {

namespace {

// Products that a factor of an output's own saves: one shared by several outputs fits none of them well.
constexpr double kWorthProducts = 20, kWorthProductsShared = 100;

}  // namespace

// s such that 0.25 s^2 (width / 2 + s / 3) = worth 2 s width.
double FactoredPreconditioner::most_rows_of_own_factor(double width, std::size_t outputs) {
  const double c = 8 * (outputs > 1 ? kWorthProductsShared : kWorthProducts);
  return 1.5 * width * (std::sqrt(0.25 + 4 * c / (3 * width)) - 0.5);
}

// An output with few curved rows gets a factor of its own; the rest share one of the mean Hessian. Either is made
// anew once the products since the last time cost as much as that.
// A multiplication in a Gram product or a factorization counts a quarter of one in a pass over the rows, which waits
// for memory.
void FactoredPreconditioner::prepare(const Loss& loss, const Matrix<double>& state,
                                     std::span<const std::size_t> outputs, double intercept_penalty) {
  const double width = double(z_.features() + z_.intercept());
  own_.resize(state.cols());
  if (!loss.coupled()) {
    const double worth = outputs.size() > 1 ? kWorthProductsShared : kWorthProducts;
    z_.threads().run(outputs.size(), [&](std::size_t j, int) {
      Own& own = own_[outputs[j]];
      std::vector<std::size_t> rows;
      std::vector<double> d;
      for (std::size_t i = 0; i < state.rows(); ++i)
        if (state(i, outputs[j]) > 0) {
          rows.push_back(i);
          d.push_back(state(i, outputs[j]));
        }
      const double s = double(rows.size()), cost = 0.25 * FewRowsFactor::cost(s, width);
      if (cost > worth * 2 * s * width)
        own = Own{.spent = own.spent};
      else if (!own.wanted || own.spent >= cost)
        own = Own{true, std::move(rows), std::move(d), intercept_penalty};
    });
  }
  if (std::all_of(outputs.begin(), outputs.end(), [&](std::size_t k) { return own_[k].wanted; })) return;
  const std::vector<double> d = loss.mean_curvature(state);
  const double used = double(std::count_if(d.begin(), d.end(), [](double v) { return v > 0; }));
  const double cost = 0.25 * width * width * (std::min(used, 3 * width) / 2 + width / 3) + used * width;
  if (shared_ && spent_ < cost) return;
  shared_.emplace(Shared{d, intercept_penalty});
  spent_ = 0;
  ++factors_;
}

void FactoredPreconditioner::make(std::span<const std::size_t> outputs) {
  std::vector<Own*> made;
  std::vector<std::size_t> rows;  // rows of any output in `made`
  for (const std::size_t k : outputs)
    if (own_[k].wanted && !own_[k].factor) {
      made.push_back(&own_[k]);
      rows.insert(rows.end(), own_[k].rows.begin(), own_[k].rows.end());
    }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<Matrix<double>> z;
  for (const Own* own : made) z.emplace_back(own->rows.size(), z_.features() + z_.intercept());
  if (!rows.empty())
    z_.each_row(rows, [&](std::size_t j, std::span<const double> row) {
      for (std::size_t m = 0; m < made.size(); ++m) {
        const auto at = std::lower_bound(made[m]->rows.begin(), made[m]->rows.end(), rows[j]);
        if (at != made[m]->rows.end() && *at == rows[j])
          std::copy(row.begin(), row.end(), &z[m](std::size_t(at - made[m]->rows.begin()), 0));
      }
    });
  z_.threads().run(made.size(), [&](std::size_t m, int) {
    made[m]->factor.emplace(z_, std::move(z[m]), made[m]->d, made[m]->penalty);
  });
  const auto shares = [&](std::size_t k) { return !own_[k].wanted; };
  if (shared_ && !shared_->factor && std::any_of(outputs.begin(), outputs.end(), shares))
    shared_->factor.emplace(z_, shared_->d, shared_->penalty, seed_);
}

void FactoredPreconditioner::solve(Matrix<double>& r, std::span<const std::size_t> outputs) const {
  std::vector<std::size_t> shared;
  for (std::size_t j = 0; j < outputs.size(); ++j)
    if (!own_[outputs[j]].wanted) shared.push_back(j);
  z_.threads().run(outputs.size(), [&](std::size_t j, int) {
    if (own_[outputs[j]].wanted) own_[outputs[j]].factor->solve(&r(j, 0));
  });
  if (shared.empty()) return;
  Matrix<double> some(shared.size(), r.cols());
  for (std::size_t j = 0; j < shared.size(); ++j) std::copy_n(&r(shared[j], 0), r.cols(), &some(j, 0));
  shared_->factor->solve(some);
  for (std::size_t j = 0; j < shared.size(); ++j) std::copy_n(&some(j, 0), r.cols(), &r(shared[j], 0));
}

void FactoredPreconditioner::count_product(std::span<const double> curved, std::span<const std::size_t> outputs) {
  const double S = double(z_.length());
  for (std::size_t k : outputs) {  // the product and the preconditioner
    if (own_[k].wanted)
      own_[k].spent += 4 * curved[k] * S;
    else
      spent_ += (2 * curved[k] + S) * S;
  }
}

std::vector<double> FactoredPreconditioner::counted() const {
  std::vector<double> numbers;
  for (const Own& own : own_) numbers.push_back(own.spent);
  numbers.push_back(spent_);
  return numbers;
}

void FactoredPreconditioner::set_counted(const double* numbers) {
  for (Own& own : own_) own.spent = *numbers++;
  spent_ = *numbers;
}

void DiagonalPreconditioner::prepare(const Loss& loss, const Matrix<double>& state,
                                     std::span<const std::size_t> outputs, double intercept_penalty) {
  penalty_ = intercept_penalty;
  diagonal_ = Matrix<double>();
  row_.assign(state.cols(), 0);
  for (std::size_t j = 0; j < outputs.size() && !loss.coupled(); ++j) row_[outputs[j]] = j;
  d_ = Matrix<double>(state.rows(), loss.coupled() ? 1 : outputs.size());
  if (loss.coupled()) {
    const std::vector<double> mean = loss.mean_curvature(state);
    std::copy(mean.begin(), mean.end(), d_.data());
    return;
  }
  for (std::size_t i = 0; i < state.rows(); ++i)
    for (std::size_t j = 0; j < outputs.size(); ++j) d_(i, j) = state(i, outputs[j]);
}

void DiagonalPreconditioner::make(std::span<const std::size_t>) {
  if (diagonal_.rows() > 0) return;
  diagonal_ = z_.squares(d_);
  for (std::size_t k = 0; k < diagonal_.rows(); ++k) {
    for (std::size_t j = 0; j < z_.features(); ++j) diagonal_(k, j) += 1;
    if (z_.intercept()) diagonal_(k, z_.intercept_at()) += penalty_;
  }
}

void DiagonalPreconditioner::solve(Matrix<double>& r, std::span<const std::size_t> outputs) const {
  for (std::size_t j = 0; j < r.rows(); ++j)
    for (std::size_t f = 0; f < r.cols(); ++f) r(j, f) /= diagonal_(row_[outputs[j]], f);
}

}  // namespace bochner
