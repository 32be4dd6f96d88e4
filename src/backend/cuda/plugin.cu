// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// libbochner_cuda.so: the exact sums of GramFold on an NVIDIA GPU, to the processor's bits.

#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/cuda/plugin.h"
#include "backend/cuda/products_mma.cuh"
#include "backend/cuda/products_wgmma.cuh"

namespace bochner::cuda {
namespace {

thread_local std::string last_error;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // it would come again
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <class Work>
int guarded(const Work& work) {
  try {
    work();
    return 1;
  } catch (const std::exception& error) {
    last_error = error.what();
    return 0;
  }
}

// Memory of the device, or of the host where the device can copy from.
template <class T>
class Room {
 public:
  Room() = default;
  Room(std::size_t size, bool on_host = false) : on_host_(on_host) {
    void* p = nullptr;
    if (size > 0) check(on_host ? cudaMallocHost(&p, size * sizeof(T)) : cudaMalloc(&p, size * sizeof(T)), "memory");
    data_ = static_cast<T*>(p);
  }
  Room(Room&& other) noexcept : data_(std::exchange(other.data_, nullptr)), on_host_(other.on_host_) {}
  Room& operator=(Room&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(on_host_, other.on_host_);
    return *this;
  }
  ~Room() {
    if (data_) on_host_ ? cudaFreeHost(data_) : cudaFree(data_);
  }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  bool on_host_ = false;
};

constexpr std::size_t kPieceRows = 16384;
constexpr std::size_t kMostTogether = 65536;  // rows whose products are one launch
constexpr std::size_t kTakenRows = 96;        // rows of the sums that are asked for at a time, as a rule
static_assert(kMostTogether <= kMostDepth && kPieceRows % kBrick == 0);

// Rows on their way: copied to where the device takes them from while it works on those before. Sums come back there
// too, so that no other memory of the host must be pinned, which takes milliseconds.
struct Slot {
  Room<long long> host, device;
  std::size_t size = 0;
  cudaEvent_t taken = nullptr;

  void make_room(std::size_t wanted) {
    if (wanted <= size) return;
    host = Room<long long>(wanted, true);
    device = Room<long long>(wanted);
    size = wanted;
  }
};

class Gram {
 public:
  Gram(const BochnerCudaFourier& map, std::size_t columns, float per_unit)
      : inputs_(map.inputs),
        outputs_(map.phase ? map.frequencies : 2 * map.frequencies),
        columns_(columns),
        features_((outputs_ + columns + kTile - 1) / kTile * kTile),
        per_unit_(per_unit) {
    check(cudaSetDevice(0), "device");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    const std::size_t padded = (map.frequencies + 15) / 16 * 16;
    panels_ = upload(map.panels, padded * inputs_);
    if (map.phase) phase_ = upload(map.phase, padded);
    const float safe = FLT_MAX / 4 / float(inputs_) / std::max(map.largest, 1.0f);
    std::memcpy(&safe_, &safe, sizeof safe_);
    w_ = {panels_.data(), map.phase ? phase_.data() : nullptr, int(inputs_), int(map.frequencies),
          map.scale,      turns_coefficients(map.scale)};
    const std::size_t tiles = features_ / kTile;
    tiles_ = tiles * (tiles + 1) / 2;
    sums_ = Room<long long>(tiles_ * kTile * kTile);
    check(cudaMemsetAsync(sums_.data(), 0, tiles_ * kTile * kTile * sizeof(long long), stream_), "memory");
    for (Slot& slot : slots_) {
      slot.make_room(std::max(kPieceRows * row_floats() / 2, kTakenRows * features_));
      check(cudaEventCreateWithFlags(&slot.taken, cudaEventDisableTiming), "event");
    }
    may_overflow_ = Room<unsigned char>(kPieceRows);
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "memory");
    capacity_ = std::min<std::size_t>(kMostTogether, free * 3 / 4 / (2 * features_)) / kPieceRows * kPieceRows;
    if (capacity_ == 0) throw std::runtime_error("too little memory on the device for so many features");
    digits_ = Room<std::int8_t>(2 * features_ * capacity_);
    // Features that only fill a tile are 0.
    check(cudaMemsetAsync(digits_.data(), 0, 2 * features_ * capacity_, stream_), "memory");
    cudaDeviceProp is{};
    check(cudaGetDeviceProperties(&is, 0), "device");
    by_groups_ = is.major == 9;
    processors_ = is.multiProcessorCount;
    const auto allow = [](auto* kernel, int bytes) {
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "kernel");
    };
    by_groups_ ? allow(add_products_wgmma, kWgmmaShared) : allow(add_products_mma, kMmaShared);
  }
  ~Gram() {
    cudaStreamSynchronize(stream_);
    for (Slot& slot : slots_)
      if (slot.taken) cudaEventDestroy(slot.taken);
    cudaStreamDestroy(stream_);
  }
  Gram(const Gram&) = delete;
  Gram& operator=(const Gram&) = delete;

