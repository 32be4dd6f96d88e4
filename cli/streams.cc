// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace bochner {

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // open() takes the lowest number that is free, which is this one. A folder is neither read nor written, also by
    // those who open /dev/stdout.
    [[maybe_unused]] const int held = ::open("/", O_RDONLY | O_DIRECTORY);
  }
}

int write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(std::size_t(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno;
    pollfd ready{file, POLLOUT, 0};  // whoever shares the descriptor made it one that does not wait
    ::poll(&ready, 1, -1);
  }
  return 0;
}

void write_message(std::string_view text) noexcept { write_all(STDERR_FILENO, text); }

}  // namespace bochner
