// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "c_api/guard.h"

using namespace bochner;
using namespace bochner::c_api;

namespace {

const Predictor& predictor_of(const bochner_model* model) {
  require_given(model, "model");
  return model->predictor;
}

// The rows that lie in an array of `size` elements. name: of its size, for the message.
std::size_t rows_in(std::size_t size, std::size_t width, const char* name) {
  require(width > 0 && size % width == 0, "{}: found {}, expected a multiple of {}, which is a row", name, size, width);
  return size / width;
}

template <class T>
MatrixView<T> matrix(T* values, std::size_t rows, std::size_t cols, const char* name) {
  if (rows > 0) require_given(values, name);
  return {values, rows, cols, cols};
}

// The array for one row of `width` elements each.
template <class T>
MatrixView<T> results(T* values, std::size_t size, std::size_t rows, std::size_t width, const char* name) {
  require(size / width == rows && size % width == 0, "{}: found {}, expected {} rows of {}", name, size, rows, width);
  return matrix(values, rows, width, name);
}

template <class T>
void predict_numbers(const Predictor& predictor, const T* rows, std::size_t rows_size, double* out,
                     std::size_t out_size) {
  const std::size_t count = rows_in(rows_size, predictor.inputs(), "rows_size");
  const MatrixView<double> to = results(out, out_size, count, predictor.outputs(), "out_size");
  if (count > 0) predictor.predict(matrix(rows, count, predictor.inputs(), "rows"), to);
}

void predict_texts(const Predictor& predictor, const bochner_table& table, MatrixView<double> out) {
  if (table.columns > 0) require_given(table.names, "names");
  if (table.columns > 0 && table.rows > 0) require_given(table.cells, "cells");
  NamedCells row(table.columns);
  for (std::size_t c = 0; c < table.columns; ++c) {
    require_given(table.names[c], "names");
    row[c].first = table.names[c];
  }
  for (std::size_t i = 0; i < table.rows; ++i) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      const char* const cell = table.cells[i * table.columns + c];
      row[c].second = cell ? cell : "";
    }
    try {
      predictor.predict(row, {out.row(i), out.cols});
    } catch (const Error& error) {
      if (table.rows == 1) throw;
      fail(error.kind(), "row {}: {}", i, error.what());
    }
  }
}

}  // namespace

std::int32_t bochner_predict(const bochner_model* model, const double* rows, std::size_t rows_size, double* out,
                             std::size_t out_size, bochner_error* error) {
  return guarded(error, [&] { predict_numbers(predictor_of(model), rows, rows_size, out, out_size); });
}

std::int32_t bochner_predict_float(const bochner_model* model, const float* rows, std::size_t rows_size, double* out,
                                   std::size_t out_size, bochner_error* error) {
  return guarded(error, [&] { predict_numbers(predictor_of(model), rows, rows_size, out, out_size); });
}

std::int32_t bochner_predict_cells(const bochner_model* model, const bochner_table* table, double* out,
                                   std::size_t out_size, bochner_error* error) {
  return guarded(error, [&] {
    const Predictor& predictor = predictor_of(model);
    require_given(table, "table");
    predict_texts(predictor, *table, results(out, out_size, table->rows, predictor.outputs(), "out_size"));
  });
}

std::int32_t bochner_classes_of(const bochner_model* model, const double* predictions, std::size_t predictions_size,
                                std::size_t* class_numbers, std::size_t classes_size, bochner_error* error) {
  return guarded(error, [&] {
    const Model& of = predictor_of(model).model();
    require(of.puts_out().of_classes(), "classes: the model puts out {}, expected one that puts out classes",
            outputs_name(of.puts_out().kind));
    const std::size_t rows = rows_in(predictions_size, of.outputs(), "predictions_size");
    const auto from = matrix(predictions, rows, of.outputs(), "predictions");
    const auto to = results(class_numbers, classes_size, rows, 1, "classes_size");
    for (std::size_t i = 0; i < rows; ++i) to(i, 0) = std::size_t(&of.label(from.row(i)) - of.schema().labels.data());
  });
}

std::int32_t bochner_probabilities(const bochner_model* model, const double* predictions, std::size_t predictions_size,
                                   double* out, std::size_t out_size, bochner_error* error) {
  return guarded(error, [&] {
    const Model& of = predictor_of(model).model();
    require(bochner_has_probabilities(model),
            "probabilities: the model has none; train it calibrated, or by the automatic machine");
    const std::size_t rows = rows_in(predictions_size, of.outputs(), "predictions_size");
    const auto from = matrix(predictions, rows, of.outputs(), "predictions");
    const auto to = results(out, out_size, rows, of.schema().labels.size(), "out_size");
    for (std::size_t i = 0; i < rows; ++i) of.probabilities(from.row(i), to.row(i));
  });
}
