// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "bochner/archive.h"
#include "bochner/model.h"

namespace bochner {

// What Model::save() writes, as views of the model. with_outputs: its maker told what comes out.
Archive model_archive(const Model& model, bool with_outputs = false);
// What Model::load() makes of it, or throws. path: for messages.
Model model_of_archive(const Archive& archive, const std::string& path);

}  // namespace bochner
