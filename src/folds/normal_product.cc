// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/normal_product.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/aligned.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kStripRows = 8;   // read twice in a row, so that they come from a cache the second time
constexpr std::size_t kFloatRows = 64;  // whose sums are formed in C; beyond that in double

template <class T>
constexpr bool kWidened = std::is_same_v<T, std::int16_t>;

// sum += part, part <- 0
template <class C>
void flush(MatrixView<C> part, MatrixView<double> sum) {
  for (std::size_t k = 0; k < part.rows; ++k)
    for (std::size_t j = 0; j < part.cols; ++j) {
      sum(k, j) += double(part(k, j));
      part(k, j) = 0;
    }
}

// The rows of [first, first + rows) that are held out: positions in `held`.
std::pair<std::size_t, std::size_t> held_range(const std::vector<std::uint64_t>& held, std::uint64_t first,
                                               std::uint64_t rows) {
  const auto begin = std::lower_bound(held.begin(), held.end(), first);
  const auto end = std::lower_bound(begin, held.end(), first + rows);
  return {std::size_t(begin - held.begin()), std::size_t(end - held.begin())};
}

}  // namespace

MomentFold::MomentFold(KeptRows rows, TargetCode code)
    : rows_(std::move(rows)),
      code_(std::move(code)),
      rest_(std::vector<double>(code_.columns() + 1,
                                double(rows_.rows) * rows_.weight_bound * std::max(1.0, rows_.bound / rows_.unit)),
            rows_.width + code_.columns() + 1),
      held_(rest_) {}

template <class T>
void MomentFold::add(const Workers& on, const RowBlock<T>& z) {
  require(z.cols == rows_.width, "moments: block has {} columns, expected {}", z.cols, rows_.width);
  require(z.targets != nullptr, "moments: the rows have no targets");
  using C = Computed<T>;
  const std::size_t columns = code_.columns() + 1;
  const std::vector<std::size_t> edges = chunk_edges(z.first, z.rows);
  rest_.prepare(on.threads.count());
  held_.prepare(on.threads.count());
  on.threads.run(edges.size() - 1, [&](std::size_t c, int thread) {
    const std::size_t begin = edges[c], count = edges[c + 1] - begin;
    const auto [held_begin, held_end] = held_range(rows_.held, z.first + begin, count);
    for (const bool held : {false, true}) {
      if (held && held_begin == held_end) break;
      Matrix<double> sum(columns, rows_.width + columns);
      Matrix<C> u(kStripRows, columns), part(columns, rows_.width);
      std::size_t next = held_begin;
      for (std::size_t s = 0; s < count; s += kStripRows) {
        const std::size_t first = begin + s, rows = std::min(kStripRows, count - s);
        for (std::size_t i = 0; i < rows; ++i) {
          const bool is_held = next < held_end && rows_.held[next] == z.first + first + i;
          next += is_held;
          double w = z.weights ? z.weights[first + i] : 1.0;
          if (is_held != held) w = 0;
          for (std::size_t k = 0; k < columns; ++k) {
            const auto coded = [&](std::size_t a) {
              return a + 1 == columns ? 1.0 : code_.encode(z.targets + (first + i) * z.target_count, a);
            };
            const double target = w * coded(k);
            u(i, k) = C(target);
            for (std::size_t a = 0; a < columns; ++a) sum(k, rows_.width + a) += target * coded(a);
          }
        }
        on.ops.add_combined(MatrixView<const T>{z.values + first * z.stride, rows, z.cols, z.stride},
                            MatrixView<const C>{u.data(), rows, columns, columns}, part.view());
        if ((s + kStripRows) % kFloatRows == 0 || s + kStripRows >= count)
          flush(part.view(), {sum.data(), columns, rows_.width, sum.cols()});
      }
      (held ? held_ : rest_).add(thread, sum.view());
    }
  });
}

template void MomentFold::add(const Workers&, const RowBlock<std::int16_t>&);
template void MomentFold::add(const Workers&, const RowBlock<float>&);
template void MomentFold::add(const Workers&, const RowBlock<double>&);

