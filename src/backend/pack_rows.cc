// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/bins.h"
#include "base/hash_index.h"

namespace bochner {

namespace {

constexpr std::size_t kLooks = 256;     // rows that decide what a column is like
constexpr std::size_t kFewValues = 12;  // a column of so few values is coded

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t value_bits(float v) { return std::bit_cast<std::uint32_t>(v); }
std::uint64_t value_bits(double v) { return std::bit_cast<std::uint64_t>(v); }

template <class T>
std::uint64_t entry_hash(std::uint32_t input, T value) {
  return mix(value_bits(value) * 0x9e3779b97f4a7c15u + input + 1);
}

// Whether a column is better coded, and its usual value: from rows spread over the block.
template <class T>
bool is_coded(const RowBlock<T>& block, std::size_t j, T& base) {
  const std::size_t step = std::max<std::size_t>(1, block.rows / kLooks);
  T seen[kFewValues];
  std::size_t count[kFewValues], distinct = 0, looks = 0, others = 0;
  for (std::size_t i = 0; i < block.rows; i += step, ++looks) {
    const T v = block.values[i * block.stride + j];
    std::size_t k = 0;
    while (k < distinct && seen[k] != v) ++k;
    if (k == kFewValues) {
      ++others;
    } else if (k == distinct) {
      seen[distinct] = v;
      count[distinct++] = 1;
    } else {
      ++count[k];
    }
  }
  if (distinct == 0) return false;
  const std::size_t most = std::size_t(std::max_element(count, count + distinct) - count);
  base = seen[most];
  return others == 0 || count[most] * 4 >= looks * 3;
}

// Numbers the patterns of one part. Rows are asked in order: signature[i] is the sum of entry hashes of row i,
// and entries_of(i, visit) names its entries.
template <class T, class EntriesOf>
void number_patterns(typename PackedRows<T>::Part& part, std::span<const std::uint64_t> signature,
                     EntriesOf&& entries_of) {
  HashIndex patterns, codes;
  part.pattern.resize(signature.size());
  part.offsets = {0};
  for (std::size_t i = 0; i < signature.size(); ++i) {
    part.pattern[i] = patterns.insert(mix(signature[i]));
    if (part.pattern[i] + 1 < part.offsets.size()) continue;
    entries_of(i, [&](std::uint32_t input, T value) {
      const std::uint32_t code = codes.insert(entry_hash(input, value));
      if (code == part.codes.size()) part.codes.push_back({input, value});
      part.entries.push_back(code);
    });
    part.offsets.push_back(part.entries.size());
  }
}

std::uint32_t group_of(std::span<const std::uint32_t> group, std::size_t j) { return group.empty() ? 0 : group[j]; }

// Coded inputs by group: part_of[j] is the part of input j.
template <class T>
std::vector<std::uint32_t> make_parts(PackedRows<T>& packed, std::span<const std::uint32_t> coded,
                                      std::span<const T> base, std::span<const std::uint32_t> group) {
  std::vector<std::uint32_t> part_of(packed.cols, 0), part_of_group;
  for (std::size_t k = 0; k < coded.size(); ++k) {
    const std::uint32_t g = group_of(group, coded[k]);
    if (g >= part_of_group.size()) part_of_group.resize(g + 1, HashIndex::kNone);
    if (part_of_group[g] == HashIndex::kNone) {
      part_of_group[g] = std::uint32_t(packed.parts.size());
      packed.parts.emplace_back();
    }
    auto& part = packed.parts[part_of_group[g]];
    part.inputs.push_back(coded[k]);
    part.base.push_back(base[k]);
    part_of[coded[k]] = part_of_group[g];
  }
  return part_of;
}

template <class T>
void pack_dense(PackedRows<T>& packed, const RowBlock<T>& block, std::span<const std::uint32_t> group) {
  std::vector<std::uint32_t> coded;
  std::vector<T> base;
  for (std::uint32_t j = 0; j < block.cols; ++j) {
    T usual = 0;
    if (is_coded(block, j, usual)) {
      coded.push_back(j);
      base.push_back(usual);
    } else {
      packed.dense.push_back(j);
    }
  }
  const std::vector<std::uint32_t> part_of = make_parts<T>(packed, coded, base, group);

  packed.values.resize(packed.dense.size() * packed.stride);
  std::vector<std::uint64_t> signature(packed.parts.size() * block.rows);
  for (std::size_t i = 0; i < block.rows; ++i) {
    const T* x = block.values + i * block.stride;
    for (std::size_t k = 0; k < packed.dense.size(); ++k) packed.values[k * packed.stride + i] = x[packed.dense[k]];
    for (std::size_t k = 0; k < coded.size(); ++k) {
      if (x[coded[k]] != base[k]) signature[part_of[coded[k]] * block.rows + i] += entry_hash(coded[k], x[coded[k]]);
    }
  }
  for (std::size_t k = 0; k < packed.dense.size(); ++k) {
    std::fill(packed.values.begin() + std::ptrdiff_t(k * packed.stride + block.rows),
              packed.values.begin() + std::ptrdiff_t((k + 1) * packed.stride), T(0));
  }
  for (std::size_t p = 0; p < packed.parts.size(); ++p) {
    auto& part = packed.parts[p];
    number_patterns<T>(part, {signature.data() + p * block.rows, block.rows}, [&](std::size_t i, auto&& visit) {
      const T* x = block.values + i * block.stride;
      for (std::size_t k = 0; k < part.inputs.size(); ++k)
        if (x[part.inputs[k]] != part.base[k]) visit(part.inputs[k], x[part.inputs[k]]);
    });
  }
}

// Every input of a sparse block usually holds 0.
template <class T>
void pack_sparse(PackedRows<T>& packed, const RowBlock<T>& block, std::span<const std::uint32_t> group) {
  std::vector<std::uint32_t> all(block.cols);
  for (std::uint32_t j = 0; j < block.cols; ++j) all[j] = j;
  const std::vector<std::uint32_t> part_of = make_parts<T>(packed, all, std::vector<T>(block.cols), group);
  std::vector<std::uint64_t> signature(packed.parts.size() * block.rows);
  const auto each_entry = [&](std::size_t i, auto&& visit) {
    for (std::size_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k)
      if (block.values[k] != 0) visit(block.columns[k], block.values[k]);
  };
  for (std::size_t i = 0; i < block.rows; ++i) {
    each_entry(i, [&](std::uint32_t j, T v) { signature[part_of[j] * block.rows + i] += entry_hash(j, v); });
  }
  for (std::uint32_t p = 0; p < packed.parts.size(); ++p) {
    number_patterns<T>(packed.parts[p], {signature.data() + p * block.rows, block.rows},
                       [&](std::size_t i, auto&& visit) {
                         each_entry(i, [&](std::uint32_t j, T v) {
                           if (part_of[j] == p) visit(j, v);
                         });
                       });
  }
}

}  // namespace

template <class T>
PackedRows<T> pack_rows(const RowBlock<T>& block, std::span<const std::uint32_t> group) {
  PackedRows<T> packed;
  packed.first = block.first;
  packed.rows = block.rows;
  packed.cols = block.cols;
  packed.stride = PackedRows<T>::padded(block.rows);
  if (block.sparse())
    pack_sparse(packed, block, group);
  else
    pack_dense(packed, block, group);
  return packed;
}

template PackedRows<float> pack_rows(const RowBlock<float>&, std::span<const std::uint32_t>);
template PackedRows<double> pack_rows(const RowBlock<double>&, std::span<const std::uint32_t>);

}  // namespace bochner
