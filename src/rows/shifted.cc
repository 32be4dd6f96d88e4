// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/shifted.h"

#include "base/aligned.h"
#include "base/require.h"
#include "rows/beyond_float.h"
#include "rows/file_rows.h"
#include "rows/rows_over.h"

namespace bochner {

namespace {

class ShiftedRows final : public RowsOver {
 public:
  ShiftedRows(Rows& rows, std::unique_ptr<Rows> owned, std::vector<double> subtract, std::vector<double> in_all)
      : RowsOver(rows), owned_(std::move(owned)), subtract_(std::move(subtract)), schema_(rows.schema()) {
    require(subtract_.size() == schema_.inputs, "rows: found {} offsets for {} inputs", subtract_.size(),
            schema_.inputs);
    if (schema_.sparse)
      fail(Error::Kind::data,
           "rows: found sparse rows, the model subtracts an offset from its inputs, which would fill their zeros; use "
           "CSV or .npy");
    schema_.offsets = std::move(in_all);
  }

  const Schema& schema() const override { return schema_; }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block, float_); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block, double_); }

 private:
  template <class T>
  bool serve(std::size_t max_rows, RowBlock<T>& block, AlignedVector<T>& values) {
    RowBlock<double> raw;
    if (!rows_.next(max_rows, raw)) return false;
    values.resize(raw.rows * raw.cols);
    for (std::size_t i = 0; i < raw.rows; ++i) {
      const double* const from = raw.values + i * raw.stride;
      T* const to = values.data() + i * raw.cols;
      for (std::size_t j = 0; j < raw.cols; ++j) to[j] = T(from[j] - subtract_[j]);
    }
    block = raw.with_values(MatrixView<const T>{values.data(), raw.rows, raw.cols, raw.cols});
    check_within_float(source_of(rows_), schema_, block,
                       [&](std::size_t k) { return raw.values[k / raw.cols * raw.stride + k % raw.cols]; });
    return true;
  }

  std::unique_ptr<Rows> owned_;
  std::vector<double> subtract_;
  Schema schema_;
  AlignedVector<float> float_;
  AlignedVector<double> double_;
};

class TargetShiftedRows final : public RowsOver {
 public:
  TargetShiftedRows(Rows& rows, std::vector<double> offsets) : RowsOver(rows), offsets_(std::move(offsets)) {
    require(offsets_.size() == rows.schema().targets, "rows: found {} offsets for {} targets", offsets_.size(),
            rows.schema().targets);
  }

  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block); }

 private:
  template <class T>
  bool serve(std::size_t max_rows, RowBlock<T>& block) {
    if (!rows_.next(max_rows, block)) return false;
    const std::size_t count = offsets_.size();
    targets_.resize(block.rows * count);
    for (std::size_t i = 0; i < targets_.size(); ++i) targets_[i] = block.targets[i] - offsets_[i % count];
    block.targets = targets_.data();
    return true;
  }

  std::vector<double> offsets_, targets_;
};

}  // namespace

Rows& with_target_offsets(Rows& rows, const std::vector<double>& offsets, std::unique_ptr<Rows>& owner) {
  if (offsets.empty()) return rows;
  owner = std::make_unique<TargetShiftedRows>(rows, offsets);
  return *owner;
}

std::unique_ptr<Rows> shifted_rows(std::unique_ptr<Rows> rows, const std::vector<double>& offsets) {
  Rows& inner = *rows;
  return std::make_unique<ShiftedRows>(inner, std::move(rows), offsets, offsets);
}

Rows& with_offsets(Rows& rows, const std::vector<double>& offsets, std::unique_ptr<Rows>& owner) {
  const std::vector<double>& done = rows.schema().offsets;
  if (done == offsets) return rows;
  std::vector<double> rest = offsets;
  rest.resize(rows.schema().inputs);
  for (std::size_t j = 0; j < done.size() && j < rest.size(); ++j) rest[j] -= done[j];
  owner = std::make_unique<ShiftedRows>(rows, nullptr, std::move(rest), offsets);
  return *owner;
}

}  // namespace bochner
