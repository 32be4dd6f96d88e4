// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   std::puts(one_line("caf\xe9\x1b[31m").c_str());  // "caf\xe9\x1b[31m", in letters that a terminal only shows

#include <string>
#include <string_view>

namespace bochner {

// Names, labels and messages of files come with any bytes. Control characters other than newlines, and bytes that are
// no UTF-8, become \xNN, so that a terminal shows them and obeys none.
std::string visible_text(std::string_view text);

// The same on one line: newlines and tabs become spaces.
std::string one_line(std::string_view text);

}  // namespace bochner
