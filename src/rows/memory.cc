// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/memory.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/aligned.h"
#include "base/require.h"
#include "bochner/rows.h"
#include "rows/beyond_float.h"
#include "rows/class_target.h"
#include "rows/in_memory.h"
#include "rows/row_buffer.h"
#include "rows/shifted.h"
#include "rows/streamed_rows.h"

namespace bochner {

namespace {

// Rows that lie in memory as T. Blocks of T are views; blocks of the other type are converted, one at a time.
template <class T>
class MemoryRows : public Rows, public InMemory {
 public:
  MemoryRows(const RowBlock<T>& all, Schema schema) : all_(all), schema_(std::move(schema)) {}
  MemoryRows(RowBuffer<T>&& owned, Schema schema, std::size_t first_row = 0)
      : owned_(std::move(owned)), schema_(std::move(schema)) {
    all_ = owned_.view(0, owned_.rows, first_row);
  }

  const Schema& schema() const override { return schema_; }
  void rewind() override { first_ = 0; }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block); }
  std::optional<std::size_t> size() const override { return all_.rows; }
  double fraction_read() const override { return all_.rows ? double(first_) / double(all_.rows) : 1; }
  std::size_t memory_bytes(std::size_t element_bytes) const override {
    const std::size_t per_row = sizeof(double) * (all_.target_count + (all_.weights ? 1 : 0));
    if (!all_.sparse()) return all_.rows * (all_.cols * element_bytes + per_row);
    return all_.rows * (per_row + sizeof(std::size_t)) +
           (all_.offsets[all_.rows] - all_.offsets[0]) * (element_bytes + sizeof(std::uint32_t));
  }
  std::size_t first_row() const override { return all_.first; }
  bool seek(std::size_t row) override {
    first_ = std::min(row - all_.first, all_.rows);
    return true;
  }

 private:
  template <class U>
  bool serve(std::size_t max_rows, RowBlock<U>& block) {
    require(max_rows > 0, "rows: a block of 0 rows was asked for, expected at least 1");
    const RowBlock<T> part = all_.slice(first_, std::min(max_rows, all_.rows - first_));
    if constexpr (std::is_same_v<T, U>)
      block = part;
    else
      block = convert(part, std::type_identity<U>{});
    first_ += part.rows;
    return part.rows > 0;
  }

  template <class U>
  RowBlock<U> convert(const RowBlock<T>& part, std::type_identity<U>) {
    RowBlock<U> block = part.with_values(MatrixView<const U>{nullptr, part.rows, part.cols, part.cols});
    if (part.sparse()) {
      const std::size_t begin = part.offsets[0], end = part.offsets[part.rows];
      offsets_.assign(part.offsets, part.offsets + part.rows + 1);
      for (std::size_t& offset : offsets_) offset -= begin;
      block.offsets = offsets_.data();
      block.columns = part.columns + begin;
      converted_.resize(end - begin);
      std::transform(part.values + begin, part.values + end, converted_.data(), [](T v) { return U(v); });
    } else {
      converted_.resize(part.rows * part.cols);
      for (std::size_t i = 0; i < part.rows; ++i)
        std::transform(part.values + i * part.stride, part.values + i * part.stride + part.cols,
                       converted_.data() + i * part.cols, [](T v) { return U(v); });
    }
    block.values = converted_.data();
    check_within_float("rows", schema_, block, [&](std::size_t k) {
      return part.sparse() ? part.values[part.offsets[0] + k]
                           : part.values[k / part.cols * part.stride + k % part.cols];
    });
    return block;
  }

  using Other = std::conditional_t<std::is_same_v<T, float>, double, float>;

  RowBuffer<T> owned_;
  RowBlock<T> all_;
  Schema schema_;
  std::size_t first_ = 0;
  AlignedVector<Other> converted_;
  std::vector<std::size_t> offsets_;
};

// What a schema with offsets is given does not lack them yet.
template <class T>
std::unique_ptr<Rows> made_rows(const RowBlock<T>& all, Schema schema) {
  const std::vector<double> offsets = std::exchange(schema.offsets, {});
  auto rows = std::make_unique<MemoryRows<T>>(all, std::move(schema));
  if (offsets.empty()) return rows;
  return shifted_rows(std::move(rows), offsets);
}

}  // namespace

