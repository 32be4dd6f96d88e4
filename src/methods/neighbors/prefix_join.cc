// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/prefix_join.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads.h"

namespace bochner {

namespace {

constexpr std::size_t kJoinedRows = 64;

struct Entry {
  std::uint32_t rank;  // rank of its column, the rarest first
  float value;
};

// Rows in order of their sizes, their entries in order of rank.
class Ordered {
 public:
  Ordered(const Points& rows, Metric metric) : metric_(metric), place_(rows.size()), offsets_{0} {
    std::vector<std::uint32_t> count(rows.inputs), order(rows.inputs), rank(rows.inputs);
    for (const std::uint32_t column : rows.columns) ++count[column];
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return count[a] < count[b]; });
    for (std::uint32_t r = 0; r < order.size(); ++r) rank[order[r]] = r;
    std::iota(place_.begin(), place_.end(), 0u);
    const auto size = [&](std::uint32_t i) { return rows.offsets[i + 1] - rows.offsets[i]; };
    if (metric == Metric::jaccard)
      std::stable_sort(place_.begin(), place_.end(), [&](auto a, auto b) { return size(a) < size(b); });
    for (const std::uint32_t i : place_) {
      for (std::size_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p)
        entries_.push_back({rank[rows.columns[p]], rows.values[p]});
      std::sort(entries_.begin() + std::ptrdiff_t(offsets_.back()), entries_.end(),
                [](const Entry& a, const Entry& b) { return a.rank < b.rank; });
      offsets_.push_back(entries_.size());
    }
  }

  std::size_t size() const { return place_.size(); }
  std::uint32_t place(std::size_t i) const { return place_[i]; }
  std::span<const Entry> row(std::size_t i) const {
    return std::span(entries_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  // How many of its entries a pair must share one of.
  std::size_t prefix(std::size_t i, double threshold) const {
    const std::span<const Entry> entries = row(i);
    if (entries.empty()) return 0;
    if (metric_ == Metric::jaccard) {
      const auto kept = std::size_t(std::ceil(threshold * double(entries.size()) - 1e-9));
      return entries.size() - std::min(entries.size(), kept) + 1;
    }
    const double enough = (threshold - kSimilarityRounding) * (threshold - kSimilarityRounding);
    double left = 0;
    std::size_t count = entries.size();
    while (count > 0) {
      left += double(entries[count - 1].value) * double(entries[count - 1].value);
      if (left >= enough) break;
      --count;
    }
    return count;
  }

 private:
  Metric metric_;
  std::vector<std::uint32_t> place_;
  std::vector<std::size_t> offsets_;
  std::vector<Entry> entries_;
};

// Who has a column among its first few, in order of rows.
struct Postings {
  std::vector<std::size_t> offsets;
  std::vector<std::uint32_t> rows;
};

Postings postings(const Ordered& rows, std::size_t columns, double threshold) {
  Postings lists;
  lists.offsets.assign(columns + 1, 0);
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const Entry& entry : rows.row(i).first(rows.prefix(i, threshold))) visit(entry.rank, std::uint32_t(i));
  };
  each([&](std::uint32_t rank, std::uint32_t) { ++lists.offsets[rank + 1]; });
  std::partial_sum(lists.offsets.begin(), lists.offsets.end(), lists.offsets.begin());
  lists.rows.resize(lists.offsets.back());
  std::vector<std::size_t> next(lists.offsets.begin(), lists.offsets.end() - 1);
  each([&](std::uint32_t rank, std::uint32_t i) { lists.rows[next[rank]++] = i; });
  return lists;
}

double similarity(Metric metric, std::span<const Entry> x, std::span<const Entry> y) {
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i].rank == y[j].rank) {
      sum += metric == Metric::jaccard ? 1 : double(x[i].value) * double(y[j].value);
      ++i;
      ++j;
    } else if (x[i].rank < y[j].rank) {
      ++i;
    } else {
      ++j;
    }
  }
  return metric == Metric::jaccard ? sum / (double(x.size() + y.size()) - sum) : std::min(1.0, sum);
}

struct Join {
  const Ordered& rows;
  const Postings& lists;
  Metric metric;
  double threshold;
};

// The pairs of row i with earlier ones. met: by which row each was met last.
void join_row(const Join& join, std::size_t i, std::vector<std::uint32_t>& met, std::vector<Duplicate>& found) {
  const auto& [rows, lists, metric, threshold] = join;
  const std::span<const Entry> x = rows.row(i);
  const double rounding = metric == Metric::jaccard ? 1e-12 : kSimilarityRounding;
  for (const Entry& entry : x.first(rows.prefix(i, threshold))) {
    for (std::size_t p = lists.offsets[entry.rank]; p < lists.offsets[entry.rank + 1]; ++p) {
      const std::uint32_t other = lists.rows[p];
      if (other >= i) break;
      if (met[other] == i) continue;
      met[other] = std::uint32_t(i);
      const std::span<const Entry> y = rows.row(other);
      if (metric == Metric::jaccard && double(y.size()) < threshold * double(x.size()) - 1e-9) continue;
      const double similar = similarity(metric, x, y);
      if (similar < threshold - rounding) continue;
      const std::uint32_t a = rows.place(i), b = rows.place(other);
      found.push_back({std::max(a, b), std::min(a, b), similar});
    }
  }
}

}  // namespace

std::vector<Duplicate> prefix_join(const Workers& on, Metric metric, const Points& points, double threshold) {
  const Ordered rows(points, metric);
  const Postings lists = postings(rows, points.inputs, threshold);
  const std::size_t pieces = (rows.size() + kJoinedRows - 1) / kJoinedRows;
  std::vector<std::vector<Duplicate>> found(pieces);
  std::vector<std::vector<std::uint32_t>> met(std::size_t(on.threads.count()),
                                              std::vector<std::uint32_t>(rows.size(), kNoPoint));
  on.threads.run(pieces, [&](std::size_t piece, int thread) {
    for (std::size_t i = piece * kJoinedRows; i < std::min(rows.size(), (piece + 1) * kJoinedRows); ++i)
      join_row({rows, lists, metric, threshold}, i, met[std::size_t(thread)], found[piece]);
  });
  std::vector<Duplicate> all;
  for (const std::vector<Duplicate>& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace bochner
