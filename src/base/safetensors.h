// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bochner/archive.h"
#include "bochner/atomic_file.h"

namespace bochner {

// An archive as a safetensors file:
//   8 bytes  N, little-endian
//   N bytes  JSON: {"__metadata__": {"bochner": tree, "checksum": "xxh64:<16 digits>", "format_version": "1"},
//                   name: {dtype, shape, data_offsets}, ...}
//   the rest arrays, back to back, the widest types first and then by name, so that each is aligned
// The checksum (base/hash64.h) covers every byte of the file, its own digits taken as zeros: no altered byte goes
// unnoticed. Files of earlier versions have none, and still load.
// The same archive always gives the same bytes. The file appears whole or not at all.
void write_archive(const std::string& path, const Archive& archive, const AtomicFile::Options& how);

// read_archive() trusts nothing: a file that is cut, altered or hostile gives Error::Kind::model, one that cannot be
// read Error::Kind::io. It never takes more memory than a small multiple of the file's size.

// The same without a copy: arrays are views of the file, mapped into memory as long as the archive lives. The file is
// read through once, piece by piece, to verify the checksum and that every F32 is finite; its pages may leave memory
// again. Whoever replaces the file must do it as write_archive() does, by another that takes its name: one that is cut
// while it is mapped ends the process. Where the file cannot be mapped it is read.
std::shared_ptr<const Archive> map_archive(const std::string& path);

// Only the tree, to learn what a file is.
nlohmann::json read_archive_tree(const std::string& path);
// Whether its tree names that type; false where it cannot be read.
bool is_archive_of(const std::string& path, const std::string& type);

}  // namespace bochner
