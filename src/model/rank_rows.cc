// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/rank_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "base/hash64.h"
#include "base/require.h"
#include "bochner/parts.h"
#include "bochner/ranks.h"
#include "model/sum.h"
#include "rows/partitioned_rows.h"
#include "rows/scan_notes.h"
#include "run/part_sum.h"

namespace bochner {

namespace {

// The files in turn; if there are fewer than ranks, a shard of every file.
std::vector<RankShare> share_of(const std::vector<std::string>& files, const RowsOptions& options, const Ranks& ranks) {
  require(!files.empty(), "open_on_ranks: found no file, expected one or more");
  const auto rank = std::size_t(ranks.rank()), count = std::size_t(ranks.count());
  const bool whole = files.size() >= count;
  std::vector<RankShare> mine;
  for (std::size_t f = whole ? rank : 0; f < files.size(); f += whole ? count : 1)
    mine.push_back({f, file_partition(files[f], options), whole ? 0 : rank, whole ? 1 : count});
  return mine;
}

// What all ranks must know of the partitions: how many rows each has, what their cells were like, and their survey.
struct Looked {
  std::vector<std::uint64_t> rows;
  std::uint64_t cells = 0, missing = 0;
  std::string survey = {};  // a Sum; empty: no rows

  void merge(const Looked& other) {
    for (std::size_t p = 0; p < rows.size(); ++p) rows[p] += other.rows[p];
    cells += other.cells;
    missing += other.missing;
    if (survey.empty() || other.survey.empty()) {
      survey += other.survey;
      return;
    }
    Sum sum = Sum::of_bytes(survey, "rank");
    const Sum more = Sum::of_bytes(other.survey, "rank");
    merge_in_order<Sum>(sum, {&more, 1});
    survey = sum.bytes();
  }
  void save(Archive& archive) const {
    archive.put<std::uint64_t>("rows", rows, {rows.size()});
    archive.put_count("cells", cells);
    archive.put_count("missing", missing);
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(survey.data()), survey.size());
    archive.put<std::uint8_t>("survey", bytes, {bytes.size()});
  }
  void load(const Archive& archive) {
    rows = archive.get<std::uint64_t>("rows", {rows.size()});
    cells = archive.get_count("cells");
    missing = archive.get_count("missing");
    const auto bytes = archive.get<std::uint8_t>("survey", {archive.length("survey")});
    survey.assign(bytes.begin(), bytes.end());
  }
};

OpenShare opened(const RankShare& share, std::unique_ptr<Rows> whole) {
  OpenShare open{std::move(whole), nullptr, share.index};
  if (share.shards > 1) open.shard = open.whole->shard(share.shard, share.shards);
  return open;
}

// The number of a part says which rows it has; its source and their own numbers, which of them a survey samples.
PartName part_of(const RankShare& share) {
  PartName part = share.partition.name();
  part.source = share.index + 1;
  if (share.shards == 1) return part;
  Hash64 number;
  for (const std::uint64_t of : {part.number, std::uint64_t(share.shard), std::uint64_t(share.shards)})
    number.add(std::as_bytes(std::span(&of, 1)));
  part.number = number.value();
  return part;
}

// One share after the other. A block never has rows of two partitions, and the first row of one has the number that it
// has for any number of ranks, a multiple of kChunkRows.
class RankRows final : public PartitionedRows {
 public:
  RankRows(Schema schema, std::shared_ptr<RankShares> mine, const Looked& all)
      : schema_(std::move(schema)), mine_(std::move(mine)), rows_(all.rows) {
    counts_.rows = std::accumulate(rows_.begin(), rows_.end(), std::uint64_t(0));
    counts_.cells = all.cells;
    counts_.missing = all.missing;
  }

