// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "messages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "streams.h"

namespace bochner {

namespace {

constexpr int kBarWidth = 30;
constexpr double kFirstLook = 0.5;  // seconds: shorter steps need no bar
constexpr double kRedraw = 0.1, kLine = 10;
constexpr double kForetold = 0.05, kSettled = 3;  // share of a step, and seconds, before its rate says when it ends

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

std::string duration(double seconds) {
  const auto s = (long long)(std::ceil(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

}  // namespace

Messages::Messages(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Messages::say(const std::string& line) {
  if (quiet_) return;
  clear_bar();
  write_message(one_line(line) + "\n");
}

void Messages::step(const std::string& text) {
  if (quiet_ || !terminal_) return;
  write_message(fmt::format("\r\033[K{} ...", one_line(text)));
  drawn_ = true;
}

void Messages::progress(const std::string& step, double fraction) {
  if (quiet_) return;
  if (step != step_ || fraction == 0) {
    clear_bar();
    step_ = step;
    begin_ = shown_ = std::chrono::steady_clock::now();
    return;
  }
  if (seconds_since(begin_) < kFirstLook || seconds_since(shown_) < (terminal_ ? kRedraw : kLine)) return;
  shown_ = std::chrono::steady_clock::now();
  draw(std::clamp(fraction, 0.0, 1.0), seconds_since(begin_));
}

void Messages::draw(double fraction, double seconds) {
  const bool foretold = fraction >= kForetold && seconds >= kSettled;
  const std::string left = foretold ? "about " + duration(seconds * (1 - fraction) / fraction) + " left" : "";
  if (!terminal_) {
    return write_message(fmt::format("{}: {:.0f} % after {}{}{}\n", step_, 100 * fraction, duration(seconds),
                                     left.empty() ? "" : ", ", left));
  }
  const int filled = int(fraction * kBarWidth);
  write_message(fmt::format("\r\033[K{:<12} [{:#<{}}{:.<{}}] {:3.0f} %  {}", step_, "", filled, "", kBarWidth - filled,
                            100 * fraction, left));
  drawn_ = true;
}

void Messages::clear_bar() {
  if (drawn_) write_message("\r\033[K");
  drawn_ = false;
}

void say_error(const std::string& text) { write_message("bochner: " + one_line(text) + "\n"); }

}  // namespace bochner
