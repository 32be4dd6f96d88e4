// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <bochner_c.h>

#include <cstdint>
#include <exception>
#include <new>

#include "base/require.h"
#include "bochner/predictor.h"

// The model behind a handle of C.
struct bochner_model {
  bochner::Predictor predictor;
};

namespace bochner::c_api {

// Writes both into the error, which may be null, and returns the code.
std::int32_t told(bochner_error* error, std::int32_t code, const char* text) noexcept;
std::int32_t told(bochner_error* error, std::exception_ptr thrown) noexcept;

// Nothing is thrown into C: the work is done, or the error says why it is not.
template <class Work>
std::int32_t guarded(bochner_error* error, const Work& work) noexcept {
  try {
    work();
    return told(error, BOCHNER_OK, "");
  } catch (...) {
    return told(error, std::current_exception());
  }
}

// What C gives is no null pointer. what: its name, for the message.
inline void require_given(const void* pointer, const char* what) {
  require(pointer != nullptr, "{}: found a null pointer, expected one that points to something", what);
}

}  // namespace bochner::c_api
