// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/svmlight_line.h"

#include <cstring>
#include <string_view>

#include "base/option.h"
#include "rows/labels.h"
#include "rows/number.h"

namespace bochner {

namespace {

constexpr std::uint64_t kMostIndex = 0xfffffffe;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool ends_word(char c) { return is_space(c) || c == '\n' || c == '#'; }

std::string_view word_at(const char* p) {
  const char* end = p;
  while (!ends_word(*end)) ++end;
  return {p, std::size_t(end - p)};
}

const char* next_line(const char* p) {
  while (*p != '\n') ++p;
  return p + 1;
}

}  // namespace

const char* svmlight_line(const char*& p) {
  while (is_space(*p)) ++p;
  if (*p != '\n' && *p != '#') return p;
  p = next_line(p);
  return nullptr;
}

LabelWord svmlight_label(const char*& p, double& label, Complaint& complaint) {
  const char* const end = parse_number(p, label);
  if (end && ends_word(*end)) {
    p = end;
    return LabelWord::number;
  }
  const std::string_view word = word_at(p);
  if (word.find(':') != word.npos) return LabelWord::none;
  complaint.say(p, "label '{}', expected a finite number; write the classes as numbers", shown(word));
  return LabelWord::bad;
}

template <class T>
FeatureWord svmlight_feature(const char*& p, std::uint64_t& index, T& value, Complaint& complaint) {
  while (true) {
    while (is_space(*p)) ++p;
    if (*p == '\n' || *p == '#') {
      p = next_line(p);
      return FeatureWord::end;
    }
    const char* q = p;
    std::uint64_t number = 0;
    for (unsigned digit; (digit = static_cast<unsigned char>(*q - '0')) < 10; ++q)
      if (number <= kMostIndex) number = 10 * number + digit;
    if (q > p && *q == ':') {
      if (number > kMostIndex) {
        complaint.say(p, "index {}, expected at most {}; hash or renumber the features", shown(word_at(p)), kMostIndex);
        return FeatureWord::bad;
      }
      const char* const end = parse_number(q + 1, value);
      if (end && ends_word(*end)) {
        index = number;
        p = end;
        return FeatureWord::feature;
      }
      const std::string_view word = word_at(q + 1);
      double wide = 0;
      if (std::is_same_v<T, float> && classify(word, wide) == CellKind::number)
        complaint.say(q + 1, "'{}' is beyond the range of float; scale the feature, or train with {}", shown(word),
                      Option::double_precision);
      else
        complaint.say(q + 1, "value '{}' of index {}, expected a finite number; correct it or remove the feature",
                      shown(word), number);
      return FeatureWord::bad;
    }
    const std::string_view word = word_at(p);
    if (!word.starts_with("qid:")) {
      complaint.say(p, "'{}', expected index:value; correct it, or put # before a comment", shown(word));
      return FeatureWord::bad;
    }
    if (word.size() == 4 || word.find_first_not_of("0123456789", 4) != word.npos) {
      complaint.say(p, "'{}', expected qid: and a whole number; correct it or remove it", shown(word));
      return FeatureWord::bad;
    }
    p += word.size();
  }
}

template FeatureWord svmlight_feature(const char*&, std::uint64_t&, float&, Complaint&);
template FeatureWord svmlight_feature(const char*&, std::uint64_t&, double&, Complaint&);

}  // namespace bochner
