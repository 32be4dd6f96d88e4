// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace bochner::testing_files {

// A folder that goes away with its owner: in memory where the system offers that, for tests that write thousands of
// small files.
class Scratch {
 public:
  Scratch() {
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK | X_OK) == 0;
    std::string pattern = ((usable ? memory : std::filesystem::temp_directory_path()) / "bochner-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no folder for the test at " + pattern);
    folder_ = pattern;
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  if (!std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size())))
    throw std::runtime_error("cannot write " + path);
}

}  // namespace bochner::testing_files
