// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "bochner/archive.h"
#include "bochner/background.h"
#include "folds/survey.h"

namespace bochner {

// Rows of the survey's sample, which is uniform and merges.
Background background_of(const Survey& survey);

// As a child of the archive of a model or a sum, if there is one. wide: the model maps double.
void save_background(const std::optional<Background>& background, bool wide, Archive& archive);
// Error::Kind::model if it is damaged, or not of so many inputs.
std::optional<Background> load_background(const Archive& archive, bool wide, std::size_t inputs);

}  // namespace bochner
