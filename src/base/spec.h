// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bochner {

// "name:key=value,key=value", the way users write maps and kernels.
class Spec {
 public:
  explicit Spec(const std::string& text);
  Spec(std::string name, std::map<std::string, std::string> values)
      : name_(std::move(name)), values_(std::move(values)) {}

  const std::string& name() const { return name_; }
  // Refuses any key that is not listed.
  void allow(std::initializer_list<const char*> keys) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  double number(const std::string& key, double otherwise) const;
  bool has(const std::string& key) const { return values_.contains(key); }
  std::string without(std::initializer_list<const char*> keys) const;  // the text less these keys
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  std::string name_;
  std::map<std::string, std::string> values_;
};

// "a:x=1+b" -> "a:x=1", "b". A part begins with a letter, so that 1e+3 stays whole; parentheses stay whole too.
std::vector<std::string> split_parts(const std::string& text);

}  // namespace bochner
