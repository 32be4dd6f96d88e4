// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "run/stream.h"

namespace bochner {

// Refuses a target by the largest of its numbers in size, where sums of their squares or predictions of them would
// vanish or not stay finite: Error::Kind::data.
void check_target_size(const std::string& name, double largest, Precision precision);

}  // namespace bochner
