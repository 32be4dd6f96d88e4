// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bochner {

// A hash of the rows in a file as they are written: of the file's bytes, unpacked, and of text without empty lines and
// with "\n" at the end of each line. Copies that are packed or differ in line ends alone have the same hash, that of
// the plain file's bytes. most: unpacked bytes that are looked at.
std::uint64_t content_hash(const std::string& path, std::size_t most = std::size_t(-1));

}  // namespace bochner
