// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

#include "bochner/error.h"

namespace bochner {

// Checks what the user gave: throws std::invalid_argument with the formatted message when it does not hold. The
// library has the same functions in private: public headers, which are all the command sees, know no fmt.
template <class... Args>
void require(bool holds, fmt::format_string<Args...> message, Args&&... args) {
  if (!holds) throw std::invalid_argument(fmt::format(message, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void fail(Error::Kind kind, fmt::format_string<Args...> message, Args&&... args) {
  throw Error(kind, fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace bochner
