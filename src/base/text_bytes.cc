// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/text_bytes.h"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace bochner {

namespace {

// U+10FF00 + b in UTF-8 is F4 8F, then BC | b >> 6, then 80 | b & 3F.
constexpr std::string_view kPrivateStart = "\xF4\x8F";

bool is_private(std::string_view s) {
  return s.size() >= 4 && s.starts_with(kPrivateStart) && (static_cast<unsigned char>(s[2]) & 0xFC) == 0xBC;
}

template <class Change>
nlohmann::json changed(const nlohmann::json& tree, Change change) {
  if (tree.is_string()) return change(tree.get_ref<const std::string&>());
  if (tree.is_array()) {
    nlohmann::json result = nlohmann::json::array();
    for (const nlohmann::json& item : tree) result.push_back(changed(item, change));
    return result;
  }
  if (tree.is_object()) {
    nlohmann::json result = nlohmann::json::object();
    for (const auto& [key, value] : tree.items()) result[change(key)] = changed(value, change);
    return result;
  }
  return tree;
}

}  // namespace

std::size_t character_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length > s.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (length < 3) return length;
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool too_large = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

std::string text_of(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = is_private(bytes) ? 0 : character_length(bytes);
    if (length > 0) {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    } else {
      const auto b = static_cast<unsigned char>(bytes[0]);
      text += kPrivateStart;
      text += static_cast<char>(0xBC | (b >> 6));
      text += static_cast<char>(0x80 | (b & 0x3F));
      bytes.remove_prefix(1);
    }
  }
  return text;
}

std::string bytes_of(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    if (is_private(text)) {
      bytes += static_cast<char>((text[2] & 0x03) << 6 | (text[3] & 0x3F));
      text.remove_prefix(4);
    } else {
      bytes += text[0];
      text.remove_prefix(1);
    }
  }
  return bytes;
}

nlohmann::json tree_with_text(const nlohmann::json& tree) { return changed(tree, text_of); }
nlohmann::json tree_with_bytes(const nlohmann::json& tree) { return changed(tree, bytes_of); }

}  // namespace bochner
