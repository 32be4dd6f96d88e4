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
#include "bochner/visible_text.h"
#include "require.h"
#include "streams.h"

namespace bochner {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferBytes = std::size_t(1) << 16;

void write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) throw ReaderLeft{};
  if (error != 0) fail(Error::Kind::io, "standard output: cannot write: {}", std::strerror(error));
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

namespace {

// Whether a folder leads to this file, by links too.
bool holds(const std::string& folder, const std::string& path) {
  if (!path_below(folder, path).empty()) return true;
  std::error_code error;
  if (!fs::exists(path, error)) return false;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code other;
    if (fs::equivalent(at->path(), path, other)) return true;
  }
  return false;
}

}  // namespace

void check_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (is_stdout(path)) return;
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    require(!same_file(path, input), "{}: is an input of this command and would be overwritten; choose another output",
            path);
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  // Opening a pipe to try it would end it for its reader.
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return;
  const AtomicFile trial(path);
}

void check_output_of_documents(const std::string& path, const std::vector<std::string>& inputs) {
  check_output(path, inputs);
  for (const std::string& input : inputs) {
    std::error_code error;
    require(!fs::is_directory(input, error) || !holds(input, path),
            "{}: lies in {}, which this command reads; choose an output elsewhere", path, input);
  }
}

std::string companion_of(const std::string& output, Companion what) {
  return output + (what == Companion::text_model ? ".text" : ".checkpoint");
}

void check_companion(const std::string& path, bool (*is_ours)(const std::string& path)) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  require(!fs::exists(status) || (fs::is_regular_file(status) && is_ours(path)),
          "{}: this command would write a file of its own there; move it away, or choose another output", path);
}

void print(std::string_view text) { write_stdout(visible_text(text)); }

void print_json(const nlohmann::json& tree) {
  print(tree.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace bochner
