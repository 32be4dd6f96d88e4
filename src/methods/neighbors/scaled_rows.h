// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/neighbors.h"

namespace bochner {

// Rows as they are compared: through the options' scaling in double, if there is one; otherwise without far offsets.
// The rows themselves, or a wrapper of them that `owner` keeps.
Rows& as_compared(Rows& rows, const IndexOptions& options, std::unique_ptr<Rows>& owner);
// Queries like rows whose schema became `schema` that way.
Rows& asked_like(Rows& queries, const Schema& schema, const IndexOptions& options, std::unique_ptr<Rows>& owner);

// Whether two scalings are the same: none, or equal numbers.
bool same_scaling(const MapPtr& a, const MapPtr& b);

}  // namespace bochner
