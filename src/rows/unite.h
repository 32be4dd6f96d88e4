// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "bochner/schema.h"

namespace bochner {

// One schema for the rows of two files: the levels of text columns and the class labels of both, in the order one
// scan of all rows would list them; sparse rows as wide as the widest. The same in any order of files.
// Fill values are left 0: they are no property that two schemas could be united from.
// Files whose columns mean different things give Error::Kind::data, with the names of both and the remedy.
Schema unite(const Schema& a, const std::string& a_name, const Schema& b, const std::string& b_name);

}  // namespace bochner
