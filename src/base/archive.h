// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "bochner/archive.h"

// The tree of an archive, for who looks into it. A header that only names Archive includes bochner/archive.h.
namespace bochner {

struct ArchiveTree : nlohmann::json {
  explicit ArchiveTree(nlohmann::json tree = nlohmann::json::object()) : nlohmann::json(std::move(tree)) {}
  ArchiveTree& operator=(nlohmann::json tree) {
    nlohmann::json::operator=(std::move(tree));
    return *this;
  }
};
// A copy is the same tree; the JSON library would take a derived class for a text.
inline void to_json(nlohmann::json& to, const ArchiveTree& from) { to = static_cast<const nlohmann::json&>(from); }

// Typed reads of a JSON tree that name the place when something is wrong (Error::Kind::model).
double get_number(const nlohmann::json& tree, const std::string& key);
std::vector<double> get_numbers(const nlohmann::json& tree, const std::string& key);
std::uint64_t get_count(const nlohmann::json& tree, const std::string& key, std::uint64_t most);
std::string get_text(const nlohmann::json& tree, const std::string& key);
bool get_flag(const nlohmann::json& tree, const std::string& key);
const nlohmann::json& get_node(const nlohmann::json& tree, const std::string& key);

}  // namespace bochner
