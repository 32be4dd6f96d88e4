// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "base/archive.h"
#include "base/require.h"
#include "folds/survey.h"
#include "rows/schema_json.h"

namespace bochner {

namespace {

constexpr std::uint64_t kMostCount = std::uint64_t(1) << 53;

template <class T>
void put(Archive& archive, const std::string& name, const std::vector<T>& values) {
  archive.put(name, std::span<const T>(values), {values.size()});
}

void put_facts(Archive& archive, const std::string& name, const std::vector<Survey::ColumnFacts>& facts) {
  std::vector<double> min, max;
  std::vector<std::uint64_t> nonzero;
  std::vector<std::uint8_t> indicator;
  for (const Survey::ColumnFacts& f : facts) {
    min.push_back(f.min);
    max.push_back(f.max);
    nonzero.push_back(f.nonzero);
    indicator.push_back(f.indicator);
  }
  put(archive, name + ".min", min);
  put(archive, name + ".max", max);
  put(archive, name + ".nonzero", nonzero);
  put(archive, name + ".indicator", indicator);
}

void get_facts(const Archive& archive, const std::string& name, std::vector<Survey::ColumnFacts>& facts) {
  const std::vector<std::size_t> shape = {facts.size()};
  const auto min = archive.get<double>(name + ".min", shape), max = archive.get<double>(name + ".max", shape);
  const auto nonzero = archive.get<std::uint64_t>(name + ".nonzero", shape);
  const auto indicator = archive.get<std::uint8_t>(name + ".indicator", shape);
  for (std::size_t j = 0; j < facts.size(); ++j) facts[j] = {min[j], max[j], nonzero[j], indicator[j] != 0};
}

[[noreturn]] void damaged(const char* what) {
  fail(Error::Kind::model, "survey: {}; the file is damaged, copy or accumulate it again", what);
}

}  // namespace

void Survey::save(Archive& archive) const {
  archive.tree["schema"] = schema_to_json(schema_);
  archive.tree["seed"] = seed_;
  archive.tree["rows"] = rows_;
  archive.tree["largest_weight"] = largest_weight_;
  put_facts(archive, "columns", columns_);
  put_facts(archive, "targets", targets_);
  put(archive, "class_rows", class_rows_);

  std::vector<std::uint64_t> keys, rows, ends;
  std::vector<double> values, targets, weights;
  std::vector<std::uint32_t> columns;
  for (const SampledRow& row : sample_) {
    keys.push_back(row.key);
    rows.push_back(row.row);
    weights.push_back(row.weight);
    values.insert(values.end(), row.values.begin(), row.values.end());
    columns.insert(columns.end(), row.columns.begin(), row.columns.end());
    targets.insert(targets.end(), row.targets.begin(), row.targets.end());
    ends.push_back(values.size());
  }
  put(archive, "sample.keys", keys);
  put(archive, "sample.rows", rows);
  put(archive, "sample.ends", ends);
  put(archive, "sample.weights", weights);
  put(archive, "sample.values", values);
  put(archive, "sample.columns", columns);
  put(archive, "sample.targets", targets);
}

void Survey::load(const Archive& archive) {
  Survey saved = from(archive);
  if (!(saved.schema_ == schema_ && saved.seed_ == seed_)) damaged("of other columns or another seed");
  saved.part_ = part_;
  saved.largest_taken_ = largest_taken_;
  *this = std::move(saved);
}

Survey Survey::from(const Archive& archive) {
  const Schema schema = schema_from_json(get_node(archive.tree, "schema"));
  // A survey takes memory by inputs: first the file must hold as many.
  if (archive.length("columns.min") != schema.inputs || archive.length("targets.min") != schema.targets)
    damaged("another number of columns than its schema");
  Survey survey(schema, get_count(archive.tree, "seed", ~std::uint64_t(0)));
  survey.rows_ = get_count(archive.tree, "rows", kMostCount);
  survey.largest_weight_ = get_number(archive.tree, "largest_weight");
  get_facts(archive, "columns", survey.columns_);
  get_facts(archive, "targets", survey.targets_);
  survey.class_rows_ = archive.get<std::uint64_t>("class_rows", {survey.class_rows_.size()});

  const std::size_t count = archive.length("sample.keys");
  if (count > survey.sample_rows_ || count > survey.rows_) damaged("more sampled rows than there may be");
  const auto keys = archive.get<std::uint64_t>("sample.keys", {count});
  const auto rows = archive.get<std::uint64_t>("sample.rows", {count});
  const auto ends = archive.get<std::uint64_t>("sample.ends", {count});
  const auto weights = archive.get<double>("sample.weights", {count});
  const auto values = archive.get<double>("sample.values", {count ? ends.back() : 0});
  const auto columns = archive.get<std::uint32_t>("sample.columns", {schema.sparse ? values.size() : 0});
  const auto targets = archive.get<double>("sample.targets", {count * schema.targets});
  for (std::size_t i = 0, begin = 0; i < count; begin = ends[i++]) {
    if (ends[i] < begin || ends[i] > values.size()) damaged("sampled rows overlap");
    SampledRow row{keys[i], rows[i], {}, {}, {}, weights[i]};
    row.values.assign(values.begin() + std::ptrdiff_t(begin), values.begin() + std::ptrdiff_t(ends[i]));
    if (schema.sparse)
      row.columns.assign(columns.begin() + std::ptrdiff_t(begin), columns.begin() + std::ptrdiff_t(ends[i]));
    else if (row.values.size() != schema.inputs)
      damaged("a sampled row has another number of inputs");
    for (const std::uint32_t column : row.columns)
      if (column >= schema.inputs) damaged("a sampled row has an input beyond the last");
    const auto target = targets.begin() + std::ptrdiff_t(i * schema.targets);
    row.targets.assign(target, target + std::ptrdiff_t(schema.targets));
    if (schema.task == Task::classification)
      for (const double t : row.targets)
        if (!(t >= 0 && t < double(schema.labels.size()))) damaged("a sampled row is of a class beyond the last");
    survey.sample_.push_back(std::move(row));
  }
  survey.keep_smallest(0);
  return survey;
}

}  // namespace bochner
