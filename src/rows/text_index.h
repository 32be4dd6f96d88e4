// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bochner {

// Numbers distinct texts 0, 1, 2, ... in the order they come. Keeps them in one arena.
class TextIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  TextIndex() = default;
  explicit TextIndex(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) insert(text);
  }

  std::size_t size() const { return hashes_.size(); }
  std::size_t bytes() const { return arena_.size() + 24 * hashes_.size(); }
  std::string_view text(std::uint32_t i) const {
    return std::string_view(arena_).substr(starts_[i], starts_[i + 1] - starts_[i]);
  }

  std::uint32_t find(std::string_view text) const;
  std::uint32_t insert(std::string_view text);

 private:
  // The slot that holds the text, or the empty one where it belongs.
  std::size_t slot(std::string_view text, std::uint64_t hash) const;
  void grow();

  std::string arena_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  // a power of two, at most half full
};

}  // namespace bochner
