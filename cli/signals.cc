// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "signals.h"

#include <unistd.h>

#include <csignal>

#include "base/atomic_file.h"

namespace bochner {

namespace {

void end_program(int signal) {
  remove_unfinished_files();
  if (::isatty(STDERR_FILENO)) {  // leave the line of a progress bar
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, "\n", 1);
  }
  ::_exit(128 + signal);
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = end_program;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup stays nohup
  }
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace bochner
