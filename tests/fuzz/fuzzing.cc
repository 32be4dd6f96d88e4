// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "fuzzing.h"

#include <fcntl.h>
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

}  // namespace bochner::fuzzing
