// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/svmlight_scan.h"

#include <algorithm>
#include <limits>

#include "base/option.h"
#include "base/require.h"
#include "base/threads.h"
#include "rows/columns.h"
#include "rows/labels.h"
#include "rows/no_rows.h"
#include "rows/scan_pieces.h"
#include "rows/svmlight_line.h"
#include "rows/width.h"

namespace bochner {

namespace {

struct Tally {
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::size_t labelled = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  TargetKinds kinds;
  Complaint complaint;

  void merge(const Tally& part) {
    rows += part.rows;
    nonzeros += part.nonzeros;
    labelled += part.labelled;
    least = std::min(least, part.least);
    most = std::max(most, part.most);
    kinds.merge(part.kinds);
  }
};

void tally_piece(const char* p, const char* end, const RowsOptions& options, std::size_t memory, Tally& tally) {
  std::vector<std::uint64_t> indices;
  while (p < end) {
    const char* const line = svmlight_line(p);
    if (!line) continue;
    double label = 0;
    const LabelWord word = svmlight_label(p, label, tally.complaint);
    if (word == LabelWord::bad) return;
    if (word == LabelWord::none && options.target_required)
      return tally.complaint.say(line, "no label at the beginning of the line, expected one; add it to train");
    if (word == LabelWord::number) {
      ++tally.labelled;
      tally.kinds.add(label);
    }
    indices.clear();
    bool ascending = true;
    std::uint64_t index = 0;
    double value = 0;
    FeatureWord feature;
    while ((feature = svmlight_feature(p, index, value, tally.complaint)) == FeatureWord::feature) {
      ascending = ascending && (indices.empty() || indices.back() < index);
      indices.push_back(index);
    }
    if (feature == FeatureWord::bad) return;
    if (!ascending) {
      std::sort(indices.begin(), indices.end());
      if (const auto twin = std::adjacent_find(indices.begin(), indices.end()); twin != indices.end())
        return tally.complaint.say(line, "index {} comes twice in this line, expected once; add the values up", *twin);
    }
    if (!indices.empty()) {
      const auto [low, high] = std::minmax(indices.front(), indices.back());
      if (low == 0 && options.index_base == 1)
        return tally.complaint.say(line, "index 0, expected 1 or more; use index base 0");
      if (too_wide(high, kSparseInputBytes, memory))
        return tally.complaint.say(
            line, "index {0}: as many inputs need {1} at least, {3} allows {2}; renumber them, or raise {3}", high,
            memory_text(high * kSparseInputBytes), memory_text(memory), Option::memory);
      tally.least = std::min(tally.least, low);
      tally.most = std::max(tally.most, high);
    }
    tally.nonzeros += indices.size();
    ++tally.rows;
  }
}

}  // namespace

SvmlightScan scan_svmlight(const std::string& path, const RowsOptions& options, const ChunkSizes& sizes) {
  ChunkReader reader(path, '\0', sizes);
  Threads threads(options.threads);
  Tally empty;
  empty.kinds = TargetKinds(options.task);
  Tally tally = empty;
  const std::size_t memory = reading_memory(options);
  scan_pieces(
      reader, threads, empty, [](const char* begin) { return begin; },
      [&](const char* begin, const char* end, Tally& part) { tally_piece(begin, end, options, memory, part); },
      [&](Tally& part) { tally.merge(part); });
  if (tally.rows == 0)
    fail_without_rows("{}:1:1: the file has no rows, expected `label index:value ...`; check how it was written", path);
  if (tally.nonzeros == 0)
    fail(Error::Kind::data, "{}: no row has a feature, expected index:value; check how the file was written", path);

  SvmlightScan scan;
  scan.rows = tally.rows;
  scan.nonzeros = tally.nonzeros;
  Schema& schema = scan.schema;
  schema.sparse = true;
  schema.missing = missing_rule(options);
  schema.index_base = options.index_base.value_or(tally.least == 0 ? 0 : 1);
  schema.inputs = std::size_t(tally.most) + 1 - std::size_t(schema.index_base);
  schema.targets = tally.labelled == tally.rows && !options.inputs_only ? 1 : 0;
  if (schema.targets == 0) return scan;
  if (!options.task) scan.notes = tally.kinds.notes(schema.target_names()[0]);
  schema.task = options.task.value_or(tally.kinds.look_like_classes() ? Task::classification : Task::regression);
  if (schema.task == Task::classification) {
    if (tally.kinds.too_many())
      fail(Error::Kind::data, "{}: more than {} classes; choose regression", path, kMostClasses);
    schema.labels = tally.kinds.labels();
  }
  return scan;
}

}  // namespace bochner
