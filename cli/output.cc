// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "output.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bochner/paths.h"
#include "require.h"

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

// One gzip member, written as it grows. No time and no name in it: the same text gives the same bytes.
class Output::Gzip {
 public:
  Gzip() {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::string pack(std::string_view text, bool last) {
    std::string packed;
    char room[1 << 14];
    stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    stream_.avail_in = unsigned(text.size());
    do {
      stream_.next_out = reinterpret_cast<unsigned char*>(room);
      stream_.avail_out = sizeof room;
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      packed.append(room, sizeof room - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return packed;
  }

 private:
  z_stream stream_{};
};

Output::Output(const std::string& path) {
  if (!is_stdout(path)) file_.emplace(path);
  if (path.ends_with(".gz")) gzip_ = std::make_unique<Gzip>();
  buffer_.reserve(2 * kBufferBytes);
}

Output::~Output() = default;

void Output::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void Output::deliver(std::string_view bytes) {
  if (file_)
    file_->write(bytes);
  else
    write_stdout(bytes);
}

void Output::flush() {
  deliver(gzip_ ? gzip_->pack(buffer_, false) : buffer_);
  buffer_.clear();
}

void Output::finish() {
  flush();
  if (gzip_) deliver(gzip_->pack("", true));
  if (file_) file_->commit();
}

// Padded so that the numbers begin at a multiple of 64.
std::string npy_header(const char* descr, std::size_t rows, std::size_t cols) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}", descr, rows, cols);
  const std::size_t before = 10;  // magic, version, length
  text += std::string(63 - (before + text.size()) % 64, ' ') + '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += char(text.size() & 0xff);
  header += char(text.size() >> 8);
  return header + text;
}

void check_text_name(const std::string& path) {
  for (const char* ending : {".npy", ".npz", ".xz", ".zst", ".bz2", ".zip", ".xlsx", ".parquet"})
    require(!path.ends_with(ending), "{}: text is written here, expected a name such as x.csv or x.csv.gz, not {}",
            path, ending);
}

void check_output(const std::string& path, std::initializer_list<std::string> inputs) {
  if (is_stdout(path)) return;
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
