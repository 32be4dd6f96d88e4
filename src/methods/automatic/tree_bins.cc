// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/tree_bins.h"

#include <algorithm>

#include "base/pieces.h"

namespace bochner {

namespace {

constexpr std::size_t kEdgeRows = 20000;  // that cuts come from
constexpr std::size_t kPiece = 1024;

// Cuts between neighbouring values, each value its own bin or, of too many, bins of about as many rows.
std::vector<float> cuts_of(std::vector<float> values, std::size_t bins) {
  std::sort(values.begin(), values.end());
  std::vector<float> distinct = values;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<float> cuts;
  const auto cut = [&](float a, float b) {
    const float middle = a + (b - a) / 2;
    if (const float at = middle < b ? middle : a; cuts.empty() || at > cuts.back()) cuts.push_back(at);
  };
  if (distinct.size() <= bins) {
    for (std::size_t i = 1; i < distinct.size(); ++i) cut(distinct[i - 1], distinct[i]);
    return cuts;
  }
  for (std::size_t b = 1; b < bins; ++b) {
    const float value = values[b * values.size() / bins];
    const auto above = std::upper_bound(distinct.begin(), distinct.end(), value);
    if (above != distinct.end()) cut(value, *above);
  }
  return cuts;
}

}  // namespace

BinnedRows bin_rows(const Workers& on, const RowsToBin& rows, std::size_t most) {
  const std::size_t n = rows.fitted.size(), all = n + rows.others.size(), inputs = rows.inputs.size();
  const std::size_t step = (n + kEdgeRows - 1) / kEdgeRows;
  const auto value = [&](std::size_t p, std::size_t j) {
    return rows.u(p < n ? rows.fitted[p] : rows.others[p - n], rows.inputs[j]);
  };
  BinnedRows out;
  out.cuts.resize(inputs);
  out.bins.resize(all * inputs);
  on.threads.run(inputs, [&](std::size_t j, int) {
    std::vector<float> values;
    for (std::size_t p = 0; p < n; p += step) values.push_back(value(p, j));
    out.cuts[j] = cuts_of(std::move(values), most);
  });
  each_in_pieces(on.threads, all, kPiece, [&](std::size_t p) {
    for (std::size_t j = 0; j < inputs; ++j) {
      const std::vector<float>& cuts = out.cuts[j];
      out.bins[p * inputs + j] = std::uint8_t(std::lower_bound(cuts.begin(), cuts.end(), value(p, j)) - cuts.begin());
    }
  });
  out.first.assign(1, 0);
  for (std::size_t j = 0; j < inputs; ++j) {
    out.first.push_back(out.first.back() + out.cuts[j].size() + 1);
    if (!out.cuts[j].empty()) out.used.push_back(j);
  }
  return out;
}

}  // namespace bochner
