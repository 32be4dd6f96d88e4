// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/exact_sum.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/wrapped.h"

namespace bochner {

ExactSum::ExactSum(std::vector<double> most, std::size_t width) : per_unit_(std::move(most)), width_(width) {
  for (double& bound : per_unit_) {
    require(std::isfinite(bound), "exact sum: the bound is {}, expected a finite number", bound);
    bound = bound > 0 ? 0x1p61 / bound : 1;  // now the integers per unit
  }
}

void ExactSum::prepare(int threads) {
  while (parts_.size() < std::size_t(threads)) parts_.emplace_back(per_unit_.size(), width_);
}

void ExactSum::add(int thread, MatrixView<const double> part) {
  Matrix<std::int64_t>& sum = parts_[std::size_t(thread)];
  for (std::size_t r = 0; r < part.rows; ++r)
    for (std::size_t j = 0; j < width_; ++j) sum(r, j) += std::int64_t(std::nearbyint(part(r, j) * per_unit_[r]));
}

Matrix<std::int64_t> ExactSum::total() const {
  Matrix<std::int64_t> sum(per_unit_.size(), width_);
  for (const auto& part : parts_)
    for (std::size_t i = 0; i < sum.rows() * width_; ++i) add_wrapped(sum.data()[i], part.data()[i]);
  return sum;
}

void ExactSum::merge(const ExactSum& other) {
  require(per_unit_ == other.per_unit_ && width_ == other.width_, "exact sum: the parts have different units");
  prepare(1);
  const Matrix<std::int64_t> sum = other.total();
  for (std::size_t i = 0; i < sum.rows() * width_; ++i) add_wrapped(parts_[0].data()[i], sum.data()[i]);
}

void ExactSum::save(Archive& archive, const std::string& name) const {
  const Matrix<std::int64_t> sum = total();
  archive.put(name, std::span(sum.data(), sum.rows() * width_), {sum.rows(), width_});
}

void ExactSum::load(const Archive& archive, const std::string& name) {
  Matrix<std::int64_t> sum(per_unit_.size(), width_);
  archive.get_into(name, {sum.rows(), width_}, std::span(sum.data(), sum.rows() * width_));
  parts_.assign(1, std::move(sum));
}

bool ExactSum::operator==(const ExactSum& other) const {
  return per_unit_ == other.per_unit_ && total() == other.total();
}

Matrix<double> ExactSum::value() const {
  const Matrix<std::int64_t> sum = total();
  Matrix<double> value(sum.rows(), width_);
  for (std::size_t r = 0; r < sum.rows(); ++r)
    for (std::size_t j = 0; j < width_; ++j) value(r, j) = double(sum(r, j)) / per_unit_[r];
  return value;
}

}  // namespace bochner
