// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cstdint>
#include <exception>

#include "base/plugin.h"
#include "base/require.h"
#include "bochner/mpi.h"
#include "run/mpi_table.h"

namespace bochner {

namespace {

void check(int failure, const char* what) {
  if (failure != 0)
    fail(Error::Kind::io, "mpi: failure {} while it {}; see what mpirun says, and start all processes again", failure,
         what);
}

// A sum climbs a binomial tree to rank 0, and the joined one is told to all.
class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(const BochnerMpi& mpi) : mpi_(mpi) { check(mpi_.begin(&rank_, &count_), "began"); }
  // A rank that ends by an error leaves MPI as it is, so that mpirun ends the others, which may wait for it.
  ~MpiRanks() override {
    if (std::uncaught_exceptions() == 0) mpi_.end();
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::string reduce(std::string mine, const Join& join) override {
    for (int step = 1; step < count_; step *= 2) {
      if (rank_ % (2 * step) != 0) {
        send(rank_ - step, mine);
        break;
      }
      if (rank_ + step < count_) mine = join(mine, receive(rank_ + step));
    }
    std::uint64_t size = mine.size();
    check(mpi_.broadcast(&size, sizeof size), "told a size");
    mine.resize(size);
    check(mpi_.broadcast(mine.data(), size), "told a sum");
    return mine;
  }

 private:
  void send(int to, const std::string& bytes) {
    const std::uint64_t size = bytes.size();
    check(mpi_.send(to, &size, sizeof size), "sent a size");
    check(mpi_.send(to, bytes.data(), size), "sent a sum");
  }
  std::string receive(int from) {
    std::uint64_t size = 0;
    check(mpi_.receive(from, &size, sizeof size), "received a size");
    std::string bytes(size, '\0');
    check(mpi_.receive(from, bytes.data(), size), "received a sum");
    return bytes;
  }

  const BochnerMpi& mpi_;
  int rank_ = 0, count_ = 1;
};

}  // namespace

std::unique_ptr<Ranks> mpi_ranks() {
  void* const library = open_plugin("libbochner_mpi.so", "BOCHNER_MPI_LIBRARY", true);
  if (!library)
    fail(Error::Kind::io, "mpi: libbochner_mpi.so was not found beside the program; build it where MPI is installed");
  using Entry = const BochnerMpi* (*)();
  const auto entry = reinterpret_cast<Entry>(plugin_function(library, "bochner_mpi"));
  const BochnerMpi* const mpi = entry ? entry() : nullptr;
  if (!mpi || mpi->version != kBochnerMpiVersion)
    fail(Error::Kind::io, "mpi: libbochner_mpi.so is of another version; build it again");
  return std::make_unique<MpiRanks>(*mpi);
}

}  // namespace bochner
