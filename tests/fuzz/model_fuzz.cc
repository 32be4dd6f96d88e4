// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Model files: what loads must describe itself, predict and be saved without harm.

#include "bochner/hmm.h"
#include "bochner/mixture.h"
#include "bochner/model.h"
#include "bochner/rows.h"
#include "fuzzing.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const std::string path = fuzzing::scratch("model"), again = fuzzing::scratch("again"),
                           table = fuzzing::scratch("table.csv");
  static const bool made = [] {
    static constexpr char kTable[] = "a,b,c\n1,2,x\n3,4,y\n";
    fuzzing::put_file(table, {reinterpret_cast<const std::uint8_t*>(kTable), sizeof kTable - 1});
    return true;
  }();
  static_cast<void>(made);
  fuzzing::put_file(path, input);
  fuzzing::guarded([&] {
    const Model model = Model::load(path);
    model.description();
    model.report().text();
    const std::size_t inputs = model.schema().inputs;
    if (inputs > 4096) return;
    Matrix<float> x(3, inputs);
    for (std::size_t i = 0; i < 3 * inputs; ++i) x.data()[i] = float(i % 7) - 2;
    x(1, 0) = 1e30f;
    const Matrix<double> scores = model.predict(MatrixView<const float>(x.view()));
    if (model.schema().task == Task::classification)
      for (std::size_t i = 0; i < scores.rows(); ++i) model.label(&scores(i, 0));
    if (model.has_probabilities()) model.probabilities(&scores(0, 0));
    model.predict(MatrixView<const double>(Matrix<double>(2, inputs).view()));
    fuzzing::guarded([&] {
      const auto rows = open_rows(table, model.schema(), {.threads = 1, .target_required = false});
      model.predict(*rows, {.threads = 1});
      if (model.has_deviation()) model.predict_with_deviation(*rows, {.threads = 1});
    });
    if (const MapPtr density = log_density(model.head())) density->spec();
    fuzzing::guarded([&] {
      const auto rows = open_rows(table, model.schema(), {.threads = 1, .target_required = false});
      predict_sequences(model, *rows, {0, 1}, {.threads = 1});
    });
    model.save(again);
    Model::load(again);
  });
}

const fuzzing::Target target{"model", run, 0};

}  // namespace
