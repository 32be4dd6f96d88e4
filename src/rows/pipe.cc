// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/require.h"

namespace bochner {

namespace {

struct Opening {
  std::string path;
  std::shared_ptr<Pipe> pipe;
};
thread_local Opening opening;
thread_local std::function<bool()> live;

bool has_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && text.find('\n', begin) != text.npos;
}

bool names_pipe(const std::string& path) {
  if (path == "-") return true;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode);
}

}  // namespace

Pipe::Pipe(const std::string& path, std::function<bool()> live_until)
    : path_(path), live_until_(std::move(live_until)) {
  descriptor_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(Error::Kind::io, "{}: cannot open: {}; check the path", path, std::strerror(errno));
}

Pipe::~Pipe() { ::close(descriptor_); }

bool Pipe::wait() {
  constexpr int kMilliseconds = 100;  // two questions whether it shall end are so far apart
  struct pollfd waited {
    descriptor_, POLLIN, 0
  };
  while (!(stopped_ = live_until_()))
    if (::poll(&waited, 1, kMilliseconds) > 0) return true;
  return false;
}

std::size_t Pipe::ready(std::size_t position) const {
  if (position < kept_.size()) return kept_.size() - position;
  int bytes = 0;
  return ::ioctl(descriptor_, FIONREAD, &bytes) == 0 && bytes > 1 ? std::size_t(bytes) : 1;
}

std::size_t Pipe::take(char* out, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    if (live_until_ && !wait()) break;
    const ssize_t got = ::read(descriptor_, out + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(Error::Kind::io, "{}: cannot read: {}; check what writes to it", path_, std::strerror(errno));
    if (got == 0) break;
    done += std::size_t(got);
    if (live_until_ && !released_ && has_line({out, done})) break;
  }
  taken_ += done;
  return done;
}

std::size_t Pipe::read(std::size_t position, void* out, std::size_t size) {
  char* const bytes = static_cast<char*>(out);
  if (gone(position))
    fail(Error::Kind::io, "{}: a pipe can be read only once, this takes another pass; store the rows in a file", path_);
  const std::size_t from = std::min(position, kept_.size()), again = std::min(size, kept_.size() - from);
  std::memcpy(bytes, kept_.data() + from, again);
  if (again == size || (live_until_ && !released_ && has_line(kept_))) return again;
  const std::size_t more = take(bytes + again, size - again);
  if (!released_)
    kept_.append(bytes + again, more);
  else
    std::string().swap(kept_);
  return again + more;
}

LivePipes::LivePipes(std::function<bool()> until) { live = std::move(until); }
LivePipes::~LivePipes() { live = {}; }

PipeOpening::PipeOpening(const std::string& path) {
  opening = {};
  if (names_pipe(path)) opening = {path, std::make_shared<Pipe>(path, live)};
}

PipeOpening::~PipeOpening() {
  if (opening.pipe) opening.pipe->release();
  opening = {};
}

std::shared_ptr<Pipe> pipe_being_opened(const std::string& path) {
  return opening.pipe && opening.path == path ? opening.pipe : nullptr;
}

}  // namespace bochner
