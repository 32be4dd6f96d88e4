// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/online/kept_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/archive.h"
#include "base/require.h"
#include "base/sha256.h"

namespace bochner {

KeptSum KeptSum::like() const {
  KeptSum same{
      intercept, deviation, lambda, class_weights, weight_unit, target_offsets, choices, words, GramFold::like(gram),
      {},        {}};
  same.class_rows.resize(class_rows.size());
  if (marks) same.marks = marks->like();
  return same;
}

void KeptSum::save_choices(Archive& archive) const {
  archive.tree["intercept"] = intercept;
  archive.tree["deviation"] = deviation;
  archive.tree["lambda"] = lambda;
  archive.tree["class_weights"] = class_weights;
  archive.tree["weight_unit"] = weight_unit;
  archive.tree["target_offsets"] = target_offsets;
  archive.tree["choices"] = nlohmann::json::array();
  for (const Choice& choice : choices)
    archive.tree["choices"].push_back({{"name", choice.name}, {"from", choice.from}});
}

void KeptSum::save(Archive& archive) const {
  save_choices(archive);
  archive.tree["class_rows"] = class_rows;
  if (!words.empty()) archive.tree["words"] = words;
  Archive sums;
  gram.save(sums);
  archive.put_child("gram", std::move(sums));
  if (!marks) return;
  Archive rows;
  marks->save(rows);
  archive.put_child("rows", std::move(rows));
}

namespace {

constexpr std::uint64_t kMostRows = std::uint64_t(1) << 53;

// What a sum must have to be that of a model; where it has, no number of it can do more harm than a wrong model.
void check_kept(const KeptSum& kept, const Model& model) {
  const Schema& schema = model.schema();
  const MapPtr map = model.feature_map();
  const GramFold& gram = kept.gram;
  const auto damaged = [](bool is, const char* what) {
    if (is) fail(Error::Kind::model, "kept sum: {}; the file is damaged", what);
  };
  damaged(gram.features() != (map ? map->outputs() : schema.inputs), "its features are not those of the maps");
  damaged(gram.code().task != schema.task || gram.code().columns() != model.outputs(),
          "its targets are not those of the schema");
  damaged(schema.task == Task::classification && gram.code().classes != schema.labels.size(),
          "its classes are not those of the schema");
  damaged(gram.products() != GramFold::products_for(map.get(), model.double_precision(), true),
          "its products are not those of the maps");
  damaged(map && map->bound() > 0 && map->bound() != gram.bound(), "the bound on its features is not that of the maps");
  damaged(!(kept.lambda >= 0), "lambda is negative");
  damaged(!(kept.weight_unit > 0), "the unit of weights is no positive number");
  damaged(!kept.target_offsets.empty() && kept.target_offsets.size() != schema.targets,
          "the offsets of targets are not as many as there are targets");
  damaged(!kept.class_weights.empty() && kept.class_weights.size() != schema.labels.size(),
          "the weights of classes are not as many as there are classes");
  for (const double weight : kept.class_weights) damaged(!(weight >= 0), "the weight of a class is negative");
  const bool classes = schema.task == Task::classification;
  damaged(kept.class_rows.size() != (classes ? schema.labels.size() : 0), "rows of classes are missing");
  damaged(classes && std::accumulate(kept.class_rows.begin(), kept.class_rows.end(), std::uint64_t(0)) != gram.rows(),
          "the rows of the classes are not all rows");
  damaged(kept.marks && kept.marks->marks().size() != gram.rows(), "it has not a mark for each row");
}

}  // namespace

KeptSum KeptSum::load(const Archive& archive, const Model& model) {
  const nlohmann::json& tree = archive.tree;
  KeptSum kept{get_flag(tree, "intercept"),
               get_flag(tree, "deviation"),
               get_number(tree, "lambda"),
               get_numbers(tree, "class_weights"),
               get_number(tree, "weight_unit"),
               get_numbers(tree, "target_offsets"),
               {},
               {},
               GramFold::from(archive.child("gram")),
               {},
               {}};
  for (const nlohmann::json& choice : get_node(tree, "choices"))
    kept.choices.push_back({get_text(choice, "name"), get_text(choice, "from")});
  for (const nlohmann::json& count : get_node(tree, "class_rows")) {
    if (!count.is_number_unsigned() || count.get<std::uint64_t>() > kMostRows)
      fail(Error::Kind::model, "kept sum: the rows of a class are no count; the file is damaged");
    kept.class_rows.push_back(count.get<std::uint64_t>());
  }
  if (tree.contains("words"))
    for (const nlohmann::json& word : get_node(tree, "words")) {
      if (!word.is_string())
        fail(Error::Kind::model, "kept sum: a word of its training is no text; the file is damaged");
      kept.words.push_back(word.get<std::string>());
    }
  if (tree.contains("rows")) kept.marks = RowMarks::from(archive.child("rows"));
  check_kept(kept, model);
  return kept;
}

std::string KeptSum::digest() const {
  Archive sums, rows;
  gram.save(sums);
  if (marks) marks->save(rows);
  Sha256 hash;
  hash.add(sums.tree.dump());
  hash.add_values(std::span(class_rows));
  for (const Archive* part : {&sums, &rows})
    for (const auto& [name, array] : part->arrays) {
      hash.add(name);
      hash.add(array.content());
    }
  return hash.hex();
}

}  // namespace bochner
