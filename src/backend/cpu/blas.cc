// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/blas.h"

#include <cblas.h>

#include <vector>

extern "C" void dpotrf_(const char* uplo, const blasint* n, double* a, const blasint* lda, blasint* info);
extern "C" void dpstrf_(const char* uplo, const blasint* n, double* a, const blasint* lda, blasint* pivots,
                        blasint* rank, const double* tolerance, double* work, blasint* info);
extern "C" void dsyev_(const char* job, const char* uplo, const blasint* n, double* a, const blasint* lda,
                       double* values, double* work, const blasint* work_size, blasint* info);

namespace bochner::blas {

namespace {

void use_one_thread() { [[maybe_unused]] static const bool done = (openblas_set_num_threads(1), true); }

CBLAS_TRANSPOSE cblas(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

blasint integer(std::size_t n) { return static_cast<blasint>(n); }

}  // namespace

void gemm(Op op_a, Op op_b, float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  use_one_thread();
  cblas_sgemm(CblasRowMajor, cblas(op_a), cblas(op_b), integer(c.rows), integer(c.cols),
              integer(op_a == Op::plain ? a.cols : a.rows), alpha, a.data, integer(a.stride), b.data, integer(b.stride),
              beta, c.data, integer(c.stride));
}

void gemm(Op op_a, Op op_b, double alpha, MatrixView<const double> a, MatrixView<const double> b, double beta,
          MatrixView<double> c) {
  use_one_thread();
  cblas_dgemm(CblasRowMajor, cblas(op_a), cblas(op_b), integer(c.rows), integer(c.cols),
              integer(op_a == Op::plain ? a.cols : a.rows), alpha, a.data, integer(a.stride), b.data, integer(b.stride),
              beta, c.data, integer(c.stride));
}

void syrk(Op op_a, double alpha, MatrixView<const double> a, double beta, MatrixView<double> c) {
  use_one_thread();
  cblas_dsyrk(CblasRowMajor, CblasLower, cblas(op_a), integer(c.rows), integer(op_a == Op::plain ? a.cols : a.rows),
              alpha, a.data, integer(a.stride), beta, c.data, integer(c.stride));
}

void trsm(Side side, Op op_l, double alpha, MatrixView<const double> l, MatrixView<double> b) {
  use_one_thread();
  cblas_dtrsm(CblasRowMajor, side == Side::left ? CblasLeft : CblasRight, CblasLower, cblas(op_l), CblasNonUnit,
              integer(b.rows), integer(b.cols), alpha, l.data, integer(l.stride), b.data, integer(b.stride));
}

std::size_t potrf(MatrixView<double> a) {
  use_one_thread();
  // LAPACK counts by columns: our lower triangle is its upper one.
  const blasint n = integer(a.rows), stride = integer(a.stride);
  blasint info = 0;
  dpotrf_("U", &n, a.data, &stride, &info);
  return std::size_t(info);
}

std::size_t pstrf(MatrixView<double> a, double tolerance, std::span<std::size_t> pivots) {
  use_one_thread();
  const blasint n = integer(a.rows), stride = integer(a.stride);
  blasint info = 0, rank = 0;
  std::vector<blasint> order(a.rows);
  std::vector<double> work(2 * a.rows);
  dpstrf_("U", &n, a.data, &stride, order.data(), &rank, &tolerance, work.data(), &info);
  for (std::size_t i = 0; i < a.rows; ++i) pivots[i] = std::size_t(order[i] - 1);
  return std::size_t(rank);
}

void eigenvalues(MatrixView<double> a, std::span<double> values) {
  use_one_thread();
  const blasint n = integer(a.rows), stride = integer(a.stride), size = integer(64 * a.rows + 64);
  blasint info = 0;
  std::vector<double> work(std::size_t(size), 0.0);
  dsyev_("N", "U", &n, a.data, &stride, values.data(), work.data(), &size, &info);
}

}  // namespace bochner::blas
