// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/codes.h"
#include "backend/workers.h"
#include "base/aligned.h"
#include "bochner/matrix.h"

namespace bochner {

// How inputs become bytes: in steps of one size above the least value of each.
struct ByteSteps {
  std::vector<float> low;
  double step = 0;  // 0: the rows do not differ

  std::uint8_t code(std::size_t input, float value) const;
  float value(std::size_t input, std::uint8_t code) const;
};
ByteSteps byte_steps(const Workers& on, MatrixView<const float> rows);

// Rows as bytes: each input less its minimum, in steps that are the same for all inputs. How far a row is from its
// bytes is known, so distances of bytes bound those of rows from both sides: what they rule out need not be compared.
class Codes {
 public:
  // None where a byte says nothing of a row: too many inputs, or all rows equal.
  static std::optional<Codes> of(const Workers& on, MatrixView<const float> rows);
  // The codes of rows that are bytes, which differ by more than 127 somewhere, times `scale`, a power of two.
  static Codes of_bytes(const Workers& on, const std::uint8_t* bytes, std::size_t rows,
                        std::span<const std::uint8_t> low, double scale);
  // Whether rows of so many inputs have codes.
  static bool can_hold(std::size_t inputs) { return inputs > 0 && width_of(inputs) <= CodeRows::kMost; }

  CodeRows rows() const { return {bytes_.get(), width_}; }
  double step() const { return step_; }
  // Steps are powers of two: a row without an error is its bytes, and squares of differences lose nothing in double.
  bool are_rows() const { return whole_; }
  // No row has an error: |x - y|^2 are those of the bytes.
  bool are_all() const { return whole_ && exact_; }
  double error(std::size_t row) const { return double(error_[row]); }  // |row - its bytes|, at least

  // |x - y| is at most so far from the distance of their bytes.
  double slack(std::size_t a, std::size_t b) const { return error(a) + error(b); }

 private:
  static std::size_t width_of(std::size_t inputs) {
    return (inputs + CodeRows::kWidth - 1) / CodeRows::kWidth * CodeRows::kWidth;
  }
  std::shared_ptr<std::uint8_t[]> bytes_;
  std::vector<float> error_;
  double step_ = 1;
  bool whole_ = false, exact_ = false;
  std::size_t width_ = 0;
};

}  // namespace bochner
