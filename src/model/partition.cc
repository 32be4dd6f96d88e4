// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/hash64.h"
#include "base/require.h"
#include "bochner/rounds.h"
#include "rows/content_hash.h"
#include "rows/frame_column.h"
#include "rows/no_rows.h"

namespace bochner {

namespace {

// What a glance looks at: rows of a frame, unpacked bytes of a file.
constexpr std::size_t kGlanced = 256, kGlancedBytes = std::size_t(1) << 16;

template <class T>
void add_number(Hash64& hash, T value) {
  hash.add(std::as_bytes(std::span(&value, 1)));
}

void add_cell(Hash64& hash, const FrameColumn& column, double value) {
  if (column.type != FrameColumn::Type::codes || !(value >= 0 && value < double(column.levels.size())))
    add_number(hash, value == value ? value : std::numeric_limits<double>::quiet_NaN());
  else
    hash.add(column.levels[std::size_t(value)]);
}

void add_target(Hash64& hash, const Frame& frame, double target) {
  if (target >= 0 && target < double(frame.labels.size()))
    hash.add(frame.labels[std::size_t(target)]);
  else
    add_number(hash, target);
}

// Rows 0, step, 2 step, ... of a frame: cells and classes by their texts, targets and weights.
std::uint64_t hash_of(const Frame& frame, std::size_t step) {
  Hash64 hash;
  add_number(hash, std::uint64_t(frame.rows));
  for (const FrameColumn& column : frame.columns)
    for (std::size_t i = 0; i < frame.rows; i += step)
      visit_cells(column, i, 1, [&](std::size_t, double value) { add_cell(hash, column, value); });
  for (std::size_t i = 0; i < frame.rows; i += step) {
    for (std::size_t k = 0; k < frame.targets.cols; ++k) add_target(hash, frame, frame.targets(i, k));
    if (frame.weights) add_number(hash, frame.weights[i]);
  }
  return hash.value();
}

// The frame's classes by their places in the schema.
std::vector<double> recoded(const Frame& frame, const Schema& schema) {
  std::vector<double> places;
  for (const std::string& label : frame.labels) {
    const auto found = std::find(schema.labels.begin(), schema.labels.end(), label);
    places.push_back(found == schema.labels.end() ? -1 : double(found - schema.labels.begin()));
  }
  std::vector<double> targets(frame.rows * frame.targets.cols);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double code = frame.targets.data[i];
    require(code >= 0 && code < double(places.size()) && places[std::size_t(code)] >= 0,
            "{}: row {} (from 0): its class was not there in the first look", frame.source, i);
    targets[i] = places[std::size_t(code)];
  }
  return targets;
}

// A part marks every missing cell, since which marks tell something is decided by the cells of all parts.
RowsOptions marking(RowsOptions options, bool learns) {
  if (!options.missing && learns) options.missing = Missing::mark;
  return options;
}

}  // namespace

Partition file_partition(const std::string& path, const RowsOptions& options) {
  Partition file;
  const auto name = std::make_shared<std::optional<PartName>>();  // once known: the whole file is read for it
  file.name = [path, name] {
    if (!*name) *name = part_of_file(path);
    return **name;
  };
  file.glance = [path]() -> std::uint64_t {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) ? content_hash(path, kGlancedBytes) : 0;
  };
  file.scan = [path, options, name]() -> std::unique_ptr<Rows> {
    name->reset();
    try {
      return open_rows(path, marking(options, !options.targets.empty() && !options.inputs_only));
    } catch (const NoRows&) {
      *name = PartName{path, 0};
      return nullptr;
    }
  };
  file.read = [path, options](const Schema& schema) { return open_rows(path, schema, options); };
  return file;
}

Partition file_partition(const std::string& path, const Schema& schema, const RowsOptions& options) {
  Schema own = schema;
  own.offsets.clear();  // the model takes them off
  Partition file = file_partition(path, options);
  file.scan = [path, own, options] { return open_rows(path, own, options); };
  file.read = [path, own, options](const Schema&) { return open_rows(path, own, options); };
  return file;
}

Partition frame_partition(const Frame& frame, const RowsOptions& options) {
  Partition part;
  if (frame.rows == 0) return part;
  part.name = [frame] { return PartName{frame.source, hash_of(frame, 1)}; };
  part.glance = [frame] { return hash_of(frame, std::max<std::size_t>(frame.rows / kGlanced, 1)); };
  part.scan = [frame, options] { return frame_rows(frame, marking(options, frame.targets.data != nullptr)); };
  const auto targets = std::make_shared<std::vector<double>>();
  part.read = [frame, targets](const Schema& schema) {
    Frame own = frame;
    if (!frame.labels.empty() && frame.labels != schema.labels) {
      *targets = recoded(frame, schema);
      own.targets.data = targets->data();
    }
    return frame_rows(own, schema);
  };
  return part;
}

}  // namespace bochner
