// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/beyond_float.h"

#include <cmath>

#include "base/option.h"
#include "base/require.h"
#include "rows/labels.h"

namespace bochner {

void refuse_beyond_float(const std::string& source, const Schema& schema, std::size_t row, std::size_t input,
                         double value) {
  const std::string found =
      fmt::format("{}: row {} (from 0): {} in column '{}'", source, row, value, shown(schema.input_names().at(input)));
  if (std::isinf(value)) fail(Error::Kind::data, "{}, expected a finite number; correct it or remove the row", found);
  fail(Error::Kind::data, "{} is beyond the range of float; scale the column, or train with {}", found,
       Option::double_precision);
}

}  // namespace bochner
