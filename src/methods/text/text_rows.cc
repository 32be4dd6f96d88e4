// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/text/text_rows.h"

#include <algorithm>

#include "base/threads.h"
#include "rows/streamed_rows.h"

namespace bochner {

namespace {

constexpr std::size_t kBatch = 256, kBatchBytes = std::size_t(8) << 20;

class TextRows final : public StreamedRows {
 public:
  TextRows(std::shared_ptr<const TextEncoder> encoder, Documents& documents, const Execution& execution)
      : encoder_(std::move(encoder)), documents_(documents), threads_(execution) {
    schema_.inputs = encoder_->columns();
    schema_.sparse = true;
    schema_.index_base = 1;
    if (documents_.labels().size() > 1) {
      schema_.task = Task::classification;
      schema_.labels = documents_.labels();
      schema_.targets = 1;
    }
    shape_buffers();
    documents_.rewind();
  }

  double fraction_read() const override { return documents_.fraction_read(); }

 protected:
  bool fill(RowBuffer<float>& rows) override { return fill_any(rows); }
  bool fill(RowBuffer<double>& rows) override { return fill_any(rows); }
  void restart() override { documents_.rewind(); }

 private:
  template <class T>
  bool fill_any(RowBuffer<T>& rows) {
    if (!read_batch(documents_, batch_)) return false;
    encoded_.resize(batch_.size());
    threads_.run(batch_.size(), [&](std::size_t i, int) { encoder_->encode(batch_[i].text, encoded_[i]); });
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      for (const auto& [column, value] : encoded_[i]) {
        rows.columns.push_back(column);
        rows.values.push_back(T(value));
      }
      rows.offsets.push_back(rows.values.size());
      if (schema_.targets) {
        const auto label = std::lower_bound(schema_.labels.begin(), schema_.labels.end(), batch_[i].label);
        rows.targets.push_back(double(label - schema_.labels.begin()));
      }
      ++rows.rows;
    }
    return true;
  }

  std::shared_ptr<const TextEncoder> encoder_;
  Documents& documents_;
  Threads threads_;
  std::vector<Document> batch_;
  std::vector<Encoded> encoded_;
};

}  // namespace

bool read_batch(Documents& documents, std::vector<Document>& batch) {
  batch.clear();
  std::size_t bytes = 0;
  Document document;
  while (batch.size() < kBatch && bytes < kBatchBytes && documents.next(document)) {
    bytes += document.text.size();
    batch.push_back(std::move(document));
  }
  return !batch.empty();
}

std::unique_ptr<Rows> text_rows(std::shared_ptr<const TextEncoder> encoder, Documents& documents,
                                const Execution& execution) {
  return std::make_unique<TextRows>(std::move(encoder), documents, execution);
}

}  // namespace bochner
