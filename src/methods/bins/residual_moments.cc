// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/residual_moments.h"

#include <algorithm>
#include <utility>

namespace bochner {

namespace {
constexpr std::size_t kStrip = 64;  // rows whose products are summed in float
}

template <class T>
void ResidualMoments::add(const Workers& on, const RowBlock<T>& z) {
  using C = Computed<T>;
  const std::size_t K = outputs_;
  const std::vector<std::size_t> edges = chunk_edges(z.first, z.rows);
  sum_.prepare(on.threads.count());
  on.threads.run(edges.size() - 1, [&](std::size_t c, int thread) {
    Matrix<double> sum(K, z.cols + 1);
    Matrix<C> u(kStrip, K), part(K, z.cols);
    for (std::size_t begin = edges[c]; begin < edges[c + 1]; begin += kStrip) {
      const std::size_t rows = std::min(kStrip, edges[c + 1] - begin);
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t row = z.first + begin + i;
        for (std::size_t k = 0; k < K; ++k) {
          u(i, k) = C((weights_.empty() ? 1.0f : weights_[row]) * residuals_[row * K + k]);
          sum(k, z.cols) += double(u(i, k));
        }
      }
      on.ops.add_combined(z.view().slice(begin, rows), MatrixView<const C>{u.data(), rows, K, K}, part.view());
      for (std::size_t k = 0; k < K; ++k)
        for (std::size_t j = 0; j < z.cols; ++j) sum(k, j) += double(std::exchange(part(k, j), C(0)));
    }
    sum_.add(thread, sum.view());
  });
}

template void ResidualMoments::add(const Workers&, const RowBlock<std::int16_t>&);
template void ResidualMoments::add(const Workers&, const RowBlock<float>&);
template void ResidualMoments::add(const Workers&, const RowBlock<double>&);

}  // namespace bochner
