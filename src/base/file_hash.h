// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bochner {

// FNV-1a. To tell things apart, not to guard them.
std::uint64_t text_hash(std::string_view text, std::uint64_t start = 0xcbf29ce484222325u);

// Of a file's size, its first and its last megabyte: tells one data file from another without reading all of it.
// Error::Kind::io when it cannot be read.
std::uint64_t file_hash(const std::string& path);

}  // namespace bochner
