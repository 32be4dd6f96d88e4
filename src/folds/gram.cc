// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/gram.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/backend.h"
#include "base/require.h"
#include "base/wrapped.h"
#include "folds/gram_parts.h"

namespace bochner {

std::size_t GramFold::tile_for(std::size_t features) {
  // Small enough that two threads share even a small matrix, large enough that packing does not count;
  // multiples of kProductStep leave no register tile half empty.
  return kProductStep * (features >= 3072 ? 20 : features >= 1024 ? 11 : features >= 256 ? 5 : 3);
}

GramFold::Products GramFold::products_for(const Map* map, bool wide, bool any_rows) {
  if (map && map->bound() > 0 && !wide) return Products::whole;
  return any_rows ? Products::by_row : Products::rounded;
}

GramFold::GramFold(std::size_t features, double bound, TargetCode code, double weight_bound, Products products,
                   Threads* threads)
    : features_(features),
      bound_(bound),
      weight_bound_(weight_bound),
      products_(products),
      code_(std::move(code)),
      gram_(threads ? TiledSymmetric<std::int64_t>(features, tile_for(features), *threads)
                    : TiledSymmetric<std::int64_t>(features, tile_for(features))),
      moment_((products == Products::whole ? TargetDigits(code_.task).count : 1) * (code_.columns() + 1), features),
      targets_(code_.columns() + 1, code_.columns() + 1) {
  require(bound > 0 && std::isfinite(bound), "gram: the bound on features is {}, expected a positive number", bound);
  require(weight_bound > 0, "gram: the largest weight is {}, expected a positive number", weight_bound);
}

GramFold GramFold::copy(Threads& threads) {
  TiledSymmetric<std::int64_t> gram = std::exchange(gram_, {});
  GramFold same = *this;
  gram_ = std::move(gram);
  same.gram_ = gram_.copy(threads);
  return same;
}

std::size_t GramFold::bytes(std::size_t features) {
  const std::size_t tile = tile_for(features), side = (features + tile - 1) / tile;
  return side * (side + 1) / 2 * tile * tile * sizeof(std::int64_t);
}

template <class T>
void GramFold::add(const Workers& on, const RowBlock<T>& z) {
  add_signed(on, z, 1);
  rows_ += z.rows;
}

template <class T>
void GramFold::remove(const Workers& on, const RowBlock<T>& z) {
  require(z.rows <= rows_, "gram: {} rows to remove from sums of {}", z.rows, rows_);
  add_signed(on, z, -1);
  rows_ -= z.rows;
}

void add_targets(const Matrix<double>& t, int sign, Matrix<std::int64_t>& sums) {
  for (std::size_t i = 0; i < t.rows(); ++i) {
    const double w = t(i, t.cols() - 1);
    if (!(w > 0)) continue;
    for (std::size_t a = 0; a < t.cols(); ++a)
      for (std::size_t b = 0; b < t.cols(); ++b) sums(a, b) += sign * to_integer(t(i, a) * (t(i, b) / w) * per_unit(1));
  }
}

namespace {

// sum += round(unit a_i b_j) of each row; a and b have the same rows.
template <class T>
void add_rounded_rows(MatrixView<const T> a, MatrixView<const T> b, double unit, MatrixView<std::int64_t> sum) {
  for (std::size_t row = 0; row < a.rows; ++row)
    for (std::size_t i = 0; i < a.cols; ++i) {
      const double y = double(a(row, i)) * unit;
      const T* const x = b.row(row);
      std::int64_t* const to = sum.row(i);
      for (std::size_t j = 0; j < b.cols; ++j) to[j] += to_integer(y * double(x[j]));
    }
}

}  // namespace

// Rounding to the nearest is odd, so that -1 gives the same integers with the other sign.
template <class T>
void GramFold::add_signed(const Workers& on, const RowBlock<T>& z, int sign) {
  require(z.cols == features_, "gram: block has {} features, expected {}", z.cols, features_);
  require(z.targets != nullptr || code_.columns() == 0, "gram: the rows have no targets");
  if (products_ == Products::whole) {
    if constexpr (std::is_same_v<T, float>) return add_whole(on, z, nullptr, sign);
    require(false, "gram: found rows in double, expected float for sums of whole numbers");
  }
  const Matrix<double> t = weighted_targets(z, code_, weight_bound_);
  const MatrixView<const T> rows{z.values, z.rows, z.cols, z.stride};
  AlignedVector<T> scaled;
  const MatrixView<const T> g = root_weighted(on, z, t, scaled);

  // Chunks by global row number, so that the rounding of G is the same for any split into blocks.
  const std::vector<std::size_t> edges = chunk_edges(z.first, z.rows);

  const std::size_t tiles = gram_.tile_count(), strips = gram_.tiles_per_side();
  on.threads.run(tiles + strips, [&](std::size_t piece, int) {
    for (std::size_t c = 0; c + 1 < edges.size(); ++c) {
      const std::size_t begin = edges[c], count = edges[c + 1] - begin;
      const auto columns = [&](MatrixView<const T> m, std::size_t strip) {
        return MatrixView<const T>{m.row(begin) + strip * gram_.tile(), count, gram_.extent(strip), m.stride};
      };
      if (piece < tiles) {
        const auto [I, J] = tile_index(tiles - 1 - piece);
        const double unit = sign * per_unit(bound_ * bound_);
        if (products_ == Products::by_row)
          add_rounded_rows(columns(g, I), columns(g, J), unit, gram_.block(I, J));
        else
          on.ops.add_product(columns(g, I), columns(g, J), unit, gram_.block(I, J));
      } else {
        const std::size_t strip = piece - tiles, first = strip * gram_.tile(), width = gram_.extent(strip);
        const MatrixView<const T> x = columns(rows, strip);
        for (std::size_t k = 0; k < t.cols(); ++k)
          for (std::size_t i = 0; i < count; ++i) {
            const double y = sign * t(begin + i, k) * per_unit(bound_);
            const T* xi = x.row(i);
            std::int64_t* sum = &moment_(k, first);
            for (std::size_t j = 0; j < width; ++j) sum[j] += to_integer(y * double(xi[j]));
          }
      }
    }
  });

  add_targets(t, sign, targets_);
}

template void GramFold::add(const Workers&, const RowBlock<float>&);
template void GramFold::add(const Workers&, const RowBlock<double>&);
template void GramFold::remove(const Workers&, const RowBlock<float>&);
template void GramFold::remove(const Workers&, const RowBlock<double>&);

GramFold GramFold::like(const GramFold& other) {
  GramFold same(other.features_, other.bound_, other.code_, other.weight_bound_, other.products_);
  same.resize_moment(other.digits());
  return same;
}

void GramFold::merge(const GramFold& other) {
  add_multiple(other, 1);
  rows_ += other.rows_;
}

void GramFold::subtract(const GramFold& part) {
  add_multiple(part, -1);
  rows_ -= part.rows_;
}

void GramFold::add_multiple(const GramFold& other, std::int64_t sign) {
  require(
      products_ == other.products_,
      "gram: one of these sums is of whole numbers and the other, as version 0.1 made them, is not; make both anew");
  require(features_ == other.features_ && bound_ == other.bound_ && weight_bound_ == other.weight_bound_ &&
              code_ == other.code_,
          "gram: these sums were made with different maps or targets");
  require(digits() == other.digits(), "gram: another version rounded the targets of one of these sums; make both anew");
  const auto add_all = [sign](std::int64_t* to, const std::int64_t* from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) add_wrapped(to[i], from[i], sign);
  };
  add_all(gram_.values().data(), other.gram_.values().data(), gram_.values().size());
  add_all(moment_.data(), other.moment_.data(), moment_.rows() * moment_.cols());
  add_all(targets_.data(), other.targets_.data(), targets_.rows() * targets_.cols());
}

