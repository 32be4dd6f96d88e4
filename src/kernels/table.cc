// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The table of kernels. A kernel more is a file with its row, and a line in each of the two lists below.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "base/published.h"
#include "base/require.h"
#include "bochner/kernel_family.h"

namespace bochner {

extern const KernelFamily kGaussian, kLaplacian, kCauchy, kMatern, kRationalQuadratic, kLaplacian2, kStable;

namespace {

constexpr const KernelFamily* kRows[] = {&kGaussian,          &kLaplacian,  &kCauchy, &kMatern,
                                         &kRationalQuadratic, &kLaplacian2, &kStable};

Published<const KernelFamily*>& registered() {
  static Published<const KernelFamily*> rows;
  return rows;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

void check_row(const KernelFamily& row) {
  const auto must = [&](bool holds, const std::string& expected) {
    require(holds, "kernel '{}': its row makes no sense, expected {}", row.name, expected);
  };
  must(is_name(row.name) && (!row.alias || is_name(row.alias)), "a name of letters, digits and '-'");
  must(row.value && row.second_moment && row.sigma && row.shape, "value, second_moment, sigma and shape");
  must((row.draw != nullptr) == (row.law != KernelFamily::Law::none), "draw and law, or neither");
  for (const KernelParameter& parameter : row.parameters) {
    must(is_name(parameter.name) && parameter.name != std::string_view("sigma") &&
             parameter.name != std::string_view("gamma") && parameter.name != std::string_view("weight"),
         "parameters with names of their own, not sigma, gamma or weight");
    must(parameter.low <= parameter.initial && parameter.initial <= parameter.high,
         fmt::format("{} within {} to {}", parameter.name, parameter.low, parameter.high));
  }
  const Kernel kernel{.family = row};
  const std::vector<double> x = {0.3, -1.5, 7}, zero(3);
  const double at_zero = row.value(kernel, x, x), forth = row.value(kernel, x, zero), back = row.value(kernel, zero, x);
  must(std::fabs(at_zero - 1) <= 1e-12, fmt::format("k(0) = 1, found {}", at_zero));
  must(std::fabs(forth - back) <= 1e-12 && std::fabs(forth) <= 1 + 1e-12,
       fmt::format("k(D) = k(-D) within -1 to 1, found {} and {}", forth, back));
}

}  // namespace

constinit const Kernel::Family Kernel::Family::gaussian = kGaussian;
constinit const Kernel::Family Kernel::Family::laplacian = kLaplacian;
constinit const Kernel::Family Kernel::Family::cauchy = kCauchy;
constinit const Kernel::Family Kernel::Family::matern = kMatern;
constinit const Kernel::Family Kernel::Family::rational_quadratic = kRationalQuadratic;
constinit const Kernel::Family Kernel::Family::laplacian2 = kLaplacian2;

std::vector<const KernelFamily*> kernel_families() {
  std::vector<const KernelFamily*> all(std::begin(kRows), std::end(kRows));
  const std::span<const KernelFamily* const> more = registered().read();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void register_kernel(const KernelFamily& row) {
  check_row(row);
  const auto takes = [&](const KernelFamily* other, std::string_view name) {
    return name == other->name || (other->alias && name == other->alias);
  };
  registered().add(&row, [&](std::span<const KernelFamily* const> more) {
    for (const auto& rows : {std::span<const KernelFamily* const>(kRows), more})
      for (const KernelFamily* other : rows)
        require(!takes(other, row.name) && !(row.alias && takes(other, row.alias)),
                "kernel '{}': there is a kernel of that name or alias already, expected another", row.name);
  });
}

std::string kernel_names() {
  std::string text;
  for (const KernelFamily* row : kernel_families()) {
    text += text.empty() ? "" : ", ";
    text += row->name;
    for (std::size_t i = 0; i < row->parameters.size(); ++i)
      text += fmt::format("{}{}={}", i == 0 ? "[:" : ",", row->parameters[i].name, row->parameters[i].initial);
    if (!row->parameters.empty()) text += "]";
  }
  return text;
}

}  // namespace bochner
