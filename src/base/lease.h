// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <deque>

#include "base/aligned.h"

namespace bochner {

// Scratch memory for one call, uninitialised. A small one is the calling thread's and stays for its next call, which
// then allocates nothing; leases of one thread nest. A large one is freed at once.
template <class T>
class Lease {
 public:
  static constexpr std::size_t kMostKept = std::size_t(1) << 18;  // elements

  explicit Lease(std::size_t size) : kept_(size <= kMostKept) {
    AlignedVector<T>& memory = kept_ ? pool().take() : own_;
    if (memory.size() < size) memory.resize(size);
    data_ = memory.data();
  }
  ~Lease() {
    if (kept_) --pool().taken;
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  T* data() const { return data_; }

 private:
  struct Pool {
    std::deque<AlignedVector<T>> memory;  // a deque: those that are taken stay where they are
    std::size_t taken = 0;

    AlignedVector<T>& take() {
      if (taken == memory.size()) memory.emplace_back();
      return memory[taken++];
    }
  };
  static Pool& pool() {
    thread_local Pool pool;
    return pool;
  }

  bool kept_;
  AlignedVector<T> own_;
  T* data_;
};

}  // namespace bochner
