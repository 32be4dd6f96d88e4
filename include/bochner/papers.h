// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Papers found = reproduce_papers({.only = "jl"});
//   for (const PaperRow& row : found.rows) std::printf("%s: %s\n", row.claim.c_str(), row.verdict.c_str());
//   const std::string page = papers_page(found);  // HTML, with its pictures inside

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bochner/execution.h"
#include "bochner/matrix.h"
#include "bochner/schema.h"

namespace bochner {

// The five documents that the library was founded on, claim by claim: what they print beside what is computed now.

// The digits 0 to 8 of document 000: the first rows train, the others test.
struct PaperDigits {
  Schema schema = {};
  Matrix<float> pixels = {};
  Matrix<double> labels = {};
  std::size_t train_rows = 0;
};

// One claim and what became of it.
struct PaperRow {
  std::string group;     // the NAME that chooses it: "digits"
  std::string document;  // "000", ..., "004"
  std::string place;     // "Table 1"
  std::string claim;
  std::optional<double> printed;  // none: the document has no number there
  std::optional<double> ours;     // the mean over seeds; none: skipped
  double spread = 0;              // standard deviation over seeds; 0 if nothing is random
  double seconds = 0;             // processor time of all seeds
  std::string verdict;            // "beaten", "level", "lost" or "skipped"
  std::string why;                // how it was computed, how it was judged, or why it was skipped
};

struct PaperPicture {
  std::string group, title, svg;
};

struct Papers {
  std::vector<PaperRow> rows;
  std::vector<PaperPicture> pictures;
};

struct PapersOptions {
  std::string only = {};                // a group; empty: all
  std::string data = {};                // folder of data sets; claims without theirs are skipped
  const PaperDigits* digits = nullptr;  // null: claims on them are skipped
  int seeds = 3;                        // draws of what is random
  std::uint64_t seed = 0;               // the first seed
  bool pictures = true;                 // false: rows alone
  Execution execution = {};
  std::function<void(const PaperRow&)> visit = {};  // each row as it is found, on the calling thread
};

// The groups, in order. An unknown `only` is a std::invalid_argument.
std::vector<std::string> paper_groups();
Papers reproduce_papers(const PapersOptions& options = {});

// A page of HTML that loads nothing from elsewhere; a Markdown page without pictures.
std::string papers_page(const Papers& papers);
std::string papers_markdown(const Papers& papers);

}  // namespace bochner
