// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/held_out.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "random/hold_out.h"

namespace bochner {

HeldOut::HeldOut(std::size_t features, std::size_t targets, double fraction, std::uint64_t seed, std::size_t n)
    : features_(features), target_count_(targets), fraction_(fraction), expected_(n), seed_(seed) {
  const double mean = fraction * double(n);
  if (fraction < 1) expected_ = std::min(n, std::size_t(mean + 6 * std::sqrt(mean)) + 16);
}

bool HeldOut::holds(std::uint64_t row) const { return is_held_out(seed_, row, fraction_); }

template <class T>
const AlignedVector<T>& HeldOut::values() const {
  if constexpr (std::is_same_v<T, float>)
    return floats_;
  else
    return doubles_;
}

template <class T>
void HeldOut::add(const Workers&, const RowBlock<T>& z) {
  keep(make_room(z), z.first, z.view());
}

template <class T>
std::size_t HeldOut::make_room(const RowBlock<T>& x) {
  const std::size_t at = rows();
  if (fraction_ <= 0) return at;
  for (std::size_t i = 0; i < x.rows; ++i) {
    if (!holds(x.first + i)) continue;
    rows_.push_back(x.first + i);
    targets_.insert(targets_.end(), x.targets + i * target_count_, x.targets + (i + 1) * target_count_);
    if (x.weights) weights_.push_back(x.weights[i]);
  }
  values<T>().reserve(expected_ * features_);
  values<T>().resize(rows() * features_);
  return at;
}

template <class T>
void HeldOut::keep(std::size_t at, std::uint64_t first, MatrixView<const T> z) {
  const auto begin = std::lower_bound(rows_.begin() + std::ptrdiff_t(at), rows_.end(), first);
  for (auto row = begin; row != rows_.end() && *row < first + z.rows; ++row)
    std::copy_n(z.row(*row - first), features_, values<T>().data() + std::size_t(row - rows_.begin()) * features_);
}

void HeldOut::keep_mapped(const Workers& on, const Map& map, std::size_t at, const RowBlock<float>& x) {
  on.threads.run(rows() - at, [&](std::size_t k, int) {
    const std::uint64_t row = rows_[at + k];
    map.apply(on.ops, x.slice(row - x.first, 1),
              MatrixView<float>{floats_.data() + (at + k) * features_, 1, features_, features_});
  });
}

// Rows come in their order, so that of two parts those with the smaller numbers go first, row by row.
void HeldOut::merge(const HeldOut& other) {
  require(features_ == other.features_ && target_count_ == other.target_count_ && fraction_ == other.fraction_ &&
              seed_ == other.seed_,
          "held-out rows: the parts hold other rows");
  HeldOut all(features_, target_count_, fraction_, seed_);
  all.expected_ = expected_;
  const auto take = [&](const HeldOut& from, std::size_t i) {
    const auto append = [&](auto& to, const auto& values, std::size_t width) {
      if (!values.empty())
        to.insert(to.end(), values.begin() + std::ptrdiff_t(i * width),
                  values.begin() + std::ptrdiff_t((i + 1) * width));
    };
    all.rows_.push_back(from.rows_[i]);
    append(all.floats_, from.floats_, features_);
    append(all.doubles_, from.doubles_, features_);
    append(all.targets_, from.targets_, target_count_);
    append(all.weights_, from.weights_, 1);
  };
  for (std::size_t a = 0, b = 0; a < rows() || b < other.rows();) {
    if (b == other.rows() || (a < rows() && rows_[a] < other.rows_[b]))
      take(*this, a++);
    else
      take(other, b++);
  }
  *this = std::move(all);
}

template <class T>
RowBlock<T> HeldOut::block() const {
  auto block = RowBlock<T>::dense({values<T>().data(), rows_.size(), features_, features_});
  block.targets = targets_.data();
  block.target_count = target_count_;
  block.weights = weights_.empty() ? nullptr : weights_.data();
  return block;
}

void HeldOut::save(Archive& archive) const {
  const auto put = [&](const char* name, const auto& values) {
    archive.put_view(name, std::span(values), {values.size()});
  };
  put("rows", rows_);
  put("floats", floats_);
  put("doubles", doubles_);
  put("targets", targets_);
  put("weights", weights_);
}

void HeldOut::load(const Archive& archive) {
  const auto get = [&](const char* name, auto& values, std::size_t per_row) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    const std::vector<T> read = archive.get<T>(name, {archive.length(name)});
    values.assign(read.begin(), read.end());
    if (values.size() % per_row != 0 || (!values.empty() && values.size() / per_row != rows_.size()))
      fail(Error::Kind::model, "held-out rows: there are {} of '{}' for {} rows; the file is damaged", values.size(),
           name, rows_.size());
  };
  rows_ = archive.get<std::uint64_t>("rows", {archive.length("rows")});
  get("floats", floats_, features_);
  get("doubles", doubles_, features_);
  get("targets", targets_, target_count_);
  get("weights", weights_, 1);
}

template void HeldOut::add(const Workers&, const RowBlock<float>&);
template void HeldOut::add(const Workers&, const RowBlock<double>&);
template std::size_t HeldOut::make_room(const RowBlock<float>&);
template std::size_t HeldOut::make_room(const RowBlock<double>&);
template void HeldOut::keep(std::size_t, std::uint64_t, MatrixView<const float>);
template void HeldOut::keep(std::size_t, std::uint64_t, MatrixView<const double>);
template RowBlock<float> HeldOut::block() const;
template RowBlock<double> HeldOut::block() const;

}  // namespace bochner
