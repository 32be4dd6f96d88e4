// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "options.h"

namespace bochner {

// Rows of documents by a text model, as `bochner text DOCS --model MODEL -o OUT` writes them.
void encode_documents(const std::string& documents, const std::string& model, const std::string& output,
                      const RunOptions& run);

}  // namespace bochner
