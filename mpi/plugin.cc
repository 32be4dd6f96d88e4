// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// libbochner_mpi.so: the few functions of MPI that ranks need (src/run/mpi_ranks.cc opens it).

#include <mpi.h>

#include <algorithm>

#include "run/mpi_table.h"

namespace {

constexpr std::size_t kMost = std::size_t(1) << 30;  // bytes of a message: MPI counts in int
bool begun_here = false;

// Message by message; both sides know the size.
template <class Each>
int in_messages(char* bytes, std::size_t size, const Each& each) {
  for (std::size_t at = 0; at < size; at += kMost)
    if (const int failure = each(bytes + at, int(std::min(kMost, size - at)))) return failure;
  return 0;
}

int begin(int* rank, int* count) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (!begun) {
    int given = 0;
    if (const int failure = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given)) return failure;
    begun_here = true;
  }
  if (const int failure = MPI_Comm_rank(MPI_COMM_WORLD, rank)) return failure;
  return MPI_Comm_size(MPI_COMM_WORLD, count);
}

int send(int to, const void* bytes, std::size_t size) {
  return in_messages(static_cast<char*>(const_cast<void*>(bytes)), size,
                     [&](char* part, int count) { return MPI_Send(part, count, MPI_BYTE, to, 0, MPI_COMM_WORLD); });
}

int receive(int from, void* bytes, std::size_t size) {
  return in_messages(static_cast<char*>(bytes), size, [&](char* part, int count) {
    return MPI_Recv(part, count, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
}

int broadcast(void* bytes, std::size_t size) {
  return in_messages(static_cast<char*>(bytes), size,
                     [&](char* part, int count) { return MPI_Bcast(part, count, MPI_BYTE, 0, MPI_COMM_WORLD); });
}

void end() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (begun_here && !ended) MPI_Finalize();
}

const bochner::BochnerMpi kTable = {bochner::kBochnerMpiVersion, begin, send, receive, broadcast, end};

}  // namespace

extern "C" __attribute__((visibility("default"))) const bochner::BochnerMpi* bochner_mpi() { return &kTable; }
