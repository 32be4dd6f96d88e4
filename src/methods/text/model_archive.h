// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/text.h"

namespace bochner {

// A text model from what its file holds, wherever that is kept. Error::Kind::model where it is no model.
TextModel text_model_of(const Archive& archive);

}  // namespace bochner
