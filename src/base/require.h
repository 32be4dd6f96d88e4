// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <fmt/core.h>

#include <stdexcept>

#include "bochner/error.h"
#include "bochner/visible_text.h"

namespace bochner {

// A caller's mistake: what was given makes no sense. One line whatever the names and texts are that it quotes, as of
// fail().
template <class... Args>
[[noreturn]] void mistake(fmt::format_string<Args...> message, Args&&... args) {
  throw std::invalid_argument(one_line(fmt::format(message, std::forward<Args>(args)...)));
}

template <class... Args>
void require(bool holds, fmt::format_string<Args...> message, Args&&... args) {
  if (!holds) mistake(message, std::forward<Args>(args)...);
}

template <class... Args>
[[noreturn]] void fail(Error::Kind kind, fmt::format_string<Args...> message, Args&&... args) {
  throw Error(kind, one_line(fmt::format(message, std::forward<Args>(args)...)));
}

}  // namespace bochner
