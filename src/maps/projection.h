// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <memory>

#include "backend/backend.h"
#include "bochner/project.h"
#include "bochner/row_block.h"

namespace bochner {

// The matrix of a random projection, R^T / sqrt(k), applied without being formed unless it is kept. Thread-safe: what
// is kept is drawn once, by who needs it first.
class Projection {
 public:
  virtual ~Projection() = default;

  // z = x R / sqrt(k), a row's result a function of that row alone, to the bit, and the same for dense and CSR rows.
  virtual void forward(const Backend& on, const RowBlock<float>& x, MatrixView<float> z) const = 0;
  virtual void forward(const Backend& on, const RowBlock<double>& x, MatrixView<double> z) const = 0;
  // x = z R^T / sqrt(k): the adjoint.
  virtual void back(const Backend& on, MatrixView<const double> z, MatrixView<double> x) const = 0;

  virtual double held_bytes() const = 0;  // bytes of what is kept
  virtual std::size_t rows_at_once() const = 0;
};

// Lets a projection write its formula once: Derived has `template <class T> void project_rows(on, x, z) const`.
template <class Derived>
class ProjectionOf : public Projection {
 public:
  void forward(const Backend& on, const RowBlock<float>& x, MatrixView<float> z) const final {
    static_cast<const Derived*>(this)->template project_rows<float>(on, x, z);
  }
  void forward(const Backend& on, const RowBlock<double>& x, MatrixView<double> z) const final {
    static_cast<const Derived*>(this)->template project_rows<double>(on, x, z);
  }
};

std::unique_ptr<Projection> dense_projection(std::size_t inputs, const ProjectOptions& options);     // gaussian, sign
std::unique_ptr<Projection> list_projection(std::size_t inputs, const ProjectOptions& options);      // sparse, hash
std::unique_ptr<Projection> hadamard_projection(std::size_t inputs, const ProjectOptions& options);  // fastjl, srht

// The share of entries that are not 0, by the options or the kind.
double projection_density(std::size_t inputs, const ProjectOptions& options);
// The width of the transform: inputs rounded up to a power of two.
std::size_t hadamard_width(std::size_t inputs);
// Bytes of an input's list of outputs with signs, if it is kept: 4 for an entry, or 2 bits for each of the outputs.
inline double plain_list_bytes(double entries) { return entries * sizeof(std::uint32_t) + sizeof(std::size_t); }
inline double packed_list_bytes(std::size_t dims) { return 16 * double((dims + 63) / 64); }
inline double list_bytes(double entries, std::size_t dims) {
  return std::min(plain_list_bytes(entries), packed_list_bytes(dims));
}
// Whether the matrix is kept.
bool keeps_matrix(std::size_t inputs, const ProjectOptions& options);

}  // namespace bochner
