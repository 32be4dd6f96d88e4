// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/joint_rows.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"

namespace bochner {

namespace {

using Kind = Column::Kind;

struct Scanned {
  std::unique_ptr<Rows> first, second;
  bool by_name = false;

  const Schema& a() const { return first->schema(); }
  const Schema& b() const { return second->schema(); }
  // The column of the second file that meets column c of the first.
  const Column* partner(std::size_t c) const {
    if (!by_name) return c < b().columns.size() ? &b().columns[c] : nullptr;
    for (const Column& column : b().columns)
      if (column.name == a().columns[c].name) return &column;
    return nullptr;
  }
};

bool is_input(const Column& column) { return column.kind == Kind::numeric || column.kind == Kind::category; }

std::uint64_t count_rows(Rows& rows) {
  if (const auto size = rows.size()) return *size;
  RowBlock<float> block;
  std::uint64_t count = 0;
  rows.rewind();
  while (rows.next(4096, block)) count += block.rows;
  rows.rewind();
  return count;
}

Scanned scan(const std::string& first, const std::string& second, const RowsOptions& options) {
  Scanned files{open_rows(first, options), open_rows(second, options)};
  files.by_name = files.a().header && files.b().header;
  if (files.a().sparse != files.b().sparse || files.a().columns.empty() != files.b().columns.empty())
    fail(Error::Kind::data, "{}: holds rows of another format than {}; expected two files of the same kind", second,
         first);
  if (!files.by_name && !files.a().sparse && files.a().columns.size() != files.b().columns.size())
    fail(Error::Kind::data,
         "{}: {} columns, expected {} as in {}; without a header in both files columns meet by their place", second,
         files.b().columns.size(), files.a().columns.size(), first);
  if (files.a().columns.empty() && !files.a().sparse && files.a().inputs != files.b().inputs)
    fail(Error::Kind::data, "{}: {} columns, expected {} as in {}", second, files.b().inputs, files.a().inputs, first);
  return files;
}

// Names (or places) of columns that hold numbers in one file and text, or dates otherwise written, in the other.
std::vector<std::string> of_two_minds(const Scanned& files) {
  std::vector<std::string> found;
  for (std::size_t c = 0; c < files.a().columns.size(); ++c) {
    const Column& a = files.a().columns[c];
    const Column* const b = files.partner(c);
    if (b && is_input(a) && is_input(*b) && (a.kind != b->kind || a.dates != b->dates))
      found.push_back(files.by_name ? a.name : std::to_string(c));
  }
  return found;
}

void join_columns(const Scanned& files, JointRows& joint, Schema& schema) {
  schema.inputs = 0;
  const double n = double(joint.rows[0]), m = double(joint.rows[1]);
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    Column& column = schema.columns[c];
    const Column* const other = files.partner(c);
    if (is_input(column) && !other) {
      joint.only_first.push_back(column.name);
      column.kind = Kind::ignored;
    } else if (is_input(column) && !is_input(*other)) {
      if (other->identifier)
        joint.notes.push_back(column.name + ": left out, nearly every row of the new file has a text of its own");
      column.kind = Kind::ignored;
    } else if (column.kind == Kind::numeric) {
      column.fill = n + m > 0 ? (column.fill * n + other->fill * m) / (n + m) : 0;
      column.marked = column.marked || other->marked;
      column.mixed = column.mixed || other->mixed;
      schema.inputs += column.inputs();
    } else if (column.kind == Kind::category) {
      for (const std::string& level : other->levels)
        if (std::find(column.levels.begin(), column.levels.end(), level) == column.levels.end())
          column.levels.push_back(level);
      schema.inputs += column.levels.size();
    } else if (column.identifier) {
      joint.notes.push_back(column.name + ": left out, nearly every row has a text of its own");
    }
  }
  if (!files.by_name) return;
  for (const Column& b : files.b().columns)
    if (is_input(b) && std::none_of(files.a().columns.begin(), files.a().columns.end(),
                                    [&](const Column& a) { return a.name == b.name; }))
      joint.only_second.push_back(b.name);
}

}  // namespace

std::vector<double> offsets_of(const Schema& schema) {
  std::vector<double> offsets;
  bool far = false;
  for (const Column& column : schema.columns) {
    if (column.kind == Kind::numeric) {
      offsets.push_back(column.fill);
      far = far || std::fabs(column.fill) > 256;
      if (column.marked) offsets.push_back(0.0);
    }
    if (column.kind == Kind::category) offsets.insert(offsets.end(), column.levels.size(), 0.0);
  }
  if (!far) offsets.clear();
  return offsets;
}

JointRows open_both(const std::string& first, const std::string& second, const RowsOptions& options) {
  RowsOptions reading = options;
  reading.target_required = false;
  reading.inputs_only = true;
  if (!reading.missing) reading.missing = Missing::mark;
  Scanned files = scan(first, second, reading);
  JointRows joint;
  if (const auto texts = of_two_minds(files); !texts.empty()) {
    for (const std::string& name : texts)
      joint.notes.push_back(name + ": numbers in one file and text in the other, taken as text in both");
    reading.categories.insert(reading.categories.end(), texts.begin(), texts.end());
    files = scan(first, second, reading);
  }
  joint.rows[0] = count_rows(*files.first);
  joint.rows[1] = count_rows(*files.second);
  for (Rows* const rows : {files.first.get(), files.second.get()})
    for (const std::string& note : rows->notes())
      if (std::find(joint.notes.begin(), joint.notes.end(), note) == joint.notes.end()) joint.notes.push_back(note);
  if (files.a().columns.empty()) {
    Schema schema = files.a();
    schema.inputs = std::max(schema.inputs, files.b().inputs);  // sparse rows may differ in their number of inputs
    joint.first = open_rows(first, schema, reading);
    joint.second = open_rows(second, schema, reading);
    return joint;
  }
  Schema schema = files.a();
  join_columns(files, joint, schema);
  if (schema.inputs == 0)
    fail(Error::Kind::data, "{}: has no input column in common with {}; expected the same names in both", second,
         first);
  schema.offsets = offsets_of(schema);
  joint.first = open_rows(first, schema, reading);
  joint.second = open_rows(second, schema, reading);
  return joint;
}

}  // namespace bochner
