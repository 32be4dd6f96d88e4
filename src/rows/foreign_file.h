// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <string_view>

namespace bochner {

// Throws Error::Kind::data, with what the file is and how to convert it, where its first bytes are those of a known
// format that is not read here.
void refuse_foreign(const std::string& path, std::string_view head);

}  // namespace bochner
