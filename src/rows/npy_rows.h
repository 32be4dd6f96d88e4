// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>

#include "bochner/rows.h"

namespace bochner {

// numpy arrays, for training and for a model. Columns go by their index.
std::unique_ptr<Rows> open_npy(const std::string& path, const RowsOptions& options);
std::unique_ptr<Rows> open_npy(const std::string& path, const Schema& schema, const RowsOptions& options);

}  // namespace bochner
