// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bochner/rows.h"
#include "bochner/text.h"

namespace bochner {

// Columns of a document, ascending, and their numbers.
using Encoded = std::vector<std::pair<std::uint32_t, double>>;

// What makes a row of a document. Thread-safe.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;
  virtual std::size_t columns() const = 0;
  virtual void encode(std::string_view text, Encoded& out) const = 0;
};

// Documents as CSR rows, encoded by all threads; classes are their labels where they have some.
std::unique_ptr<Rows> text_rows(std::shared_ptr<const TextEncoder> encoder, Documents& documents,
                                const Execution& execution);

// Documents read ahead, so that threads have some each; false at the end.
bool read_batch(Documents& documents, std::vector<Document>& batch);

}  // namespace bochner
