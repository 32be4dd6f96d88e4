// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bochner/papers.h"
#include "bochner/train.h"

namespace bochner {

// How our number is held against the printed one. The margin is what chance and the printed digits allow.
enum class ClaimKind {
  more,   // larger is better
  less,   // smaller is better
  same,   // a law: level within the margin, otherwise lost
  bound,  // an upper bound: level if ours is not above it
  slip,   // the document errs and ours is the right number: beaten if they differ
  order,  // an order of magnitude: level within a factor of 3.2
  has,    // the document has no number there: beaten if there is one of ours
};

// What a claim's computation found.
struct Found {
  std::vector<double> values = {};     // one per seed
  double error = 0;                    // a standard error that the values share: of the test rows, say
  std::optional<double> printed = {};  // replaces the claim's, if the document prints a formula
  std::string why = {};                // stands before the claim's own reason
  std::string skipped = {};            // why there are no values
};

struct Claim {
  const char *group, *document, *place, *text;
  std::optional<double> printed;
  double rounding;  // half a unit of the printed number's last digit
  ClaimKind judge;
  Found (*ours)(const PapersOptions& options);
  const char* why = "";
};

// The table, one part for each group of claims.
std::vector<Claim> digit_claims();
std::vector<Claim> map_claims();
std::vector<Claim> projection_claims();
std::vector<Claim> mixture_claims();
std::vector<Claim> reduced_set_claims();
std::vector<Claim> table_claims();
std::vector<Claim> image_claims();

// Pictures of a group, appended; nothing if what they show is not there.
void draw_digits(const PapersOptions& options, std::vector<PaperPicture>& pictures);
void draw_maps(const PapersOptions& options, std::vector<PaperPicture>& pictures);
void draw_reduced_sets(const PapersOptions& options, std::vector<PaperPicture>& pictures);
void draw_mixtures(const PapersOptions& options, std::vector<PaperPicture>& pictures);

// The support vector machines of document 000: gamma = 0.2, C = 1, the hinge on landmarks and its square on other maps.
TrainOptions founding_svm(const PapersOptions& papers, const MapOptions& map, std::size_t features);

// The row of a claim; `seconds` is left to the caller.
PaperRow judged(const Claim& claim, const Found& found);

// The mean, and the standard deviation with n - 1; 0 for fewer than two values.
double mean_of(const std::vector<double>& values);
double deviation_of(const std::vector<double>& values);

}  // namespace bochner