double GramFold::weight() const { return target_sum(code_.columns(), code_.columns()); }

double GramFold::target_sum(std::size_t a, std::size_t b) const {
  return double(targets_(a, b)) / per_unit(1) * weight_bound_;
}

std::pair<double, double> GramFold::range_of_squares() const {
  std::int64_t least = gram_.at(0, 0), most = least;
  for (std::size_t j = 0; j < features_; ++j) {
    least = std::min(least, gram_.at(j, j));
    most = std::max(most, gram_.at(j, j));
  }
  return {std::ldexp(double(least), -63), std::ldexp(double(most), -63)};
}

double GramFold::square_of_target(std::size_t a) const { return std::ldexp(double(targets_(a, a)), -63); }

Matrix<double> GramFold::moment() const {
  const std::size_t columns = targets_.rows();
  const TargetDigits targets(code_.task);
  Matrix<double> r(features_, columns);
  for (std::size_t digit = 0; digit < digits(); ++digit) {
    // Rounded products have R in fixed point, and so have whole ones in files older than the digits.
    const double unit = digits() == 1 ? per_unit(bound_) : targets.unit(digit) * double(whole_per_unit());
    for (std::size_t j = 0; j < features_; ++j)
      for (std::size_t k = 0; k < columns; ++k)
        r(j, k) += double(moment_(digit * columns + k, j)) / unit * weight_bound_;
  }
  return r;
}

TiledSymmetric<double> GramFold::gram(Threads& threads) const {
  TiledSymmetric<double> g(gram_.size(), gram_.tile(), threads);
  const double whole = whole_per_unit();
  const double unit = weight_bound_ / (products_ == Products::whole ? whole * whole : per_unit(bound_ * bound_));
  const std::size_t tile = gram_.tile() * gram_.tile();
  threads.run(g.tile_count(), [&](std::size_t t, int) {
    for (std::size_t i = t * tile; i < (t + 1) * tile; ++i) g.values()[i] = double(gram_.values()[i]) * unit;
  });
  return g;
}

}  // namespace bochner
