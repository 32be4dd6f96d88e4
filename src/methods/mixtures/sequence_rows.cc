// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/sequence_rows.h"

#include <algorithm>

#include "base/require.h"

namespace bochner {

namespace {

// The first `kept` rows of x in a matrix of so many.
Matrix<double> resized(const Matrix<double>& x, std::size_t kept, std::size_t rows, std::size_t inputs) {
  Matrix<double> found(rows, inputs);
  std::copy_n(x.data(), kept * inputs, found.data());
  return found;
}

// The weight of each sequence, one for all of its rows.
std::vector<double> sequence_weights(const std::vector<double>& of_rows, const std::vector<std::size_t>& starts) {
  std::vector<double> weights;
  for (std::size_t i = 0; i + 1 < starts.size() && !of_rows.empty(); ++i) {
    for (std::size_t row = starts[i]; row < starts[i + 1]; ++row)
      if (of_rows[row] != of_rows[starts[i]])
        fail(Error::Kind::data,
             "row {}: its weight is not that of row {}, which begins its sequence; expected one weight for each "
             "sequence",
             row, starts[i]);
    weights.push_back(of_rows[starts[i]]);
  }
  return weights;
}

}  // namespace

Sequences sequences_in(const Stream& stream, const std::vector<std::size_t>& starts, std::size_t groups,
                       std::size_t rows, SequenceWeights weighted) {
  std::vector<double> classes, weights;
  Sequences all{.x = {}, .starts = starts, .classes = {}, .groups = groups};
  std::size_t n = 0;
  stream.each("reading", [&](const auto& block) {
    if (block.weights && weighted == SequenceWeights::of_rows)
      weights.insert(weights.end(), block.weights, block.weights + block.rows);
    if (n + block.rows > all.x.rows()) all.x = resized(all.x, n, std::max(rows, 2 * n + block.rows), block.cols);
    for (std::size_t i = 0; i < block.rows; ++i, ++n) {
      std::copy_n(block.values + i * block.stride, block.cols, &all.x(n, 0));
      if (groups > 1) classes.push_back(block.targets[i * block.target_count]);
    }
  });
  if (n < all.x.rows()) all.x = resized(all.x, n, n, all.x.cols());
  require(!starts.empty() && starts[0] == 0 && starts.back() < n && std::is_sorted(starts.begin(), starts.end()),
          "hmm: sequences of other rows than these {}", n);
  all.starts.push_back(n);
  for (std::size_t i = 0; i + 1 < all.starts.size(); ++i) {
    all.classes.push_back(groups > 1 ? std::uint32_t(classes[all.starts[i]]) : 0);
    for (std::size_t row = all.starts[i]; groups > 1 && row < all.starts[i + 1]; ++row)
      if (std::uint32_t(classes[row]) != all.classes.back())
        fail(Error::Kind::data,
             "row {}: its class is not that of row {}, which begins its sequence; expected one class for each sequence",
             row, all.starts[i]);
  }
  all.weights = sequence_weights(weights, all.starts);
  return all;
}

void weigh(Sequences& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.weights.size(); ++i) sum += all.weights[i] * double(all.rows(i).rows);
  if (!all.weights.empty() && !(sum > 0))
    fail(Error::Kind::data, "weights: all sequences weigh 0, expected some that count");
  for (double& weight : all.weights) weight *= double(all.x.rows()) / sum;
}

}  // namespace bochner
