// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// One row through a Predictor (scaling, Fourier features, head) against its bare matrix-vector product and cosines:
// the backend's operation alone, the same with the head's product behind it, and sgemv with the cosines of the C
// library.
// bench_row [--quick]

#include <cblas.h>
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "backend/backend.h"
#include "bochner/predictor.h"
#include "maps/fourier.h"
#include "timing.h"

namespace {

using namespace bochner;

constexpr std::size_t kInputs = 54, kRows = 64;

Model model_of(const MapPtr& map, std::size_t outputs) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  Matrix<double> weights(map->outputs(), outputs);
  for (std::size_t i = 0; i < map->outputs() * outputs; ++i) weights.data()[i] = normal(generator);
  ColumnScaling column{.method = ColumnScaling::Method::standardize, .center = 0.1, .factor = 0.9};
  Schema schema;
  schema.inputs = kInputs;
  schema.targets = outputs;
  return Model(schema, {scaling(std::vector<ColumnScaling>(kInputs, column)), map}, linear(weights, {}), {});
}

void compare(const FourierOptions& options, std::size_t outputs, bool quick) {
  const auto map = std::make_shared<FourierMap>(kInputs, options);
  const Predictor predictor(model_of(map, outputs));
  std::mt19937 generator(2);
  std::normal_distribution<float> normal;
  Matrix<float> x(kRows, kInputs);
  for (std::size_t i = 0; i < kRows * kInputs; ++i) x.data()[i] = normal(generator);
  const std::size_t D = map->outputs(), F = map->frequencies();
  const FourierWeights<float>& w = map->weights<float>();
  std::vector<float> W(F * kInputs), z(D), angles(F), scores(outputs);
  Matrix<float> head(D, outputs);
  for (float& value : W) value = normal(generator);
  for (std::size_t i = 0; i < D * outputs; ++i) head.data()[i] = normal(generator);
  std::vector<double> out(outputs);

  const auto each_row = [&](auto&& work) -> std::function<void()> {
    return [&x, work] {
      for (std::size_t i = 0; i < kRows; ++i) work(&x(i, 0));
    };
  };
  const MatrixView<float> features{z.data(), 1, D, D};
  const auto map_row = [&](const float* row) {
    cpu_backend().fourier(RowBlock<float>::dense({row, 1, kInputs, kInputs}), w, features);
  };
  const auto operation = each_row(map_row);
  const auto products = each_row([&](const float* row) {
    map_row(row);
    cpu_backend().multiply({z.data(), 1, D, D}, head.view(), 0.0f, {scores.data(), 1, outputs, outputs});
  });
  const auto library = each_row([&](const float* row) {
    cblas_sgemv(CblasRowMajor, CblasNoTrans, int(F), int(kInputs), 1, W.data(), int(kInputs), row, 1, 0, angles.data(),
                1);
    for (std::size_t f = 0; f < F; ++f) z[f] = std::cos(angles[f]);
    for (std::size_t f = F; f < D; ++f) z[f] = std::sin(angles[f - F]);
  });
  const auto predict = each_row([&](const float* row) { predictor.predict({row, kInputs}, out); });
  const auto t = bench::least({operation, products, library, predict}, quick ? 2 : 1000);
  const double us = 1e6 / double(kRows);
  fmt::print("{:8} {:6} {:8} {:10.2f} {:10.2f} {:10.2f} {:10.2f} {:9.2f} {:9.2f} {:9.2f}\n",
             options.form == FourierOptions::Form::cossin ? "cos/sin" : "shifted", D, outputs, us * t[0], us * t[1],
             us * t[2], us * t[3], t[3] / t[0], t[3] / t[1], t[3] / t[2]);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::flag(argc, argv, "--quick");
  fmt::print("one row of {} inputs, one thread                  microseconds                      predictor /\n",
             kInputs);
  fmt::print("form          D  outputs  operation   and head      sgemv  predictor operation  and head     sgemv\n");
  for (const auto form : {FourierOptions::Form::cossin, FourierOptions::Form::shifted})
    for (const std::size_t outputs : {1, 7}) compare({.features = 1000, .form = form}, outputs, quick);
}
