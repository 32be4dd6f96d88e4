// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/plan_nystroem.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/spec.h"
#include "learn/landmarks.h"

namespace bochner {

namespace {
constexpr double kFloatTolerance = 1e-6, kDoubleTolerance = 1e-12;
}

bool asks_for_nystroem(const TrainOptions& options) { return Spec(options.map).name() == "nystroem"; }

NystroemOptions nystroem_options(const TrainOptions& options) {
  const Spec spec(options.map);
  spec.allow({"landmarks", "tolerance"});
  NystroemOptions nystroem;
  nystroem.kernel = options.kernel;
  nystroem.landmarks = options.features;
  nystroem.choice = parse_landmark_choice(spec.text("landmarks", "rpcholesky"));
  nystroem.tolerance = spec.number("tolerance", options.double_precision ? kDoubleTolerance : kFloatTolerance);
  require(nystroem.tolerance > 0 && nystroem.tolerance < 1, "map: found tolerance={}, expected between 0 and 1",
          spec.text("tolerance", ""));
  nystroem.seed = options.seed;
  return nystroem;
}

std::size_t default_landmarks(std::uint64_t rows) {
  const double wanted = 4 * std::sqrt(double(rows));
  return std::size_t(std::clamp(std::exp2(std::round(std::log2(wanted))), 128.0, 1024.0));
}

std::string landmarks_note(const NystroemOptions& options, std::size_t found, std::size_t sampled) {
  const std::size_t among = std::min(sampled, landmark_rows(options));
  std::string text =
      fmt::format("landmarks: {} by {} among {} rows", found, landmark_choice_name(options.choice), among);
  if (found < options.landmarks && sampled < options.landmarks) text += ", as many as were sampled";
  if (found < std::min(options.landmarks, sampled))
    text += fmt::format("; {} more would add less than {:.0e} of the kernel",
                        std::min(options.landmarks, sampled) - found, options.tolerance);
  return text;
}

}  // namespace bochner
