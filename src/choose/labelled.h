// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bochner/map_kind.h"
#include "folds/target_code.h"

namespace bochner {

// The rows of `inputs` with their codes, less those of weight 0. targets(i), weight(i): of row i.
template <class T, class Targets, class Weight>
LabelledRows labelled_rows(const Matrix<T>& inputs, const TargetCode& code, const Targets& targets,
                           const Weight& weight) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < inputs.rows(); ++i)
    if (weight(i) > 0) kept.push_back(i);
  LabelledRows out{Matrix<double>(kept.size(), inputs.cols()), Matrix<double>(kept.size(), code.columns()), {}};
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::copy_n(&inputs(kept[i], 0), inputs.cols(), &out.inputs(i, 0));
    for (std::size_t k = 0; k < code.columns(); ++k) out.targets(i, k) = code.encode(targets(kept[i]), k);
    out.weights.push_back(weight(kept[i]));
  }
  return out;
}

}  // namespace bochner
