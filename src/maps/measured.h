// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/archive.h"
#include "bochner/figures.h"

namespace bochner {

MapPtr load_measured(const Archive& archive);

}  // namespace bochner