template <class T>
std::unique_ptr<Rows> memory_rows(MatrixView<const T> x, MatrixView<const double> targets, const Schema& schema,
                                  const double* weights) {
  require(x.cols == schema.inputs, "memory rows: {} columns, the schema has {} inputs", x.cols, schema.inputs);
  require(x.stride >= x.cols, "memory rows: stride {} is less than the {} columns", x.stride, x.cols);
  require(targets.data == nullptr || targets.rows == x.rows, "memory rows: {} rows and {} targets, expected as many",
          x.rows, targets.rows);
  require(targets.data == nullptr || targets.stride == targets.cols,
          "memory rows: targets have stride {} and {} columns, expected them without gaps", targets.stride,
          targets.cols);
  check_class_targets(targets.data, x.rows, targets.cols, schema);
  RowBlock<T> all = RowBlock<T>::dense(x);
  all.targets = targets.data;
  all.target_count = targets.data ? targets.cols : 0;
  all.weights = weights;
  Schema own = schema;
  own.sparse = false;
  own.targets = all.target_count;
  return made_rows(all, std::move(own));
}

template <class T>
std::unique_ptr<Rows> memory_rows(const RowBlock<T>& all, const Schema& schema) {
  require(all.cols == schema.inputs, "memory rows: {} columns, the schema has {} inputs", all.cols, schema.inputs);
  if (all.sparse()) {
    for (std::size_t i = 0; i < all.rows; ++i) {
      require(all.offsets[i] <= all.offsets[i + 1], "memory rows: the offset of row {} descends", i + 1);
      for (std::size_t k = all.offsets[i]; k < all.offsets[i + 1]; ++k) {
        require(all.columns[k] < all.cols, "memory rows: row {} has column {}, expected less than {}", i,
                all.columns[k], all.cols);
        require(k == all.offsets[i] || all.columns[k - 1] < all.columns[k],
                "memory rows: the columns of row {} do not ascend; sort them and sum duplicates", i);
      }
    }
  }
  check_class_targets(all.targets, all.rows, all.target_count, schema);
  Schema own = schema;
  own.sparse = all.sparse();
  own.targets = all.targets ? all.target_count : 0;
  RowBlock<T> block = all;
  block.first = 0;
  if (!block.targets) block.target_count = 0;
  return made_rows(block, std::move(own));
}

namespace {

// The exact room where the number of rows is known: growing would need half as much again.
template <class T>
void reserve_for(const Rows& rows, RowBuffer<T>& all) {
  const auto n = rows.size();
  if (!n) return;
  const std::size_t values = (rows.memory_bytes(8) - rows.memory_bytes(4)) / 4;
  all.values.reserve(values);
  use_large_pages(all.values.data(), values * sizeof(T));
  if (all.sparse) {
    all.offsets.reserve(*n + 1);
    all.columns.reserve(values);
  }
  all.targets.reserve(*n * all.target_count);
  if (all.weighted) all.weights.reserve(*n);
}

}  // namespace

template <class T>
std::unique_ptr<Rows> cached_rows(Rows& rows) {
  constexpr std::size_t kBlock = 4096;
  const Schema& schema = rows.schema();
  if (auto* streamed = dynamic_cast<StreamedRows*>(&rows)) {
    RowBuffer<T> all = streamed->empty_buffer<T>();
    reserve_for(rows, all);
    streamed->read_all(all);
    return std::make_unique<MemoryRows<T>>(std::move(all), schema);
  }
  RowBuffer<T> all;
  all.cols = schema.inputs;
  rows.rewind();
  RowBlock<T> block;
  while (rows.next(kBlock, block)) {
    if (all.rows == 0) {
      all.target_count = block.target_count;
      all.weighted = block.weights != nullptr;
      all.sparse = block.sparse();
      reserve_for(rows, all);
    }
    all.append(block);
  }
  rows.rewind();
  return std::make_unique<MemoryRows<T>>(std::move(all), schema, rows.first_row());
}

template std::unique_ptr<Rows> memory_rows(MatrixView<const float>, MatrixView<const double>, const Schema&,
                                           const double*);
template std::unique_ptr<Rows> memory_rows(MatrixView<const double>, MatrixView<const double>, const Schema&,
                                           const double*);
template std::unique_ptr<Rows> memory_rows(const RowBlock<float>&, const Schema&);
template std::unique_ptr<Rows> memory_rows(const RowBlock<double>&, const Schema&);
template std::unique_ptr<Rows> cached_rows<float>(Rows&);
template std::unique_ptr<Rows> cached_rows<double>(Rows&);

}  // namespace bochner
