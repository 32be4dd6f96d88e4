// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/exact_product.h"
#include "backend/whole.h"
#include "base/aligned.h"
#include "base/pieces.h"
#include "base/require.h"
#include "bochner/sparse_rows.h"
#include "folds/gram.h"
#include "folds/gram_parts.h"
#include "maps/map_rows.h"

namespace bochner {

namespace {

constexpr std::size_t kTakenRows = 96;                      // that a device gives at a time
constexpr std::size_t kTakenPiece = 24;                     // rows of them that a thread adds
constexpr std::size_t kPackedBytes = std::size_t(4) << 20;  // chunks packed together, unless one is larger

// The strips of columns of some chunks, packed.
class PackedStrips {
 public:
  PackedStrips(const ExactProduct& product, std::size_t rows, std::size_t tile, std::size_t strips)
      : strips_(strips), bytes_((product.bytes(std::min(rows, kChunkRows), tile) + 63) / 64 * 64) {}

  std::size_t chunks_together() const { return std::max<std::size_t>(1, kPackedBytes / (strips_ * bytes_)); }
  void make_room(std::size_t chunks) { packed_.resize(chunks * strips_ * bytes_); }
  std::byte* at(std::size_t chunk, std::size_t strip) { return packed_.data() + (chunk * strips_ + strip) * bytes_; }

 private:
  std::size_t strips_, bytes_;
  AlignedVector<std::byte> packed_;
};

// Rows that are mapped and made whole together: within the second cache, and whole tiles of those that maps take
// together. A map that wants many at once gets them.
std::size_t part_rows(const ExactProduct& product, const Map* map, std::size_t features) {
  constexpr std::size_t kPartBytes = 512 << 10, kMapTile = 48, kUsualRows = 192;
  const std::size_t step = std::lcm(product.group, kMapTile);
  if (map && map->rows_at_once() > kUsualRows) return kChunkRows;
  return std::clamp(kPartBytes / (features * sizeof(float)) / step * step, step, std::max(step, kUsualRows));
}

// sqrt(w) z of the rows of a block, part by part: z is what a map makes of them, or they are z.
class RootWeighted {
 public:
  RootWeighted(const Backend& ops, const RowBlock<float>& x, const Map* map, std::size_t features,
               const Matrix<double>& t, const GramFold::See& see)
      : ops_(ops), x_(x), map_(map), features_(features), t_(t), see_(see) {}

  MatrixView<const float> part(std::size_t begin, std::size_t count) const {
    if (!map_ && !x_.weights) return x_.view().slice(begin, count);
    thread_local AlignedVector<float> room;
    if (room.size() < count * features_) room.resize(count * features_);
    const MatrixView<float> z{room.data(), count, features_, features_};
    if (map_)
      map_->apply(ops_, x_.slice(begin, count), z);
    else
      for (std::size_t i = 0; i < count; ++i) std::copy_n(x_.view().row(begin + i), features_, z.row(i));
    if (see_) see_(begin, z);
    for (std::size_t i = 0; x_.weights && i < count; ++i) {
      const auto root = float(std::sqrt(t_(begin + i, t_.cols() - 1)));
      for (std::size_t j = 0; j < features_; ++j) z(i, j) *= root;
    }
    return z;
  }

 private:
  const Backend& ops_;
  const RowBlock<float>& x_;
  const Map* map_;
  std::size_t features_;
  const Matrix<double>& t_;
  const GramFold::See& see_;
};

// The digits of sqrt(w) [y, 1], given w [y, 1], without columns that are 0 in every row: a class of weight 1 has one
// digit. sign: -1 to remove rows.
struct DigitColumns {
  std::vector<std::size_t> columns;  // rows of moment_
  Matrix<float> values;

