// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <charconv>

#include "base/require.h"
#include "bochner/kernel_family.h"
#include "bochner/suggest.h"
#include "maps/formula/product.h"

namespace bochner {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

// The pieces between signs that are in no parentheses.
std::vector<std::string> split_outside(const std::string& text, char sign) {
  std::vector<std::string> pieces(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == sign && depth == 0)
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  for (std::string& piece : pieces) piece = trimmed(piece);
  return pieces;
}

const Formula* find_formula(const std::string& name) {
  for (const Formula* formula : formulas())
    if (name == formula->name) return formula;
  return nullptr;
}

Kernel kernel_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Formula* formula : formulas()) names.emplace_back(formula->name);
  for (const KernelFamily* row : kernel_families()) {
    names.emplace_back(row->name);
    if (name != row->name) continue;
    Kernel kernel{.family = *row};
    for (const KernelParameter& parameter : row->parameters) kernel.parameters.push_back(parameter.initial);
    return kernel;
  }
  mistake("product: there is no kernel '{}'{}", name, suggestion(name, names));
}

double number_of(const std::string& item, std::size_t equals) {
  double value = 0;
  const char* end = item.data() + item.size();
  const auto [next, error] = std::from_chars(item.data() + equals + 1, end, value);
  require(error == std::errc() && next == end, "product: found {}, expected a number after =", item);
  return value;
}

// key=value if the factor knows the key; a column's name may have = too.
bool take_number(ProductFactor& factor, const std::string& item) {
  const std::size_t equals = item.find('=');
  if (equals == item.npos) return false;
  const std::string key = item.substr(0, equals);
  if (factor.formula) {
    for (std::size_t i = 0; i < factor.numbers.size(); ++i) {
      const FormulaParameter& known = factor.formula->parameters[i];
      if (key != known.name) continue;
      factor.numbers[i] = number_of(item, equals);
      require(factor.numbers[i] >= known.low && factor.numbers[i] <= known.high &&
                  (!known.whole || factor.numbers[i] == double(std::int64_t(factor.numbers[i]))),
              "product: {}: found {}, expected {}{} to {}", factor.formula->name, item,
              known.whole ? "a whole number " : "", known.low, known.high);
      return true;
    }
    return false;
  }
  const KernelFamily& row = *factor.kernel.family;
  for (std::size_t i = 0; i < row.parameters.size(); ++i)
    if (key == row.parameters[i].name) {
      factor.kernel.parameters[i] = number_of(item, equals);
      return true;
    }
  if (key != "sigma" && (key != "gamma" || !row.has_gamma)) return false;
  require(!factor.scaled, "product: {}: found two length scales, expected one", row.name);
  const double value = number_of(item, equals);
  require(value > 0, "product: found {}, expected a positive number", item);
  factor.kernel.length_scales = {key == "sigma" ? value : row.sigma(value)};
  return factor.scaled = true;
}

ProductFactor parse_factor(const std::string& text) {
  const std::size_t open = text.find('(');
  require(open == text.npos || text.back() == ')',
          "product: found '{}', expected a kernel and its columns: gaussian(a,b) or periodic(hour,period=24)", text);
  const std::string name = trimmed(text.substr(0, open));
  ProductFactor factor;
  factor.formula = find_formula(name);
  if (factor.formula)
    for (const FormulaParameter& parameter : factor.formula->parameters) factor.numbers.push_back(parameter.initial);
  else
    factor.kernel = kernel_named(name);
  if (open == text.npos) return factor;
  const std::string inside = trimmed(text.substr(open + 1, text.size() - open - 2));
  if (inside.empty()) return factor;
  for (const std::string& item : split_outside(inside, ',')) {
    require(!item.empty(), "product: found '{}', expected a name between the commas", text);
    if (!take_number(factor, item)) factor.columns.push_back(item);
  }
  return factor;
}

}  // namespace

bool ProductFactor::has_phase() const { return !formula || formula == &kPeriodic || formula == &kVonMises; }

std::string ProductFactor::words() const {
  std::string text = (formula ? formula->name : kernel.family->name) + std::string("(");
  for (const std::size_t input : inputs) text += fmt::format("{},", input);
  for (std::size_t i = 0; formula && i < numbers.size(); ++i)
    text += fmt::format("{}={},", formula->parameters[i].name, numbers[i]);
  for (std::size_t i = 0; !formula && i < kernel.family->parameters.size(); ++i)
    text += fmt::format("{}={},", kernel.family->parameters[i].name, kernel.parameter(i));
  if (scaled) text += fmt::format("sigma={},", kernel.length_scales[0]);
  text.back() = ')';
  return text;
}

std::vector<ProductFactor> parse_product(const std::string& text) {
  std::vector<ProductFactor> factors;
  for (const std::string& piece : split_outside(text, '*')) factors.push_back(parse_factor(piece));
  if (factors.size() == 1) return factors;
  for (ProductFactor& factor : factors) {
    if (!factor.formula) continue;
    if (factor.formula == &kLinear) factor.numbers = {1, 0, 1};
    if (factor.formula == &kLinear || factor.formula == &kPolynomial) factor.formula = &kPolynomialSigns;
    require(factor.formula->independent || factor.has_phase(),
            "product: {} has no features that are drawn one by one, so that it cannot be a factor; write it as a "
            "summand",
            factor.formula->name);
  }
  return factors;
}

void choose_inputs(std::vector<ProductFactor>& factors, std::size_t inputs, const std::vector<std::string>& names) {
  for (ProductFactor& factor : factors) {
    factor.inputs.clear();
    for (std::size_t j = 0; factor.columns.empty() && j < inputs; ++j) factor.inputs.push_back(j);
    for (const std::string& column : factor.columns) {
      const std::size_t before = factor.inputs.size();
      for (std::size_t j = 0; j < names.size(); ++j)
        if (names[j] == column || names[j].starts_with(column + "=") || names[j] == column + " is missing")
          factor.inputs.push_back(j);
      if (factor.inputs.size() > before) continue;
      std::size_t number = 0;
      const char* end = column.data() + column.size();
      const auto [next, error] = std::from_chars(column.data(), end, number);
      require(error == std::errc() && next == end && number < inputs,
              "product: there is no input \"{}\", expected one of the names, or a number less than {}{}", column,
              inputs, suggestion(column, names));
      factor.inputs.push_back(number);
    }
    if (factor.formula && inputs > 0)
      factor.formula->features({.inputs = factor.inputs.size(), .numbers = factor.numbers}, 0);
  }
}

}  // namespace bochner
