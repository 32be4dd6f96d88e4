// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "choose/learnt_with_head.h"

namespace bochner {

// Random bins, which are learnt together with their head.
const LearntWithHead& bins_learnt_with_head();

}  // namespace bochner
