// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "base/threads.h"
#include "rows/chunk_reader.h"
#include "rows/file_rows.h"
#include "rows/streamed_rows.h"

namespace bochner {

// The first thing wrong in a piece of text. Pieces are parsed in parallel and only note it; the first one in file
// order is then thrown, whatever the threads did.
struct Complaint {
  const char* at = nullptr;
  std::string message;

  template <class... Args>
  void say(const char* where, fmt::format_string<Args...> text, Args&&... args) {
    if (at) return;
    at = where;
    message = fmt::format(text, std::forward<Args>(args)...);
  }
  void raise(const ChunkReader& reader) const {
    if (at) fail(Error::Kind::data, "{}: {}", reader.place(at), message);
  }
};

// Rows of a text file: chunk by chunk, the pieces of a chunk in parallel.
class TextRows : public StreamedRows, public FileRows {
 public:
  std::string path() const override { return reader_.path(); }
  double fraction_read() const override { return reader_.fraction_read(); }
  CellCounts counts() const override { return started_ ? counts_ : last_counts_; }

 protected:
  TextRows(const std::string& path, char delimiter, const ChunkSizes& sizes, int threads)
      : reader_(path, delimiter, sizes), threads_(threads) {}

  // Where the data begin in the first chunk: behind the header.
  virtual const char* skip_header(const char* begin) const { return begin; }
  virtual void parse(const char* begin, const char* end, RowBuffer<float>& rows, Complaint& complaint) const = 0;
  virtual void parse(const char* begin, const char* end, RowBuffer<double>& rows, Complaint& complaint) const = 0;

  bool fill(RowBuffer<float>& rows) final { return fill_any(rows, float_parts_); }
  bool fill(RowBuffer<double>& rows) final { return fill_any(rows, double_parts_); }
  void restart() final {
    reader_.rewind();
    piece_ = pieces_ = 0;
    started_ = false;
    counts_ = {};
  }

  const ChunkReader& reader() const { return reader_; }
  void set_counts(CellCounts counts) { last_counts_ = std::move(counts); }  // the counts of a scan

  KeptCells* kept_ = nullptr;  // gets what parse() put into `kept` of its rows, in order

 private:
  template <class T>
  bool fill_any(RowBuffer<T>& rows, std::vector<RowBuffer<T>>& parts);

  ChunkReader reader_;
  Threads threads_;
  std::size_t piece_ = 0;  // next piece of the chunk
  std::size_t pieces_ = 0;
  bool started_ = false;
  CellCounts counts_, last_counts_;  // this pass, the last whole pass
  std::vector<RowBuffer<float>> float_parts_;
  std::vector<RowBuffer<double>> double_parts_;
};

}  // namespace bochner
