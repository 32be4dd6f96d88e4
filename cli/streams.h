// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string_view>

namespace bochner {

// Occupies those of the descriptors 0, 1 and 2 that the program was started without, so that no file opened later gets
// one of them and the messages with it. Reading or writing them still fails.
void hold_standard_streams();

// Writes all of the text to a descriptor: 0, or the errno of the failure.
int write_all(int file, std::string_view text) noexcept;

// Writes to stderr. A message that cannot be written is lost, since the work is worth more than what is said about it.
void write_message(std::string_view text) noexcept;

}  // namespace bochner
