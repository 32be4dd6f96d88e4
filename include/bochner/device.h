// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   class Watched final : public Device {  // maps as the processor does, and counts the blocks
//    public:
//     std::string description() const override { return "the processor, watched"; }
//     bool map(const Map&, const RowBlock<float>&, MatrixView<float>) const override {
//       ++blocks;
//       return false;
//     }
//     mutable std::atomic<int> blocks = 0;
//   };
//   register_device("watched", std::make_shared<Watched>());
//   train(*open_rows("cars.csv", {.targets = {"price"}}), {.features = 100, .execution = {.device = "watched"}});

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/row_block.h"

namespace bochner {

class Map;

// Sums over rows that stay on a device until they are taken: sum of q q^T, where q has the features of a map times the
// root of a row's weight, made whole as round(per_unit * feature), at most 16256 in size, and then the columns that
// come with the row, which are whole. Integers, so that the order of rows does not matter.
class DeviceSums {
 public:
  virtual ~DeviceSums() = default;

  // roots: one a row, or null for 1. false: the device does not take such rows, and nothing was added.
  virtual bool add(const RowBlock<float>& x, const float* roots, MatrixView<const float> columns) = 0;
  // Rows first, ..., first + rows - 1 of the sums, the first `cols` entries of each. What stands above the diagonal
  // does not count. They can be read until the second next call, and by other threads while the next one is under way.
  virtual MatrixView<const std::int64_t> take(std::size_t first, std::size_t rows, std::size_t cols) = 0;
};

// What computes: Execution::device names one. Its operations take whole blocks of rows. Each says whether it was done;
// what a device leaves, the processor does. An operation gives the bits that the processor gives, so that a model does
// not depend on the device. Several threads may ask at once.
class Device {
 public:
  virtual ~Device() = default;

  virtual std::string description() const = 0;  // for people

  // z = map(x), as Map::apply.
  virtual bool map(const Map& map, const RowBlock<float>& x, MatrixView<float> z) const;
  virtual bool map(const Map& map, const RowBlock<double>& x, MatrixView<double> z) const;

  // Empty sums over rows that the map takes; null: the processor makes them.
  virtual std::unique_ptr<DeviceSums> sums(const Map& map, std::size_t columns, float per_unit) const;

  // Whether this is the processor, which has operations of its own for smaller pieces.
  bool is_processor() const;
};

// A program adds its own at its start: safe from any thread, but not undone. A name that is taken is refused.
void register_device(const std::string& name, std::shared_ptr<const Device> device);
std::vector<std::string> device_names();  // "cpu" first

// "cuda" is an NVIDIA GPU by libbochner_cuda.so, "auto" that if it can be had, otherwise the processor.
// std::invalid_argument if there is none of that name, or why cuda cannot be had.
const Device& device_named(const std::string& name);
std::string default_device();  // what the environment variable BOCHNER_DEVICE says, or "cpu"

}  // namespace bochner