  void add(const float* x, std::size_t stride, std::size_t rows, const float* roots, const float* y) {
    for (std::size_t begin = 0; begin < rows; begin += kPieceRows) {
      const std::size_t count = std::min(kPieceRows, rows - begin);
      add_piece(x + begin * stride, stride, count, roots ? roots + begin : nullptr, y + begin * columns_);
    }
  }

  // Where they are until the second next call, so that they can be read while the next ones come.
  const std::int64_t* take(std::size_t first, std::size_t rows, std::size_t cols) {
    multiply();
    const std::size_t size = rows * cols;
    Slot& slot = slots_[next_];
    next_ = 1 - next_;
    slot.make_room(size);
    take_rows<<<dim3(unsigned((cols + 255) / 256), unsigned(rows)), 256, 0, stream_>>>(sums_.data(), first, cols,
                                                                                       slot.device.data());
    long long* const to = slot.host.data();
    check(cudaMemcpyAsync(to, slot.device.data(), size * sizeof(long long), cudaMemcpyDeviceToHost, stream_), "copy");
    check(cudaStreamSynchronize(stream_), "sums");
    static_assert(sizeof(long long) == sizeof(std::int64_t));
    return reinterpret_cast<const std::int64_t*>(to);
  }

 private:
  std::size_t row_floats() const { return inputs_ + columns_ + 1; }

  Room<float> upload(const float* from, std::size_t size) {
    Room<float> to(size);
    check(cudaMemcpyAsync(to.data(), from, size * sizeof(float), cudaMemcpyHostToDevice, stream_), "copy");
    check(cudaStreamSynchronize(stream_), "copy");
    return to;
  }

  void add_piece(const float* x, std::size_t stride, std::size_t rows, const float* roots, const float* y) {
    const std::size_t padded = (rows + kBrick - 1) / kBrick * kBrick;
    if (filled_ + padded > capacity_) multiply();
    Slot& slot = slots_[next_];
    next_ = 1 - next_;
    check(cudaEventSynchronize(slot.taken), "rows");
    float* to = reinterpret_cast<float*>(slot.host.data());
    if (stride == inputs_)
      std::memcpy(to, x, rows * inputs_ * sizeof(float));
    else
      for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i * inputs_, x + i * stride, inputs_ * sizeof(float));
    std::memcpy(to + rows * inputs_, y, rows * columns_ * sizeof(float));
    if (roots) std::memcpy(to + rows * (inputs_ + columns_), roots, rows * sizeof(float));
    const std::size_t floats = rows * (inputs_ + columns_ + (roots ? 1 : 0));
    float* const at = reinterpret_cast<float*>(slot.device.data());
    check(cudaMemcpyAsync(at, to, floats * sizeof(float), cudaMemcpyHostToDevice, stream_), "copy");
    check(cudaEventRecord(slot.taken, stream_), "event");

