// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/map_options.h"
#include "options.h"

namespace bochner {

// What commands on sums of kernels over rows have in common: which rows, their coefficients, and the kernel.
struct ExpansionWords {
  std::string file, kernel = "gaussian", bandwidth, missing = "mean", weights;
  std::vector<std::string> targets, coefficients;
  ColumnWords columns;
  RunOptions run;
  FileOptions format;

  void add_file(Command& app);
  void add(Command& app);
  Kernel parsed_kernel() const;
  // The bandwidth of --bandwidth, or of the kernel's own sigma= or gamma=.
  Bandwidth parsed_bandwidth() const;
  std::unique_ptr<Rows> open() const;
};

}  // namespace bochner
