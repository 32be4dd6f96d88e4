// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <string_view>

#include "bochner/model.h"

namespace bochner {

// Model::load of bytes in memory. name: for messages.
Model model_of_bytes(std::string_view bytes, const std::string& name);

}  // namespace bochner
