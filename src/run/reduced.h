// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bochner/ranks.h"

namespace bochner {

// What went wrong where bytes that reduce_made() has put together are a failure.
std::optional<std::string> failure_of(std::string_view reduced);

// What ranks of reduce_made() bring of one sum: bytes, nothing, or failures.
class Brought {
 public:
  explicit Brought(const BeginJoining& begin) : begin_(begin) {}
  // What went wrong with these or with the addition, which leaves the sum as it was.
  std::optional<std::string> add(std::string_view made);
  std::string joined() const;

 private:
  const BeginJoining& begin_;
  std::unique_ptr<Joining> sum_;  // null: nothing has been brought
};

// A rank that may know a sum before its own part is made: reduce_made() asks it by this.
class KnowingRank : public Ranks {
 public:
  using Make = std::function<std::string()>;
  virtual std::string sum(const Make& make, const BeginJoining& begin) = 0;

 private:
  std::string reduce(std::string mine, const Join&) final { return mine; }  // reduce_made() asks for the sum
};

}  // namespace bochner
