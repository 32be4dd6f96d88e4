// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "bochner/device.h"

namespace bochner {

// The GPU, opened when it is first asked for, which backend/cuda/cuda_device.cc defines. Null: it cannot be had, and
// `why` says so in a few words.
const Device* cuda_device(std::string& why);

}  // namespace bochner
