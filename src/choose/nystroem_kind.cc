// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "base/spec.h"
#include "bochner/nystroem.h"
#include "choose/landmarks.h"
#include "choose/map_kinds.h"
#include "maps/nystroem.h"

namespace bochner {

namespace {

constexpr double kFloatTolerance = 1e-6, kDoubleTolerance = 1e-12;

AnyMap parse(const MapWords& words) {
  const Spec spec("nystroem", words);
  spec.allow({"landmarks", "tolerance"});
  Nystroem given{.landmarks = parse_landmark_choice(spec.text("landmarks", "rpcholesky"))};
  if (spec.has("tolerance")) given.tolerance = spec.number("tolerance", 0);
  return given;
}

MapWords words(const AnyMap& map) {
  const Nystroem& given = std::get<Nystroem>(map);
  MapWords words;
  if (given.landmarks != Nystroem{}.landmarks) words["landmarks"] = landmark_choice_name(given.landmarks);
  if (given.tolerance) words["tolerance"] = fmt::format("{}", *given.tolerance);
  return words;
}

NystroemOptions options_of(const MapRequest& request) {
  const Nystroem& given = std::get<Nystroem>(request.options);
  std::size_t landmarks = request.features;
  // Half of what is done for each row is the square of their number: fewer than random features.
  if (landmarks == 0)
    landmarks = std::size_t(
        std::clamp(std::exp2(std::round(std::log2(4 * std::sqrt(double(std::max<std::uint64_t>(request.rows, 1)))))),
                   128.0, 1024.0));
  return {.kernel = request.kernel,
          .landmarks = std::max<std::size_t>(1, landmarks / request.sharing),
          .choice = given.landmarks,
          .tolerance = given.tolerance.value_or(request.double_precision ? kDoubleTolerance : kFloatTolerance),
          .seed = request.seed};
}

void check(const MapRequest& request) {
  const double tolerance = options_of(request).tolerance;
  require(tolerance > 0 && tolerance < 1, "map: found tolerance={}, expected between 0 and 1", tolerance);
}

// Numbers of the features' size that are held for each landmark, while they are chosen or later.
double landmark_weights(const NystroemOptions& options, std::size_t inputs, std::uint64_t rows) {
  // A row of the factor in double and packed; beside it the landmark, twice.
  const double kept = 2.5 * double(options.landmarks) + 2 * double(inputs);
  if (options.choice != NystroemOptions::Choice::rpcholesky) return kept;
  // Pivoted Cholesky holds a column of its sample for each, in double.
  return std::max(kept, 2.0 * double(std::min<std::uint64_t>(rows, landmark_rows(options))));
}

MapSize size(const MapRequest& request) {
  NystroemOptions options = options_of(request);
  const std::size_t wanted = options.landmarks;
  if (request.rows > 0) options.landmarks = std::size_t(std::min<std::uint64_t>(wanted, request.rows));
  return {.features = options.landmarks,
          .wanted = wanted,
          .weights = landmark_weights(options, request.inputs, request.rows),
          .bounded = true,
          .trial_features = 2 * wanted};
}

// One line on what became of the landmarks asked for.
std::string note_of(const NystroemOptions& options, std::size_t found, std::size_t sampled) {
  std::string text =
      fmt::format("landmarks: {} by {} among {} rows", found, landmark_choice_name(options.choice), sampled);
  if (found < options.landmarks && sampled < options.landmarks) text += ", as many as were sampled";
  if (found < std::min(options.landmarks, sampled))
    text += fmt::format("; {} more would add less than {:.0e} of the kernel",
                        std::min(options.landmarks, sampled) - found, options.tolerance);
  return text;
}

MapPtr make(const MapRequest& request) {
  const NystroemOptions options = options_of(request);
  const Matrix<double> sample = request.sample(landmark_rows(options));
  const MapPtr map = nystroem(sample.view(), options, request.execution);
  request.note(note_of(options, map->outputs(), sample.rows()));
  return map;
}

}  // namespace

MapKind nystroem_kind() {
  return {.name = "nystroem",
          .usage = "nystroem[:landmarks=uniform|leverage|rpcholesky]",
          .has_kernel = true,
          .keeps_rows = true,
          .parse = parse,
          .words = words,
          .check = check,
          .size = size,
          .make = make,
          .load = load_nystroem};
}

}  // namespace bochner