  // whole: keeps the columns that are 0 too.
  DigitColumns(const Matrix<double>& t, const TargetDigits& digits, bool weighted, int sign, bool whole = false) {
    const std::size_t targets = t.cols();
    Matrix<float> all(t.rows(), digits.count * targets);
    std::vector<bool> used(all.cols(), whole);
    for (std::size_t i = 0; i < t.rows(); ++i) {
      const double root = weighted ? std::sqrt(t(i, targets - 1)) : 1;
      for (std::size_t k = 0; k < targets && root > 0; ++k) {
        double left = t(i, k) / root;
        require(std::abs(left) <= digits.most * (1 + 1e-9),
                "gram: a target lies far outside of the range of these sums");
        for (std::size_t digit = 0; digit < digits.count; ++digit) {
          const std::size_t column = digit * targets + k;
          const double digit_value = std::nearbyint(left * digits.unit(digit));
          all(i, column) = float(sign * digit_value);
          used[column] = used[column] || digit_value != 0;
          left -= digit_value / digits.unit(digit);
        }
      }
    }
    for (std::size_t column = 0; column < used.size(); ++column)
      if (used[column]) columns.push_back(column);
    values = Matrix<float>(t.rows(), columns.size());
    for (std::size_t i = 0; i < t.rows(); ++i)
      for (std::size_t c = 0; c < columns.size(); ++c) values(i, c) = all(i, columns[c]);
  }
};

}  // namespace

double GramFold::packed_bytes(double features, double outputs, double rows) {
  constexpr double kMostBytes = 4, kPadding = 64;  // bytes of a number in the widest layout, rows of padding
  const double targets = double(TargetDigits(Task::regression).count) * (outputs + 1);
  const double chunk =
      (std::min(rows, double(kChunkRows)) + kPadding) * (features + targets + double(tile_for(1 << 20))) * kMostBytes;
  return std::min(std::max(chunk, double(kPackedBytes)), (rows / kChunkRows + 1) * chunk);
}

// The whole numbers that products are formed of are per_unit z; a float, as the products take it.
float GramFold::whole_per_unit() const { return float(kMostWhole / bound_); }

// The right factors change their sign where rows are removed: rounding to the nearest is odd.
void GramFold::add_whole(const Workers& on, const RowBlock<float>& x, const Map* map, int sign, const See& see) {
  const Matrix<double> t = weighted_targets(x, code_, weight_bound_);
  require(digits() == TargetDigits(code_.task).count, "gram: another version began these sums; begin anew");
  const DigitColumns y(t, TargetDigits(code_.task), x.weights, sign);
  const RootWeighted rows(on.ops, x, map, features_, t, see);
  const ExactProduct& product = exact_product(on.ops);
  const float unit = whole_per_unit();
  const std::vector<std::size_t> edges = chunk_edges(x.first, x.rows);
  const std::size_t tiles = gram_.tile_count(), strips = gram_.tiles_per_side(), chunks = edges.size() - 1;
  PackedStrips left(product, x.rows, gram_.tile(), strips), right = left;
  PackedStrips targets(product, x.rows, y.columns.size(), 1);
  const std::size_t together = std::min(chunks, left.chunks_together());
  left.make_room(together);
  targets.make_room(together);
  if (sign < 0) right.make_room(together);
  PackedStrips& right_side = sign < 0 ? right : left;

  const std::size_t part = part_rows(product, map, features_), parts = (kChunkRows + part - 1) / part;
  const auto pack_part = [&](std::size_t chunk, std::size_t place, std::size_t first) {
    const std::size_t all = edges[chunk + 1] - edges[chunk];
    if (first >= all) return;
    const MatrixView<const float> z = rows.part(edges[chunk] + first, std::min(part, all - first));
    for (std::size_t strip = 0; strip < strips; ++strip) {
      const MatrixView<const float> columns{z.data + strip * gram_.tile(), z.rows, gram_.extent(strip), z.stride};
      product.pack_part(columns, unit, first, all, left.at(place, strip));
      if (sign < 0) product.pack_part(columns, -unit, first, all, right.at(place, strip));
    }
  };
  const auto rows_of = [&](std::size_t chunk) { return edges[chunk + 1] - edges[chunk]; };
  const auto add_moments = [&](std::size_t strip, std::size_t begin, std::size_t count) {
    Matrix<std::int64_t> sums(y.columns.size(), gram_.extent(strip));
    for (std::size_t c = 0; c < count; ++c)
      product.add(targets.at(c, 0), left.at(c, strip), rows_of(begin + c), sums.view());
    for (std::size_t k = 0; k < sums.rows(); ++k)
      for (std::size_t j = 0; j < sums.cols(); ++j) moment_(y.columns[k], strip * gram_.tile() + j) += sums(k, j);
  };
  const double inputs = map ? double(x.cols) : 1, operations = double(x.rows) * double(features_);
  for (std::size_t begin = 0; begin < chunks; begin += together) {
    const std::size_t count = std::min(together, chunks - begin);
    on.threads.run(count * parts, operations * inputs, [&](std::size_t piece, int) {
      const std::size_t place = piece / parts, chunk = begin + place;
      pack_part(chunk, place, piece % parts * part);
      if (piece % parts == 0)
        product.pack(y.values.view().slice(edges[chunk], rows_of(chunk)), 1, targets.at(place, 0));
    });
    on.threads.run(tiles + strips, operations * double(features_), [&](std::size_t piece, int) {
      if (piece >= tiles) return add_moments(piece - tiles, begin, count);
      const auto [I, J] = tile_index(tiles - 1 - piece);
      for (std::size_t c = 0; c < count; ++c)
        product.add(left.at(c, I), right_side.at(c, J), rows_of(begin + c), gram_.block(I, J));
    });
  }
  add_targets(t, sign, targets_);
}

namespace {

// sqrt(w) z of one row of CSR features, made whole.
void make_whole(const RowBlock<float>& z, std::size_t row, float root, float unit, std::vector<std::int64_t>& q) {
  q.clear();
  for (std::size_t p = z.offsets[row]; p < z.offsets[row + 1]; ++p) q.push_back(to_whole(z.values[p] * root, unit));
}

}  // namespace

// Each thread has the tiles of a strip to itself, and of each row the features that lie there.
void GramFold::add_sparse_whole(const Workers& on, const RowBlock<float>& x, const Map& map, const See& see) {
  const Matrix<double> t = weighted_targets(x, code_, weight_bound_);
  require(digits() == TargetDigits(code_.task).count, "gram: another version began these sums; begin anew");
  const DigitColumns y(t, TargetDigits(code_.task), x.weights, 1);
  const RootWeighted dense(on.ops, x, &map, features_, t, see);  // for who sees
  constexpr std::size_t kSeen = kChunkRows / 4;
  SparseRows<float> mapped;
  map_sparse(on, map, x, mapped);
  const RowBlock<float> z = mapped.view(features_);
  const std::size_t tile = gram_.tile(), strips = gram_.tiles_per_side();
  on.threads.run(strips + (see ? (x.rows + kSeen - 1) / kSeen : 0), [&](std::size_t piece, int) {
    if (piece >= strips) {
      const std::size_t begin = (piece - strips) * kSeen;
      dense.part(begin, std::min(kSeen, x.rows - begin));
      return;
    }
    const std::size_t I = strips - 1 - piece, first = I * tile, end = first + gram_.extent(I);
    std::vector<std::int64_t> q;
    for (std::size_t i = 0; i < z.rows; ++i) {
      const std::uint32_t* const columns = z.columns + z.offsets[i];
      const std::size_t all = z.offsets[i + 1] - z.offsets[i];
      const auto from = std::size_t(std::lower_bound(columns, columns + all, first) - columns);
      const auto to = std::size_t(std::lower_bound(columns + from, columns + all, end) - columns);
      if (from == to) continue;
      make_whole(z, i, x.weights ? float(std::sqrt(t(i, t.cols() - 1))) : 1.0f, whole_per_unit(), q);
      for (std::size_t J = 0, b = 0; b < to; ++b) {
        while (columns[b] >= (J + 1) * tile) ++J;
        const MatrixView<std::int64_t> block = gram_.block(I, J);
        for (std::size_t a = from; a < to; ++a) block(columns[a] - first, columns[b] - J * tile) += q[a] * q[b];
      }
      for (std::size_t k = 0; k < y.columns.size(); ++k)
        for (std::size_t a = from; a < to; ++a)
          moment_(y.columns[k], columns[a]) += std::int64_t(y.values(i, k)) * q[a];
    }
  });
  add_targets(t, 1, targets_);
}

bool GramFold::begin_on_device(const Workers& on, const MapPtr& map) {
  if (products_ != Products::whole) return false;
  device_ = {};
  device_.last = map;
  if (const MapParts parts = map->parts(); parts.how == MapParts::How::chain) {
    device_.last = parts.maps.back();
    if (parts.maps.size() > 1) device_.before = chain({parts.maps.begin(), parts.maps.end() - 1});
  }
  device_.sums = on.threads.device().sums(*device_.last, moment_.rows(), whole_per_unit());
  return device_.sums != nullptr;
}

// What a device needs of targets and weights, and S of these rows.
GramFold::DeviceColumns GramFold::device_columns(const Workers& on, const RowBlock<float>& x) const {
  constexpr std::size_t kPiece = 2048;
  DeviceColumns all{Matrix<float>(x.rows, moment_.rows()), {}, Matrix<std::int64_t>(targets_.rows(), targets_.cols())};
  if (x.weights) all.roots.resize(x.rows);
  std::vector<Matrix<std::int64_t>> sums((x.rows + kPiece - 1) / kPiece, all.targets);
  in_pieces(on.threads, x.rows, kPiece, [&](std::size_t begin, std::size_t count) {
    const RowBlock<float> rows = x.slice(begin, count);
    const Matrix<double> t = weighted_targets(rows, code_, weight_bound_);
    const DigitColumns y(t, TargetDigits(code_.task), x.weights, 1, true);
    std::copy_n(y.values.data(), count * y.values.cols(), &all.values(begin, 0));
    for (std::size_t i = 0; x.weights && i < count; ++i) all.roots[begin + i] = float(std::sqrt(t(i, t.cols() - 1)));
    add_targets(t, 1, sums[begin / kPiece]);
  });
  for (const Matrix<std::int64_t>& part : sums)
    for (std::size_t e = 0; e < part.rows() * part.cols(); ++e) all.targets.data()[e] += part.data()[e];
  return all;
}

bool GramFold::add_on_device(const Workers& on, const RowBlock<float>& x) {
  if (!device_.last) return false;
  if (!device_.sums) device_.sums = on.threads.device().sums(*device_.last, moment_.rows(), whole_per_unit());
  if (!device_.sums || x.sparse()) return false;
  const DeviceColumns y = device_columns(on, x);
  Matrix<float> between;
  RowBlock<float> rows = x;
  if (device_.before) {
    between = Matrix<float>(x.rows, device_.before->outputs());
    map_rows(on, *device_.before, x, between.view());
    rows = RowBlock<float>::dense(std::as_const(between).view());
  }
  if (!device_.sums->add(rows, y.roots.empty() ? nullptr : y.roots.data(), y.values.view())) return false;
  for (std::size_t e = 0; e < targets_.rows() * targets_.cols(); ++e) targets_.data()[e] += y.targets.data()[e];
  rows_ += x.rows;
  return true;
}

void GramFold::settle(const Workers& on) {
  if (!device_.sums) return;
  struct Strip {
    std::size_t first, rows, cols;
  };
  std::vector<Strip> strips;
  const std::size_t tile = gram_.tile(), all = features_ + moment_.rows();
  for (std::size_t first = 0, rows; first < all; first += rows) {
    const std::size_t end = first < features_ ? std::min(features_, (first / tile + 1) * tile) : all;
    rows = std::min(kTakenRows, end - first);
    strips.push_back({first, rows, std::min(features_, first + rows)});
  }
  DeviceSums& device = *device_.sums;
  MatrixView<const std::int64_t> next = device.take(strips[0].first, strips[0].rows, strips[0].cols);
  for (std::size_t s = 0; s < strips.size(); ++s) {
    const MatrixView<const std::int64_t> strip = next;
    const std::size_t tiles = (strip.cols + tile - 1) / tile, parts = (strip.rows + kTakenPiece - 1) / kTakenPiece;
    on.threads.run(tiles * parts + 1, [&](std::size_t piece, int) {  // the next ones come meanwhile
      if (piece > 0) {
        const std::size_t begin = (piece - 1) / tiles * kTakenPiece;
        add_taken(strips[s].first + begin, strip.slice(begin, std::min(kTakenPiece, strip.rows - begin)),
                  (piece - 1) % tiles);
      } else if (s + 1 < strips.size()) {
        next = device.take(strips[s + 1].first, strips[s + 1].rows, strips[s + 1].cols);
      }
    });
  }
  device_.sums = nullptr;
}

// Rows from `first` on of what a device has summed, their columns of tile J.
void GramFold::add_taken(std::size_t first, MatrixView<const std::int64_t> rows, std::size_t J) {
  const std::size_t tile = gram_.tile(), begin = J * tile, end = std::min(rows.cols, begin + tile);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    if (first >= features_) {
      for (std::size_t j = begin; j < end; ++j) moment_(first - features_ + i, j) += rows(i, j);
      continue;
    }
    const std::size_t I = (first + i) / tile, row = (first + i) % tile;
    const MatrixView<std::int64_t> block = gram_.block(I, J);
    for (std::size_t j = begin; j < (J < I ? end : first + i + 1); ++j) block(row, j - begin) += rows(i, j);
    for (std::size_t j = begin; J == I && j < first + i; ++j) block(j - begin, row) += rows(i, j);
  }
}

void GramFold::add_unmapped(const Workers& on, const Map& map, const RowBlock<float>& x, const See& see) {
  require(adds_unmapped(), "gram: found rows without features, expected features for sums that are rounded");
  require(map.outputs() == features_, "gram: the map has {} features, expected {}", map.outputs(), features_);
  require(x.targets != nullptr || code_.columns() == 0, "gram: the rows have no targets");
  if (!see && add_on_device(on, x)) return;
  if (map.nonzeros() > 0)
    add_sparse_whole(on, x, map, see);
  else
    add_whole(on, x, &map, 1, see);
  rows_ += x.rows;
}

}  // namespace bochner
