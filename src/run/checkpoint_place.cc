// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/checkpoint_place.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/archive.h"
#include "base/option.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "bochner/open_checkpoint.h"
#include "run/checkpoint.h"

namespace bochner {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLockText = "bochner process ";

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

bool is_plain_file(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::regular;
}

// What is cut or altered is a checkpoint still if it begins as every one does, behind the length of its header.
bool begins_as_checkpoint(const std::string& path) {
  constexpr std::string_view kBeginning = R"({"__metadata__":{"bochner":"{\"identity\":{)";
  std::string begin(8 + kBeginning.size(), '\0');
  return std::ifstream(path, std::ios::binary).read(begin.data(), std::streamsize(begin.size())) &&
         begin.ends_with(kBeginning);
}

bool is_checkpoint(const std::string& path) {
  if (!is_plain_file(path)) return false;
  try {
    return get_text(read_archive_tree(path), "type") == Checkpoint::kType;
  } catch (const Error&) {
    return begins_as_checkpoint(path);
  }
}

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// An empty one is of a process that was killed before it wrote its number.
bool is_lock(const std::string& path) {
  std::error_code error;
  return is_plain_file(path) && (fs::file_size(path, error) == 0 || first_line(path).starts_with(kLockText));
}

bool is_same_file(int file, const std::string& path) {
  struct stat open {
  }, there{};
  return ::fstat(file, &open) == 0 && ::lstat(path.c_str(), &there) == 0 && open.st_ino == there.st_ino &&
         open.st_dev == there.st_dev;
}

}  // namespace

void check_resumable(const std::string& path) {
  for (const std::string& file : {path, path + ".state"})
    if (is_plain_file(file) && !is_checkpoint(file))
      fail(Error::Kind::model,
           "{}: is no checkpoint of bochner, or a damaged one; name the one to resume from, or move it away and leave "
           "{} "
           "out",
           file, Option::resume);
}

CheckpointPlace::CheckpointPlace(std::string path)
    : path_(std::move(path)), state_(path_ + ".state"), lock_(path_ + ".lock") {
  const auto refuse = [](const std::string& file, const char* what) {
    require(false, "{}: is {}, and a checkpoint would take its place; move it away, or choose another place by {}",
            file, what, Option::checkpoint);
  };
  for (const std::string& file : files(path_)) {
    const bool ours = file == lock_ ? is_lock(file) : is_checkpoint(file);
    if (!is_there(file) || ours) continue;
    refuse(file, fs::is_symlink(file) ? "a link" : !is_plain_file(file) ? "no plain file" : "no checkpoint of bochner");
  }
}

CheckpointPlace::~CheckpointPlace() { give_back(); }

std::vector<std::string> CheckpointPlace::files(const std::string& path) {
  return {path, path + ".state", path + ".lock"};
}

bool CheckpointPlace::holds_checkpoint() const { return is_there(path_); }

bool CheckpointPlace::claim() {
  while (!claimed_) {
    const int file = ::open(lock_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 && errno == EINTR) continue;
    if (file < 0) {  // a folder nobody can write to needs no lock
      if (errno != EACCES && errno != EROFS && errno != EPERM)
        fail(Error::Kind::io, "{}: cannot write: {}; choose another place by {}", lock_, std::strerror(errno),
             Option::checkpoint);
      claimed_ = true;
      break;
    }
    if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(file);
      return false;
    }
    if (!is_same_file(file, lock_)) {  // whoever had it removed it before we could lock it
      ::close(file);
      continue;
    }
    lock_file_ = file;
    claimed_ = true;
    const std::string text = fmt::format("{}{}\n", kLockText, ::getpid());
    [[maybe_unused]] const bool written =
        ::ftruncate(file, 0) == 0 && ::write(file, text.data(), text.size()) == ssize_t(text.size());
  }
  return true;
}

void CheckpointPlace::claim_or_fail() {
  if (claim()) return;
  const std::string who = first_line(lock_);
  fail(Error::Kind::io,
       "{}: another training that still runs{} has its checkpoint there; wait for its end, or choose another place by "
       "{}",
       path_, who.starts_with(kLockText) ? " (" + who.substr(std::strlen("bochner ")) + ")" : "", Option::checkpoint);
}

void CheckpointPlace::remove() {
  if (!claimed_) return;
  std::error_code ignored;
  for (const std::string& file : {path_, state_})
    if (is_checkpoint(file)) fs::remove(file, ignored);
  give_back();
}

// The lock file goes while it is still locked, so nobody can lock one that has no name any more and believe it.
void CheckpointPlace::give_back() {
  if (lock_file_ >= 0) {
    if (is_same_file(lock_file_, lock_)) ::unlink(lock_.c_str());
    ::close(std::exchange(lock_file_, -1));
  }
  claimed_ = false;
}

}  // namespace bochner
