// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bochner/ranks.h"

namespace bochner {

// What went wrong where bytes that reduce_made() has put together are a failure.
std::optional<std::string> failure_of(const std::string& reduced);

// A rank that may know a sum before its own part is made: reduce_made() asks it by this.
class KnowingRank : public Ranks {
 public:
  using Make = std::function<std::string()>;
  virtual std::string sum(const Make& make, const Join& join) = 0;
  std::string reduce(std::string mine, const Join& join) final {
    return sum([&] { return mine; }, join);
  }
};

}  // namespace bochner
