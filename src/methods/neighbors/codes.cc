// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/codes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/backend.h"
#include "base/pieces.h"
#include "methods/neighbors/raw_bytes.h"

namespace bochner {

namespace {

constexpr std::size_t kCodedRows = 1024;
constexpr std::size_t kLookedAt = 256;
constexpr double kLevels = 255;
constexpr double kErrorMargin = 1 + 1e-6;  // errors are kept as floats, never too small

struct Ranges {
  std::vector<float> low, high;
};

// Columns by all threads.
Ranges ranges_of(const Workers& on, MatrixView<const float> rows) {
  constexpr std::size_t kColumns = 64;
  Ranges ranges{std::vector<float>(rows.cols, std::numeric_limits<float>::infinity()),
                std::vector<float>(rows.cols, -std::numeric_limits<float>::infinity())};
  in_pieces(on.threads, rows.cols, kColumns, [&](std::size_t begin, std::size_t columns) {
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t j = begin; j < begin + columns; ++j) {
        ranges.low[j] = std::min(ranges.low[j], rows(i, j));
        ranges.high[j] = std::max(ranges.high[j], rows(i, j));
      }
  });
  return ranges;
}

// Whether the first rows are whole numbers of steps above the minima.
bool is_whole(MatrixView<const float> rows, const Ranges& ranges, double step) {
  for (std::size_t i = 0; i < std::min(rows.rows, kLookedAt); ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) {
      const double steps = (double(rows(i, j)) - double(ranges.low[j])) / step;
      if (steps != std::floor(steps)) return false;
    }
  return true;
}

// 255 of them span every input. Whole numbers (of images, of counts) that a byte holds lose nothing: points are scaled
// by powers of two.
double finest_step(MatrixView<const float> rows, const Ranges& ranges) {
  double widest = 0;
  for (std::size_t j = 0; j < ranges.low.size(); ++j)
    widest = std::max(widest, double(ranges.high[j]) - double(ranges.low[j]));
  if (!(widest > 0)) return 0;
  const double step = widest / kLevels, power = std::exp2(std::ceil(std::log2(step)));
  return is_whole(rows, ranges, power) ? power : step;
}

// The least values in steps, where they are whole and products with them exact; none otherwise.
std::vector<std::int32_t> whole_lows(const ByteSteps& steps) {
  constexpr double kMost = 1 << 23;
  std::vector<std::int32_t> lows;
  for (const float low : steps.low) {
    const double whole = double(low) / steps.step;
    if (whole != std::floor(whole) || std::abs(whole) > kMost) return {};
    lows.push_back(std::int32_t(whole));
  }
  return lows;
}

// Bytes of a row of whole numbers of steps. False, and no bytes that count, where it is none.
bool take_whole(const float* x, std::span<const std::int32_t> lowest, float per_step, std::uint8_t* to) {
  std::int32_t differ = 0;
  for (std::size_t j = 0; j < lowest.size(); ++j) {
    const float steps = x[j] * per_step;
    const auto whole = std::int32_t(steps);
    differ |= float(whole) != steps;
    to[j] = std::uint8_t(whole - lowest[j]);
  }
  return differ == 0;
}

}  // namespace

ByteSteps byte_steps(const Workers& on, MatrixView<const float> rows) {
  const Ranges ranges = ranges_of(on, rows);
  const double step = finest_step(rows, ranges);
  return {ranges.low, step > 0 && std::isfinite(1 / step) ? step : 0};
}

std::uint8_t ByteSteps::code(std::size_t input, float value) const {
  return std::uint8_t(std::clamp(std::floor((double(value) - double(low[input])) / step + 0.5), 0.0, kLevels));
}
float ByteSteps::value(std::size_t input, std::uint8_t code) const {
  return float(double(low[input]) + step * double(code));
}

std::optional<Codes> Codes::of(const Workers& on, MatrixView<const float> rows) {
  const std::size_t width = width_of(rows.cols);
  if (rows.rows == 0 || !can_hold(rows.cols)) return std::nullopt;
  const ByteSteps steps = byte_steps(on, rows);
  if (!(steps.step > 0)) return std::nullopt;
  Codes codes;
  codes.step_ = steps.step;
  codes.whole_ = std::exp2(std::round(std::log2(steps.step))) == steps.step;
  codes.bytes_ = raw_bytes(rows.rows * width);
  codes.error_.resize(rows.rows);
  codes.width_ = width;
  const std::vector<std::int32_t> lowest = codes.whole_ ? whole_lows(steps) : std::vector<std::int32_t>();
  in_pieces(on.threads, rows.rows, kCodedRows, [&](std::size_t begin, std::size_t count) {
    const double per_step = 1 / codes.step_;
    for (std::size_t i = begin; i < begin + count; ++i) {
      std::uint8_t* to = codes.bytes_.get() + i * width;
      const float* x = rows.row(i);
      std::fill(to + rows.cols, to + width, std::uint8_t(0));
      if (!lowest.empty() && take_whole(x, lowest, float(per_step), to)) continue;
      double squares = 0;
      for (std::size_t j = 0; j < rows.cols; ++j) {
        const double apart = (double(x[j]) - double(steps.low[j])) * per_step;
        const double code = std::min(kLevels, std::floor(apart + 0.5));
        to[j] = std::uint8_t(code);
        squares += (apart - code) * (apart - code);
      }
      codes.error_[i] = float(std::sqrt(squares) * codes.step_ * kErrorMargin);
    }
  });
  codes.exact_ = std::all_of(codes.error_.begin(), codes.error_.end(), [](float error) { return error == 0; });
  return codes;
}

Codes Codes::of_bytes(const Workers& on, const std::uint8_t* bytes, std::size_t rows, std::span<const std::uint8_t> low,
                      double scale) {
  Codes codes;
  const std::size_t cols = low.size(), width = width_of(cols);
  codes.step_ = scale;
  codes.whole_ = codes.exact_ = true;
  codes.bytes_ = raw_bytes(rows * width);
  codes.error_.resize(rows);
  codes.width_ = width;
  in_pieces(on.threads, rows, kCodedRows, [&](std::size_t begin, std::size_t count) {
    for (std::size_t i = begin; i < begin + count; ++i) {
      std::uint8_t* __restrict to = codes.bytes_.get() + i * width;
      const std::uint8_t *from = bytes + i * cols, *least = low.data();
      for (std::size_t j = 0; j < cols; ++j) to[j] = std::uint8_t(from[j] - least[j]);
      std::fill(to + cols, to + width, std::uint8_t(0));
    }
  });
  return codes;
}

}  // namespace bochner
