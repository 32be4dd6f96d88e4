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

#include <memory>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/row_block.h"

namespace bochner {

class Map;

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

  // Whether this is the processor, which has operations of its own for smaller pieces.
  bool is_processor() const;
};

// A program adds its own at its start: safe from any thread, but not undone. A name that is taken is refused.
void register_device(const std::string& name, std::shared_ptr<const Device> device);
std::vector<std::string> device_names();  // "cpu" first

// std::invalid_argument if there is none of that name.
const Device& device_named(const std::string& name);

}  // namespace bochner
