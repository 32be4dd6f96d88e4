// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/cpu/targets.h"
// After targets.h, which says what Highway builds for.
#include <hwy/targets.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace bochner::testing {

template <class T>
std::vector<T> numbers(std::size_t count, std::uint32_t seed, double scale = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, scale);
  std::vector<T> values(count);
  for (T& value : values) value = T(normal(generator));
  return values;
}

// Dense rows; every third number is 0 so that the CSR copy skips some.
template <class T>
struct Block {
  Block(std::size_t rows, std::size_t cols, std::uint32_t seed) : values(numbers<T>(rows * cols, seed)) {
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = 0;
    offsets.push_back(0);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j) {
        if (values[i * cols + j] == 0) continue;
        columns.push_back(std::uint32_t(j));
        nonzeros.push_back(values[i * cols + j]);
      }
      offsets.push_back(columns.size());
    }
    dense.rows = sparse.rows = rows;
    dense.cols = sparse.cols = cols;
    dense.values = values.data();
    dense.stride = cols;
    sparse.values = nonzeros.data();
    sparse.offsets = offsets.data();
    sparse.columns = columns.data();
  }
  Block(const Block&) = delete;

  std::vector<T> values, nonzeros;
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> columns;
  RowBlock<T> dense, sparse;
};

template <class T>
FourierWeights<T> weights(std::size_t inputs, std::size_t frequencies, bool shifted, std::uint32_t seed) {
  const auto omega = numbers<double>(inputs * frequencies, seed, 1.0 / std::sqrt(double(inputs)));
  std::vector<double> phase;
  for (std::size_t i = 0; shifted && i < frequencies; ++i) phase.push_back(6.28 * double(i) / double(frequencies));
  return pack_fourier<T>(omega, inputs, phase, 0.7);
}

template <class T>
Matrix<T> fourier(const Backend& on, const RowBlock<T>& x, const FourierWeights<T>& w) {
  Matrix<T> z(x.rows, w.outputs());
  on.fourier(x, w, z.view());
  return z;
}

// Runs the check once for each instruction set that was built and that this processor has.
inline void for_each_target(const std::function<void(const std::string&)>& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    check(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

// Whether the instruction set multiplies and adds with one rounding. Those without are outside the promise that all
// machines find the same bits.
inline bool fuses(const std::string& target) { return target != "SSE4" && target != "SCALAR" && target != "EMU128"; }

}  // namespace bochner::testing
