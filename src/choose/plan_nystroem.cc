// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/plan_nystroem.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/spec.h"
#include "choose/landmarks.h"

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

NystroemOptions landmarks_of(const MapPart& part, std::uint64_t rows) {
  NystroemOptions options = nystroem_options(part.options);
  // Half of what is done for each row is the square of their number: fewer than random features.
  if (options.landmarks == 0)
    options.landmarks = std::size_t(std::clamp(
        std::exp2(std::round(std::log2(4 * std::sqrt(double(std::max<std::uint64_t>(rows, 1)))))), 128.0, 1024.0));
  options.landmarks = std::max<std::size_t>(1, options.landmarks / part.sharing);
  return options;
}

double landmark_weights(const NystroemOptions& options, std::size_t inputs, std::uint64_t rows) {
  // A row of the factor in double and packed; beside it the landmark, twice.
  const double kept = 2.5 * double(options.landmarks) + 2 * double(inputs);
  if (options.choice != NystroemOptions::Choice::rpcholesky) return kept;
  // Pivoted Cholesky holds a column of its sample for each, in double.
  return std::max(kept, 2.0 * double(std::min<std::uint64_t>(rows, landmark_rows(options))));
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
