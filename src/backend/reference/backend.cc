// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/backend.h"

#include "backend/reference/operations.h"

namespace bochner {

namespace {

class ReferenceBackend final : public Backend {
 public:
  void fourier(const RowBlock<float>& x, const FourierWeights<float>& w, MatrixView<float> z) const override {
    reference::fourier(x, w, z);
  }
  void fourier(const RowBlock<double>& x, const FourierWeights<double>& w, MatrixView<double> z) const override {
    reference::fourier(x, w, z);
  }
  void add_product(MatrixView<const float> a, MatrixView<const float> b, double per_unit,
                   MatrixView<std::int64_t> sum) const override {
    reference::add_product(a, b, per_unit, sum);
  }
  void add_product(MatrixView<const double> a, MatrixView<const double> b, double per_unit,
                   MatrixView<std::int64_t> sum) const override {
    reference::add_product(a, b, per_unit, sum);
  }
  void multiply(MatrixView<const float> a, MatrixView<const float> b, float beta, MatrixView<float> c) const override {
    reference::multiply(a, b, beta, c);
  }
  void multiply(MatrixView<const double> a, MatrixView<const double> b, double beta,
                MatrixView<double> c) const override {
    reference::multiply(a, b, beta, c);
  }
};

}  // namespace

const Backend& reference_backend() {
  static const ReferenceBackend backend;
  return backend;
}

}  // namespace bochner