    const Rows block{at, roots ? at + rows * (inputs_ + columns_) : nullptr, may_overflow_.data(), int(rows),
                     int(padded)};
    const Digits digits{digits_.data(), features_ / kBrick, capacity_ / kBrick, filled_};
    const auto blocks = [](std::size_t size, std::size_t each) { return unsigned((size + each - 1) / each); };
    find_overflow<<<blocks(rows, 128), 128, 0, stream_>>>(at, int(rows), int(inputs_), safe_, may_overflow_.data());
    fourier_digits<<<dim3(blocks(padded, kTileRows), blocks(w_.frequencies, kTileFrequencies)), kThreads, 0, stream_>>>(
        w_, block, per_unit_, digits);
    if (columns_ > 0)
      column_digits<<<blocks(padded, 128), 128, 0, stream_>>>(at + rows * inputs_, int(columns_), int(rows),
                                                              int(padded), outputs_, digits);
    check(cudaGetLastError(), "features");
    filled_ += padded;
  }

  void multiply() {
    if (filled_ == 0) return;
    Products products{digits_.data(), features_ / kBrick, capacity_ / kBrick, int(filled_ / kBrick), sums_.data(), 0, 0};
    if (by_groups_) {
      const int blocks = shared_out(products, int(tiles_), processors_);
      add_products_wgmma<<<unsigned(blocks), kWgmmaThreads, kWgmmaShared, stream_>>>(products);
    } else {
      add_products_mma<<<unsigned(2 * tiles_), kMmaThreads, kMmaShared, stream_>>>(products);
    }
    check(cudaGetLastError(), "products");
    filled_ = 0;
  }

  std::size_t inputs_, outputs_, columns_, features_;
  float per_unit_;
  unsigned safe_ = 0;
  cudaStream_t stream_ = nullptr;
  Room<float> panels_, phase_;
  Frequencies w_{};
  std::size_t tiles_ = 0, capacity_ = 0, filled_ = 0;
  Room<long long> sums_;
  int processors_ = 0;
  Slot slots_[2];
  int next_ = 0;
  bool by_groups_ = false;
  Room<unsigned char> may_overflow_;
  Room<std::int8_t> digits_;
};

int describe(char* text, std::size_t size) {
  return guarded([&] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "no device");
    if (count == 0) throw std::runtime_error("there is no NVIDIA GPU");
    cudaDeviceProp is{};
    check(cudaGetDeviceProperties(&is, 0), "device");
    if (is.major < 8)
      throw std::runtime_error(std::string(is.name) + " has compute capability " + std::to_string(is.major) +
                               ", expected 8.0 or later");
    std::snprintf(text, size, "%s, %zu GiB", is.name, is.totalGlobalMem >> 30);
  });
}

const char* error() { return last_error.c_str(); }

int gram_new(const BochnerCudaFourier* map, std::size_t columns, float per_unit, void** gram) {
  return guarded([&] { *gram = std::make_unique<Gram>(*map, columns, per_unit).release(); });
}
// Threads other than the one that made it may ask.
template <class Work>
int with(void* gram, const Work& work) {
  return guarded([&] {
    check(cudaSetDevice(0), "device");
    work(*static_cast<Gram*>(gram));
  });
}
int gram_add(void* gram, const float* x, std::size_t stride, std::size_t rows, const float* roots, const float* y) {
  return with(gram, [&](Gram& g) { g.add(x, stride, rows, roots, y); });
}
int gram_take(void* gram, std::size_t first, std::size_t rows, std::size_t cols, const std::int64_t** sums) {
  return with(gram, [&](Gram& g) { *sums = g.take(first, rows, cols); });
}
void gram_delete(void* gram) { delete static_cast<Gram*>(gram); }

}  // namespace
}  // namespace bochner::cuda

extern "C" __attribute__((visibility("default"))) const BochnerCuda* bochner_cuda() {
  using namespace bochner::cuda;
  static const BochnerCuda all = {kBochnerCudaVersion, error, describe, gram_new, gram_add, gram_take, gram_delete};
  return &all;
}
