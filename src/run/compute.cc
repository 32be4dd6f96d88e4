// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/compute.h"

#include "base/require.h"

namespace bochner {

const Backend& backend_of(Device device) {
  switch (device) {
    case Device::cpu:
      return cpu_backend();
  }
  require(false, "execution: found device {}, expected 0, the cpu: this build has no other", int(device));
  return cpu_backend();
}

}  // namespace bochner
