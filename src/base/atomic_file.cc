// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/require.h"
#include "bochner/paths.h"

namespace bochner {

namespace {

constexpr std::size_t kBufferBytes = std::size_t(1) << 16;
constexpr const char *kTemporary = ".bochner-", *kTemporaryEnd = ".tmp";

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
    case EFBIG:
      return "raise ulimit -f or write elsewhere";
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

// Short and independent of the target, whose name may be as long as the system allows.
std::string next_name(const std::string& folder) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}/{}{}-{}{}", folder, kTemporary, ::getpid(), counter++, kTemporaryEnd);
}

// Calls make(name) with one name after the other until one is not taken. A name is listed before it exists, so that no
// signal finds it unlisted.
template <class Make>
int make_named(const std::string& folder, std::string& name, char*& listed, const Make& make) {
  int made = -1;
  do {
    unlist_unfinished(listed);
    name = next_name(folder);
    listed = list_unfinished(name);
    made = make(name.c_str());
  } while (made < 0 && (errno == EEXIST || errno == EINTR));
  return made;
}

// -1 where the folder's file system has no files without a name, or /proc, which names them later, is not there.
int open_nameless([[maybe_unused]] const std::string& folder) {
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) == 0) return ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
#endif
  return -1;
}

// A file that is written is locked, so one that is not was left behind.
void remove_left_over(const std::string& path) {
  constexpr time_t kMoment = 10;  // seconds: it may have been opened and not locked yet
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
      ::time(nullptr) - status.st_mtime > kMoment && ::flock(file, LOCK_EX | LOCK_NB) == 0)
    ::unlink(path.c_str());
  ::close(file);
}

}  // namespace

void remove_left_over_files(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kTemporary) && name.ends_with(kTemporaryEnd)) remove_left_over(at->path().string());
  }
}

AtomicFile::AtomicFile(std::string path, const Options& options) : path_(std::move(path)) {
  require(!path_.empty(), "output file: the name is empty, expected a path");
  target_ = options.follow_links ? follow_links(path_) : path_;
  struct stat status {};
  const bool exists = ::lstat(target_.c_str(), &status) == 0 && !S_ISLNK(status.st_mode);
  if (exists && S_ISDIR(status.st_mode)) fail_io(path_, "cannot write", EISDIR);
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail_io(path_, "cannot overwrite", errno);
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail_io(path_, "cannot write", errno);
    return;
  }
  const std::string folder = folder_of(target_);
  if (options.nameless) file_ = open_nameless(folder);
  nameless_ = file_ >= 0;
  if (!nameless_) {
    remove_left_over_files(folder);
    std::string name;
    file_ = make_named(folder, name, listed_, [](const char* unused) {
      return ::open(unused, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    });
    if (file_ < 0) give_up("cannot write");
    temporary_ = std::move(name);
    ::flock(file_, LOCK_EX | LOCK_NB);  // if the file system has no locks, files left by a killed process stay
  }
  if (exists && ::fchmod(file_, status.st_mode & 07777) != 0) give_up("cannot keep the permissions");
  buffer_.reserve(kBufferBytes);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!temporary_.empty()) ::unlink(std::exchange(temporary_, {}).c_str());
  unlist_unfinished(std::exchange(listed_, nullptr));
}

void AtomicFile::give_up(const char* action) {
  const int code = errno;
  discard();
  fail_io(path_, action, code);
}

bool AtomicFile::give_name() {
  const std::string unnamed = fmt::format("/proc/self/fd/{}", file_);
  std::string name;
  const int made = make_named(folder_of(target_), name, listed_, [&](const char* unused) {
    return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, unused, AT_SYMLINK_FOLLOW);
  });
  if (made == 0) temporary_ = std::move(name);
  return made == 0;
}

void AtomicFile::flush(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) give_up("cannot write");
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
  bool done = sync(file_) && (!nameless_ || give_name());
  done = done && ::close(std::exchange(file_, -1)) == 0;
  if (done && temporary_.empty()) return;
  done = done && std::rename(temporary_.c_str(), target_.c_str()) == 0;
  if (!done) give_up("cannot finish");
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
