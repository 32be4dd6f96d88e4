// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bochner/execution.h"

namespace bochner {

// What the work holds at its peak, by name: said before it starts, and the reason of a refusal.
// Bytes are double, since a plan is also made for sizes that no machine has.
class MemoryPlan {
 public:
  struct Item {
    std::string name;
    double bytes;
  };

  MemoryPlan& add(std::string name, double bytes);
  MemoryPlan& add(const MemoryPlan& other);  // its items after ours

  const std::vector<Item>& items() const { return items_; }
  double total() const;
  std::string items_text() const;         // "features 2.2G, factor 512M, other 3M"; largest first
  std::string text(double limit) const;   // "memory: 2.7G of 18.0G: features 2.2G, factor 512M"
  bool worth_saying(double limit) const;  // a gigabyte, or a good part of the limit

 private:
  std::vector<Item> items_;
};

// The plan of steps that follow each other: that of the largest.
MemoryPlan peak_of(const std::vector<MemoryPlan>& steps);

// As --memory takes it: "1.5G", "640M".
std::string size_text(double bytes);

// What may be held: as the execution says, or three quarters of what the machine has free now.
std::size_t memory_limit(const Execution& execution);

// The largest multiple of `step` up to `most` whose plan fits, 0 when none does. Plans grow with their size, but may
// fall at `drop`, a multiple too.
std::size_t largest_that_fits(std::size_t most, std::size_t step, double limit,
                              const std::function<MemoryPlan(std::size_t)>& plan, std::size_t drop = 0);

}  // namespace bochner
