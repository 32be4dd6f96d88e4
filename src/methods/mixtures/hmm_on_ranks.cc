// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/hmm_on_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/require.h"
#include "methods/mixtures/hmm_slopes.h"
#include "methods/mixtures/sequence_rows.h"
#include "methods/mixtures/sequences_fold.h"
#include "rows/partitioned_rows.h"

namespace bochner {

namespace {

constexpr double kDrawnShare = 1.0 / 16;  // a part of most_bytes, since every task repeats the fit of what was drawn

}  // namespace

SequencesOnRanks::SequencesOnRanks(Rows& rows, const MappedRows& mapped, std::size_t groups, std::uint64_t seed,
                                   double most_bytes)
    : rows_(rows), mapped_(mapped), groups_(groups) {
  const SequencesFold none(mapped.features(), groups);
  const double bytes = sizeof(double) * double(mapped.rows()) * double(mapped.features());
  const double share = bytes <= most_bytes ? 1 : kDrawnShare * most_bytes / bytes;
  const SequencesFold all = reduce(*mapped.execution().ranks, none, [&] {
    SequencesFold mine = none;
    mine.add(own(), partitioned_rows(rows).sequences(), [&](std::uint64_t partition, std::uint64_t number) {
      return share >= 1 || is_test_row(seed, (partition << 32) + number, share);
    });
    return mine;
  });
  all.check_whole();
  met_ = all.in_order();
  sequences_ = all.count();
  row_weight_ = all.row_weight();
  class_weights_ = all.class_weights();
  std::vector<bool> seen(groups);
  for (const std::uint32_t c : met_.classes) seen[c] = true;
  if (!std::all_of(seen.begin(), seen.end(), [](bool any) { return any; }))
    fail(Error::Kind::data,
         "hmm: {} of {} sequences were drawn, and some class has none of them; leave rare classes out", met_.size(),
         sequences_);
}

Sequences SequencesOnRanks::own() const {
  const RankSequences where = partitioned_rows(rows_).sequences();
  if (where.starts.empty()) return SequencesFold(mapped_.features(), groups_).in_order();
  return sequences_in(mapped_.own_stream(), where.starts, groups_, 0);
}

std::string SequencesOnRanks::note() const {
  return fmt::format("starts and choices come from {} of {} sequences, drawn", met_.size(), sequences_);
}

HmmPass SequencesOnRanks::pass(const Workers& on, std::size_t slopes) const {
  return [this, on, slopes](const HmmFold& empty) {
    return reduce(*mapped_.execution().ranks, empty, [&] {
      HmmFold fold = empty;
      Sequences mine = with_slopes(own(), slopes);
      for (double& weight : mine.weights) weight *= double(mapped_.rows()) / row_weight_;
      if (mine.size() > 0) fold.add(on, mine);
      return fold;
    });
  };
}

std::vector<double> SequencesOnRanks::priors() const {
  const double all = std::accumulate(class_weights_.begin(), class_weights_.end(), 0.0);
  std::vector<double> priors;
  for (const double weight : class_weights_) priors.push_back(weight / all);
  return priors;
}

}  // namespace bochner
