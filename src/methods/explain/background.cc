// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/explain/background.h"

#include <algorithm>
#include <utility>

#include "base/pieces.h"
#include "base/require.h"
#include "model/as_double.h"
#include "random/draw.h"

namespace bochner {

namespace {

template <class T>
void read_as(Rows& rows, const Execution& execution, const std::string& step,
             const std::function<void(std::size_t first, MatrixView<const double> x)>& visit) {
  RowBlock<T> block;
  Matrix<double> values;
  rows.rewind();
  while (rows.next(kChunkRows, block)) {
    if (execution.cancel && execution.cancel()) throw Stopped();
    const RowBlock<double> x = as_double(block, values);
    visit(x.first, x.view());
    if (execution.progress) execution.progress(step, rows.fraction_read());
  }
}

}  // namespace

void read_doubles(Rows& rows, bool wide, const Execution& execution, const std::string& step,
                  const std::function<void(std::size_t first, MatrixView<const double> x)>& visit) {
  wide ? read_as<double>(rows, execution, step, visit) : read_as<float>(rows, execution, step, visit);
}

Matrix<double> drawn_background(Rows& rows, bool wide, const Execution& execution, std::size_t most,
                                std::uint64_t seed) {
  using Kept = std::pair<std::pair<std::uint64_t, std::uint64_t>, std::vector<double>>;  // key and number; the row
  std::vector<Kept> kept;  // a heap, the largest key first
  const auto less = [](const Kept& a, const Kept& b) { return a.first < b.first; };
  read_doubles(rows, wide, execution, "background", [&](std::size_t first, MatrixView<const double> x) {
    for (std::size_t i = 0; i < x.rows; ++i) {
      const std::pair<std::uint64_t, std::uint64_t> key{bits(seed, Draw::sample, first + i, 1), first + i};
      if (kept.size() == most) {
        if (key > kept.front().first) continue;
        std::pop_heap(kept.begin(), kept.end(), less);
        kept.pop_back();
      }
      kept.emplace_back(key, std::vector<double>(x.row(i), x.row(i) + x.cols));
      std::push_heap(kept.begin(), kept.end(), less);
    }
  });
  if (kept.empty())
    fail(Error::Kind::data, "explain: the background has no rows, expected some such as those of training");
  std::sort(kept.begin(), kept.end(), less);
  Matrix<double> drawn(kept.size(), kept[0].second.size());
  for (std::size_t i = 0; i < kept.size(); ++i) std::copy(kept[i].second.begin(), kept[i].second.end(), &drawn(i, 0));
  return drawn;
}

void in_turn(const Workers& on, std::size_t n, std::size_t at_once,
             const std::function<void(std::size_t begin, std::size_t count)>& work) {
  in_pieces(on.threads, n, at_once, work);
}

}  // namespace bochner
