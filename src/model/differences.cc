// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <set>

#include "base/archive.h"
#include "model/sum.h"

namespace bochner {

namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 4;

std::string value_text(const json& value) {
  std::string text =
      value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 40) text.replace(37, std::string::npos, "...");
  return text;
}

struct Comparison {
  const std::string &a_name, &b_name;
  std::vector<std::string> found;
  std::size_t hidden = 0;

  void note(std::string text) {
    if (found.size() < kMostShown)
      found.push_back(std::move(text));
    else
      ++hidden;
  }

  void compare(const std::string& place, const json& a, const json& b) {
    if (a == b) return;
    if (a.is_object() && b.is_object()) {
      std::set<std::string> keys;
      for (const auto& [key, value] : a.items()) keys.insert(key);
      for (const auto& [key, value] : b.items()) keys.insert(key);
      for (const std::string& key : keys)
        compare(place.empty() ? key : place + "." + key, a.contains(key) ? a[key] : json(),
                b.contains(key) ? b[key] : json());
    } else if (a.is_array() && b.is_array() && a.size() == b.size()) {
      for (std::size_t i = 0; i < a.size(); ++i) compare(fmt::format("{}[{}]", place, i), a[i], b[i]);
    } else if (a.is_structured() && b.is_structured()) {
      note(fmt::format("{} has {} entries in {} and {} in {}", place, a.size(), a_name, b.size(), b_name));
    } else {
      note(fmt::format("{} is {} in {} and {} in {}", place, value_text(a), a_name, value_text(b), b_name));
    }
  }
};

}  // namespace

std::vector<std::string> differences(const Archive& a, const std::string& a_name, const Archive& b,
                                     const std::string& b_name) {
  Comparison comparison{a_name, b_name, {}};
  comparison.compare("", a.tree, b.tree);
  std::set<std::string> names;
  for (const auto& [name, array] : a.arrays) names.insert(name);
  for (const auto& [name, array] : b.arrays) names.insert(name);
  for (const std::string& name : names) {
    const auto at = a.arrays.find(name), bt = b.arrays.find(name);
    if (at == a.arrays.end() || bt == b.arrays.end() || !(at->second == bt->second))
      comparison.note(fmt::format("the numbers of {} differ", name));
  }
  if (comparison.hidden > 0) comparison.found.push_back(fmt::format("and {} more", comparison.hidden));
  return comparison.found;
}

}  // namespace bochner
