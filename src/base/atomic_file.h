// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bochner {

// A file that appears whole or not at all: bytes go to a temporary file in the same folder, which commit()
// brings to disk and renames. Until then, and after any failure, the old file is as it was. A path that
// names a pipe or a device is written directly, since there is nothing to rename.
// Every failure is Error::Kind::io.
class AtomicFile {
 public:
  // temporary: the name of the temporary file, for a writer that is alone with it; "": one that no other has.
  explicit AtomicFile(std::string path, const std::string& temporary = "");
  ~AtomicFile();  // without commit(): removes the temporary file
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Buffered: fit for many small pieces.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();

 private:
  void flush(std::span<const std::byte> bytes);
  void discard();

  std::string path_;        // as the user gave it, for messages
  std::string target_;      // links resolved
  std::string temporary_;   // empty: written directly, or already committed
  char* listed_ = nullptr;  // the temporary's name where a signal handler finds it
  int file_ = -1;
  std::vector<std::byte> buffer_;
};

// Removes what unfinished files have written so far. For the handler of a signal that ends the program: it only
// unlinks, and leaves the objects as they are.
void remove_unfinished_files() noexcept;

// All of it in one call.
void write_file_atomically(const std::string& path, std::span<const std::byte> bytes);

}  // namespace bochner
