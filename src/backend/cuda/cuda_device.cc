// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <optional>
#include <vector>

#include "backend/cuda/plugin.h"
#include "backend/fourier_weights.h"
#include "base/cuda.h"
#include "base/plugin.h"
#include "base/require.h"
#include "bochner/map.h"

namespace bochner {

namespace {

constexpr const char* kLibrary = "libbochner_cuda.so";

void must(const BochnerCuda& cuda, int done) {
  if (!done) fail(Error::Kind::io, "device cuda: {}; use the device cpu", cuda.error());
}

class CudaSums final : public DeviceSums {
 public:
  CudaSums(const BochnerCuda& cuda, const FourierWeights<float>& w, std::size_t columns, float per_unit)
      : cuda_(cuda), inputs_(w.inputs), columns_(columns) {
    const BochnerCudaFourier map{w.inputs, w.frequencies, w.panels.data(), w.phase.empty() ? nullptr : w.phase.data(),
                                 w.scale,  w.largest};
    must(cuda_, cuda_.gram_new(&map, columns, per_unit, &gram_));
  }
  ~CudaSums() override { cuda_.gram_delete(gram_); }
  CudaSums(const CudaSums&) = delete;
  CudaSums& operator=(const CudaSums&) = delete;

  bool add(const RowBlock<float>& x, const float* roots, MatrixView<const float> columns) override {
    if (x.sparse()) return false;
    require(x.cols == inputs_ && columns.rows == x.rows && columns.cols == columns_ && columns.stride == columns_,
            "device cuda: found rows of {} inputs and {} columns, expected {} and {}", x.cols, columns.cols, inputs_,
            columns_);
    must(cuda_, cuda_.gram_add(gram_, x.values, x.stride, x.rows, roots, columns.data));
    return true;
  }
  void take(std::size_t first, MatrixView<std::int64_t> sums) override {
    require(sums.stride == sums.cols, "device cuda: found a part of a matrix, expected a whole one");
    must(cuda_, cuda_.gram_take(gram_, first, sums.rows, sums.cols, sums.data));
  }

 private:
  const BochnerCuda& cuda_;
  void* gram_ = nullptr;
  std::size_t inputs_, columns_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const BochnerCuda& cuda, std::string description) : cuda_(cuda), description_(std::move(description)) {}

  std::string description() const override { return description_; }
  std::unique_ptr<DeviceSums> sums(const Map& map, std::size_t columns, float per_unit) const override {
    const FourierWeights<float>* const weights = map.fourier_weights();
    return weights ? std::make_unique<CudaSums>(cuda_, *weights, columns, per_unit) : nullptr;
  }

 private:
  const BochnerCuda& cuda_;
  std::string description_;
};

struct Opened {
  std::optional<CudaDevice> device;
  std::string why;
};

Opened open() {
  void* const library = open_plugin(kLibrary, "BOCHNER_CUDA_LIBRARY");
  if (!library) return {std::nullopt, fmt::format("{} was not found beside the program", kLibrary)};
  using Entry = const BochnerCuda* (*)();
  const auto entry = reinterpret_cast<Entry>(plugin_function(library, "bochner_cuda"));
  const BochnerCuda* const cuda = entry ? entry() : nullptr;
  if (!cuda || cuda->version != kBochnerCudaVersion)
    return {std::nullopt, fmt::format("{} is of another version", kLibrary)};
  char text[256] = {};
  if (!cuda->describe(text, sizeof text)) return {std::nullopt, cuda->error()};
  return {CudaDevice(*cuda, text), {}};
}

}  // namespace

const Device* cuda_device(std::string& why) {
  static const Opened opened = open();
  why = opened.why;
  return opened.device ? &*opened.device : nullptr;
}

}  // namespace bochner
