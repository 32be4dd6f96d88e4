// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/kernel.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/require.h"
#include "base/suggest.h"
#include "kernels/family.h"
#include "kernels/law.h"

namespace bochner {

namespace {

struct Name {
  std::string_view text;
  Kernel::Family family;
};
constexpr Name kNames[] = {
    {"gaussian", Kernel::Family::gaussian},
    {"laplacian", Kernel::Family::laplacian},
    {"cauchy", Kernel::Family::cauchy},
    {"matern", Kernel::Family::matern},
    {"rational-quadratic", Kernel::Family::rational_quadratic},
    {"laplacian2", Kernel::Family::laplacian2},
    {"rbf", Kernel::Family::gaussian},  // an alias: read, never printed
};

Kernel make(Kernel::Family family, double sigma) {
  Kernel kernel;
  kernel.family = family;
  kernel.length_scales = {sigma};
  check_kernel(kernel, 1);
  return kernel;
}

Kernel::Family parse_family(std::string_view text) {
  for (const Name& name : kNames)
    if (name.text == text) return name.family;

  std::string all;
  for (const Name& name : kNames) all += (all.empty() ? "" : ", ") + std::string(name.text);
  std::vector<std::string> names;
  for (const Name& name : kNames) names.emplace_back(name.text);
  throw std::invalid_argument(fmt::format("kernel '{}': expected one of {}{}", text, all, suggestion(text, names)));
}

double parse_number(std::string_view text, std::string_view key, std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  require(error == std::errc() && end == value.data() + value.size() && !value.empty(),
          "kernel '{}': {} is '{}', expected a number", text, key, value);
  return number;
}

void set_parameter(Kernel& kernel, std::string_view text, std::string_view key, double value) {
  using Family = Kernel::Family;
  const bool has_gamma = kernel.family == Family::gaussian || kernel.family == Family::laplacian;
  if (key == "nu" && kernel.family == Family::matern)
    kernel.nu = value;
  else if (key == "alpha" && kernel.family == Family::rational_quadratic)
    kernel.alpha = value;
  else if (key == "sigma")
    kernel.length_scales = {value};
  else if (key == "gamma" && has_gamma)
    kernel.length_scales = {family_of(kernel).sigma(value)};
  else
    throw std::invalid_argument(fmt::format("kernel '{}': no parameter '{}', expected {}sigma", text, key,
                                            kernel.family == Family::matern               ? "nu or "
                                            : kernel.family == Family::rational_quadratic ? "alpha or "
                                            : has_gamma                                   ? "gamma or "
                                                                                          : ""));
}

}  // namespace

Kernel gaussian(double sigma) { return make(Kernel::Family::gaussian, sigma); }
Kernel laplacian(double sigma) { return make(Kernel::Family::laplacian, sigma); }
Kernel cauchy(double sigma) { return make(Kernel::Family::cauchy, sigma); }
Kernel laplacian2(double sigma) { return make(Kernel::Family::laplacian2, sigma); }

Kernel matern(double nu, double sigma) {
  Kernel kernel = make(Kernel::Family::matern, sigma);
  kernel.nu = nu;
  check_kernel(kernel, 1);
  return kernel;
}

Kernel rational_quadratic(double alpha, double sigma) {
  Kernel kernel = make(Kernel::Family::rational_quadratic, sigma);
  kernel.alpha = alpha;
  check_kernel(kernel, 1);
  return kernel;
}

// name[:key=value[,key=value ...]]
Kernel parse_kernel(const std::string& text) {
  std::string_view rest = text;
  const std::size_t colon = rest.find(':');
  Kernel kernel;
  kernel.family = parse_family(rest.substr(0, colon));
  rest = colon == rest.npos ? "" : rest.substr(colon + 1);
  require(colon == text.npos || !rest.empty(), "kernel '{}': nothing after ':', expected key=value", text);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == rest.npos ? "" : rest.substr(comma + 1);
    const std::size_t equals = item.find('=');
    require(equals != item.npos, "kernel '{}': found '{}', expected key=value", text, item);
    const std::string_view key = item.substr(0, equals);
    set_parameter(kernel, text, key, parse_number(text, key, item.substr(equals + 1)));
  }
  check_kernel(kernel, 1);
  return kernel;
}

std::string kernel_name(const Kernel& kernel) {
  const char* name = family_of(kernel).name;
  if (kernel.family == Kernel::Family::matern) return fmt::format("{}:nu={}", name, kernel.nu);
  if (kernel.family == Kernel::Family::rational_quadratic) return fmt::format("{}:alpha={}", name, kernel.alpha);
  return name;
}

}  // namespace bochner