MomentFold::Moments MomentFold::value(bool with_held) const {
  ExactSum sum = rest_;
  if (with_held) sum.merge(held_);
  const Matrix<double> all = sum.value();
  const std::size_t columns = all.rows();
  Moments m{Matrix<double>(rows_.features, columns), Matrix<double>(columns, columns)};
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t j = 0; j < rows_.features; ++j) m.moment(j, k) = all(k, j) * rows_.unit;
    for (std::size_t a = 0; a < columns; ++a) m.target(k, a) = all(k, rows_.width + a);
  }
  return m;
}

void MomentFold::merge(const MomentFold& other) {
  rest_.merge(other.rest_);
  held_.merge(other.held_);
}

void MomentFold::save(Archive& archive) const {
  rest_.save(archive, "rest");
  held_.save(archive, "held");
}

void MomentFold::load(const Archive& archive) {
  rest_.load(archive, "rest");
  held_.load(archive, "held");
}

NormalProduct::NormalProduct(const KeptRows& rows, const std::vector<double>& mean, MatrixView<const double> v,
                             Over over)
    : rows_(rows),
      mean_(mean),
      over_(over),
      columns_(v.cols),
      double_(v.cols, rows.width),
      float_(v.cols, rows.width),
      sum_({}, 0) {
  std::vector<double> most;
  for (std::size_t k = 0; k < columns_; ++k) {
    double squares = 0, offset = 0;
    for (std::size_t j = 0; j < rows.features; ++j) {
      squares += v(j, k) * v(j, k);
      offset += mean[j] * v(j, k);
      double_(k, j) = v(j, k) * rows.unit;
      float_(k, j) = float(double_(k, j));
    }
    offset_.push_back(offset);
    // |(z - m) . v| <= 2 bound sqrt(D) |v|
    most.push_back(double(rows.rows) * rows.weight_bound * 2 * rows.bound * std::sqrt(double(rows.features)) *
                   std::sqrt(squares) * std::max(1.0, rows.bound / rows.unit));
  }
  sum_ = ExactSum(most, rows.width + 1);
  held_ = Matrix<double>(rows.held.size(), columns_);
}

template <>
const Matrix<float>& NormalProduct::directions() const {
  return float_;
}
template <>
const Matrix<double>& NormalProduct::directions() const {
  return double_;
}

template <class T>
void NormalProduct::add(const Workers& on, const RowBlock<T>& z) {
  require(z.cols == rows_.width, "normal product: block has {} columns, expected {}", z.cols, rows_.width);
  const std::vector<std::size_t> edges = chunk_edges(z.first, z.rows);
  sum_.prepare(on.threads.count());
  on.threads.run(edges.size() - 1, [&](std::size_t c, int thread) {
    if (over_ == Over::rest)
      add_chunk(on, z, edges[c], edges[c + 1] - edges[c], thread);
    else
      add_held(on, z, edges[c], edges[c + 1] - edges[c], thread);
  });
}

