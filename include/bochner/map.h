// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bochner/kernel.h"
#include "bochner/matrix.h"
#include "bochner/row_block.h"

namespace bochner {

class Archive;
class Backend;

// Turns rows into other rows. Immutable, so any number of threads may apply it.
// Fully given by its spec, seed and learned arrays: what save() writes.
class Map {
 public:
  virtual ~Map() = default;

  virtual std::size_t inputs() const = 0;
  virtual std::size_t outputs() const = 0;

  // out(i, :) = z(block row i). One thread, a moderate number of rows. out.cols == outputs().
  virtual void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const = 0;
  virtual void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const = 0;

  // Where zeros stay zeros, a CSR block can stay CSR: writes the new values (same pattern) and says true.
  virtual bool apply_sparse(const RowBlock<float>&, float*) const { return false; }
  virtual bool apply_sparse(const RowBlock<double>&, double*) const { return false; }

  // Rows that apply() likes best at a time: whole vectors that stay in the first cache, unless a map says more.
  virtual std::size_t rows_at_once() const { return 192; }

  // A bound on |z_j|: the quantum of the exact sums. 0 when none is known.
  virtual double bound() const { return 0; }

  // One line for people: "fourier:kernel=gaussian,features=8192".
  virtual std::string spec() const = 0;
  virtual void save(Archive& archive) const = 0;
};

using MapPtr = std::shared_ptr<const Map>;

// Random Fourier features. Rahimi & Recht 2007.
struct FourierOptions {
  enum class Form { cossin, shifted };

  Kernel kernel = {};
  std::size_t features = 1024;  // outputs of the map; even for cossin, which makes them in pairs
  Form form = Form::cossin;
  std::uint64_t seed = 0;
  bool orthogonal = false;  // frequencies in orthogonal blocks: less variance, for kernels of the L2 distance
};
MapPtr fourier(std::size_t inputs, const FourierOptions& options);

// y = (t(x) - center) * factor per column, where t is the identity, log1p or a quantile transform.
struct ColumnScaling {
  enum class Method { none, standardize, minmax, log, quantile };

  Method method = Method::none;
  double center = 0;
  double factor = 1;
  double offset = 0;  // log: t(x) = sign(u) log1p|u|, u = (x - offset) / unit
  double unit = 1;
  std::vector<double> quantiles = {};  // quantile: t(x) = fraction of training below x, by interpolation
  bool operator==(const ColumnScaling&) const = default;
};
MapPtr scaling(std::vector<ColumnScaling> columns);

// y = x W + b, W inputs x outputs.
MapPtr linear(Matrix<double> weights, std::vector<double> intercept);

// maps[0] first. Widths must meet.
MapPtr chain(std::vector<MapPtr> maps);

// [sqrt(w_1) z_1(x), sqrt(w_2) z_2(x), ...]: approximates w_1 k_1 + w_2 k_2 + ...
MapPtr concat(std::vector<MapPtr> maps, std::vector<double> weights = {});

// maps[0](x) + maps[1](x) + ...: heads that were learnt together.
MapPtr sum(std::vector<MapPtr> maps);

}  // namespace bochner
