// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/memory.h"

namespace bochner {

namespace {
constexpr double kWorthNaming = 0.01;                            // share of the total
constexpr double kWorthSaying = double(1 << 30), kShare = 0.25;  // bytes, share of the limit
}  // namespace

MemoryPlan& MemoryPlan::add(std::string name, double bytes) {
  if (bytes > 0) items_.push_back({std::move(name), bytes});
  return *this;
}

MemoryPlan& MemoryPlan::add(const MemoryPlan& other) {
  items_.insert(items_.end(), other.items_.begin(), other.items_.end());
  return *this;
}

double MemoryPlan::total() const {
  double sum = 0;
  for (const Item& item : items_) sum += item.bytes;
  return sum;
}

std::string MemoryPlan::items_text() const {
  std::vector<Item> sorted = items_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
  std::string out;
  double rest = 0;
  for (const Item& item : sorted) {
    if (item.bytes < kWorthNaming * total())
      rest += item.bytes;
    else
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", item.name, size_text(item.bytes));
  }
  return rest > 0 ? out + ", other " + size_text(rest) : out;
}

std::string MemoryPlan::text(double limit) const {
  return fmt::format("memory: {} of {}: {}", size_text(total()), size_text(limit), items_text());
}

bool MemoryPlan::worth_saying(double limit) const { return total() >= std::min(kWorthSaying, kShare * limit); }

MemoryPlan peak_of(const std::vector<MemoryPlan>& steps) {
  return *std::max_element(steps.begin(), steps.end(),
                           [](const MemoryPlan& a, const MemoryPlan& b) { return a.total() < b.total(); });
}

std::string size_text(double bytes) {
  const double G = 1 << 30, M = 1 << 20;
  if (bytes >= 100 * G) return fmt::format("{:.0f}G", bytes / G);
  if (bytes >= 0.9995 * G) return fmt::format("{:.1f}G", bytes / G);
  return bytes >= 10 * M ? fmt::format("{:.0f}M", bytes / M) : fmt::format("{:.1f}M", bytes / M);
}

std::size_t memory_limit(const Execution& execution) { return execution.memory ? execution.memory : default_memory(); }

std::size_t largest_that_fits(std::size_t most, std::size_t step, double limit,
                              const std::function<MemoryPlan(std::size_t)>& plan, std::size_t drop) {
  std::size_t fits = 0, too_large = most / step + 1;
  if (drop > 0 && drop <= most && plan(drop).total() <= limit) fits = drop / step;
  while (fits + 1 < too_large) {
    const std::size_t middle = fits + (too_large - fits) / 2;
    (plan(middle * step).total() <= limit ? fits : too_large) = middle;
  }
  return fits * step;
}

}  // namespace bochner
