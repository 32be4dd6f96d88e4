// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/file_hash.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "base/hash64.h"
#include "base/require.h"

namespace bochner {

namespace {

[[noreturn]] void fail_to_read(const std::string& path) {
  fail(Error::Kind::io, "{}: cannot read: {}; check the path", path, std::strerror(errno));
}

}  // namespace

std::uint64_t file_hash(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t(1) << 18;  // stays in the cache between the copy and the hash
  const auto piece = std::make_unique_for_overwrite<std::byte[]>(kPiece);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail_to_read(path);
  Hash64 hash;
  ssize_t got = 0;
  while ((got = ::read(file, piece.get(), kPiece)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0) hash.add(std::span(piece.get(), std::size_t(got)));
  const int code = errno;
  ::close(file);
  errno = code;
  if (got < 0) fail_to_read(path);
  return hash.value();
}

UnchangedFile::UnchangedFile(std::string path) : path_(std::move(path)), first_(stamp(path_)) {}

UnchangedFile::Stamp UnchangedFile::stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_to_read(path);
#ifdef __APPLE__
  const timespec& changed = status.st_mtimespec;
#else
  const timespec& changed = status.st_mtim;
#endif
  return {std::uint64_t(status.st_dev), std::uint64_t(status.st_ino), std::uint64_t(status.st_size),
          std::int64_t(changed.tv_sec), std::int64_t(changed.tv_nsec)};
}

std::uint64_t UnchangedFile::hash() const {
  const std::uint64_t found = file_hash(path_);
  if (stamp(path_) != first_)
    fail(Error::Kind::data, "{}: was changed since this command began to read it; train again from the new rows",
         path_);
  return found;
}

}  // namespace bochner
