// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

namespace bochner {

constexpr int kUsage = 1, kData = 2, kModel = 3, kAboveLimit = 4, kReaderLeft = 128 + 13, kOurFault = 70;

}  // namespace bochner
