// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/open_checkpoint.h"

#include "run/checkpoint.h"

namespace bochner {

std::shared_ptr<Checkpoint> open_checkpoint(const CheckpointOptions& options,
                                            std::function<void(const std::string&)> say) {
  if (!say) say = [](const std::string&) {};
  return std::make_shared<Checkpoint>(options, std::move(say));
}

}  // namespace bochner
