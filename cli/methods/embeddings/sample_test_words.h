// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/kernel.h"
#include "options.h"

namespace bochner {

// What commands that test samples by a kernel have in common, drift and independence.
struct SampleTestWords {
  std::string kernel = "gaussian", missing = "mean";  // defaults: set others before add()
  std::vector<std::string> bandwidths;
  ColumnWords columns;
  RunOptions run;
  FileOptions format;

  // bandwidth_help: of --bandwidths, with its default.
  void add(Command& app, const std::string& bandwidth_help);
  // Those given, or what is there already.
  void read_bandwidths(std::vector<double>& factors) const;
  RowsOptions reading() const;
};

}  // namespace bochner
