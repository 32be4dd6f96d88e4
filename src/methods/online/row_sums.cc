// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/online/row_sums.h"

#include <cmath>

#include "base/archive.h"
#include "base/require.h"
#include "rows/class_target.h"

namespace bochner {

namespace {

// How far targets and features may leave the range of the choosing rows: with that room a block of rows stays within
// 64 bits, and check_room() looks after each.
constexpr double kMost = 16;
constexpr double kRoom = 0.5;  // share of what fits

}  // namespace

void check_room(const GramFold& gram) {
  double most = gram.range_of_squares().second;
  for (std::size_t k = 0; k <= gram.code().columns(); ++k) most = std::max(most, gram.square_of_target(k));
  if (!(most < kRoom))
    fail(Error::Kind::data,
         "sum: it has {} rows, whose squares no longer fit into 64 bits; train anew, by choices of all rows",
         gram.rows());
}

template <class T>
void RowSums::check(const RowBlock<T>& z) {
  require(z.targets != nullptr, "sum: the rows have no targets, expected them: they leave and join with their rows");
  const TargetCode& code = gram.code();
  for (std::size_t i = 0; i < z.rows; ++i) {
    const double* const y = z.targets + i * z.target_count;
    if (code.task == Task::classification) {
      check_class_target(y[0], code.classes, z.first + i);
      ++class_rows[std::size_t(y[0])];
    } else {
      for (std::size_t k = 0; k < code.columns(); ++k)
        if (!(std::abs(code.encode(y, k)) <= kMost))
          fail(Error::Kind::data,
               "row {}: its target is {} times as far from the middle as any of the rows that were chosen on, expected "
               "at most {}; correct it, or train anew",
               z.first + i, std::abs(code.encode(y, k)), kMost);
    }
    if (z.weights && !(z.weights[i] >= 0 && z.weights[i] <= gram.weight_bound()))
      fail(Error::Kind::data,
           "row {}: its weight is {} times the largest of the rows that were chosen on, expected at most 1; lower it, "
           "or train anew",
           z.first + i, z.weights[i] / gram.weight_bound());
  }
}

template <class T>
void RowSums::check_features(const RowBlock<T>& z) const {
  require(!z.sparse(), "sum: found sparse rows without a map, expected a map");
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t j = 0; j < z.cols; ++j)
      if (!(std::abs(double(z.values[i * z.stride + j])) <= kMost * gram.bound()))
        fail(Error::Kind::data,
             "row {}: its feature {} is {} times as large as any of the rows that were chosen on, expected at most {}; "
             "correct it, or train anew",
             z.first + i, j, std::abs(double(z.values[i * z.stride + j])) / gram.bound(), kMost);
}

template void RowSums::check(const RowBlock<float>&);
template void RowSums::check(const RowBlock<double>&);
template void RowSums::check_features(const RowBlock<float>&) const;
template void RowSums::check_features(const RowBlock<double>&) const;

void RowSums::merge(const RowSums& other) {
  gram.merge(other.gram);
  for (std::size_t c = 0; c < class_rows.size(); ++c) class_rows[c] += other.class_rows[c];
}

void RowSums::save(Archive& archive) const {
  gram.save(archive);
  archive.tree["class_rows"] = class_rows;
}

void RowSums::load(const Archive& archive) {
  gram.load(archive);
  const std::vector<double> counts = get_numbers(archive.tree, "class_rows");
  if (counts.size() != class_rows.size()) fail(Error::Kind::model, "sum: rows of classes are missing");
  class_rows.assign(counts.begin(), counts.end());
}

}  // namespace bochner
