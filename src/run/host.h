// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/backend.h"

namespace bochner {

// The operations of this machine's processor, on the calling thread: for what is no block of a stream, such as one row
// of a service or a product of two small matrices.
inline const Backend& host_backend() { return cpu_backend(); }

}  // namespace bochner
