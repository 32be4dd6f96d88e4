// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace bochner {

// Labels and column names come from files in any encoding; JSON holds UTF-8 only. Every byte b that is not part
// of valid UTF-8 becomes the private character U+10FF00 + b, and so does every byte of such a character itself,
// so that bytes_of(text_of(s)) == s for any s, and text_of(s) == s for ordinary text.
std::string text_of(std::string_view bytes);
std::string bytes_of(std::string_view text);

// The same for every key and text of a tree.
nlohmann::json tree_with_text(const nlohmann::json& tree);
nlohmann::json tree_with_bytes(const nlohmann::json& tree);

// Bytes of the valid UTF-8 character that s, which is not empty, starts with (Unicode 15, table 3-7); 0: none.
std::size_t character_length(std::string_view s);

}  // namespace bochner
