// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/blas.h"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "base/option.h"
#include "base/require.h"
#include "base/team_size.h"

extern "C" void dpotrf_(const char* uplo, const blasint* n, double* a, const blasint* lda, blasint* info);
extern "C" void dsyev_(const char* job, const char* uplo, const blasint* n, double* a, const blasint* lda,
                       double* values, double* work, const blasint* work_size, blasint* info);
extern "C" void dsyevr_(const char* job, const char* range, const char* uplo, const blasint* n, double* a,
                        const blasint* lda, const double* lowest, const double* highest, const blasint* first,
                        const blasint* last, const double* tolerance, blasint* found, double* values, double* vectors,
                        const blasint* ldz, blasint* support, double* work, const blasint* work_size, blasint* int_work,
                        const blasint* int_size, blasint* info);
// Where OpenBLAS gets the buffers of a call from. Not in its headers, so possibly not there.
extern "C" void* blas_memory_alloc(int unused) __attribute__((weak));
extern "C" void blas_memory_free(void* buffer) __attribute__((weak));
// OpenBLAS chooses its kernels by these.
extern "C" void gotoblas_dynamic_init() __attribute__((weak));
extern "C" void gotoblas_dynamic_quit() __attribute__((weak));

// OpenBLAS asks this at load how many threads to start, and aborts if the system refuses them (ulimit -v). One: our own
// threads call it, each on its own. (With Debian's serial build, calls of several threads gave other results from run
// to run.) The dynamic linker finds this function before that of OpenBLAS; weak for programs that link its archive.
extern "C" __attribute__((weak, visibility("default"))) int openblas_num_threads_env() { return 1; }

