// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// One thread, float: projections of dense rows against the sgemm of a stored matrix, and structured Fourier features
// against those of a dense one; --widths: kinds at d = 1,000 to a million instead. bench_project [--quick] [--widths]

#include "bochner/project.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "backend/backend.h"
#include "backend/cpu/blas.h"
#include "normals.h"
#include "timing.h"

namespace {

using namespace bochner;

std::function<void()> applied(const MapPtr& map, const RowBlock<float>& x, Matrix<float>& z) {
  return [&, map] { map->apply(cpu_backend(), x, z.view()); };
}

void projections(std::size_t d, std::size_t k, std::size_t rows, int turns) {
  using Kind = ProjectOptions::Kind;
  using Store = ProjectOptions::Store;
  const std::vector<float> values = bench::normals<float>(rows * d), matrix = bench::normals<float>(d * k);
  const auto x = RowBlock<float>::dense({values.data(), rows, d, d});
  Matrix<float> z(rows, k);
  const auto sgemm = [&] {
    blas::gemm(1, {blas::Op::plain, {values.data(), rows, d, d}}, {blas::Op::plain, {matrix.data(), d, k, k}}, 0,
               z.view());
  };
  const std::vector<std::pair<const char*, ProjectOptions>> kinds = {
      {"sign, drawn", {.kind = Kind::sign, .dims = k, .store = Store::seed}},
      {"sign, bits", {.kind = Kind::sign, .dims = k, .store = Store::matrix}},
      {"gaussian, stored", {.kind = Kind::gaussian, .dims = k, .store = Store::matrix}},
      {"sparse, stored", {.kind = Kind::sparse, .dims = k, .store = Store::matrix}},
      {"verysparse, stored", {.kind = Kind::verysparse, .dims = k, .store = Store::matrix}},
      {"fastjl", {.kind = Kind::fastjl, .dims = k}},
      {"srht", {.kind = Kind::srht, .dims = k}},
      {"hash, 1 sign", {.kind = Kind::hash, .dims = k}},
      {"hash, 8 signs", {.kind = Kind::hash, .dims = k, .signs = 8}}};
  std::vector<std::function<void()>> work = {sgemm};
  for (const auto& [name, options] : kinds) work.push_back(applied(project(d, options), x, z));
  for (const auto& one : work) one();  // what is kept is drawn
  const auto t = bench::least(work, turns);
  fmt::print("d = {}, k = {}, {} rows: sgemm {:.1f} us a row\n", d, k, rows, 1e6 * t[0] / double(rows));
  for (std::size_t i = 0; i < kinds.size(); ++i)
    fmt::print("  {:<20} {:8.1f} us a row, {:6.2f} of sgemm\n", kinds[i].first, 1e6 * t[i + 1] / double(rows),
               t[i + 1] / t[0]);
}

// CSR rows of that many inputs.
struct SparseProblem {
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> columns = {};
  std::vector<float> values = {};
  RowBlock<float> x = {};

  SparseProblem(std::size_t rows, std::size_t d, std::size_t nonzeros) {
    std::mt19937 generator(2);
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<std::uint32_t> row(nonzeros);
      for (std::uint32_t& column : row) column = std::uint32_t(generator() % d);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      columns.insert(columns.end(), row.begin(), row.end());
      offsets.push_back(columns.size());
    }
    values = bench::normals<float>(columns.size());
    x.rows = rows;
    x.cols = d;
    x.values = values.data();
    x.offsets = offsets.data();
    x.columns = columns.data();
  }
};

double row_microseconds(const RowBlock<float>& x, const ProjectOptions& options, int turns) {
  Matrix<float> z(x.rows, options.dims);
  const auto work = applied(project(x.cols, options), x, z);
  work();  // what is kept is drawn
  return 1e6 * bench::least({work}, turns)[0] / double(x.rows);
}

