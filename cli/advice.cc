// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spec.h"

namespace bochner {

namespace {

constexpr std::size_t kMost = 3;

// Lambda stands at the end of what was tried: the best may lie beyond.
void advise_lambda(const Report& report, const TrainOptions& options, std::vector<std::string>& lines) {
  if (report.path.size() < 2) return;
  const auto by_lambda = [](const auto& a, const auto& b) { return a.lambda < b.lambda; };
  const auto [least, most] = std::minmax_element(report.path.begin(), report.path.end(), by_lambda);
  const bool given = !options.ridge.lambdas.empty();
  if (report.lambda <= least->lambda && given && least->lambda > 0)
    lines.push_back(fmt::format("--lambda {:.3g}: the best was the smallest tried", least->lambda / 10));
  if (report.lambda >= most->lambda && given)
    lines.push_back(fmt::format("--lambda {:.3g}: the best was the largest tried", most->lambda * 10));
  if (report.lambda >= most->lambda && !given)
    lines.push_back("other inputs or another target: the strongest lambda was best, so little was learned");
}

}  // namespace

std::vector<std::string> advice(const Report& report, const TrainOptions& options) {
  std::vector<std::string> lines;
  advise_lambda(report, options, lines);
  const bool mixed = split_parts(options.map).size() > 1;
  const bool binned = !mixed && Spec(options.map).name() == "binning";
  const bool mapped = options.map != "none" && !binned;
  const std::size_t more = 2 * report.features;
  if (mapped && !mixed && more <= 4 * report.rows && more <= 65536)
    lines.push_back(fmt::format("--features {}: twice as many; four times the time of the solve", more));
  if (binned)
    lines.push_back(fmt::format("--features {}: four times the grids; four times the time of the fit",
                                4 * (options.features ? options.features : 50)));
  else if (!mapped)
    lines.push_back("--map fourier: a kernel instead of a linear model");
  else if (mixed)
    lines.push_back("each part alone: whether the mixture is worth its time");
  else if (options.kernel.family == Kernel::Family::gaussian)
    lines.push_back("--kernel laplacian or --kernel matern:nu=1.5: better where the target is rough");
  else
    lines.push_back("--kernel gaussian: better where the target is smooth");
  if (!options.validation) lines.push_back("--validation FILE: a score on rows that training never saw");
  if (lines.size() > kMost) lines.resize(kMost);
  return lines;
}

}  // namespace bochner
