// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "base/require.h"

namespace bochner {

// A file without rows. Alone it is an error; as one of several partitions it adds nothing.
class NoRows : public Error {
 public:
  explicit NoRows(const std::string& message) : Error(Kind::data, message) {}
};

template <class... Args>
[[noreturn]] void fail_without_rows(fmt::format_string<Args...> message, Args&&... args) {
  throw NoRows(one_line(fmt::format(message, std::forward<Args>(args)...)));
}

}  // namespace bochner
