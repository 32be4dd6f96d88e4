// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>

#include "bochner/rows.h"

namespace bochner {

// The rows numbered from 0, for what keeps rows by their numbers: the rows themselves, or a wrapper of a shard that
// `owner` keeps.
Rows& numbered_from_0(Rows& rows, std::unique_ptr<Rows>& owner);

}  // namespace bochner
