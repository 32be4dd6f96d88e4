// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/require.h"
#include "bochner/kernel_family.h"
#include "bochner/suggest.h"
#include "kernels/law.h"

namespace bochner {

namespace {

Kernel make(Kernel::Family family, double sigma, std::vector<double> parameters = {}) {
  Kernel kernel{.family = family, .length_scales = {sigma}, .parameters = std::move(parameters)};
  check_kernel(kernel, 1);
  return kernel;
}

const KernelFamily& parse_family(std::string_view text) {
  const std::vector<const KernelFamily*> families = kernel_families();
  std::vector<std::string> names, aliases;
  for (const KernelFamily* family : families) {
    if (text == family->name || (family->alias && text == family->alias)) return *family;
    names.emplace_back(family->name);
    if (family->alias) aliases.emplace_back(family->alias);
  }
  names.insert(names.end(), aliases.begin(), aliases.end());
  mistake("kernel '{}': expected one of {}{}", text, fmt::join(names, ", "), suggestion(text, names));
}

double parse_number(std::string_view text, std::string_view key, std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  require(error == std::errc() && end == value.data() + value.size() && !value.empty(),
          "kernel '{}': {} is '{}', expected a number", text, key, value);
  return number;
}

void set_parameter(Kernel& kernel, std::string_view text, std::string_view key, double value) {
  const KernelFamily& row = *kernel.family;
  for (std::size_t i = 0; i < row.parameters.size(); ++i)
    if (key == row.parameters[i].name) {
      kernel.parameters[i] = value;
      return;
    }
  if (key == "sigma") {
    kernel.length_scales = {value};
  } else if (key == "gamma" && row.has_gamma) {
    kernel.length_scales = {row.sigma(value)};
  } else {
    std::string expected;
    for (const KernelParameter& parameter : row.parameters) expected += fmt::format("{} or ", parameter.name);
    mistake("kernel '{}': no parameter '{}', expected {}{}sigma", text, key, expected,
            row.has_gamma ? "gamma or " : "");
  }
}

}  // namespace

Kernel gaussian(double sigma) { return make(Kernel::Family::gaussian, sigma); }
Kernel laplacian(double sigma) { return make(Kernel::Family::laplacian, sigma); }
Kernel cauchy(double sigma) { return make(Kernel::Family::cauchy, sigma); }
Kernel laplacian2(double sigma) { return make(Kernel::Family::laplacian2, sigma); }
Kernel matern(double nu, double sigma) { return make(Kernel::Family::matern, sigma, {nu}); }
Kernel rational_quadratic(double alpha, double sigma) {
  return make(Kernel::Family::rational_quadratic, sigma, {alpha});
}

// name[:key=value[,key=value ...]]
Kernel parse_kernel(const std::string& text) {
  std::string_view rest = text;
  const std::size_t colon = rest.find(':');
  Kernel kernel{.family = parse_family(rest.substr(0, colon))};
  for (const KernelParameter& parameter : kernel.family->parameters) kernel.parameters.push_back(parameter.initial);
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
  std::string text = kernel.family->name;
  const auto& parameters = kernel.family->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? ":" : ",", parameters[i].name, kernel.parameter(i));
  return text;
}

double Kernel::parameter(std::size_t i) const {
  return i < parameters.size() ? parameters[i] : family->parameters[i].initial;
}

bool Kernel::operator==(const Kernel& other) const {
  if (family != other.family || length_scales != other.length_scales) return false;
  for (std::size_t i = 0; i < family->parameters.size(); ++i)
    if (parameter(i) != other.parameter(i)) return false;
  return true;
}

}  // namespace bochner
