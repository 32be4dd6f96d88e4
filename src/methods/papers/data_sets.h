// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/rows.h"

namespace bochner {

// A real data set in memory: the first rows train, the others test.
struct DataSet {
  Schema schema = {};
  Matrix<float> x = {};
  Matrix<double> y = {};
  std::size_t train_rows = 0;
  std::string missing = {};  // why it is not there; empty: it is

  std::unique_ptr<Rows> train() const;
  std::unique_ptr<Rows> test() const;
};

// The sets of a folder with the public files as they are published, each in its own folder.
DataSet computer_activity(const std::string& folder);  // cpu-act/cpu_act.arff.xz, 6,500 rows train
DataSet forest_cover(const std::string& folder);       // covtype/covtype.397050.data.xz, class 2 against the rest
DataSet intrusions(const std::string& folder);         // kddcup99/, normal against attacks
DataSet advertisements(const std::string& folder);     // internet-ads/ad.data.xz, 70 % train
DataSet postal_digits(const std::string& folder);      // usps/

}  // namespace bochner
