// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "c_api/guard.h"

#include <algorithm>
#include <cstring>

#include "bochner/execution.h"

namespace bochner::c_api {

std::int32_t told(bochner_error* error, std::int32_t code, const char* text) noexcept {
  if (!error) return code;
  constexpr std::size_t kMost = sizeof(error->text) - 1, kDots = 3;
  error->code = code;
  std::size_t size = std::strlen(text);
  const bool whole = size <= kMost;
  if (!whole) {
    size = kMost - kDots;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;  // no half of a letter
  }
  std::memcpy(error->text, text, size);
  if (!whole) size = std::size_t(std::fill_n(error->text + size, kDots, '.') - error->text);
  error->text[size] = '\0';
  return code;
}

std::int32_t told(bochner_error* error, std::exception_ptr thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& e) {
    return told(error, e.kind() == Error::Kind::model ? BOCHNER_MODEL : BOCHNER_DATA, e.what());
  } catch (const std::invalid_argument& e) {
    return told(error, BOCHNER_MISUSE, e.what());
  } catch (const std::bad_alloc&) {
    return told(error, BOCHNER_MEMORY, "memory: there is not enough; use fewer features or a machine with more");
  } catch (const std::system_error& e) {
    return told(error, BOCHNER_DATA, e.what());
  } catch (const std::exception& e) {
    return told(error, BOCHNER_FAULT, e.what());
  } catch (...) {
    return told(error, BOCHNER_FAULT, "something that is no exception of the standard library was thrown");
  }
}

}  // namespace bochner::c_api
