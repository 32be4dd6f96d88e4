// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <numeric>
#include <optional>

#include "base/hash64.h"
#include "base/require.h"
#include "bochner/parts.h"
#include "bochner/ranks.h"
#include "model/sum.h"
#include "rows/scan_notes.h"
#include "run/part_sum.h"

namespace bochner {

namespace {

// A file, or a shard of one, that is this rank's.
struct Share {
  std::size_t file = 0;
  PartName part;
  std::size_t shard = 0, shards = 1;
};

std::vector<Share> share_of(const std::vector<std::string>& files, const Ranks& ranks) {
  require(!files.empty(), "open_on_ranks: found no file, expected one or more");
  const auto rank = std::size_t(ranks.rank()), count = std::size_t(ranks.count());
  const bool whole = files.size() >= count;
  std::vector<Share> mine;
  for (std::size_t f = whole ? rank : 0; f < files.size(); f += whole ? count : 1) {
    PartName part = part_of_file(files[f]);
    if (whole) {
      mine.push_back({f, part});
      continue;
    }
    part.source = part.number;
    Hash64 number;
    for (const std::uint64_t of : {part.source, std::uint64_t(rank), std::uint64_t(count)})
      number.add(std::as_bytes(std::span(&of, 1)));
    part.number = number.value();
    mine.push_back({f, part, rank, count});
  }
  return mine;
}

// What all ranks must know of the files: how many rows each has, and what their cells were like.
struct FileCounts {
  std::vector<std::uint64_t> rows;
  std::uint64_t cells = 0, missing = 0;

  void merge(const FileCounts& other) {
    for (std::size_t f = 0; f < rows.size(); ++f) rows[f] += other.rows[f];
    cells += other.cells;
    missing += other.missing;
  }
  void save(Archive& archive) const {
    archive.put<std::uint64_t>("rows", rows, {rows.size()});
    archive.put_count("cells", cells);
    archive.put_count("missing", missing);
  }
  void load(const Archive& archive) {
    rows = archive.get<std::uint64_t>("rows", {rows.size()});
    cells = archive.get_count("cells");
    missing = archive.get_count("missing");
  }
};

struct OpenShare {
  std::unique_ptr<Rows> file, shard;
  std::size_t first = 0;  // the number of the file's first row

  Rows& rows() const { return shard ? *shard : *file; }
};

OpenShare opened(const Share& share, std::unique_ptr<Rows> file, std::size_t first = 0) {
  OpenShare open{std::move(file), nullptr, first};
  if (share.shards > 1) open.shard = open.file->shard(share.shard, share.shards);
  return open;
}

// One share after the other. A block never has rows of two files, and the first row of a file has the number that it
// has for any number of ranks, a multiple of kChunkRows.
class RankRows final : public Rows {
 public:
  RankRows(Schema schema, std::vector<OpenShare> shares, const FileCounts& all)
      : schema_(std::move(schema)), shares_(std::move(shares)) {
    counts_.rows = std::accumulate(all.rows.begin(), all.rows.end(), std::uint64_t(0));
    counts_.cells = all.cells;
    counts_.missing = all.missing;
  }

  const Schema& schema() const override { return schema_; }
  void rewind() override {
    for (const OpenShare& share : shares_) share.rows().rewind();
    at_ = 0;
  }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return serve(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return serve(max_rows, block); }
  // One rank does not know the size of all ranks' rows, and plans nothing by its own.
  std::optional<std::size_t> size() const override { return std::nullopt; }
  std::size_t memory_bytes(std::size_t) const override { return 0; }
  double fraction_read() const override {
    if (at_ == shares_.size()) return 1;
    return (double(at_) + shares_[at_].rows().fraction_read()) / double(shares_.size());
  }
  std::vector<std::string> notes() const override { return schema_notes(schema_); }
  CellCounts counts() const override { return counts_; }

 private:
  template <class T>
  bool serve(std::size_t max_rows, RowBlock<T>& block) {
    for (; at_ < shares_.size(); ++at_)
      if (shares_[at_].rows().next(max_rows, block)) {
        block.first += shares_[at_].first;
        return true;
      }
    return false;
  }

  Schema schema_;
  std::vector<OpenShare> shares_;
  CellCounts counts_;  // all ranks'
  std::size_t at_ = 0;
};

// This rank's survey, as bytes; "" if it has no rows.
std::string survey_shares(const std::vector<std::string>& files, const RowsOptions& options,
                          const std::vector<Share>& shares, FileCounts& counts) {
  std::optional<Sum> all;
  for (const Share& share : shares) {
    const OpenShare open = opened(share, open_rows(files[share.file], options));
    std::optional<Sum> survey = survey_if_any(open.rows(), share.part, {.threads = options.threads});
    if (!survey) continue;
    counts.rows[share.file] += survey->rows();
    if (share.shard == 0) {
      open.file->rewind();  // the counts are then those of the scan
      counts.cells += open.file->counts().cells;
      counts.missing += open.file->counts().missing;
    }
    if (all)
      merge_in_order<Sum>(*all, {&*survey, 1});
    else
      all = std::move(survey);
  }
  return all ? all->bytes() : "";
}

std::string join_sums(const std::string& a, const std::string& b) {
  Sum sum = Sum::of_bytes(a, "rank");
  const Sum other = Sum::of_bytes(b, "rank");
  merge_in_order<Sum>(sum, {&other, 1});
  return sum.bytes();
}

}  // namespace

std::unique_ptr<Rows> open_on_ranks(const std::vector<std::string>& files, const RowsOptions& options, Ranks& ranks) {
  std::vector<Share> shares;
  FileCounts counts{std::vector<std::uint64_t>(files.size())};
  const std::string surveys = reduce_made(
      ranks,
      [&] {
        shares = share_of(files, ranks);
        return survey_shares(files, options, shares, counts);
      },
      join_sums);
  Schema schema = Sum::of_bytes(surveys, "survey").schema();
  schema.offsets.clear();  // the training finds them
  counts = reduce(ranks, FileCounts{std::vector<std::uint64_t>(files.size())}, [&] { return counts; });
  std::vector<OpenShare> open;
  for (const Share& share : shares) {
    std::size_t first = 0;
    for (std::size_t f = 0; f < share.file; ++f) first += (counts.rows[f] + kChunkRows - 1) / kChunkRows * kChunkRows;
    open.push_back(opened(share, open_rows(files[share.file], schema, options), first));
  }
  return std::make_unique<RankRows>(std::move(schema), std::move(open), counts);
}

}  // namespace bochner
