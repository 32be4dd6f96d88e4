// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/require.h"
#include "rows/decompress.h"
#include "rows/disk_file.h"

namespace bochner {

DiskFile::DiskFile(const std::string& path) : path_(path), pipe_(pipe_being_opened(path)) {
  if (pipe_) return;
  // Looked at before it is opened: opening a pipe without a writer would wait for ever.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    fail(Error::Kind::io, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(Error::Kind::io, "{}: is a folder, expected a file of rows; name the file", path);
  if (!S_ISREG(status.st_mode))
    fail(Error::Kind::io, "{}: not a regular file; rows are read more than once, so store them in a file", path);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(Error::Kind::io, "{}: cannot open: {}; check the path", path, std::strerror(errno));
  if (::fstat(descriptor_, &status) == 0) size_ = static_cast<std::size_t>(status.st_size);
}

DiskFile::~DiskFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t DiskFile::read(void* out, std::size_t size) {
  if (pipe_) {
    const std::size_t got = pipe_->read(position_, out, size);
    position_ += got;
    return got;
  }
  const std::size_t got = read_at(position_, out, size);
  position_ += got;
  return got;
}

std::size_t DiskFile::read_at(std::size_t position, void* out, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(descriptor_, static_cast<char*>(out) + done, size - done, off_t(position + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(Error::Kind::io, "{}: cannot read: {}; check the disk", path_, std::strerror(errno));
    if (got == 0) break;
    done += std::size_t(got);
  }
  return done;
}

namespace {

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(const std::string& path) : file_(path) {}
  std::size_t read(char* out, std::size_t size) override { return file_.read(out, size); }
  void rewind() override { file_.seek(0); }
  std::size_t ready() const override { return file_.ready(); }
  bool stopped() const override { return file_.stopped(); }
  double fraction_read() const override { return file_.fraction_read(); }

 private:
  DiskFile file_;
};

enum class Packing { none, gzip, xz, zstd };

Packing packing(const std::string& path) {
  DiskFile file(path);
  char head[6] = {};
  const std::string_view magic(head, file.read(head, sizeof head));
  if (magic.starts_with("\x1f\x8b")) return Packing::gzip;
  if (magic.starts_with(std::string_view("\xfd"
                                         "7zXZ\0",
                                         6)))
    return Packing::xz;
  if (magic.starts_with("\x28\xb5\x2f\xfd")) return Packing::zstd;
  return Packing::none;
}

}  // namespace

bool reads_in_order_only(const std::string& path) { return packing(path) != Packing::none || DiskFile(path).is_pipe(); }

std::unique_ptr<ByteSource> open_bytes(const std::string& path, std::size_t memory) {
  switch (packing(path)) {
    case Packing::gzip:
      return open_gzip(path);
    case Packing::xz:
      return open_xz(path, memory);
    case Packing::zstd:
      return open_zstd(path, memory);
    case Packing::none:
      break;
  }
  // A file cut to less than its magic number would otherwise pass for text.
  for (const std::string_view suffix : {".gz", ".xz", ".zst"})
    if (path.ends_with(suffix))
      fail(Error::Kind::data, "{}: does not begin as a {} file does; it is damaged or misnamed, fetch or rename it",
           path, suffix);
  return std::make_unique<PlainSource>(path);
}

}  // namespace bochner
