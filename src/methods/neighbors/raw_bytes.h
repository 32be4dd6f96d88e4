// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "base/memory.h"

namespace bochner {

// Memory for many bytes, which those who fill it touch first: a vector would set it to 0 on one thread.
inline std::shared_ptr<std::uint8_t[]> raw_bytes(std::size_t count) {
  constexpr std::align_val_t kLine{64};
  std::shared_ptr<std::uint8_t[]> bytes(static_cast<std::uint8_t*>(::operator new[](count, kLine)),
                                        [](std::uint8_t* at) { ::operator delete[](at, kLine); });
  use_large_pages(bytes.get(), count);
  return bytes;
}

}  // namespace bochner
