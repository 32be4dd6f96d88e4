// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bochner {

// SHA-256 (FIPS 180-4), for receipts that others check and for marks of rows. Bytes may come in pieces of any size.
class Sha256 {
 public:
  using Value = std::array<std::uint32_t, 8>;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  template <class T>
  void add_values(std::span<const T> values) {
    add(std::as_bytes(values));
  }
  Value value() const;      // covers all bytes so far
  std::string hex() const;  // as sha256sum writes it

 private:
  static constexpr std::size_t kBlock = 64;

  Value state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, kBlock> rest_ = {};  // an unfinished block
  std::uint64_t bytes_ = 0;
};

}  // namespace bochner
