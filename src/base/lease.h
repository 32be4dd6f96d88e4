// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "base/aligned.h"

namespace bochner {

// An object of the calling thread for one call, as an earlier call left it; those of one thread nest.
template <class T>
class Leased {
 public:
  Leased() : object_(pool().take()) {}
  ~Leased() { --pool().taken; }
  Leased(const Leased&) = delete;
  Leased& operator=(const Leased&) = delete;

  T& operator*() const { return object_; }
  T* operator->() const { return &object_; }

 private:
  struct Pool {
    std::deque<T> objects;  // a deque: those that are taken stay where they are
    std::size_t taken = 0;

    T& take() {
      if (taken == objects.size()) objects.emplace_back();
      return objects[taken++];
    }
  };
  static Pool& pool() {
    thread_local Pool pool;
    return pool;
  }

  T& object_;
};

// Scratch memory for one call, uninitialised. A small one is the calling thread's and stays for its next call, which
// then allocates nothing; leases of one thread nest. A large one is freed at once.
template <class T>
class Lease {
 public:
  static constexpr std::size_t kMostKept = std::size_t(1) << 18;  // elements

  explicit Lease(std::size_t size) {
    AlignedVector<T>& memory = size <= kMostKept ? *kept_.emplace() : own_;
    if (memory.size() < size) memory.resize(size);
    data_ = memory.data();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  T* data() const { return data_; }

 private:
  std::optional<Leased<AlignedVector<T>>> kept_;
  AlignedVector<T> own_;
  T* data_;
};

}  // namespace bochner
