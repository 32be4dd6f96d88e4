// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <initializer_list>
#include <map>
#include <string>

namespace bochner {

// "name:key=value,key=value", the way users write maps and kernels.
class Spec {
 public:
  explicit Spec(const std::string& text);

  const std::string& name() const { return name_; }
  // Refuses any key that is not listed.
  void allow(std::initializer_list<const char*> keys) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  double number(const std::string& key, double otherwise) const;
  bool has(const std::string& key) const { return values_.contains(key); }

 private:
  std::string name_;
  std::map<std::string, std::string> values_;
};

}  // namespace bochner
