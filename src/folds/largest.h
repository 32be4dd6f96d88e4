// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cmath>

#include "bochner/fold.h"

namespace bochner {

// The largest |z_j| of all rows.
class Largest {
 public:
  template <class T>
  void add(const RowBlock<T>& z) {
    for (std::size_t i = 0; i < z.rows; ++i)
      for (std::size_t j = 0; j < z.cols; ++j) value_ = std::max(value_, std::abs(double(z.values[i * z.stride + j])));
  }
  void merge(const Largest& other) { value_ = std::max(value_, other.value_); }
  void save(Archive& archive) const { archive.put_number("largest", value_); }
  void load(const Archive& archive) { value_ = archive.get_number("largest"); }
  double value() const { return value_; }
  bool operator==(const Largest&) const = default;

 private:
  double value_ = 0;
};

}  // namespace bochner
