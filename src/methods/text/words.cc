// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/text/words.h"

#include "methods/text/unicode.h"

namespace bochner {

void Words::read(std::string_view text) {
  constexpr int kShortest = 2;  // characters
  letters_.clear();
  begin_.clear();
  end_.clear();
  if (!is_utf8(text)) {
    decoded_ = from_latin1(text);
    text = decoded_;
  }
  const char *p = text.data(), *const end = p + text.size();
  while (p < end) {
    const std::size_t begin = letters_.size();
    int characters = 0;
    while (p < end) {
      const char* const at = p;
      const std::uint32_t c = next_character(p);
      const CharacterKind kind = kind_of(c);
      if (kind == CharacterKind::other || (kind == CharacterKind::mark && characters == 0)) {
        if (characters > 0) p = at;
        break;
      }
      append_utf8(letters_, lower(c));
      ++characters;
    }
    if (characters < kShortest) {
      letters_.resize(begin);
      if (characters > 0 && p < end) next_character(p);  // what ended it
      continue;
    }
    begin_.push_back(begin);
    end_.push_back(letters_.size());
    letters_ += ' ';
  }
}

}  // namespace bochner
