// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "signals.h"

#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "bochner/atomic_file.h"
#include "bochner/checkpoint.h"
#include "exit_codes.h"
#include "messages.h"

namespace bochner {

namespace {

std::atomic<bool> soft{false}, ends_itself{false};
std::atomic<int> asked{0}, waited{0};
std::atomic<std::size_t> questions_left{0};  // until stop_at_point() answers
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch what needs no lock");
std::string checkpoint_path, state_path, checkpoint_hint;  // set before soft is, and then left alone
std::string shrank_line;

constexpr int kMostWaits = 5;  // while the first checkpoint of all is being written

void write_line(const char* text, std::size_t size) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, size);
}

void end_program(int signal) {
  remove_unfinished_files();
  if (::isatty(STDERR_FILENO)) write_line("\n", 1);  // leave the line of a progress bar
  if (soft && ::access(checkpoint_path.c_str(), R_OK) == 0) write_line(checkpoint_hint.data(), checkpoint_hint.size());
  ::_exit(128 + signal);
}

void start_waiting() {
  const struct itimerval wait {
    {0, 0}, { 1, 700000 }
  };
  ::setitimer(ITIMER_REAL, &wait, nullptr);
}

void handle(int signal) {
  if ((!soft && !ends_itself) || asked != 0) end_program(signal);
  asked = signal;
  if (soft) start_waiting();
}

// No answer in time. What was saved last serves; where a large state is being written for the first time (and all bytes
// of the data are hashed for it), that is worth a little more time.
void lose_patience(int) {
  const bool there = ::access(state_path.c_str(), R_OK) == 0;
  if (there || !checkpoint_is_saving() || ++waited > kMostWaits) end_program(asked);
  start_waiting();
}

// Behind the end of a mapped file lies nothing (BUS_ADRERR); any other cause is a fault of ours, which ends as ever:
// the handler is reset by then, and the instruction runs again.
void end_by_bus_error(int, siginfo_t* cause, void*) {
  if (cause->si_code != BUS_ADRERR) return;
  remove_unfinished_files();
  write_line(shrank_line.data(), shrank_line.size());
  ::_exit(kModel);
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup stays nohup
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void survive_shrinking(const std::string& mapped) {
  shrank_line = "bochner: " +
                one_line(mapped +
                         ": shrank while it was read, expected a whole index; put a new one in its place by "
                         "renaming it, and try again") +
                "\n";
  struct sigaction action {};
  action.sa_sigaction = end_by_bus_error;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  sigfillset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

void stop_softly(const CheckpointPlace& checkpoint, const std::string& hint) {
  checkpoint_path = checkpoint.log();
  state_path = checkpoint.state();
  checkpoint_hint = hint;
  struct sigaction action {};
  action.sa_handler = lose_patience;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  ::sigaction(SIGALRM, &action, nullptr);
  soft = true;
}

void stop_when_asked() { ends_itself = true; }

bool asked_to_stop() {
  if (questions_left != 0 && questions_left.fetch_sub(1) == 1) asked = SIGINT;
  return asked != 0;
}

void stop_at_point(std::size_t k) { questions_left = k; }
int stop_code() { return 128 + asked; }

}  // namespace bochner
