// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

namespace bochner {

// What libbochner_mpi.so gives: MPI without its types, which differ between its makers. Functions return 0, or what MPI
// calls the failure.
struct BochnerMpi {
  int version;
  int (*begin)(int* rank, int* count);
  int (*send)(int to, const void* bytes, std::size_t size);
  int (*receive)(int from, void* bytes, std::size_t size);
  int (*broadcast)(void* bytes, std::size_t size);  // what rank 0 has
  void (*end)();
};
constexpr int kBochnerMpiVersion = 1;

}  // namespace bochner
