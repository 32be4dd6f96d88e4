// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bochner {

// Cache-line aligned storage for SIMD kernels, for speed alone: no kernel may rely on it, and a build with
// BOCHNER_MISALIGNED begins each buffer 8 bytes behind a cache line to show that none does. Leaves trivially
// constructible elements uninitialised on resize: large buffers are written before they are read.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
#ifdef BOCHNER_MISALIGNED
  static constexpr std::size_t kOffset = sizeof(T) < 8 ? 8 / sizeof(T) : 1;
#else
  static constexpr std::size_t kOffset = 0;
#endif

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new((n + kOffset) * sizeof(T), kAlignment)) + kOffset;
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p - kOffset, kAlignment); }
  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(static_cast<Args&&>(args)...);
  }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace bochner