  const Schema& schema() const override { return schema_; }
  void rewind() override {
    for (OpenShare& share : mine_->open) {
      share.of().rewind();
      share.read = 0;
    }
    at_ = 0;
  }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block); }
  // One rank does not know the size of all ranks' rows, and plans nothing by its own.
  std::optional<std::size_t> size() const override { return std::nullopt; }
  std::size_t memory_bytes(std::size_t) const override { return 0; }
  double fraction_read() const override {
    const std::vector<OpenShare>& open = mine_->open;
    if (at_ >= open.size()) return 1;
    return (double(at_) + open[at_].of().fraction_read()) / double(open.size());
  }
  std::vector<std::string> notes() const override { return schema_notes(schema_); }
  CellCounts counts() const override { return counts_; }

  std::uint64_t first_row_of(std::size_t partition) const override {
    std::uint64_t first = 0;
    for (std::size_t p = 0; p < std::min(partition, rows_.size()); ++p)
      first += (rows_[p] + kChunkRows - 1) / kChunkRows * kChunkRows;
    return first;
  }

  RankSequences sequences() const override {
    RankSequences found;
    std::size_t before = 0;
    for (const RankShare& share : mine_->shares) {
      if (!share.partition.read || rows_[share.index] == 0) continue;
      require(
          share.partition.sequences && share.shards == 1,
          "partition {}: found rows, expected sequences, each whole in one partition; begin the job with the column "
          "that tells them apart",
          share.index);
      const PartSequences part = share.partition.sequences(schema_);
      for (std::size_t i = 0; i < part.starts.size(); ++i) {
        found.starts.push_back(before + part.starts[i]);
        found.names.push_back(part.names.empty() ? 0 : part.names[i]);
        found.partitions.push_back(share.index);
        found.numbers.push_back(i);
      }
      before += rows_[share.index];
    }
    return found;
  }

 private:
  template <class T>
  bool serve(std::size_t max_rows, RowBlock<T>& block) {
    if (!mine_->may_be_read) throw std::logic_error("rounds: rows are read by what is no sum");
    if (mine_->open.empty()) open();
    for (; at_ < mine_->open.size(); ++at_) {
      OpenShare& share = mine_->open[at_];
      if (share.of().next(max_rows, block)) {
        share.read += block.rows;
        block.first += share.first;
        return true;
      }
      if (!share.shard && share.read != rows_[share.index])
        fail(Error::Kind::data, "partition {}: found {} rows, and {} in the first look at it; give it the same rows",
             share.index, share.read, rows_[share.index]);
    }
    return false;
  }

  void open() {
    at_ = 0;
    for (const RankShare& share : mine_->shares) {
      if (!share.partition.read || rows_[share.index] == 0) continue;
      mine_->open.push_back(opened(share, share.partition.read(schema_)));
      mine_->open.back().first = first_row_of(share.index);
    }
  }

  Schema schema_;
  std::shared_ptr<RankShares> mine_;
  std::vector<std::uint64_t> rows_;  // each partition has so many
  CellCounts counts_;                // all ranks'
  std::size_t at_ = 0;
};

Looked look_over(const RankShares& mine, Looked found, const Execution& execution) {
  std::optional<Sum> all;
  for (const RankShare& share : mine.shares) {
    if (!share.partition.scan) continue;
    std::unique_ptr<Rows> whole = share.partition.scan();
    if (!whole) continue;
    const OpenShare open = opened(share, std::move(whole));
    Execution alone = execution;
    alone.ranks = nullptr;
    std::optional<Sum> survey = survey_if_any(open.of(), part_of(share), alone);
    if (!survey) continue;
    found.rows[share.index] += survey->rows();
    if (share.shard == 0) {
      open.whole->rewind();  // the counts are then those of the scan
      found.cells += open.whole->counts().cells;
      found.missing += open.whole->counts().missing;
    }
    if (all)
      merge_in_order<Sum>(*all, {&*survey, 1});
    else
      all = std::move(survey);
  }
  if (all) found.survey = all->bytes();
  return found;
}

}  // namespace

std::unique_ptr<Rows> rows_on_ranks(std::size_t partitions, std::shared_ptr<RankShares> mine, Ranks& ranks,
                                    const Execution& execution) {
  const Looked none{std::vector<std::uint64_t>(partitions)};
  const Looked all = reduce(ranks, none, [&] { return look_over(*mine, none, execution); });
  if (all.survey.empty()) fail(Error::Kind::data, "ranks: none of the {} partitions has rows; check them", partitions);
  Schema schema = Sum::of_bytes(all.survey, "survey").schema();
  schema.offsets.clear();  // the training finds them
  return std::make_unique<RankRows>(std::move(schema), std::move(mine), all);
}

PartSequences named_sequences(std::vector<std::size_t> starts, const std::vector<std::string>& names) {
  PartSequences part{std::move(starts)};
  for (const std::string& name : names) part.names.push_back(hash64(std::as_bytes(std::span(name))));
  return part;
}

std::unique_ptr<Rows> open_on_ranks(const std::vector<std::string>& files, const RowsOptions& options, Ranks& ranks) {
  auto mine = std::make_shared<RankShares>(RankShares{share_of(files, options, ranks)});
  return rows_on_ranks(files.size(), std::move(mine), ranks, {.threads = options.threads});
}

}  // namespace bochner
