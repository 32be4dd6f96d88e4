// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "fuzzing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <typeinfo>

#include "bochner/error.h"
#include "bochner/execution.h"
#include "scratch.h"

namespace bochner::fuzzing {

std::string scratch(const std::string& name) {
  static const testing_files::Scratch folder;
  return folder.path(name);
}

void put_file(const std::string& path, std::span<const std::uint8_t> bytes) {
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  while (file >= 0 && !bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put <= 0) break;
    bytes = bytes.subspan(std::size_t(put));
  }
  if (file < 0 || !bytes.empty() || ::close(file) != 0) {
    std::perror(path.c_str());
    std::_Exit(2);  // the disk's fault, not a finding
  }
}

void finding(const std::string& what) {
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::abort();
}

void guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find('\n') != std::string::npos) finding("an error of several lines: " + message);
  } catch (const std::invalid_argument& error) {
  } catch (const Stopped&) {
  } catch (const std::exception& error) {
    finding(std::string(typeid(error).name()) + ": " + error.what());
  }
}

Target::Target(const char* target_name, void (*what)(std::span<const std::uint8_t> input), int archive)
    : name(target_name), run(what), archive_at(archive) {
  targets().push_back(this);
}

std::size_t Target::mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) const {
  return archive_at < 0 ? LLVMFuzzerMutate(data, size, most)
                        : mutate_archive(data, size, most, seed, std::size_t(archive_at));
}

std::vector<const Target*>& targets() {
  static std::vector<const Target*> all;
  return all;
}

const Target& target_named(const std::string& name) {
  for (const Target* target : targets())
    if (name == target->name) return *target;
  fmt::print(stderr, "no fuzz target is named \"{}\"; there are", name);
  for (const Target* target : targets()) fmt::print(stderr, " {}", target->name);
  fmt::print(stderr, "\n");
  std::exit(2);
}

}  // namespace bochner::fuzzing
