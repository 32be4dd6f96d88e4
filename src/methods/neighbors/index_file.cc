// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/archive.h"
#include "base/finite.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/strict_json.h"
#include "base/threads.h"
#include "bochner/visible_text.h"
#include "maps/load.h"
#include "methods/neighbors/index_parts.h"
#include "rows/schema_json.h"
#include "run/compute.h"

namespace bochner {

namespace {

constexpr const char* kType = "bochner index";
constexpr const char* kMethods[] = {"automatic", "exact", "project", "lsh", "forest"};

std::span<const std::uint8_t> whole(const StoredRows& rows) {
  return {reinterpret_cast<const std::uint8_t*>(rows.data), rows.rows * rows.row_bytes()};
}

void save_bytes(const Points& points, const ByteSteps& steps, Archive& archive) {
  const std::size_t rows = points.dense.rows(), inputs = points.inputs;
  archive.put_number("step", steps.step);
  archive.put<float>("low", steps.low, {inputs});
  if (const StoredRows* stored = points.dense.stored(); stored && stored->kind == StoredRows::Kind::bytes) {
    archive.put_view<std::uint8_t>("codes", whole(*stored), {rows, inputs});
    return;
  }
  std::vector<std::uint8_t> codes(rows * inputs);
  Matrix<float> scratch;
  for (std::size_t i = 0; i < rows; ++i) {
    const float* x = points.dense.block(i, 1, scratch).row(0);
    for (std::size_t j = 0; j < inputs; ++j) codes[i * inputs + j] = steps.code(j, x[j]);
  }
  archive.put<std::uint8_t>("codes", codes, {rows, inputs});
}

ByteSteps load_steps(const Archive& archive, std::size_t inputs) {
  ByteSteps steps{archive.get<float>("low", {inputs}), archive.get_number("step")};
  if (!(steps.step > 0) || !all_finite<float>(steps.low))
    fail(Error::Kind::model, "step: found {}, expected steps of bytes; the file is damaged", steps.step);
  return steps;
}

// One for each row; consecutive ones of bytes and bits are told by the first and how many there are.
std::vector<std::uint64_t> load_numbers(const Archive& archive) {
  if (archive.arrays.contains("numbers")) return archive.get<std::uint64_t>("numbers", {archive.length("numbers")});
  const char* name = archive.arrays.contains("bits") ? "bits" : "codes";
  const std::vector<std::size_t>& shape = archive.shape(name);
  const std::size_t rows = archive.get_count("rows", kNoPoint);
  if (shape.empty() || shape[0] != rows)
    fail(Error::Kind::model, "{}: not of {} rows; the file is damaged", name, rows);
  std::vector<std::uint64_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), archive.get_count("from"));
  return numbers;
}

// Dense rows where they lie in the file, which `archive` keeps mapped.
StoredRows stored_rows(const std::shared_ptr<const Archive>& archive, const char* name, StoredRows rows,
                       const char* dtype) {
  const auto found = archive->arrays.find(name);
  const std::size_t width = rows.kind == StoredRows::Kind::bits ? rows.row_bytes() : rows.cols;
  if (found == archive->arrays.end() || found->second.dtype != dtype ||
      found->second.shape != std::vector<std::size_t>{rows.rows, width})
    fail(Error::Kind::model, "{}: not {} rows of {} {}; the file is damaged", name, rows.rows, width, dtype);
  rows.data = found->second.content().data();
  rows.owner = archive;
  return rows;
}

Points load_bytes(const std::shared_ptr<const Archive>& archive, const Schema& schema, const ByteSteps& steps,
                  std::size_t rows) {
  if (schema.sparse) fail(Error::Kind::model, "codes: of sparse rows; the file is damaged");
  for (std::size_t j = 0; j < schema.inputs; ++j)
    if (!std::isfinite(steps.value(j, 255)))
      fail(Error::Kind::model, "codes: some are of no finite number; the file is damaged");
  Points points;
  points.inputs = schema.inputs;
  points.dense = DenseRows(stored_rows(
      archive, "codes", {.kind = StoredRows::Kind::bytes, .rows = rows, .cols = schema.inputs, .steps = steps}, "U8"));
  return points;
}

