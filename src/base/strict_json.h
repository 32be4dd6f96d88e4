// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace bochner {

// Deeper trees are refused: code that walks a tree may recurse.
inline constexpr int kMaxJsonDepth = 64;

// Parses text that may be hostile. `place` starts the message of any Error::Kind::model: bad syntax, bad UTF-8, a key
// twice in one object, a number out of range, or more than kMaxJsonDepth levels.
nlohmann::json parse_strict_json(std::string_view text, const std::string& place);

// Foreign text made fit for one line of a message: in quotes, printable ASCII, at most 60 characters.
std::string printable(std::string_view text);

}  // namespace bochner
