// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bochner {

// What a character is to a word.
enum class CharacterKind : std::uint8_t { other, word, mark };
CharacterKind kind_of(std::uint32_t character);
std::uint32_t lower(std::uint32_t character);

bool is_utf8(std::string_view text);

// The next character of valid UTF-8, and the place behind it.
std::uint32_t next_character(const char*& at);
void append_utf8(std::string& text, std::uint32_t character);

// Latin-1 as UTF-8.
std::string from_latin1(std::string_view text);

}  // namespace bochner