template <class T>
void NormalProduct::add_chunk(const Workers& on, const RowBlock<T>& z, std::size_t begin, std::size_t count,
                              int thread) {
  using C = Computed<T>;
  const MatrixView<const C> v = directions<C>().view();
  auto [held, held_end] = held_range(rows_.held, z.first + begin, count);
  Matrix<double> sum(columns_, rows_.width + 1);
  Matrix<C> u(kStripRows, columns_), partial(columns_, rows_.width);
  thread_local AlignedVector<float> wide;  // the strip as float: converted once, used twice
  if constexpr (kWidened<T>) wide.resize(kStripRows * rows_.width);
  for (std::size_t s = 0; s < count; s += kStripRows) {
    const std::size_t first = begin + s, rows = std::min(kStripRows, count - s);
    const MatrixView<const T> part{z.values + first * z.stride, rows, z.cols, z.stride};
    const MatrixView<C> projected{u.data(), rows, columns_, columns_};
    const MatrixView<float> strip{wide.data(), rows, z.cols, z.cols};
    if constexpr (kWidened<T>)
      on.ops.project(part, v, projected, strip);  // Z v
    else
      on.ops.project(part, v, projected);
    for (std::size_t i = 0; i < rows; ++i) {
      double w = z.weights ? z.weights[first + i] : 1.0;
      if (held < held_end && rows_.held[held] == z.first + first + i) {
        for (std::size_t k = 0; k < columns_; ++k) held_(held, k) = double(u(i, k)) - offset_[k];
        ++held;
        w = 0;
      }
      for (std::size_t k = 0; k < columns_; ++k) {  // W (Z v - m . v)
        u(i, k) = C(w * (double(u(i, k)) - offset_[k]));
        sum(k, rows_.width) += double(u(i, k));
      }
    }
    if constexpr (kWidened<T>)
      on.ops.add_combined(MatrixView<const C>(strip), MatrixView<const C>(projected), partial.view());
    else
      on.ops.add_combined(part, MatrixView<const C>(projected), partial.view());
    if ((s + kStripRows) % kFloatRows == 0 || s + kStripRows >= count)
      flush(partial.view(), {sum.data(), columns_, rows_.width, sum.cols()});
  }
  sum_.add(thread, sum.view());
}

// The same for a few rows here and there.
template <class T>
void NormalProduct::add_held(const Workers& on, const RowBlock<T>& z, std::size_t begin, std::size_t count,
                             int thread) {
  using C = Computed<T>;
  const auto [held, held_end] = held_range(rows_.held, z.first + begin, count);
  if (held == held_end) return;
  Matrix<double> sum(columns_, rows_.width + 1);
  Matrix<C> u(1, columns_), partial(columns_, rows_.width);
  for (std::size_t h = held; h < held_end; ++h) {
    const std::size_t i = rows_.held[h] - z.first;
    const MatrixView<const T> row{z.values + i * z.stride, 1, z.cols, z.stride};
    on.ops.project(row, directions<C>().view(), u.view());
    for (std::size_t k = 0; k < columns_; ++k) {
      held_(h, k) = double(u(0, k)) - offset_[k];
      u(0, k) = C((z.weights ? z.weights[i] : 1.0) * held_(h, k));
      sum(k, rows_.width) += double(u(0, k));
    }
    on.ops.add_combined(row, MatrixView<const C>(u.view()), partial.view());
    if ((h + 1 - held) % kFloatRows == 0 || h + 1 == held_end)
      flush(partial.view(), {sum.data(), columns_, rows_.width, sum.cols()});
  }
  sum_.add(thread, sum.view());
}

template void NormalProduct::add(const Workers&, const RowBlock<std::int16_t>&);
template void NormalProduct::add(const Workers&, const RowBlock<float>&);
template void NormalProduct::add(const Workers&, const RowBlock<double>&);

// A held row has been added to one of the parts; in the other its products are 0.
void NormalProduct::merge(const NormalProduct& other) {
  require(held_.rows() == other.held_.rows() && held_.cols() == other.held_.cols(),
          "products: the parts hold out other rows");
  sum_.merge(other.sum_);
  for (std::size_t i = 0; i < held_.rows() * held_.cols(); ++i) held_.data()[i] += other.held_.data()[i];
}

void NormalProduct::save(Archive& archive) const {
  sum_.save(archive, "sum");
  archive.put(std::string("held"), std::span(held_.data(), held_.rows() * held_.cols()), {held_.rows(), held_.cols()});
}

void NormalProduct::load(const Archive& archive) {
  sum_.load(archive, "sum");
  archive.get_into("held", {held_.rows(), held_.cols()}, std::span(held_.data(), held_.rows() * held_.cols()));
}

Matrix<double> NormalProduct::value() const {
  const Matrix<double> sum = sum_.value();
  Matrix<double> product(rows_.features, columns_);
  for (std::size_t k = 0; k < columns_; ++k)
    for (std::size_t j = 0; j < rows_.features; ++j)
      product(j, k) = sum(k, j) * rows_.unit - mean_[j] * sum(k, rows_.width);
  return product;
}

}  // namespace bochner
