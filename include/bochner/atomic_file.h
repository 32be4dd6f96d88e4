// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   AtomicFile file("numbers.csv");  // an old one stays as it is until commit()
//   file.write("1,2\n");
//   file.commit();

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bochner {

// A file that appears whole or not at all: bytes go to a temporary file in the same folder, which commit()
// brings to disk and renames. Until then, and after any failure, the old file is as it was. The temporary file has no
// name before commit() where the system knows such files, so that nothing is left of a program that was killed;
// elsewhere it is called .bochner-PROCESS-NUMBER.tmp, and what killed programs left is removed when the next one is
// opened. A symbolic link is followed, also to a file that is not there yet. A path that names a pipe or a device is
// written directly, since there is nothing to rename.
// Every failure is Error::Kind::io. One thread at a time writes a file.
class AtomicFile {
 public:
  struct Options {
    bool follow_links = true;  // false: a link is replaced by the file
    bool nameless = true;      // false: as on systems without files that have no name
  };

  explicit AtomicFile(std::string path) : AtomicFile(std::move(path), Options{}) {}
  AtomicFile(std::string path, const Options& options);
  ~AtomicFile();  // removes the temporary file unless commit() was called
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Buffered: fit for many small pieces.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();

 private:
  void flush(std::span<const std::byte> bytes);
  bool give_name();
  void discard();
  [[noreturn]] void give_up(const char* action);  // errno says why

  std::string path_;       // as the user gave it, for messages
  std::string target_;     // links resolved
  std::string temporary_;  // empty: without a name, written directly, or already committed
  bool nameless_ = false;
  char* listed_ = nullptr;  // the temporary's name where a signal handler finds it
  int file_ = -1;
  std::vector<std::byte> buffer_;
};

// Removes what unfinished files have written so far. For the handler of a signal that ends the program: it only
// unlinks, and leaves the objects as they are.
void remove_unfinished_files() noexcept;

// Removes from a folder the temporary files that programs of ours, killed some time ago, left there.
void remove_left_over_files(const std::string& folder);

// All of it in one call.
void write_file_atomically(const std::string& path, std::span<const std::byte> bytes);

}  // namespace bochner
