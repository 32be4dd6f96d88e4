// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

// What a model predicts for the rows of a file is the same after it went through `path`, and nearly so for each alone.
inline void expect_the_same_alone_and_after_loading(const Model& model, const std::string& path,
                                                    const std::string& file, double tolerance) {
  model.save(path);
  const Model again = Model::load(path);
  const auto rows = open_rows(file, again.schema()), one_by_one = open_rows(file, again.schema());
  const Matrix<double> expected = model.predict(*rows);
  ASSERT_GT(expected.rows(), 0u);
  EXPECT_EQ(expected, again.predict(*rows));
  RowBlock<float> row;
  for (std::size_t i = 0; one_by_one->next(1, row); ++i) {
    const MatrixView<const float> x{row.values, 1, row.cols, row.cols};
    ASSERT_NEAR(again.predict(x)(0, 0), expected(i, 0), tolerance) << "row " << i;
  }
}

}  // namespace bochner
