// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/require.h"
#include "folds/gram.h"
#include "folds/gram_parts.h"

namespace bochner {

namespace {

constexpr std::uint64_t kMostFeatures = std::uint64_t(1) << 24, kMostRows = std::uint64_t(1) << 53;

nlohmann::json code_to_json(const TargetCode& code) {
  return {{"task", code.task == Task::regression ? "regression" : "classification"},
          {"classes", code.classes},
          {"center", code.center},
          {"unit", code.unit}};
}

TargetCode code_from_json(const nlohmann::json& tree) {
  TargetCode code;
  code.task = get_text(tree, "task") == "regression" ? Task::regression : Task::classification;
  code.classes = get_count(tree, "classes", 1 << 20);
  code.center = get_numbers(tree, "center");
  code.unit = get_numbers(tree, "unit");
  bool sound = code.center.size() == code.unit.size();
  for (const double unit : code.unit) sound = sound && unit > 0 && std::isfinite(unit);
  if (!sound) fail(Error::Kind::model, "sum: the code of the targets makes no sense; the file is damaged");
  return code;
}

// Sums of whole numbers have another name, so that programs older than they are do not take them for what they know.
const char* gram_name(GramFold::Products products) {
  if (products == GramFold::Products::by_row) return "row_gram";
  return products == GramFold::Products::whole ? "whole_gram" : "gram";
}

const char* moment_name(std::size_t digits) { return digits > 1 ? "moment_digits" : "moment"; }

// Whole numbers for a target in R: 1 where sums of whole products are older than their digits.
std::size_t stored_digits(const nlohmann::json& tree, Task task) {
  if (!tree.contains("target_digits")) return 1;
  const std::size_t expected = TargetDigits(task).count;
  if (const std::size_t found = get_count(tree, "target_digits", 1 << 10); found != expected)
    fail(Error::Kind::model, "sum: its targets have {} digits, expected {}; a newer version made the file", found,
         expected);
  return expected;
}

GramFold::Products products_from(const nlohmann::json& tree) {
  if (!tree.contains("products")) return GramFold::Products::rounded;
  const std::string found = get_text(tree, "products");
  if (found == "by_row") return GramFold::Products::by_row;
  if (found != "whole")
    fail(Error::Kind::model, "sum: its products are '{}', expected 'whole'; a newer version made the file", found);
  return GramFold::Products::whole;
}

}  // namespace

void GramFold::save(Archive& archive) const {
  archive.tree["features"] = features_;
  archive.tree["bound"] = bound_;
  archive.tree["weight_bound"] = weight_bound_;
  archive.tree["targets"] = code_to_json(code_);
  archive.tree["rows"] = rows_;
  if (products_ == Products::whole) archive.tree["products"] = "whole";
  if (products_ == Products::by_row) archive.tree["products"] = "by_row";
  if (digits() > 1) archive.tree["target_digits"] = digits();
  archive.put_view(gram_name(products_), std::span<const std::int64_t>(gram_.values()),
                   {gram_.tile_count(), gram_.tile(), gram_.tile()});
  archive.put_view(moment_name(digits()), std::span(moment_.data(), moment_.rows() * moment_.cols()),
                   {moment_.rows(), moment_.cols()});
  archive.put_view("target_sums", std::span(targets_.data(), targets_.rows() * targets_.cols()),
                   {targets_.rows(), targets_.cols()});
}

GramFold GramFold::from(const Archive& archive) {
  const std::size_t features = get_count(archive.tree, "features", kMostFeatures);
  // The arrays must be there before memory is taken for them.
  const std::size_t tile = tile_for(features), side = (features + tile - 1) / tile;
  const Products products = products_from(archive.tree);
  const TargetCode code = code_from_json(get_node(archive.tree, "targets"));
  const std::size_t targets = code.columns();
  if (features == 0 || targets == 0)
    fail(Error::Kind::model, "sum: it has {} features and {} targets, expected some; the file is damaged", features,
         targets);
  check_shape(archive, gram_name(products), {side * (side + 1) / 2, tile, tile});
  const std::size_t digits = stored_digits(archive.tree, code.task);
  // One row more than there are targets: the sums of the features themselves.
  check_shape(archive, moment_name(digits), {digits * (targets + 1), features});
  check_shape(archive, "target_sums", {targets + 1, targets + 1});
  GramFold sum(features, get_number(archive.tree, "bound"), code, get_number(archive.tree, "weight_bound"), products);
  sum.resize_moment(digits);
  sum.load(archive);
  return sum;
}

void GramFold::load(const Archive& archive) {
  if (get_count(archive.tree, "features", kMostFeatures) != features_ || get_number(archive.tree, "bound") != bound_ ||
      get_number(archive.tree, "weight_bound") != weight_bound_ ||
      !(code_from_json(get_node(archive.tree, "targets")) == code_))
    fail(Error::Kind::model, "sum: it was made with another map or other targets; the file is damaged");
  if (products_from(archive.tree) != products_)
    fail(Error::Kind::model, "sum: another version summed these products, which cannot go on; begin anew");
  if (stored_digits(archive.tree, code_.task) != digits())
    fail(Error::Kind::model, "sum: another version rounded its targets, which cannot go on; begin anew");
  const std::size_t targets = targets_.rows();
  rows_ = get_count(archive.tree, "rows", kMostRows);
  archive.get_into(gram_name(products_), {gram_.tile_count(), gram_.tile(), gram_.tile()}, std::span(gram_.values()));
  archive.get_into(moment_name(digits()), {digits() * targets, features_},
                   std::span(moment_.data(), digits() * targets * features_));
  archive.get_into("target_sums", {targets, targets}, std::span(targets_.data(), targets * targets));
}

}  // namespace bochner
