// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/svmlight_rows.h"

#include <algorithm>
#include <limits>

#include "base/require.h"
#include "rows/labels.h"
#include "rows/no_rows.h"
#include "rows/number.h"
#include "rows/svmlight_line.h"
#include "rows/svmlight_scan.h"
#include "rows/width.h"

namespace bochner {

namespace {

class SvmlightRows : public TextRows {
 public:
  SvmlightRows(const std::string& path, const Schema& schema, bool lenient, int threads, const ChunkSizes& sizes)
      : TextRows(path, '\0', sizes, threads), lenient_(lenient), labels_(schema.labels) {
    schema_ = schema;
    shape_buffers();
  }

  void set_size(std::size_t rows, std::size_t nonzeros) {
    size_ = rows;
    nonzeros_ = nonzeros;
  }

 protected:
  void parse(const char* begin, const char* end, RowBuffer<float>& rows, Complaint& complaint) const override {
    parse_any(begin, end, rows, complaint);
  }
  void parse(const char* begin, const char* end, RowBuffer<double>& rows, Complaint& complaint) const override {
    parse_any(begin, end, rows, complaint);
  }

 private:
  template <class T>
  void parse_any(const char* p, const char* end, RowBuffer<T>& rows, Complaint& complaint) const;
  bool take_label(const char* line, LabelWord word, double label, std::vector<double>& targets,
                  Complaint& complaint) const;

  bool lenient_;  // labels may be missing or unknown: NaN
  LabelIndex labels_;
};

bool SvmlightRows::take_label(const char* line, LabelWord word, double label, std::vector<double>& targets,
                              Complaint& complaint) const {
  if (word == LabelWord::bad) return false;
  if (schema_.targets == 0) return true;
  double target = std::numeric_limits<double>::quiet_NaN();
  if (word == LabelWord::number) {
    const int known = schema_.task == Task::classification ? labels_.find(label) : 0;
    if (known == LabelIndex::kUnknown && !lenient_) {
      complaint.say(line, "class '{}', the model knows only {}; correct it, or train on it", number_label(label),
                    shortened_list(schema_.labels));
      return false;
    }
    if (known != LabelIndex::kUnknown) target = schema_.task == Task::classification ? double(known) : label;
  } else if (!lenient_) {
    complaint.say(line, "no label at the beginning of the line, expected one; add it, or predict instead");
    return false;
  }
  targets.push_back(target);
  return true;
}

template <class T>
void SvmlightRows::parse_any(const char* p, const char* end, RowBuffer<T>& rows, Complaint& complaint) const {
  const std::uint64_t base = std::uint64_t(schema_.index_base);
  std::vector<std::pair<std::uint32_t, T>> row;
  while (p < end) {
    const char* const line = svmlight_line(p);
    if (!line) continue;
    double label = 0;
    const LabelWord word = svmlight_label(p, label, complaint);
    if (!take_label(line, word, label, rows.targets, complaint)) return;

    row.clear();
    bool ascending = true;
    std::uint64_t index = 0;
    T value = 0;
    FeatureWord feature;
    while ((feature = svmlight_feature(p, index, value, complaint)) == FeatureWord::feature) {
      if (index < base) return complaint.say(line, "index 0, expected 1 or more as in training; add 1 to the indices");
      if (index - base >= schema_.inputs) {  // never seen in training
        rows.note_unknown("index", std::to_string(index));
        continue;
      }
      ascending = ascending && (row.empty() || row.back().first < index - base);
      row.emplace_back(std::uint32_t(index - base), value);
    }
    if (feature == FeatureWord::bad) return;
    if (!ascending) {
      const auto by_index = [](const auto& a, const auto& b) { return a.first < b.first; };
      std::stable_sort(row.begin(), row.end(), by_index);
      const auto twin =
          std::adjacent_find(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
      if (twin != row.end())
        return complaint.say(line, "index {} comes twice in this line, expected once; add the values up",
                             twin->first + base);
    }
    for (const auto& [column, v] : row) {
      rows.columns.push_back(column);
      rows.values.push_back(v);
    }
    rows.offsets.push_back(rows.values.size());
    ++rows.rows;
  }
  rows.counts.rows = rows.rows;
}

void refuse_column_options(const std::string& path, const RowsOptions& options) {
  if (!options.targets.empty() || !options.weights.empty() || !options.ignore.empty() || !options.categories.empty())
    fail(Error::Kind::data,
         "{}: svmlight rows carry their own target and have no named columns; leave out target, weights, ignore and "
         "categories",
         path);
  if (options.index_base)
    require(*options.index_base == 0 || *options.index_base == 1, "svmlight: index base {}, expected 0 or 1",
            *options.index_base);
}

// Whether the first row has a label.
bool begins_with_label(const std::string& path, const ChunkSizes& sizes) {
  ChunkReader reader(path, '\0',
                     {.chunk = std::min<std::size_t>(sizes.chunk, 1 << 16),
                      .piece = 1,
                      .longest_row = sizes.longest_row,
                      .decompression = sizes.decompression});
  while (reader.next())
    for (const char* p = reader.chunk().begin; p < reader.chunk().end;)
      if (svmlight_line(p)) {
        double label = 0;
        Complaint complaint;
        return svmlight_label(p, label, complaint) != LabelWord::none;
      }
  fail_without_rows("{}:1:1: the file has no rows, expected `label index:value ...`; check how it was written", path);
}

}  // namespace

std::unique_ptr<Rows> open_svmlight(const std::string& path, const RowsOptions& options, const ChunkSizes& wanted) {
  const ChunkSizes sizes = bounded(wanted, options);
  refuse_column_options(path, options);
  const SvmlightScan scan = scan_svmlight(path, options, sizes);
  auto rows = std::make_unique<SvmlightRows>(path, scan.schema, false, options.threads, sizes);
  rows->set_size(scan.rows, scan.nonzeros);
  rows->set_notes(scan.notes);
  return rows;
}

std::unique_ptr<Rows> open_svmlight(const std::string& path, const Schema& schema, const RowsOptions& options,
                                    const ChunkSizes& wanted) {
  const ChunkSizes sizes = bounded(wanted, options);
  Schema own = schema;
  if (std::any_of(schema.columns.begin(), schema.columns.end(),
                  [](const Column& column) { return column.kind == Column::Kind::category; }))
    fail(Error::Kind::data, "{}: svmlight holds numbers only, the model was trained on text columns too; use CSV",
         path);
  if (schema.targets > 1 && options.target_required)
    fail(Error::Kind::data, "{}: an svmlight row has one target, the model has {}; use CSV", path, schema.targets);
  own.sparse = true;
  if (options.index_base) own.index_base = *options.index_base;
  require(own.index_base == 0 || own.index_base == 1, "svmlight: index base {}, expected 0 or 1", own.index_base);
  if (!options.target_required && (own.targets > 1 || !begins_with_label(path, sizes))) own.targets = 0;
  return std::make_unique<SvmlightRows>(path, own, !options.target_required, options.threads, sizes);
}

}  // namespace bochner
