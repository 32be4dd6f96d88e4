// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/option.h"
#include "base/require.h"
#include "rows/disk_file.h"

namespace bochner {

namespace {

constexpr std::size_t kInputBytes = 256 * 1024;
constexpr std::uint64_t kMostDictionary = std::uint64_t{1} << 30;  // whatever the memory

class Decompressor : public ByteSource {
 public:
  explicit Decompressor(const std::string& path) : file_(path), input_(kInputBytes) {}
  double fraction_read() const override { return file_.fraction_read(); }

 protected:
  std::size_t refill() { return file_.read(input_.data(), input_.size()); }
  [[noreturn]] void cut() const {
    fail(Error::Kind::data, "{}: the compressed data end too early, the file is truncated; fetch or write it again",
         file_.path());
  }
  [[noreturn]] void damaged(const char* why) const {
    fail(Error::Kind::data, "{}: the compressed data are damaged ({}); fetch or write the file again", file_.path(),
         why ? why : "unknown reason");
  }
  [[noreturn]] void too_large(const char* what, std::size_t memory) const {
    fail(Error::Kind::data,
         "{}: its {} takes more than the {:.1f} MB that decompression may; raise {}, or decompress it first",
         file_.path(), what, double(memory) / 1e6, Option::memory);
  }

  DiskFile file_;
  std::vector<unsigned char> input_;
};

// One or more gzip members, as gzip itself accepts; zero padding behind the last one is skipped.
class GzipSource : public Decompressor {
 public:
  explicit GzipSource(const std::string& path) : Decompressor(path) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  void rewind() override {
    inflateReset(&stream_);
    file_.seek(0);
    stream_.avail_in = 0;
    member_ended_ = finished_ = false;
  }

  std::size_t read(char* out, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && !finished_) {
      if (stream_.avail_in == 0) {
        stream_.next_in = input_.data();
        stream_.avail_in = unsigned(refill());
        if (stream_.avail_in == 0) {
          if (!member_ended_) cut();
          finished_ = true;
          break;
        }
      }
      if (member_ended_) {
        for (; stream_.avail_in > 0 && *stream_.next_in == 0; ++stream_.next_in) --stream_.avail_in;
        if (stream_.avail_in == 0) continue;
        inflateReset(&stream_);
        member_ended_ = false;
      }
      const std::size_t room = std::min<std::size_t>(size - done, 1u << 30);
      stream_.next_out = reinterpret_cast<unsigned char*>(out + done);
      stream_.avail_out = unsigned(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      done += room - stream_.avail_out;
      if (status == Z_STREAM_END)
        member_ended_ = true;
      else if (status != Z_OK && status != Z_BUF_ERROR)
        damaged(stream_.msg);
    }
    return done;
  }

 private:
  z_stream stream_{};
  bool member_ended_ = false;
  bool finished_ = false;
};

class XzSource : public Decompressor {
 public:
  XzSource(const std::string& path, std::size_t memory)
      : Decompressor(path), memory_(std::min<std::uint64_t>(memory, kMostDictionary)) {
    start();
  }
  ~XzSource() override { lzma_end(&stream_); }

  void rewind() override {
    file_.seek(0);
    finished_ = false;
    start();
  }

  std::size_t read(char* out, std::size_t size) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out);
    stream_.avail_out = size;
    while (stream_.avail_out > 0 && !finished_) {
      if (stream_.avail_in == 0) {
        stream_.next_in = input_.data();
        stream_.avail_in = refill();
      }
      const lzma_ret status = lzma_code(&stream_, stream_.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
      if (status == LZMA_STREAM_END)
        finished_ = true;
      else if (status == LZMA_BUF_ERROR)
        cut();
      else if (status == LZMA_MEMLIMIT_ERROR)
        too_large("dictionary", memory_);
      else if (status != LZMA_OK)
        damaged(status == LZMA_FORMAT_ERROR ? "not the xz format" : "checksum or structure is wrong");
    }
    return size - stream_.avail_out;
  }

 private:
  void start() {
    stream_.avail_in = 0;
    if (lzma_stream_decoder(&stream_, memory_, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }

  std::uint64_t memory_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool finished_ = false;
};

class ZstdSource : public Decompressor {
 public:
  ZstdSource(const std::string& path, std::size_t memory)
      : Decompressor(path), memory_(memory), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
    const int window = std::clamp(int(std::bit_width(memory)) - 1, kLeastWindow, kMostWindow);
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, window);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  void rewind() override {
    file_.seek(0);
    ZSTD_initDStream(stream_);
    pending_ = {};
    inside_frame_ = false;
  }

  std::size_t read(char* out, std::size_t size) override {
    ZSTD_outBuffer target{out, size, 0};
    while (target.pos < target.size) {
      if (pending_.pos == pending_.size) {
        pending_ = {input_.data(), refill(), 0};
        if (pending_.size == 0 && !inside_frame_) break;
      }
      const bool at_end = pending_.size == 0;
      const std::size_t before = target.pos;
      const std::size_t status = ZSTD_decompressStream(stream_, &target, &pending_);
      if (ZSTD_isError(status) && ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge)
        too_large("window", memory_);
      if (ZSTD_isError(status)) damaged(ZSTD_getErrorName(status));
      inside_frame_ = status != 0;
      if (at_end && inside_frame_ && target.pos == before) cut();
    }
    return target.pos;
  }

 private:
  static constexpr int kLeastWindow = 20, kMostWindow = 27;  // a megabyte; as zstd itself, 128 of them

  std::size_t memory_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer pending_{};
  bool inside_frame_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_gzip(const std::string& path) { return std::make_unique<GzipSource>(path); }
std::unique_ptr<ByteSource> open_xz(const std::string& path, std::size_t memory) {
  return std::make_unique<XzSource>(path, memory);
}
std::unique_ptr<ByteSource> open_zstd(const std::string& path, std::size_t memory) {
  return std::make_unique<ZstdSource>(path, memory);
}

}  // namespace bochner
