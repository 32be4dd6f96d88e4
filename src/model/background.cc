// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/background.h"

#include <cmath>

#include "base/archive.h"
#include "base/require.h"

namespace bochner {

namespace {

void check(bool holds, const char* what) {
  if (!holds) fail(Error::Kind::model, "background: {}; the file is damaged", what);
}

}  // namespace

Background background_of(const Survey& survey) {
  Background background;
  for (const Survey::SampledRow& row : survey.sample(Background::kMostRows)) {
    for (std::size_t k = 0; k < row.values.size(); ++k)
      if (row.values[k] != 0) background.rows.add(survey.schema().sparse ? row.columns[k] : k, row.values[k]);
    background.rows.end_row();
  }
  return background;
}

void save_background(const std::optional<Background>& background, bool wide, Archive& archive) {
  if (!background) return;
  const SparseRows<double>& rows = background->rows;
  const std::vector<std::uint64_t> ends(rows.offsets.begin() + 1, rows.offsets.end());
  const std::vector<float> narrow(rows.values.begin(), rows.values.end());
  Archive part;
  part.put<std::uint64_t>("ends", ends, {ends.size()});
  part.put<std::uint32_t>("columns", rows.columns, {rows.columns.size()});
  if (wide)
    part.put<double>("values", rows.values, {rows.values.size()});
  else
    part.put<float>("values", narrow, {narrow.size()});
  archive.put_child("background", std::move(part));
}

std::optional<Background> load_background(const Archive& archive, bool wide, std::size_t inputs) {
  if (!archive.tree.contains("background")) return std::nullopt;
  const Archive part = archive.child("background");
  const std::size_t count = part.length("columns");
  const auto ends = part.get<std::uint64_t>("ends", {part.length("ends")});
  const auto columns = part.get<std::uint32_t>("columns", {count});
  const std::vector<float> narrow = wide ? std::vector<float>() : part.get<float>("values", {count});
  const std::vector<double> values =
      wide ? part.get<double>("values", {count}) : std::vector<double>(narrow.begin(), narrow.end());
  check(!ends.empty() && ends.size() <= Background::kMostRows, "no rows, or more than are kept");
  check(ends.back() == count, "its rows do not hold all its numbers");
  Background background;
  for (std::size_t i = 0, at = 0; i < ends.size(); ++i) {
    check(at <= ends[i] && ends[i] <= count, "its rows overlap");
    for (const std::size_t begin = at; at < ends[i]; ++at) {
      check(columns[at] < inputs && (at == begin || columns[at - 1] < columns[at]), "its columns do not ascend");
      check(std::isfinite(values[at]), "a number is not finite");
      background.rows.add(columns[at], values[at]);
    }
    background.rows.end_row();
  }
  return background;
}

}  // namespace bochner
