// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/strict_json.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/require.h"

namespace bochner {

using nlohmann::json;

nlohmann::json parse_strict_json(std::string_view text, const std::string& place) {
  std::vector<std::set<std::string>> keys;  // one set for each open object
  const json::parser_callback_t check = [&](int depth, json::parse_event_t event, json& parsed) {
    const bool opens = event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    if (depth + (opens ? 1 : 0) > kMaxJsonDepth)  // levels around this and, if it opens one, its own
      fail(Error::Kind::model, "{}: JSON is nested deeper than {} levels; this is not a bochner model", place,
           kMaxJsonDepth);
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      fail(Error::Kind::model, "{}: JSON key {} occurs twice, expected once; copy the model again", place,
           printable(parsed.get_ref<const std::string&>()));
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::parse_error& error) {
    fail(Error::Kind::model, "{}: JSON is broken at byte {}, expected a whole bochner model; copy the model again",
         place, error.byte);
  } catch (const json::exception&) {
    fail(Error::Kind::model, "{}: JSON holds a number out of range, expected a bochner model; copy the model again",
         place);
  }
}

std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string result = "'";
  for (const char c : text.substr(0, kMost)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > kMost ? "...'" : "'");
}

}  // namespace bochner
