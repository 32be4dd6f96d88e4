// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// replay TARGET COUNT FOLDER...: runs a fuzz target, built like any other program, on the files of the folders and on
// COUNT mutations of each. They are the same in every run. The input of a finding is left as replay-finding.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <vector>

#include "fuzzing.h"
#include "scratch.h"

namespace {

namespace fs = std::filesystem;
using bochner::fuzzing::Target;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kRoom = 65536;  // a mutation may grow by as much

std::mt19937 random_bits;
Bytes current;
std::string current_name;

// The default action of the signal follows: the program ends by it.
void leave_input(int number) {
  std::signal(number, SIG_DFL);
  fmt::print(stderr, "finding: {}\n", current_name);
  bochner::fuzzing::put_file("replay-finding", current);
  std::raise(number);
}

void run(const Target& target, const Bytes& input, const std::string& name) {
  current = input;
  current_name = name;
  target.run(input);
}

Bytes mutated(const Target& target, const Bytes& input) {
  Bytes data(input.size() + kRoom);
  std::copy(input.begin(), input.end(), data.begin());
  std::size_t size = input.size();
  for (std::size_t times = 1 + random_bits() % 3; times > 0; --times)
    size = target.mutate(data.data(), size, data.size(), unsigned(random_bits()));
  data.resize(size);
  return data;
}

}  // namespace

// What libFuzzer would bring: a byte changed, taken out or put in, or a piece copied elsewhere.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  static constexpr char kUsual[] = "0129.,;:-+eE\"'\n\r\t #%naif\0\xff\x80";
  const auto below = [](std::size_t end) { return std::size_t(random_bits()) % end; };
  const auto byte = [&] {
    return below(2) ? std::uint8_t(kUsual[below(sizeof kUsual - 1)]) : std::uint8_t(random_bits());
  };
  if (size == 0) return data[0] = byte(), 1;
  const std::size_t at = below(size);
  switch (below(5)) {
    case 0:
      data[at] = byte();
      return size;
    case 1:
      data[at] ^= std::uint8_t(1u << below(8));
      return size;
    case 2:
      std::memmove(data + at, data + at + 1, size - at - 1);
      return size - 1;
    case 3:
      if (size == most) return size;
      std::memmove(data + at + 1, data + at, size - at);
      data[at] = byte();
      return size + 1;
    default: {
      const std::size_t count = std::min(below(32) + 1, size - at), to = below(size - count + 1);
      std::memmove(data + to, data + at, count);
      return size;
    }
  }
}

int main(int count, char** words) {
  if (count < 4) {
    fmt::print(stderr, "usage: {} TARGET COUNT FOLDER...\n", words[0]);
    return 1;
  }
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(number, leave_input);
  const Target& target = bochner::fuzzing::target_named(words[1]);
  const int mutations = std::atoi(words[2]);
  std::size_t files = 0, runs = 0;
  for (int f = 3; f < count; ++f) {
    if (!fs::exists(words[f])) continue;  // nothing was found yet
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(words[f])) names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const std::string text = bochner::testing_files::read_bytes(name);
      const Bytes bytes(text.begin(), text.end());
      random_bits.seed(7);
      run(target, bytes, name);
      for (int m = 1; m <= mutations; ++m) run(target, mutated(target, bytes), fmt::format("{}, mutation {}", name, m));
      ++files;
      runs += std::size_t(1 + mutations);
    }
  }
  fmt::print("{} files, {} runs\n", files, runs);
  return files > 0 ? 0 : 1;
}
