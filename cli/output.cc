// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/paths.h"
#include "base/require.h"

namespace bochner {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferBytes = std::size_t(1) << 16;

void write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw ReaderLeft{};
    if (written < 0) fail(Error::Kind::io, "standard output: cannot write: {}", std::strerror(errno));
    text.remove_prefix(std::size_t(written));
  }
}

}  // namespace

Output::Output(const std::string& path) {
  if (!path.empty()) file_.emplace(path);
  buffer_.reserve(2 * kBufferBytes);
}

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void Output::flush() {
  if (file_)
    file_->write(buffer_);
  else
    write_stdout(buffer_);
  buffer_.clear();
}

void Output::finish() {
  flush();
  if (file_) file_->commit();
}

void check_output(const std::string& path, std::initializer_list<std::string> inputs) {
  if (path.empty()) return;
  for (const std::string& input : inputs) {
    require(input.empty() || !same_file(path, input),
            "{}: is an input of this command and would be overwritten; choose another output", path);
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  // Opening a pipe to try it would end it for its reader.
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return;
  const AtomicFile trial(path);
}

void print(std::string_view text) { write_stdout(text); }

void print_json(const nlohmann::json& tree) {
  print(tree.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace bochner
