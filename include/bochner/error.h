// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   try {
//     Model::load("cars.model");
//   } catch (const Error& error) {  // a file that is broken, absent or not a model
//     std::puts(error.what());
//   } catch (const std::invalid_argument& mistake) {  // a call that makes no sense
//     std::puts(mistake.what());
//   }

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
