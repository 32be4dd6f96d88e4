// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bochner/feature_options.h"
#include "bochner/model.h"
#include "choose/plan.h"
#include "model/surveyed_rows.h"

namespace bochner {

// Rows on their way to a method that learns from features: looked over, scaled, and through a map that is chosen as
// `train` chooses it. The same for any threads, blocks and memory.
//
//   MappedRows mapped(rows, options, "kmeans");
//   ... stream = mapped.stream(); fold, solve ...
//   return std::move(mapped).model(head, report, outputs);
class MappedRows {
 public:
  // method: its name in messages. Refuses no rows, weights that are all 0, and maps that are learnt with a head.
  // saved: digits that offsets shall save.
  MappedRows(Rows& rows, const FeatureOptions& options, std::string method, Saved saved = Saved::values);

  const Stream& stream() const { return *stream_; }  // features; weights about 1, targets if the rows have some
  Stream own_stream() const;                         // the rows of this rank alone
  std::size_t features() const { return stream_->features(); }
  std::uint64_t rows() const { return surveyed_.survey().rows(); }
  const Schema& schema() const { return surveyed_.schema(); }
  const Survey& survey() const { return surveyed_.survey(); }
  const Plan& plan() const { return plan_; }
  Threads& threads() { return threads_; }
  const Execution& execution() const { return execution_; }
  Precision precision() const { return stream_->precision(); }
  void note(const std::string& text);  // said now and kept in the report

  // Features of at most `most` rows of a uniform sample, in random order: those of survey().sample(most).
  Matrix<double> sample(std::size_t most);

  enum class Targets { kept, forgotten };  // forgotten ones may be absent from new files
  // Scaling and features, what the method adds to them, then the head; none: the last of those is it. report: what the
  // method found; what is known here is added.
  Model model(MapPtr head, Report report, std::optional<Outputs> outputs = {}, Targets targets = Targets::forgotten,
              std::vector<MapPtr> before_head = {}) &&;

 private:
  std::string method_;
  FeatureOptions options_;
  Execution execution_;
  Threads threads_;
  std::unique_ptr<Rows> numbered_;
  Rows& rows_;
  CellCounts scanned_;
  SurveyedRows surveyed_;
  Plan plan_;
  std::optional<Stream> stream_;
  std::vector<std::string> notes_;
};

// Whether rows that are passed over several times are kept in memory: where they are few, so that memory is flat.
bool worth_keeping(const Rows& rows, std::size_t element_bytes, const Execution& execution);
// Columns that are no inputs may be absent from new files.
Schema without_targets(Schema schema);

}  // namespace bochner
