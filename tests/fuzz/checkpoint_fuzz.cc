// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Checkpoints to resume from. The first byte chooses the training and whether the rest is its log or its state; the
// other of the two is then one that a stopped training left.

#include <array>
#include <filesystem>

#include "bochner/checkpoint_place.h"
#include "fuzzing.h"
#include "trainings.h"

using namespace bochner;

namespace {

constexpr long kSteps = 100;

void run(std::span<const std::uint8_t> input) {
  static std::array<std::string, fuzzing::kCheckpointed> logs;  // made when first needed: a second each
  if (input.empty()) return;
  static const std::string path = fuzzing::scratch("checkpoint");
  for (const std::string& file : CheckpointPlace::files(path)) std::filesystem::remove(file);
  const std::size_t which = input[0] / 2 % fuzzing::kCheckpointed;
  const std::span<const std::uint8_t> bytes = input.subspan(1);
  if (input[0] % 2 == 0) {
    fuzzing::put_file(path, bytes);
  } else {
    std::string& log = logs[which];
    if (log.empty()) log = fuzzing::stopped_checkpoint(which).log;
    fuzzing::put_file(path, {reinterpret_cast<const std::uint8_t*>(log.data()), log.size()});
    fuzzing::put_file(path + ".state", bytes);
  }
  fuzzing::guarded([&] {
    CheckpointOptions checkpoint;
    checkpoint.path = path;
    checkpoint.resume = true;
    checkpoint.first_seconds = 1e9;
    long asked = 0;  // what comes long after the state was taken is as without one
    fuzzing::run_checkpointed(which, checkpoint, [&] { return ++asked > kSteps; });
  });
}

const fuzzing::Target target{"checkpoint", run, 1};

}  // namespace
