// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const MapPtr scale = scaling({{.method = ColumnScaling::Method::standardize, .center = 5, .factor = 0.5}});
//   const MapPtr map = chain({scale, fourier(1, {.kernel = gaussian(2.0), .features = 64})});
//   Matrix<float> x(1000, 1);
//   const Matrix<float> z = transform<float>(map, x.view());

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bochner/kernel.h"
#include "bochner/matrix.h"
#include "bochner/outputs.h"
#include "bochner/row_block.h"
#include "bochner/sparse_rows.h"

namespace bochner {

class Archive;
class Backend;
class CheckSubject;  // the library's own: what check() holds a map against
class Map;
template <class T>
struct FourierWeights;  // the library's own: backend/fourier_weights.h

using MapPtr = std::shared_ptr<const Map>;

// What a map is made of that chain, concat or sum made.
struct MapParts {
  enum class How { none, chain, concat, sum };

  How how = How::none;
  std::span<const MapPtr> maps = {};
  std::span<const double> weights = {};  // concat
};

// Turns rows into other rows. Fully given by its spec, seed and learned arrays: what save() writes.
//
// Thread-safe: immutable, so any number of threads may apply one map. An own map keeps to that.
class Map {
 public:
  virtual ~Map() = default;

  virtual std::size_t inputs() const = 0;
  virtual std::size_t outputs() const = 0;

  // out(i, :) = z(block row i). One thread, a moderate number of rows. out.cols == outputs().
  virtual void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const = 0;
  virtual void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const = 0;

  // About how many numbers of a row are not 0, where the map puts out CSR whatever comes in; 0: it does not. Learners
  // then keep its features as CSR, so that there may be millions of them.
  virtual std::size_t nonzeros() const { return 0; }
  // The same as CSR, behind the rows that `out` has; false, and nothing is added, where it has none for such a block.
  // A map that keeps zeros may have CSR for blocks that are CSR.
  virtual bool apply_sparse(const Backend&, const RowBlock<float>&, SparseRows<float>&) const { return false; }
  virtual bool apply_sparse(const Backend&, const RowBlock<double>&, SparseRows<double>&) const { return false; }

  // Rows that apply() likes best at a time: whole vectors that stay in the first cache, unless a map says more.
  virtual std::size_t rows_at_once() const { return 192; }

  // A bound on |z_j|: the quantum of the exact sums. 0 when none is known.
  virtual double bound() const { return 0; }

  // What its outputs are, where it is the last of a model; none: what the targets of the model's schema are.
  virtual std::optional<Outputs> puts_out() const { return std::nullopt; }

  // Bytes it holds once it is used, beside what was saved: a matrix that is drawn from its seed, say.
  virtual std::size_t held_bytes() const { return 0; }
  // The map back, from outputs to inputs, as near as it can: least squares where outputs are fewer. self: this map.
  // Null: there is none.
  virtual MapPtr inverse(const MapPtr& self) const;

  virtual MapParts parts() const { return {}; }
  // The largest |coefficient| if this map is a head: infinity if one is not finite, 0 if there are none.
  virtual double largest_coefficient() const { return 0; }
  // For the library's own maps; a registered kind says its kernel itself. self: this map. Null: it has no kernel.
  virtual std::unique_ptr<CheckSubject> check_subject(const MapPtr& self, bool double_precision) const;

  // For the library's own devices: the whole map, if it is cosines of products with these weights.
  virtual const FourierWeights<float>* fourier_weights() const { return nullptr; }

  // One line for people: "fourier:kernel=gaussian,features=8192".
  virtual std::string spec() const = 0;
  // Its "type" and what else load needs. An own map is loaded by the kind of that name (bochner/map_kind.h).
  virtual void save(Archive& archive) const = 0;
};

// Random Fourier features. Rahimi & Recht 2007.
struct FourierOptions {
  enum class Form { cossin, shifted };
  // How frequencies are drawn, each by the kernel's law. Those of kernels of the L2 distance have less variance
  // together where they are
  //   orthogonal  in blocks of as many as there are inputs (Yu et al., NIPS 2016);
  //   structured  in blocks of products of Hadamard matrices and random signs, applied in O(d log d) and never formed;
  //   quasi       by a low-discrepancy sequence with a random shift (Avron et al., JMLR 2016), also for kernels whose
  //               law is a product over the inputs.
  enum class Draw { independent, orthogonal, structured, quasi };

  Kernel kernel = {};
  std::size_t features = 1024;  // outputs of the map; even for cossin, which makes them in pairs
  Form form = Form::cossin;
  std::uint64_t seed = 0;
  Draw draw = Draw::independent;
};
MapPtr fourier(std::size_t inputs, const FourierOptions& options);

// y = (t(x) - center) * factor per column, where t is the identity, log1p or a quantile transform.
struct ColumnScaling {
  // whiten is a choice of trainings alone: standardize, and a linear map that takes the correlations out.
  enum class Method { none, standardize, minmax, log, quantile, whiten };

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
