// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bochner::fuzzing {

// The scratch folder of this process: in memory, gone at exit.
std::string scratch(const std::string& name);

void put_file(const std::string& path, std::span<const std::uint8_t> bytes);

// What bochner documents passes: Error (with one line), std::invalid_argument, Stopped. Anything else, and memory that
// is not there, is a finding: it aborts.
void guarded(const std::function<void()>& work);

// A finding, said and aborted on.
[[noreturn]] void finding(const std::string& what);

// A mutation that keeps an archive well-formed, its checksum included, so that what lies behind the reader is reached:
// values of the tree and of the arrays, keys, shapes, types. The first `prefix` bytes are not of the archive.
std::size_t mutate_archive(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                           std::size_t prefix = 0);

// One kind of input, and what is done with it. NAME_fuzz.cc has the target NAME, which joins targets() as the program
// starts.
struct Target {
  Target(const char* name, void (*run)(std::span<const std::uint8_t> input), int archive_at = -1);

  std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) const;

  const char* name;
  void (*run)(std::span<const std::uint8_t> input);
  int archive_at;  // where in the input the archive begins that mutations keep well-formed; -1: nowhere
};

std::vector<const Target*>& targets();
const Target& target_named(const std::string& name);  // a name that no target has ends the program

}  // namespace bochner::fuzzing

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
