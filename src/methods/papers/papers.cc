// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/require.h"
#include "bochner/suggest.h"
#include "methods/papers/claims.h"

namespace bochner {

namespace {

std::vector<Claim> all_claims() {
  std::vector<Claim> all;
  for (std::vector<Claim> (*part)() :
       {digit_claims, map_claims, projection_claims, mixture_claims, reduced_set_claims, table_claims, image_claims}) {
    const std::vector<Claim> some = part();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

// The difference that chance and the printed digits explain: three standard errors of a mean over seeds, one of the
// test rows, which all seeds share.
double margin_of(const Claim& claim, const Found& found) {
  const double n = double(found.values.size());
  const double seeds = n > 1 ? 3 * deviation_of(found.values) / std::sqrt(n) : 0;
  return claim.rounding + std::hypot(seeds, found.error);
}

const char* verdict_of(ClaimKind judge, double ours, double printed, double margin) {
  const double better = judge == ClaimKind::less ? printed - ours : ours - printed;
  switch (judge) {
    case ClaimKind::more:
    case ClaimKind::less:
      return better > margin ? "beaten" : better >= -margin ? "level" : "lost";
    case ClaimKind::same:
      return std::fabs(better) <= margin ? "level" : "lost";
    case ClaimKind::bound:
      return ours <= printed + margin ? "level" : "lost";
    case ClaimKind::slip:
      return std::fabs(better) > margin ? "beaten" : "level";
    case ClaimKind::order:
      return std::fabs(std::log10(ours / printed)) <= 0.5 ? "level" : "lost";
    case ClaimKind::has:
      break;
  }
  return "beaten";
}

constexpr const char* kRules[] = {"larger is better",  "smaller is better",     "a law",          "an upper bound",
                                  "the document errs", "an order of magnitude", "no number there"};

}  // namespace

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / double(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / double(values.size() - 1));
}

PaperRow judged(const Claim& claim, const Found& found) {
  PaperRow row{claim.group,
               claim.document,
               claim.place,
               claim.text,
               found.printed ? found.printed : claim.printed,
               std::nullopt,
               0,
               0,
               "skipped",
               found.skipped};
  if (!found.skipped.empty()) return row;
  row.ours = mean_of(found.values);
  row.spread = deviation_of(found.values);
  const double margin = margin_of(claim, found);
  const bool finite = std::isfinite(*row.ours);
  row.verdict = finite ? verdict_of(claim.judge, *row.ours, row.printed.value_or(0), margin) : "lost";
  if (!row.printed && claim.judge != ClaimKind::has) row.verdict = "skipped";
  row.why = found.why;
  if (*claim.why) row.why += (row.why.empty() ? "" : "; ") + std::string(claim.why);
  row.why += fmt::format("{}{}", row.why.empty() ? "" : "; ", kRules[std::size_t(claim.judge)]);
  if (claim.judge != ClaimKind::has && claim.judge != ClaimKind::order && margin > 0)
    row.why += fmt::format(", chance and rounding explain {:.2g}", margin);
  return row;
}

std::vector<std::string> paper_groups() {
  std::vector<std::string> groups;
  for (const Claim& claim : all_claims())
    if (std::find(groups.begin(), groups.end(), claim.group) == groups.end()) groups.emplace_back(claim.group);
  return groups;
}

Papers reproduce_papers(const PapersOptions& options) {
  const std::vector<std::string> groups = paper_groups();
  const auto wanted = [&](std::string_view group) { return options.only.empty() || options.only == group; };
  require(std::any_of(groups.begin(), groups.end(), wanted), "papers: found '{}', expected one of {}{}", options.only,
          fmt::join(groups, ", "), suggestion(options.only, groups));
  require(options.seeds >= 1 && options.seeds <= 100, "papers: found {} seeds, expected 1 to 100", options.seeds);
  Papers papers;
  for (const Claim& claim : all_claims()) {
    if (!wanted(claim.group)) continue;
    const double start = processor_seconds();
    PaperRow row = judged(claim, claim.ours(options));
    row.seconds = processor_seconds() - start;
    if (options.visit) options.visit(row);
    papers.rows.push_back(std::move(row));
  }
  if (!options.pictures) return papers;
  const std::pair<const char*, void (*)(const PapersOptions&, std::vector<PaperPicture>&)> drawn[] = {
      {"digits", draw_digits}, {"maps", draw_maps}, {"mixtures", draw_mixtures}, {"reduced-sets", draw_reduced_sets}};
  for (const auto& [group, draw] : drawn)
    if (wanted(group)) draw(options, papers.pictures);
  return papers;
}

}  // namespace bochner
