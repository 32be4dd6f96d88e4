// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/reference/operations.h"

namespace bochner {

const Backend& reference_backend() {
  static const BackendOf<reference::Operations> backend;
  return backend;
}

}  // namespace bochner
