// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <stdexcept>
#include <string>

namespace bochner {

// Broken input: a data file, a model file, a device. The message is one line,
// `place: what was found, what was expected, what to do`.
// A caller's mistake throws std::invalid_argument instead.
class Error : public std::runtime_error {
 public:
  enum class Kind { data, model, io };

  Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace bochner
