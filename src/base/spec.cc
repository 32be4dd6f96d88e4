// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/require.h"

namespace bochner {

namespace {

// The next comma that is in no parentheses, or the end.
std::size_t comma_outside(const std::string& text, std::size_t at) {
  for (int depth = 0; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (text[at] == ',' && depth <= 0) return at;
  }
  return text.size();
}

}  // namespace

Spec::Spec(const std::string& text) {
  const std::size_t colon = text.find(':');
  name_ = text.substr(0, colon);
  for (std::size_t begin = colon == std::string::npos ? text.size() : colon + 1; begin < text.size();) {
    const std::size_t end = comma_outside(text, begin);
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    require(equals != std::string::npos && equals > 0, "{}: found \"{}\", expected key=value", name_, part);
    require(values_.emplace(part.substr(0, equals), part.substr(equals + 1)).second, "{}: {} is given twice", name_,
            part.substr(0, equals));
    begin = end + 1;
  }
}

void Spec::allow(std::initializer_list<const char*> keys) const {
  for (const auto& [key, value] : values_) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string known;
    for (const char* k : keys) known += (known.empty() ? "" : ", ") + std::string(k);
    require(false, "{}: found the key \"{}\", expected {}", name_, key, known.empty() ? "none" : known);
  }
}

std::string Spec::without(std::initializer_list<const char*> keys) const {
  std::string text = name_;
  for (const auto& [key, value] : values_)
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      text += (text.size() == name_.size() ? ":" : ",") + key + "=" + value;
  return text;
}

std::string Spec::text(const std::string& key, const std::string& otherwise) const {
  const auto found = values_.find(key);
  return found == values_.end() ? otherwise : found->second;
}

double Spec::number(const std::string& key, double otherwise) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return otherwise;
  double value = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [next, ok] = std::from_chars(found->second.data(), end, value);
  require(ok == std::errc() && next == end, "{}: found {}={}, expected a number", name_, key, found->second);
  return value;
}

std::vector<std::string> split_parts(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] == '+' && depth <= 0 && i + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[i + 1])))
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  return parts;
}

}  // namespace bochner
