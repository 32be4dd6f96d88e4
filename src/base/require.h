// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <fmt/core.h>

#include <stdexcept>

#include "bochner/error.h"
#include "bochner/visible_text.h"

namespace bochner {

// Checks what a caller gave: throws std::invalid_argument with the formatted message when it does not hold.
template <class... Args>
void require(bool holds, fmt::format_string<Args...> message, Args&&... args) {
  if (!holds) throw std::invalid_argument(fmt::format(message, std::forward<Args>(args)...));
}

// One line whatever the names and texts are that it quotes.
template <class... Args>
[[noreturn]] void fail(Error::Kind kind, fmt::format_string<Args...> message, Args&&... args) {
  throw Error(kind, one_line(fmt::format(message, std::forward<Args>(args)...)));
}

}  // namespace bochner
