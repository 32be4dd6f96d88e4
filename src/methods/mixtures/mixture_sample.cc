// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/mixture_sample.h"

#include <algorithm>

namespace bochner {

RowBlock<double> MixtureSample::block() const {
  auto block = RowBlock<double>::dense(x.view());
  block.weights = weights.data();
  if (groups > 1) {
    block.targets = classes.data();
    block.target_count = 1;
  }
  return block;
}

std::vector<std::size_t> MixtureSample::of_group(std::size_t group) const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < x.rows(); ++i)
    if (weights[i] > 0 && (groups == 1 || std::size_t(classes[i]) == group)) rows.push_back(i);
  return rows;
}

MixtureSample MixtureSample::half(bool second) const {
  std::vector<std::size_t> rows;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::vector<std::size_t> all = of_group(g);
    for (std::size_t i = second ? 1 : 0; i < all.size(); i += 2) rows.push_back(all[i]);
  }
  std::sort(rows.begin(), rows.end());
  MixtureSample half{.x = Matrix<double>(rows.size(), x.cols()), .classes = {}, .weights = {}, .groups = groups};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(&x(rows[i], 0), x.cols(), &half.x(i, 0));
    if (groups > 1) half.classes.push_back(classes[rows[i]]);
    half.weights.push_back(weights[rows[i]]);
  }
  return half;
}

}  // namespace bochner
