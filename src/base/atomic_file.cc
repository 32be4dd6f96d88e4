// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kBufferBytes = std::size_t(1) << 16;

const char* remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or write elsewhere";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder you may write to";
    case ENOENT:
    case ENOTDIR:
      return "create the folder first or correct the path";
    case EISDIR:
      return "give the name of a file in it";
    default:
      return "nothing was written";
  }
}

[[noreturn]] void fail_io(const std::string& path, const char* action, int code) {
  fail(Error::Kind::io, "{}: {}: {}; {}", path, action, std::strerror(code), remedy(code));
}

// fsync has no meaning for pipes and some network folders: that is not a failure.
bool sync(int file) { return ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS; }

// Names of temporary files, for remove_unfinished_files(). A file that finds no free slot is only not removed then.
std::atomic<char*> unfinished[16];
static_assert(std::atomic<char*>::is_always_lock_free, "a signal handler may only touch what needs no lock");

char* list_unfinished(const std::string& name) {
  char* copy = ::strdup(name.c_str());
  for (std::atomic<char*>& slot : unfinished) {
    char* none = nullptr;
    if (copy != nullptr && slot.compare_exchange_strong(none, copy)) return copy;
  }
  std::free(copy);
  return nullptr;
}

void unlist_unfinished(char* name) {
  for (std::atomic<char*>& slot : unfinished) {
    char* same = name;
    if (name != nullptr && slot.compare_exchange_strong(same, nullptr)) std::free(name);
  }
}

// Listed before it exists, so that no signal finds it unlisted.
int open_temporary(const std::string& folder, std::string& name, char*& listed) {
  static std::atomic<unsigned> counter{0};
  int file = -1;
  if (!name.empty()) {
    listed = list_unfinished(name);
    return ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  do {  // short and independent of the target, whose name may be as long as the system allows
    unlist_unfinished(listed);
    name = fmt::format("{}/.bochner-{}-{}.tmp", folder, ::getpid(), counter++);
    listed = list_unfinished(name);
    file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file < 0 && (errno == EEXIST || errno == EINTR));
  return file;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

AtomicFile::AtomicFile(std::string path, const std::string& temporary) : path_(std::move(path)), target_(path_) {
  require(!path_.empty(), "output file: the name is empty, expected a path");
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_io(path_, "cannot write", EISDIR);
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail_io(path_, "cannot overwrite", errno);
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail_io(path_, "cannot write", errno);
    return;
  }
  if (exists) {  // a rename onto a link would replace the link, not what it points to
    std::error_code error;
    target_ = std::filesystem::canonical(path_, error).string();
    if (error) fail_io(path_, "cannot write", error.value());
  }
  std::string name = temporary;
  file_ = open_temporary(folder_of(target_), name, listed_);
  if (file_ < 0) {
    const int code = errno;
    discard();
    fail_io(path_, "cannot write", code);
  }
  temporary_ = std::move(name);
  if (exists && ::fchmod(file_, status.st_mode & 07777) != 0) {
    const int code = errno;
    discard();
    fail_io(path_, "cannot keep the permissions", code);
  }
  buffer_.reserve(kBufferBytes);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!temporary_.empty()) ::unlink(std::exchange(temporary_, {}).c_str());
  unlist_unfinished(std::exchange(listed_, nullptr));
}

void AtomicFile::flush(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int code = errno;
      discard();
      fail_io(path_, "cannot write", code);
    }
    bytes = bytes.subspan(std::size_t(written));
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  require(file_ >= 0, "{}: write after commit or failure", path_);
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    flush(buffer_);
    buffer_.clear();
  }
  if (bytes.size() > kBufferBytes)
    flush(bytes);
  else
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void AtomicFile::commit() {
  require(file_ >= 0, "{}: commit after commit or failure", path_);
  flush(buffer_);
  buffer_.clear();
  // Order matters: the bytes must be on disk before the name points to them, and the name before we report success.
  bool done = sync(file_);
  done = done && ::close(std::exchange(file_, -1)) == 0;
  if (done && temporary_.empty()) return;
  done = done && std::rename(temporary_.c_str(), target_.c_str()) == 0;
  if (!done) {
    const int code = errno;
    discard();
    fail_io(path_, "cannot finish", code);
  }
  temporary_.clear();
  unlist_unfinished(std::exchange(listed_, nullptr));
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {  // a folder one may write to but not read cannot be synced; the file itself is
    const bool synced = sync(folder);
    const int code = errno;
    ::close(folder);
    if (!synced) fail_io(path_, "cannot bring the folder to disk", code);
  }
}

void remove_unfinished_files() noexcept {
  for (const std::atomic<char*>& slot : unfinished)
    if (const char* name = slot.load()) ::unlink(name);
}

void write_file_atomically(const std::string& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace bochner
