// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "base/require.h"
#include "bochner/device.h"
#include "bochner/map.h"

namespace bochner {

// What a device has of a sum while a pass goes on. A copy of the sum would not know of it, so it is taken first.
struct OnDevice {
  MapPtr before = nullptr;  // the maps of a chain that the processor applies; null: none
  MapPtr last = nullptr;    // the one that the device does
  std::unique_ptr<DeviceSums> sums = nullptr;

  OnDevice() = default;
  OnDevice(const OnDevice& other) { require(!other.sums, "sums: a copy while a device has some of them"); }
  OnDevice& operator=(const OnDevice& other) {
    require(!other.sums && !sums, "sums: a copy while a device has some of them");
    return *this;
  }
  OnDevice(OnDevice&&) = default;
  OnDevice& operator=(OnDevice&&) = default;
  bool operator==(const OnDevice&) const { return true; }  // it is no part of the sum
};

}  // namespace bochner
