// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/hash64.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace bochner {

namespace {

// The names and steps are the specification's; words are little-endian, as on every machine we serve.
static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87u, kPrime2 = 0xC2B2AE3D27D4EB4Fu, kPrime3 = 0x165667B19E3779F9u,
                        kPrime4 = 0x85EBCA77C2B2AE63u, kPrime5 = 0x27D4EB2F165667C5u;

template <class Word>
std::uint64_t word(const std::byte* from) {
  Word value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t word) { return std::rotl(lane + word * kPrime2, 31) * kPrime1; }

std::uint64_t merge_lane(std::uint64_t hash, std::uint64_t lane) { return (hash ^ round(0, lane)) * kPrime1 + kPrime4; }

}  // namespace

std::array<std::uint64_t, 4> Hash64::first_lanes() { return {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1}; }

void Hash64::add(std::span<const std::byte> bytes) {
  const std::size_t waiting = bytes_ % kStripe;
  bytes_ += bytes.size();
  if (waiting > 0) {
    const std::size_t more = std::min(bytes.size(), kStripe - waiting);
    std::copy_n(bytes.begin(), more, rest_.begin() + std::ptrdiff_t(waiting));
    bytes = bytes.subspan(more);
    if (waiting + more < kStripe) return;
    for (std::size_t i = 0; i < 4; ++i) lanes_[i] = round(lanes_[i], word<std::uint64_t>(rest_.data() + 8 * i));
  }
  auto [a, b, c, d] = lanes_;
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) {
    const std::byte* at = bytes.data();
    a = round(a, word<std::uint64_t>(at));
    b = round(b, word<std::uint64_t>(at + 8));
    c = round(c, word<std::uint64_t>(at + 16));
    d = round(d, word<std::uint64_t>(at + 24));
  }
  lanes_ = {a, b, c, d};
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

std::uint64_t Hash64::value() const {
  std::uint64_t hash = kPrime5;
  if (bytes_ >= kStripe) {
    const auto [a, b, c, d] = lanes_;
    hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    for (const std::uint64_t lane : lanes_) hash = merge_lane(hash, lane);
  }
  hash += bytes_;
  const std::byte *at = rest_.data(), *const end = at + bytes_ % kStripe;
  for (; end - at >= 8; at += 8) hash = std::rotl(hash ^ round(0, word<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (end - at >= 4) {
    hash = std::rotl(hash ^ word<std::uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < end; ++at) hash = std::rotl(hash ^ word<std::uint8_t>(at) * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

std::uint64_t hash64(std::span<const std::byte> bytes) {
  Hash64 hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace bochner
