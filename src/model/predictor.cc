// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/predictor.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "backend/backend.h"
#include "base/lease.h"
#include "base/require.h"
#include "model/predictions.h"
#include "rows/beyond_float.h"
#include "run/host.h"

namespace bochner {

// Maps draw their weights when they are first applied: that is done here, so that no request waits for it.
Predictor::Predictor(Model model) : model_(std::move(model)), encoder_(model_.schema()) {
  const std::vector<double> zeros(inputs());
  std::vector<double> out(outputs());
  apply_any<double>({zeros.data(), 1, zeros.size(), zeros.size()}, {out.data(), 1, out.size(), out.size()});
}

// T: what the model computes in. Rows are what memory_rows would give the maps.
template <class T, class Row>
void Predictor::apply_as(MatrixView<const Row> rows, MatrixView<double> out) const {
  const std::vector<double>& offsets = model_.schema().offsets;
  const std::size_t d = inputs(), k = outputs(), most = model_.map()->rows_at_once();
  const bool as_they_are = std::is_same_v<T, Row> && offsets.empty();
  const Lease<T> converted(as_they_are ? 0 : std::min(most, rows.rows) * d), values(std::min(most, rows.rows) * k);
  for (std::size_t begin = 0; begin < rows.rows; begin += most) {
    auto block = RowBlock<T>::dense({converted.data(), std::min(most, rows.rows - begin), d, d}, begin);
    if constexpr (std::is_same_v<T, Row>) {
      if (as_they_are) {
        block.values = rows.row(begin);
        block.stride = rows.stride;
      }
    }
    for (std::size_t i = 0; i < block.rows && !as_they_are; ++i)
      for (std::size_t j = 0; j < d; ++j)
        converted.data()[i * d + j] =
            offsets.empty() ? T(rows(begin + i, j)) : T(double(rows(begin + i, j)) - offsets[j]);
    if (!as_they_are)
      check_within_float("predict", model_.schema(), block, [&](std::size_t k) { return rows(begin + k / d, k % d); });
    model_.map()->apply(host_backend(), block, {values.data(), block.rows, k, k});
    for (std::size_t i = 0; i < block.rows; ++i) std::copy_n(values.data() + i * k, k, out.row(begin + i));
  }
  add_offsets(model_.target_offsets(), out);
}

template <class Row>
void Predictor::apply_any(MatrixView<const Row> rows, MatrixView<double> out) const {
  if (model_.double_precision())
    apply_as<double>(rows, out);
  else
    apply_as<float>(rows, out);
}

template <class Row>
void Predictor::predict_any(MatrixView<const Row> rows, MatrixView<double> out) const {
  require(rows.cols == inputs() && out.cols == outputs() && out.rows == rows.rows,
          "predict: {} rows of {} numbers to {} rows of {}, expected {} inputs and {} outputs", rows.rows, rows.cols,
          out.rows, out.cols, inputs(), outputs());
  check_numbers(model_.schema(), rows);
  apply_any(rows, out);
  check_finite(out, 0);
}

namespace {

template <class T>
MatrixView<T> one_row(std::span<T> row) {
  return {row.data(), 1, row.size(), row.size()};
}

}  // namespace

void Predictor::predict(std::span<const float> row, std::span<double> out) const {
  predict_any(one_row(row), one_row(out));
}
void Predictor::predict(std::span<const double> row, std::span<double> out) const {
  predict_any(one_row(row), one_row(out));
}
void Predictor::predict(MatrixView<const float> rows, MatrixView<double> out) const { predict_any(rows, out); }
void Predictor::predict(MatrixView<const double> rows, MatrixView<double> out) const { predict_any(rows, out); }

// Cells are read as a file of them would be: in double where the model computes in it or subtracts offsets.
void Predictor::predict(const NamedCells& cells, std::span<double> out) const {
  const auto predict_read = [&]<class T>(T) {
    const Lease<T> row(inputs());
    const std::span<T> read(row.data(), inputs());
    encoder_.encode(cells, read);
    predict(std::span<const T>(read), out);
  };
  if (model_.double_precision() || !model_.schema().offsets.empty())
    predict_read(double());
  else
    predict_read(float());
}

}  // namespace bochner
