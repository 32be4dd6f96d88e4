// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "require.h"

namespace bochner {

// T::load(path); a file that cannot be read as one is a broken model to whoever named it.
template <class T>
T load_as(const std::string& path) {
  try {
    return T::load(path);
  } catch (const Error& error) {
    fail(Error::Kind::model, "{}", error.what());
  }
}

}  // namespace bochner
