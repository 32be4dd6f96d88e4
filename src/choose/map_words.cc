// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The one place where words become a map and a bandwidth.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/require.h"
#include "base/spec.h"
#include "bochner/suggest.h"
#include "choose/map_kinds.h"

namespace bochner {

namespace {

const MapKind& named_kind(const std::string& name) {
  if (const MapKind* kind = find_map_kind(name)) return *kind;
  std::vector<std::string> names;
  for (const MapKind* kind : map_kinds()) names.push_back(kind->name);
  std::rotate(names.begin(), names.begin() + 1, names.end());  // none is the last to try
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) all += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  const bool other_names = name == "rff" || name == "rbf" || name == "rks";
  mistake("map: found \"{}\", expected {}{}", name, all,
          other_names ? "; did you mean 'fourier'?" : suggestion(name, names));
}

// A length scale in the kernel is the part's bandwidth.
void parse_kernel_of(const std::string& text, MapPart& part) {
  part.kernel = parse_kernel(text);
  const Spec kernel(text);
  if (!kernel.has("sigma") && !kernel.has("gamma")) return;
  require(!part.bandwidth, "map: found bandwidth= and a length scale in kernel={}, expected one of them", text);
  part.bandwidth = std::exchange(part.kernel->length_scales, {1.0});
}

MapPart parse_part(const std::string& text) {
  const Spec spec(text);
  const MapKind& kind = named_kind(spec.name());
  MapWords words = spec.values();
  for (const char* key : {"features", "kernel", "bandwidth", "weight"}) words.erase(key);
  MapPart part;
  part.map = kind.parse ? kind.parse(words) : CustomMap{kind.name, words};
  if (spec.has("features")) {
    const double features = spec.number("features", 0);
    require(features >= 1 && features == std::floor(features) && features < 1e15,
            "map: found features={}, expected a whole number", spec.text("features", ""));
    part.features = std::size_t(features);
  }
  if (spec.has("bandwidth")) part.bandwidth = parse_bandwidth(spec.text("bandwidth", ""));
  if (spec.has("kernel")) parse_kernel_of(spec.text("kernel", ""), part);
  if (spec.has("weight")) part.weight = spec.number("weight", 1);
  return part;
}

std::string part_words(const MapPart& part) {
  const MapKind& kind = kind_of(part.map);
  MapWords words = words_of(kind, part.map);
  if (part.features) words["features"] = fmt::format("{}", part.features);
  if (part.kernel) words["kernel"] = kernel_name(*part.kernel);
  if (part.bandwidth) {
    require(part.bandwidth->length_scales.size() <= 1, "map: several length scales of one part have no words");
    words["bandwidth"] = bandwidth_words(*part.bandwidth);
  }
  if (part.weight) words["weight"] = fmt::format("{}", *part.weight);
  std::string text = kind.name;
  for (const auto& [key, value] : words)
    text += fmt::format("{}{}={}", text.size() == kind.name.size() ? ":" : ",", key, value);
  return text;
}

}  // namespace

// "project:dims=100|fourier+binning": projections one after the other, then a map or several side by side.
MapOptions parse_map_options(const std::string& text) {
  MapOptions options;
  options.parts.clear();
  std::size_t begin = 0;
  for (std::size_t bar; (bar = text.find('|', begin)) != text.npos; begin = bar + 1)
    options.before.push_back(parse_part(text.substr(begin, bar - begin)));
  for (const std::string& part : split_parts(text.substr(begin))) options.parts.push_back(parse_part(part));
  return options;
}

namespace {

// The number that a factor is; none: it is a kernel.
std::optional<double> number_in(std::string_view factor) {
  const std::size_t begin = factor.find_first_not_of(" \t"), end = factor.find_last_not_of(" \t") + 1;
  if (begin == factor.npos) return {};
  double number = 0;
  const auto [next, error] = std::from_chars(factor.data() + begin, factor.data() + end, number);
  if (error == std::errc::invalid_argument || next != factor.data() + end) return {};
  require(error == std::errc(), "kernel: found the weight {}, expected a number that double holds", factor);
  return number;
}

// "gaussian(a,b)*periodic(hour,period=24)*2": a number as the last factor, or the first, is the weight.
AnyMap product_of(std::string text, std::optional<double>& weight) {
  const std::size_t first = text.find('*'), last = text.rfind('*');
  if (last != text.npos) {
    const auto behind = number_in(std::string_view(text).substr(last + 1));
    const auto before = behind ? std::nullopt : number_in(std::string_view(text).substr(0, first));
    if (behind) text.resize(last);
    if (before) text.erase(0, first + 1);
    if (behind || before) weight = behind ? behind : before;
  }
  return named_kind("product").parse({{"of", text}});
}

}  // namespace

std::vector<MapPart> parse_kernel_parts(const std::string& text, const MapPart& like) {
  const std::vector<std::string> kernels = split_parts(text);
  std::vector<MapPart> parts;
  for (const std::string& kernel : kernels) {
    MapPart& part = parts.emplace_back(like);
    if (kernel.find_first_of("(*") != kernel.npos) {
      part.map = product_of(kernel, part.weight);
      continue;
    }
    const Spec spec(kernel);
    const bool weighted = kernels.size() > 1 && spec.has("weight");
    if (weighted) part.weight = spec.number("weight", 1);
    parse_kernel_of(weighted ? spec.without({"weight"}) : kernel, part);
  }
  return parts;
}

std::string map_words(const MapOptions& options) {
  std::string text;
  for (const MapPart& part : options.before) text += part_words(part) + "|";
  const std::size_t parts = text.size();
  for (const MapPart& part : options.parts)
    text += fmt::format("{}{}", text.size() == parts ? "" : "+", part_words(part));
  return text;
}

Bandwidth parse_bandwidth(const std::string& text) {
  using Rule = Bandwidth::Rule;
  if (text.empty()) return Rule::searched;
  if (text == "auto") return Rule::searched_per_input;
  if (text == "median") return Rule::median;
  if (text == "scale") return Rule::scale;
  std::vector<double> values;
  const char *p = text.data(), *end = p + text.size();
  while (p != end) {
    double value = 0;
    const auto [next, ok] = std::from_chars(p, end, value);
    require(
        ok == std::errc() && (next == end || *next == ',') && value > 0 && std::isfinite(value),
        "bandwidth: found \"{}\", expected a positive number, one per input with commas between, scale, median or auto",
        text);
    values.push_back(value);
    p = next == end ? end : next + 1;
  }
  return values;
}

std::string bandwidth_words(const Bandwidth& bandwidth) {
  switch (bandwidth.rule) {
    case Bandwidth::Rule::searched:
      return "";
    case Bandwidth::Rule::searched_per_input:
      return "auto";
    case Bandwidth::Rule::median:
      return "median";
    case Bandwidth::Rule::scale:
      return "scale";
    case Bandwidth::Rule::given:
      break;
  }
  std::string text;
  for (const double scale : bandwidth.length_scales) text += fmt::format("{}{}", text.empty() ? "" : ",", scale);
  return text;
}

}  // namespace bochner
