// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

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

}  // namespace bochner::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
