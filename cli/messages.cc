// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "messages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bochner {

namespace {

constexpr int kBarWidth = 30;
constexpr double kFirstLook = 0.5;  // seconds: shorter steps need no bar
constexpr double kRedraw = 0.1, kLine = 10;
constexpr double kForetold = 0.05, kSettled = 3;  // of a step, and seconds, before its rate says when it ends

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
  fmt::print(stderr, "{}\n", one_line(line));
}

void Messages::step(const std::string& text) {
  if (quiet_ || !terminal_) return;
  fmt::print(stderr, "\r\033[K{} ...", one_line(text));
  std::fflush(stderr);
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
    fmt::print(stderr, "{}: {:.0f} % after {}{}{}\n", step_, 100 * fraction, duration(seconds),
               left.empty() ? "" : ", ", left);
    return;
  }
  const int filled = int(fraction * kBarWidth);
  fmt::print(stderr, "\r\033[K{:<12} [{:#<{}}{:.<{}}] {:3.0f} %  {}", step_, "", filled, "", kBarWidth - filled,
             100 * fraction, left);
  std::fflush(stderr);
  drawn_ = true;
}

void Messages::clear_bar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n' || c == '\t')
      line += ' ';
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  return line;
}

}  // namespace bochner
