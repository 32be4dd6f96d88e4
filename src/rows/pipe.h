// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace bochner {

// The bytes of a pipe, which can be read only once. Until it is released what was read is kept, so that the first bytes
// may be looked at several times: for the compression, the format, the header. After that a reader goes through what
// is kept and on; what it has passed is gone.
class Pipe {
 public:
  // path: "-" is standard input. live_until: as open_live_rows() has it; none: not live.
  explicit Pipe(const std::string& path, std::function<bool()> live_until = {});
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  // Bytes from a position on; less than size only at the end, and before a live pipe is released where a whole line was
  // read. Error::Kind::io where they are gone.
  std::size_t read(std::size_t position, void* out, std::size_t size);
  bool gone(std::size_t position) const { return released_ && position < taken_ && position >= kept_.size(); }
  void release() { released_ = true; }
  // Bytes from a position on that a live pipe has by now, at least 1: reading that one waits for it.
  std::size_t ready(std::size_t position) const;
  bool live() const { return bool(live_until_); }
  bool stopped() const { return stopped_; }  // it ended since live_until said so

 private:
  std::size_t take(char* out, std::size_t size);
  bool wait();  // until there is something to read; false: it shall end

  std::string path_;
  std::function<bool()> live_until_;
  int descriptor_ = -1;
  bool released_ = false, stopped_ = false;
  std::size_t taken_ = 0;  // bytes read from the pipe so far
  std::string kept_;       // the first of them
};

// While it lives, files of this path that this thread opens share one pipe, where the path names one.
class PipeOpening {
 public:
  explicit PipeOpening(const std::string& path);
  ~PipeOpening();
  PipeOpening(const PipeOpening&) = delete;
  PipeOpening& operator=(const PipeOpening&) = delete;
};

// While it lives, pipes that this thread opens are live.
class LivePipes {
 public:
  explicit LivePipes(std::function<bool()> until);
  ~LivePipes();
  LivePipes(const LivePipes&) = delete;
  LivePipes& operator=(const LivePipes&) = delete;
};

// The pipe that is being opened under this path; null where there is none.
std::shared_ptr<Pipe> pipe_being_opened(const std::string& path);

}  // namespace bochner
