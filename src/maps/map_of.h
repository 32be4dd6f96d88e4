// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/backend.h"
#include "bochner/map.h"

namespace bochner {

// Lets a map write its formula once: Derived has `template <class T> void apply_rows(on, block, out) const`.
template <class Derived>
class MapOf : public Map {
 public:
  void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const final {
    static_cast<const Derived*>(this)->template apply_rows<float>(on, block, out);
  }
  void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const final {
    static_cast<const Derived*>(this)->template apply_rows<double>(on, block, out);
  }
};

// The same for a map that has CSR: `template <class T> bool add_sparse(on, block, rows) const`.
template <class Derived>
class SparseMapOf : public MapOf<Derived> {
 public:
  bool apply_sparse(const Backend& on, const RowBlock<float>& block, SparseRows<float>& rows) const final {
    return static_cast<const Derived*>(this)->template add_sparse<float>(on, block, rows);
  }
  bool apply_sparse(const Backend& on, const RowBlock<double>& block, SparseRows<double>& rows) const final {
    return static_cast<const Derived*>(this)->template add_sparse<double>(on, block, rows);
  }
};

}  // namespace bochner
