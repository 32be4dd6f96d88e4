// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/require.h"

namespace bochner {

// A named pipe is looked at before it is opened, which would wait for its writer, or end the writer's wait.
ModelFile::ModelFile(const std::string& path) : path_(path) {
  struct stat status {};
  const bool regular = ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
  if (regular) file_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (regular && file_ < 0) fail(Error::Kind::io, "{}: cannot read: {}; check the path", path_, std::strerror(errno));
  if (!regular || ::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    if (file_ >= 0) ::close(file_);
    fail(Error::Kind::io, "{}: is not a regular file, expected a bochner model; copy it to a file first", path_);
  }
}
ModelFile::~ModelFile() {
  if (file_ >= 0) ::close(file_);
}

std::uint64_t ModelFile::size() const {
  if (file_ < 0) return bytes_.size();
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail(Error::Kind::io, "{}: cannot read: {}", path_, std::strerror(errno));
  return std::uint64_t(status.st_size);
}

void ModelFile::read(void* to, std::uint64_t bytes, std::uint64_t from) const {
  if (file_ < 0) {
    bytes_.copy(static_cast<char*>(to), bytes, from);
    return;
  }
  for (auto* out = static_cast<char*>(to); bytes > 0;) {
    // Linux moves at most 2 GiB a call.
    const ssize_t got = ::pread(file_, out, std::min<std::uint64_t>(bytes, 1u << 30), off_t(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(Error::Kind::io, "{}: cannot read: {}", path_, std::strerror(errno));
    if (got == 0) fail(Error::Kind::model, "{}: shrank while it was read, expected a whole model; try again", path_);
    out += got;
    bytes -= std::uint64_t(got);
    from += std::uint64_t(got);
  }
}

FileMapping::FileMapping(const ModelFile& file, std::uint64_t size) : size_(size) {
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (at != MAP_FAILED) data_ = static_cast<const std::byte*>(at);
}

FileMapping::~FileMapping() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

void FileMapping::reads_through(bool now) const {
  ::madvise(const_cast<std::byte*>(data_), size_, now ? MADV_SEQUENTIAL : MADV_NORMAL);
}

}  // namespace bochner
