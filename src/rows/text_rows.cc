// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/text_rows.h"

#include <iterator>

namespace bochner {

template <class T>
bool TextRows::fill_any(RowBuffer<T>& rows, std::vector<RowBuffer<T>>& parts) {
  const char* begin = nullptr;
  if (piece_ == pieces_) {
    if (!reader_.next()) {
      last_counts_ = counts_;
      return false;
    }
    piece_ = 0;
    pieces_ = reader_.cuts().size() - 1;
    if (!started_) begin = skip_header(reader_.chunk().begin);
    if (!started_ && kept_) kept_->lines.clear();
    started_ = true;
  }
  // A few pieces per thread at a time: enough to share out, few enough to bound the memory of wide rows.
  const std::size_t count = std::min<std::size_t>(pieces_ - piece_, 4 * std::size_t(threads_.count()));
  if (parts.size() < count) parts.resize(count);
  std::vector<Complaint> complaints(count);
  const std::vector<const char*>& cuts = reader_.cuts();
  threads_.run(count, [&](std::size_t i, int) {
    RowBuffer<T>& part = parts[i];
    part.cols = rows.cols;
    part.target_count = rows.target_count;
    part.sparse = rows.sparse;
    part.weighted = rows.weighted;
    part.clear();
    const char* const from = std::max(begin, cuts[piece_ + i]);  // a long header may fill whole pieces
    if (from < cuts[piece_ + i + 1]) parse(from, cuts[piece_ + i + 1], part, complaints[i]);
  });
  for (const Complaint& complaint : complaints) complaint.raise(reader_);
  for (std::size_t i = 0; i < count; ++i) counts_.add(parts[i].counts);
  rows.append(std::span(parts).first(count), threads_);
  if (kept_)
    for (std::size_t i = 0; i < count; ++i)
      kept_->lines.insert(kept_->lines.end(), std::make_move_iterator(parts[i].kept.begin()),
                          std::make_move_iterator(parts[i].kept.end()));
  piece_ += count;
  return true;
}

template bool TextRows::fill_any(RowBuffer<float>&, std::vector<RowBuffer<float>>&);
template bool TextRows::fill_any(RowBuffer<double>&, std::vector<RowBuffer<double>>&);

}  // namespace bochner