namespace bochner::blas {

namespace {

constexpr std::size_t kBufferBytes = std::size_t(32) << 22;  // that OpenBLAS takes for each call at a time
constexpr int kMostBuffers = 48;                             // held at once: every build of OpenBLAS has 50

// OpenBLAS asks for its buffers again and again for ever where the system refuses them (ulimit -v), so the system is
// asked first; then OpenBLAS, for all of them at once, before others take the room.
void take_buffers(int count) {
  const std::size_t bytes = std::size_t(count) * kBufferBytes;
  void* const trial = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(trial != MAP_FAILED,
          "memory: the system refuses {} MiB of address space, which the matrix products of {} threads need; raise "
          "ulimit -v or use fewer {}",
          bytes >> 20, count, Option::threads);
  ::munmap(trial, bytes);
  if (!blas_memory_alloc || !blas_memory_free) return;
  std::vector<void*> buffers;
  for (int i = 0; i < std::min(count, kMostBuffers); ++i) buffers.push_back(blas_memory_alloc(0));
  for (void* buffer : buffers) blas_memory_free(buffer);
}

// An OpenBLAS older than the processor does not know it and takes the kernels of one from 2004. It is given those for
// the instructions that the processor has, by the environment, since it takes them in no other way.
void choose_kernels() {
#if defined(__x86_64__)
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  constexpr std::array kKnown = {"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids"};
  const std::string chosen = openblas_get_corename();
  const bool fits = !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
                    std::find(kKnown.begin(), kKnown.end(), chosen) != kKnown.end();
  if (fits || !gotoblas_dynamic_init || !gotoblas_dynamic_quit || std::getenv(kVariable)) return;
  const bool wide = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
  ::setenv(kVariable, wide ? "SkylakeX" : "Haswell", 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  ::unsetenv(kVariable);
#endif
}

void choose_kernels_once() {
  static std::once_flag chosen;
  std::call_once(chosen, choose_kernels);
}

// Before every call. Buffers are taken once for as many threads as may call at the same time.
void prepare() {
  static std::atomic<int> ready{0};
  if (ready.load(std::memory_order_acquire) >= largest_team()) return;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const int count = largest_team();
  if (ready >= count) return;
  choose_kernels_once();
  openblas_set_num_threads(1);
  take_buffers(count);
  ready.store(count, std::memory_order_release);
}

CBLAS_TRANSPOSE cblas(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

blasint integer(std::size_t n) { return static_cast<blasint>(n); }

}  // namespace

std::string kernels() {
  choose_kernels_once();
  return openblas_get_corename();
}

void gemm(float alpha, Factor<float> a, Factor<float> b, float beta, MatrixView<float> c) {
  prepare();
  cblas_sgemm(CblasRowMajor, cblas(a.op), cblas(b.op), integer(c.rows), integer(c.cols),
              integer(a.op == Op::plain ? a.matrix.cols : a.matrix.rows), alpha, a.matrix.data,
              integer(a.matrix.stride), b.matrix.data, integer(b.matrix.stride), beta, c.data, integer(c.stride));
}

void gemm(double alpha, Factor<double> a, Factor<double> b, double beta, MatrixView<double> c) {
  prepare();
  cblas_dgemm(CblasRowMajor, cblas(a.op), cblas(b.op), integer(c.rows), integer(c.cols),
              integer(a.op == Op::plain ? a.matrix.cols : a.matrix.rows), alpha, a.matrix.data,
              integer(a.matrix.stride), b.matrix.data, integer(b.matrix.stride), beta, c.data, integer(c.stride));
}

void syrk(Op op_a, double alpha, MatrixView<const double> a, double beta, MatrixView<double> c) {
  prepare();
  cblas_dsyrk(CblasRowMajor, CblasLower, cblas(op_a), integer(c.rows), integer(op_a == Op::plain ? a.cols : a.rows),
              alpha, a.data, integer(a.stride), beta, c.data, integer(c.stride));
}

void trsm(Side side, Op op_l, double alpha, MatrixView<const double> l, MatrixView<double> b) {
  prepare();
  cblas_dtrsm(CblasRowMajor, side == Side::left ? CblasLeft : CblasRight, CblasLower, cblas(op_l), CblasNonUnit,
              integer(b.rows), integer(b.cols), alpha, l.data, integer(l.stride), b.data, integer(b.stride));
}

std::size_t potrf(MatrixView<double> a) {
  prepare();
  // LAPACK counts by columns: our lower triangle is its upper one.
  const blasint n = integer(a.rows), stride = integer(a.stride);
  blasint info = 0;
  dpotrf_("U", &n, a.data, &stride, &info);
  return std::size_t(info);
}

void eigenvalues(MatrixView<double> a, std::span<double> values) {
  prepare();
  const blasint n = integer(a.rows), stride = integer(a.stride), size = integer(64 * a.rows + 64);
  blasint info = 0;
  std::vector<double> work(std::size_t(size), 0.0);
  dsyev_("N", "U", &n, a.data, &stride, values.data(), work.data(), &size, &info);
}

void eigenvectors(MatrixView<double> a, std::span<double> values, MatrixView<double> vectors) {
  prepare();
  const blasint n = integer(a.rows), stride = integer(a.stride), ldz = integer(vectors.stride);
  const blasint first = integer(a.rows - vectors.rows + 1), last = n, size = integer(64 * a.rows + 64);
  const blasint int_size = integer(10 * a.rows + 10);
  const double none = 0;
  blasint found = 0, info = 0;
  std::vector<double> work(std::size_t(size), 0.0), all(a.rows);
  std::vector<blasint> int_work(std::size_t(int_size), 0), support(2 * a.rows);
  dsyevr_("V", "I", "U", &n, a.data, &stride, &none, &none, &first, &last, &none, &found, all.data(), vectors.data,
          &ldz, support.data(), work.data(), &size, int_work.data(), &int_size, &info);
  require(info == 0, "eigenvectors: LAPACK's dsyevr ended with {}", info);
  std::copy_n(all.begin(), vectors.rows, values.begin());
}

}  // namespace bochner::blas
