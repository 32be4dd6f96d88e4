// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Predictor predictor(Model::load("cars.model"));
//   std::vector<double> inputs(predictor.inputs()), prediction(predictor.outputs());
//   predictor.predict(inputs, prediction);                             // a row of numbers
//   predictor.predict({{"age", "7"}, {"maker", "Fiat"}}, prediction);  // a row of named cells

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bochner/encoder.h"
#include "bochner/matrix.h"
#include "bochner/model.h"

namespace bochner {

// A model that answers one row, or a few, at a time: for services. It starts no threads. Once a thread has made its
// first call, predict() of numbers allocates nothing. The numbers are those of Model::predict, to the bit.
//
// Thread-safe: any number of threads may call one Predictor at the same time.
class Predictor {
 public:
  explicit Predictor(Model model);

  const Model& model() const { return model_; }
  std::size_t inputs() const { return model_.schema().inputs; }
  std::size_t outputs() const { return model_.outputs(); }

  // The inputs of a row, dense, as encode() and memory_rows take them, to its outputs. Sizes other than inputs() and
  // outputs() throw std::invalid_argument; a prediction that is not finite throws Error::Kind::data.
  void predict(std::span<const float> row, std::span<double> out) const;
  void predict(std::span<const double> row, std::span<double> out) const;
  // The same for some rows: out is rows x outputs().
  void predict(MatrixView<const float> rows, MatrixView<double> out) const;
  void predict(MatrixView<const double> rows, MatrixView<double> out) const;
  // A row of named cells, as a line of a CSV file would be read. What is wrong with a cell throws Error::Kind::data.
  // This allocates.
  void predict(const NamedCells& cells, std::span<double> out) const;

 private:
  template <class T, class Row>
  void apply_as(MatrixView<const Row> rows, MatrixView<double> out) const;
  template <class Row>
  void apply_any(MatrixView<const Row> rows, MatrixView<double> out) const;
  template <class Row>
  void predict_any(MatrixView<const Row> rows, MatrixView<double> out) const;

  Model model_;
  Encoder encoder_;
};

}  // namespace bochner
