// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bochner {

// XXH64 with seed 0, as github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md defines it: 64 bits that change when any
// byte does, the same on every machine, at several GB/s on one core. It notices damage and tells files apart; it is no
// guard against somebody who means harm. Bytes may come in pieces of any size.
class Hash64 {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  std::uint64_t value() const;  // covers all bytes so far

 private:
  static constexpr std::size_t kStripe = 32;  // bytes: one word for each lane

  std::array<std::uint64_t, 4> lanes_ = first_lanes();
  std::array<std::byte, kStripe> rest_;  // an unfinished stripe
  std::uint64_t bytes_ = 0;

  static std::array<std::uint64_t, 4> first_lanes();
};

std::uint64_t hash64(std::span<const std::byte> bytes);

}  // namespace bochner
