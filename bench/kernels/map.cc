// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The Fourier map against the bare sgemm of the same product: rows x inputs by inputs x outputs, whatever the form.
// bench_map [--quick]

#include <cblas.h>
#include <fmt/format.h>

#include "backend/backend.h"
#include "backend/cpu/blas.h"
#include "base/threads.h"
#include "normals.h"
#include "timing.h"

namespace {

using namespace bochner;

constexpr std::size_t kPiece = 512;  // rows a thread maps at a time

void compare(Threads& threads, std::size_t d, std::size_t D, bool quick) {
  const std::size_t rows = quick ? 2 * kPiece : 4096;
  const auto draws = bench::normals<double>(std::max(D, rows) * d);
  const std::vector<float> x(draws.begin(), draws.begin() + rows * d), W(draws.begin(), draws.begin() + D * d);
  const std::vector<double> phase(D, 1.0);
  const auto shifted = pack_fourier<float>({draws.data(), D * d}, d, phase, 1);
  const auto cossin = pack_fourier<float>({draws.data(), D / 2 * d}, d, {}, 1);
  Matrix<float> z(rows, D);
  RowBlock<float> block;
  block.rows = rows;
  block.cols = block.stride = d;
  block.values = x.data();

  const auto map = [&](const FourierWeights<float>& w) -> std::function<void()> {
    return [&] {
      threads.run(rows / kPiece, [&](std::size_t piece, int) {
        cpu_backend().fourier(block.slice(piece * kPiece, kPiece), w, z.view().slice(piece * kPiece, kPiece));
      });
    };
  };
  // One call per thread.
  const auto sgemm = [&] {
    const std::size_t share = rows / std::size_t(threads.count());
    threads.run(rows / share, [&](std::size_t part, int) {
      blas::gemm(1, {blas::Op::plain, {x.data() + part * share * d, share, d, d}},
                 {blas::Op::transposed, {W.data(), D, d, d}}, 0, z.view().slice(part * share, share));
    });
  };
  const auto t = bench::interleaved({sgemm, map(shifted), map(cossin)}, quick ? 1 : 9, quick ? 0 : 0.03);
  const double flops = 2e-9 * double(rows) * double(d) * double(D) / threads.count();
  fmt::print("{:4} {:6} {:8} {:8.1f} {:8.1f} {:9.2f} {:9.2f}\n", d, D, threads.count(), flops / t[0], flops / t[1],
             t[1] / t[0], t[2] / t[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  // A first dgemm wakes the library up: a cold OpenBLAS 0.3.21 is 1.5 times slower at d = 54.
  const auto warm = bench::normals<double>(400 * 400);
  Matrix<double> product(400, 400);
  const MatrixView<const double> square{warm.data(), 400, 400, 400};
  blas::gemm(1, {blas::Op::plain, square}, {blas::Op::plain, square}, 0, product.view());

  fmt::print("{}\n   d      D  threads    GF/s per thread      time / time of sgemm\n", openblas_get_config());
  fmt::print("                         sgemm   shifted   shifted   cos/sin\n");
  for (const int count : {1, 2}) {
    bochner::Threads threads(count);
    for (const std::size_t D : {500, 5000})
      for (const std::size_t d : {21, 54, 123}) compare(threads, d, D, quick);
  }
}
