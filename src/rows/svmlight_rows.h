// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>

#include "bochner/rows.h"
#include "rows/chunk_reader.h"

namespace bochner {

// svmlight / LIBSVM, for training and for a model. Sizes are for tests.
std::unique_ptr<Rows> open_svmlight(const std::string& path, const RowsOptions& options, const ChunkSizes& sizes = {});
std::unique_ptr<Rows> open_svmlight(const std::string& path, const Schema& schema, const RowsOptions& options,
                                    const ChunkSizes& sizes = {});

}  // namespace bochner
