// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/report/sample.h"

#include <algorithm>

#include "base/require.h"

namespace bochner {

RowSample sample_rows(const Model& model, Rows& rows, std::size_t most, std::uint64_t seed) {
  const std::size_t d = model.schema().inputs;
  const std::vector<double>& offsets = rows.schema().offsets;
  const double n = double(rows.size().value_or(0)), share = n > 0 ? std::min(1.0, 1.1 * double(most) / n) : 1.0;
  std::vector<double> x, targets, weights;
  std::size_t target_count = 0;
  rows.rewind();
  RowBlock<double> block;
  while (weights.size() < most && rows.next(kChunkRows, block)) {
    target_count = block.target_count;
    for (std::size_t i = 0; i < block.rows && weights.size() < most; ++i) {
      if (share < 1 && !is_test_row(seed, block.first + i, share)) continue;
      const std::size_t begin = x.size();
      x.resize(begin + d, 0.0);
      if (block.sparse())
        for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
          x[begin + block.columns[p]] = block.values[p];
      else
        std::copy_n(block.values + i * block.stride, d, x.begin() + std::ptrdiff_t(begin));
      for (std::size_t j = 0; j < offsets.size(); ++j) x[begin + j] += offsets[j];
      targets.insert(targets.end(), block.targets + i * target_count, block.targets + (i + 1) * target_count);
      weights.push_back(block.weights ? block.weights[i] : 1.0);
    }
  }
  RowSample sample{Matrix<double>(weights.size(), d), Matrix<double>(weights.size(), target_count), std::move(weights)};
  std::copy(x.begin(), x.end(), sample.x.data());
  std::copy(targets.begin(), targets.end(), sample.targets.data());
  return sample;
}

void check_progress(const Execution& execution, const std::string& step, double fraction) {
  if (execution.cancel && execution.cancel()) throw Stopped();
  if (execution.progress) execution.progress(step, fraction);
}

}  // namespace bochner