// bench/ends/sparse_projection.py times scikit-learn on the same shape.
void sparse(std::size_t d, std::size_t nonzeros, std::size_t k, int turns) {
  using Kind = ProjectOptions::Kind;
  const SparseProblem problem(64, d, nonzeros);
  fmt::print("CSR, d = {}, {} non-zeros a row, k = {}\n", d, nonzeros, k);
  const std::vector<std::pair<const char*, ProjectOptions>> kinds = {
      {"hash, 1 sign", {.kind = Kind::hash, .dims = k}},
      {"hash, 8 signs", {.kind = Kind::hash, .dims = k, .signs = 8}},
      {"verysparse", {.kind = Kind::verysparse, .dims = k}},
      {"sign", {.kind = Kind::sign, .dims = k}},
      {"srht", {.kind = Kind::srht, .dims = k}}};
  for (const auto& [name, options] : kinds)
    fmt::print("  {:<20} {:8.1f} us a row\n", name, row_microseconds(problem.x, options, turns));
}

// Which kind when: dense rows, and CSR rows of which a tenth is not 0, a thousand numbers at most.
void widths(std::size_t k, const std::vector<std::size_t>& all, int turns) {
  using Kind = ProjectOptions::Kind;
  const std::vector<std::pair<const char*, ProjectOptions>> kinds = {
      {"sign", {.kind = Kind::sign, .dims = k}},
      {"verysparse", {.kind = Kind::verysparse, .dims = k}},
      {"fastjl", {.kind = Kind::fastjl, .dims = k}},
      {"srht", {.kind = Kind::srht, .dims = k}},
      {"hash, 1 sign", {.kind = Kind::hash, .dims = k}},
      {"hash, 8 signs", {.kind = Kind::hash, .dims = k, .signs = 8}}};
  for (const std::size_t d : all) {
    const std::size_t rows = d > 500000 ? 8 : 64, nonzeros = std::min<std::size_t>(1000, d / 10);
    const std::vector<float> values = bench::normals<float>(rows * d);
    const auto dense = RowBlock<float>::dense({values.data(), rows, d, d});
    const SparseProblem csr(rows, d, nonzeros);
    fmt::print("d = {}, k = {}: us a dense row, us a CSR row of {} non-zeros\n", d, k, nonzeros);
    for (const auto& [name, options] : kinds)
      fmt::print("  {:<20} {:10.1f} {:10.1f}\n", name, row_microseconds(dense, options, turns),
                 row_microseconds(csr.x, options, turns));
  }
}

void structured(std::size_t d, std::size_t D, std::size_t rows, int turns) {
  const std::vector<float> values = bench::normals<float>(rows * d);
  const auto x = RowBlock<float>::dense({values.data(), rows, d, d});
  Matrix<float> z(rows, D);
  for (const auto form : {FourierOptions::Form::cossin, FourierOptions::Form::shifted}) {
    FourierOptions options{.kernel = gaussian(std::sqrt(double(d))), .features = D, .form = form};
    const MapPtr dense = fourier(d, options);
    options.draw = FourierOptions::Draw::structured;
    std::vector<std::function<void()>> work = {applied(dense, x, z), applied(fourier(d, options), x, z)};
    for (const auto& one : work) one();
    const auto t = bench::least(work, turns);
    fmt::print("fourier d = {}, D = {}, {}: dense {:.1f}, structured {:.1f} us a row: {:.1f} times faster\n", d, D,
               form == FourierOptions::Form::cossin ? "cos and sin" : "shifted", 1e6 * t[0] / double(rows),
               1e6 * t[1] / double(rows), t[0] / t[1]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  const int turns = quick ? 1 : 9;
  if (bench::flag(argc, argv, "--widths")) {
    widths(quick ? 50 : 500, quick ? std::vector<std::size_t>{200} : std::vector<std::size_t>{1000, 100000, 1000000},
           3);
    return 0;
  }
  for (const std::size_t rows : {64, 256}) projections(quick ? 1000 : 10000, quick ? 100 : 1000, rows, turns);
  for (const std::size_t k : {1000, 10000}) sparse(quick ? 10000 : 1000000, quick ? 100 : 1000, k, turns);
  structured(784, quick ? 500 : 5000, 192, turns);
}