// Bits beyond the inputs must be 0: they would count as differences.
Points load_bits(const std::shared_ptr<const Archive>& archive, const Schema& schema, std::size_t rows) {
  if (schema.sparse) fail(Error::Kind::model, "bits: of sparse rows; the file is damaged");
  Points points;
  points.inputs = schema.inputs;
  points.dense = DenseRows(
      stored_rows(archive, "bits", {.kind = StoredRows::Kind::bits, .rows = rows, .cols = schema.inputs}, "U8"));
  const BitRows bits = bit_rows(points.dense);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = schema.inputs / 8; j < bits.stride; ++j) {
      const std::size_t used = schema.inputs > 8 * j ? schema.inputs - 8 * j : 0;
      if (used < 8 && bits.row(i)[j] >> used != 0)
        fail(Error::Kind::model, "bits: row {} has some beyond its {} inputs; the file is damaged", i, schema.inputs);
    }
  return points;
}

void save_points(const Points& points, Archive& archive) {
  if (!points.sparse && points.dense.holds_bits()) {
    archive.put_view<std::uint8_t>("bits", whole(*points.dense.stored()),
                                   {points.dense.rows(), points.dense.stored()->row_bytes()});
    return;
  }
  if (!points.sparse) {
    const MatrixView<const float> rows = points.dense.view();
    archive.put_view<float>("points", {rows.data, rows.rows * rows.cols}, {rows.rows, rows.cols});
    return;
  }
  const std::vector<std::uint64_t> offsets(points.offsets.begin(), points.offsets.end());
  archive.put<std::uint64_t>("offsets", offsets, {offsets.size()});
  archive.put_view<std::uint32_t>("columns", points.columns, {points.columns.size()});
  archive.put_view<float>("values", points.values, {points.values.size()});
}

Points load_dense(const std::shared_ptr<const Archive>& archive, const Schema& schema, std::size_t rows) {
  Points points;
  points.inputs = schema.inputs;
  const StoredRows stored = stored_rows(archive, "points", {.rows = rows, .cols = schema.inputs}, "F32");
  if (reinterpret_cast<std::uintptr_t>(stored.data) % alignof(float) == 0) {
    points.dense = DenseRows(stored);
    return points;
  }
  Matrix<float> copy(rows, points.inputs);  // a file of another hand
  archive->get_into<float>("points", {rows, points.inputs}, {copy.data(), rows * points.inputs});
  points.dense = std::move(copy);
  return points;
}

Points load_points(const Archive& archive, const Schema& schema, std::size_t rows) {
  Points points;
  points.sparse = schema.sparse;
  points.inputs = schema.inputs;
  const std::vector<std::uint64_t> offsets = archive.get<std::uint64_t>("offsets", {rows + 1});
  points.offsets.assign(offsets.begin(), offsets.end());
  points.columns = archive.get<std::uint32_t>("columns", {archive.length("columns")});
  points.values = archive.get<float>("values", {points.columns.size()});
  bool sound = points.offsets.front() == 0 && points.offsets.back() == points.columns.size() &&
               std::is_sorted(points.offsets.begin(), points.offsets.end()) && all_finite<float>(points.values);
  for (std::size_t i = 0; sound && i < rows; ++i)
    for (std::size_t p = points.offsets[i]; sound && p < points.offsets[i + 1]; ++p)
      sound =
          points.columns[p] < points.inputs && (p == points.offsets[i] || points.columns[p - 1] < points.columns[p]);
  if (!sound) fail(Error::Kind::model, "points: rows that are none; the file is damaged");
  return points;
}

}  // namespace

void NeighborIndex::save(const std::string& path) const {
  Archive archive;
  save(archive);
  write_archive(path, archive);
}

