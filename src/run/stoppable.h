// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/execution.h"
#include "run/checkpoint.h"

namespace bochner {

// work(), which an Execution may stop: what its checkpoint has is saved then, and Stopped says whether.
template <class Work>
auto stoppable(const Execution& execution, const Work& work) {
  try {
    return work();
  } catch (const Stopped&) {
    throw Stopped(execution.checkpoint && execution.checkpoint->save_log());
  }
}

}  // namespace bochner
