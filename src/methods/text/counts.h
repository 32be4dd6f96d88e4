// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bochner/text.h"
#include "rows/text_index.h"

namespace bochner {

// The documents with each term: by its number in `terms`, or by its column where terms are hashed.
struct TextCounts::Counted {
  TextIndex terms;
  std::vector<std::uint64_t> documents;
};

// The column of a term among `columns` where terms are hashed.
std::uint32_t hashed_column(std::string_view term, std::size_t columns);

// Options to and from a file; Error::Kind::model where they make no sense.
void put_options(Archive& archive, const TextOptions& options);
TextOptions get_options(const Archive& archive);
// The counts of an archive with their options, whose columns must be there before memory is taken for them.
TextCounts counts_from(const Archive& archive);
// std::invalid_argument where they make no sense.
void check_options(const TextOptions& options);

}  // namespace bochner