void NeighborIndex::save(Archive& archive) const {
  const Parts& p = *parts_;
  archive.tree["type"] = kType;
  archive.tree["schema"] = schema_to_json(p.schema);
  archive.tree["metric"] = metric_name(p.options.metric);
  archive.tree["method"] = kMethods[std::size_t(p.options.method)];
  if (p.options.hash) archive.put_text("hash", hash_name(*p.options.hash));
  archive.put_number("recall", p.options.recall);
  archive.put_count("k", p.options.k);
  if (p.options.spill > 0) archive.put_number("spill", p.options.spill);
  if (p.options.scaling) {
    Archive scaling;
    p.options.scaling->save(scaling);
    archive.put_child("scaling", std::move(scaling));
  }
  archive.tree["seed"] = std::to_string(p.options.seed);
  archive.put_count("first", p.options.first);
  archive.put_count("next", p.next);
  const bool few = p.bytes || (!p.points.sparse && p.points.dense.holds_bits());
  if (few && p.numbers.back() - p.numbers.front() + 1 == p.numbers.size()) {  // few bytes: none for what is known
    archive.put_count("from", p.numbers.front());
    archive.put_count("rows", p.numbers.size());
  } else {
    archive.put_view<std::uint64_t>("numbers", p.numbers, {p.numbers.size()});
  }
  if (p.bytes)
    save_bytes(p.points, *p.bytes, archive);
  else
    save_points(p.points, archive);
  p.searcher.save(archive);
}

NeighborIndex NeighborIndex::load(const std::string& path) {
  const std::shared_ptr<const Archive> mapped = map_archive(path);
  const Archive& archive = *mapped;
  try {
    if (get_text(archive.tree, "type") != kType)
      fail(Error::Kind::model, "found \"{}\", expected an index that `bochner index` saved",
           get_text(archive.tree, "type"));
    auto parts = std::make_unique<Parts>();
    Parts& p = *parts;
    p.schema = schema_from_json(get_node(archive.tree, "schema"));
    p.options.metric = parse_metric(get_text(archive.tree, "metric"));
    const std::string method = get_text(archive.tree, "method");
    const auto known = std::find(std::begin(kMethods), std::end(kMethods), method);
    if (known == std::end(kMethods)) fail(Error::Kind::model, "method: found \"{}\"; the file is damaged", method);
    p.options.method = IndexOptions::Method(known - std::begin(kMethods));
    if (archive.tree.contains("hash")) p.options.hash = parse_hash_name(archive.get_text("hash"));
    p.options.recall = archive.get_number("recall");
    p.options.k = archive.get_count("k");
    if (archive.tree.contains("spill")) p.options.spill = archive.get_number("spill");
    if (!(p.options.spill >= 0 && p.options.spill <= kMostSpill))
      fail(Error::Kind::model, "spill: found {}; the file is damaged", p.options.spill);
    if (archive.tree.contains("scaling")) p.options.scaling = load_map(archive.child("scaling"));
    if (p.options.scaling &&
        (p.options.scaling->inputs() != p.schema.inputs || p.options.scaling->outputs() != p.schema.inputs))
      fail(Error::Kind::model, "scaling: of other inputs than the rows; the file is damaged");
    const std::string seed = get_text(archive.tree, "seed");
    const auto read = std::from_chars(seed.data(), seed.data() + seed.size(), p.options.seed);
    if (read.ec != std::errc() || read.ptr != seed.data() + seed.size())
      fail(Error::Kind::model, "seed: found \"{}\"; the file is damaged", seed);
    p.options.first = archive.get_count("first");
    p.next = archive.get_count("next");
    p.numbers = load_numbers(archive);
    if (p.numbers.empty() || p.numbers.back() >= p.next ||
        std::adjacent_find(p.numbers.begin(), p.numbers.end(), std::greater_equal<>()) != p.numbers.end())
      fail(Error::Kind::model, "numbers: of no rows, or not ascending; the file is damaged");
    if (archive.tree.contains("step")) {
      p.options.bytes = true;
      p.bytes = load_steps(archive, p.schema.inputs);
      p.points = load_bytes(mapped, p.schema, *p.bytes, p.numbers.size());
    } else if (archive.arrays.contains("bits")) {
      p.points = load_bits(mapped, p.schema, p.numbers.size());
    } else if (!p.schema.sparse) {
      p.points = load_dense(mapped, p.schema, p.numbers.size());
    } else {
      p.points = load_points(archive, p.schema, p.numbers.size());
    }
    Threads threads(1);
    p.scale(workers_on(threads));
    check_inputs(p.options.metric, p.points);
    p.searcher = Searcher::load(workers_on(threads), archive, p.scaled, p.options);
    p.report = p.searcher.report(p.points);
    p.keep_what_serves(workers_on(threads));
    return NeighborIndex(std::move(parts));
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "{}: {}; build the index again", path, one_line(e.what()));
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", path, one_line(e.what()));
  }
}

}  // namespace bochner
