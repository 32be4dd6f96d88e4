// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/pitch.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "random/draw.h"

namespace bochner {

double draw_pitch(const PitchLaw& law, std::uint64_t seed, std::uint64_t grid, std::uint64_t input) {
  switch (law.family) {
    case PitchLaw::Family::laplacian:
      return gamma_draw(seed, Draw::pitch, 2, grid, input);
    case PitchLaw::Family::reciprocal: {
      // p(d) = 2 d / (1 + d)^3, P(pitch <= d) = (d / (1 + d))^2.
      const double root = std::sqrt(uniform(seed, Draw::pitch, grid, input));
      return root / (1 - root);
    }
    case PitchLaw::Family::hat:
      return 1;
    case PitchLaw::Family::log_uniform: {
      // low (high / low)^u by the binary digits of u: square roots give the same bits on every machine, pow may not.
      double u = uniform(seed, Draw::pitch, grid, input), factor = law.high / law.low, pitch = law.low;
      for (int digit = 0; digit < 40; ++digit) {
        factor = std::sqrt(factor);
        u *= 2;
        if (u >= 1) {
          u -= 1;
          pitch *= factor;
        }
      }
      return pitch;
    }
    case PitchLaw::Family::table: {
      const double u = uniform(seed, Draw::pitch, grid, input);
      const auto at = std::lower_bound(law.cumulative.begin(), law.cumulative.end(), u);
      return law.pitches[std::min<std::size_t>(std::size_t(at - law.cumulative.begin()), law.pitches.size() - 1)];
    }
  }
  return 1;
}

PitchLaw pitch_table(std::span<const double> t, std::span<const double> k) {
  require(t.size() == k.size() && t.size() >= 2,
          "pitch table: {} points t and {} values k, expected as many, at least 2", t.size(), k.size());
  require(t[0] == 0 && k[0] == 1, "pitch table: starts at k({}) = {}, expected k(0) = 1", t[0], k[0]);
  PitchLaw law;
  law.family = PitchLaw::Family::table;
  std::vector<double> knots(t.begin() + 1, t.end()), slopes;
  for (std::size_t i = 1; i < t.size(); ++i) {
    require(t[i] > t[i - 1], "pitch table: t = {} follows {}, expected ascending points", t[i], t[i - 1]);
    require(k[i] >= 0 && k[i] < k[i - 1], "pitch table: k({}) = {} follows {}, expected a kernel that falls towards 0",
            t[i], k[i], k[i - 1]);
    slopes.push_back((k[i] - k[i - 1]) / (t[i] - t[i - 1]));
    // Rounding of a straight piece must not count as a dent.
    require(i == 1 || slopes[i - 1] >= slopes[i - 2] * (1 + 1e-9),
            "pitch table: k is not convex at t = {}, expected a mixture of hats; use a fourier map for such kernels",
            t[i - 1]);
  }
  if (k.back() > 0) {
    knots.push_back(t.back() - k.back() / slopes.back());
    slopes.push_back(slopes.back());
  }
  slopes.push_back(0);
  // p(pitch) = pitch k''(pitch): a knot has the mass t (slope after - slope before).
  double total = 0;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    const double mass = knots[i] * std::max(0.0, slopes[i + 1] - slopes[i]);
    if (mass == 0) continue;
    total += mass;
    law.pitches.push_back(knots[i]);
    law.cumulative.push_back(total);
  }
  for (double& c : law.cumulative) c /= total;
  return law;
}

double pitch_kernel(const PitchLaw& law, double t) {
  switch (law.family) {
    case PitchLaw::Family::laplacian:
      return std::exp(-t);
    case PitchLaw::Family::reciprocal:
      return 1 / (1 + t);
    case PitchLaw::Family::hat:
      return std::max(0.0, 1 - t);
    case PitchLaw::Family::log_uniform: {
      if (t >= law.high) return 0;
      const double from = std::max(t, law.low);  // pitches below t never join the two
      return (std::log(law.high / from) - t * (1 / from - 1 / law.high)) / std::log(law.high / law.low);
    }
    case PitchLaw::Family::table: {
      double k = 0, before = 0;
      for (std::size_t i = 0; i < law.pitches.size(); ++i) {
        k += (law.cumulative[i] - before) * std::max(0.0, 1 - t / law.pitches[i]);
        before = law.cumulative[i];
      }
      return k;
    }
  }
  return 0;
}

std::string pitch_law_name(const PitchLaw& law) {
  switch (law.family) {
    case PitchLaw::Family::laplacian:
      return "laplacian";
    case PitchLaw::Family::reciprocal:
      return "reciprocal";
    case PitchLaw::Family::hat:
      return "hat";
    case PitchLaw::Family::log_uniform:
      return "log-uniform";
    case PitchLaw::Family::table:
      return "table";
  }
  return "";
}

PitchLaw parse_pitch_law(const std::string& text) {
  for (const auto family : {PitchLaw::Family::laplacian, PitchLaw::Family::reciprocal, PitchLaw::Family::hat,
                            PitchLaw::Family::log_uniform}) {
    PitchLaw law;
    law.family = family;
    if (pitch_law_name(law) == text) return law;
  }
  require(false, "kernel of a binning map: '{}', expected laplacian, reciprocal, hat or log-uniform", text);
  return {};
}

}  // namespace bochner
