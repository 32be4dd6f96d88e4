// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>

#include "rows/byte_source.h"

namespace bochner {

std::unique_ptr<ByteSource> open_gzip(const std::string& path);
// memory: the most that the dictionary or window of the file may take.
std::unique_ptr<ByteSource> open_xz(const std::string& path, std::size_t memory);
std::unique_ptr<ByteSource> open_zstd(const std::string& path, std::size_t memory);

}  // namespace bochner
