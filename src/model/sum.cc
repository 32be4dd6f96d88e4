// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/archive.h"
#include "base/option.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/strict_json.h"
#include "bochner/visible_text.h"
#include "choose/offsets.h"
#include "maps/load.h"
#include "model/background.h"
#include "rows/columns.h"
#include "rows/schema_json.h"
#include "rows/unite.h"

namespace bochner {

namespace {

constexpr const char* kType = "bochner sum";

// The mean of an input over the rows whose cell is there, as far as the mark behind it tells.
double sampled_mean(std::span<const Survey::SampledRow> sample, std::size_t input, bool marked) {
  double sum = 0;
  std::size_t count = 0;
  for (const Survey::SampledRow& row : sample) {
    if (marked && row.values[input + 1] != 0) continue;
    sum += row.values[input];
    ++count;
  }
  return count == 0 ? 0 : sum / double(count);
}

// The most frequent levels of each text column, ties by name; fills of missing cells from the sample.
Schema settled_schema(const Survey& survey) {
  Schema schema = survey.schema();
  const std::span<const Survey::SampledRow> sample = survey.sample(survey.sampled());
  std::size_t input = 0;
  const std::vector<double> offsets = column_offsets(survey);
  if (!offsets.empty() && schema.columns.empty()) schema.offsets = offsets;
  for (Column& column : schema.columns) {
    if (column.kind == Column::Kind::numeric) {
      if (!schema.sparse) column.fill = sampled_mean(sample, input, column.marked);
      const std::size_t next = input + column.inputs();
      if (column.marked) {  // parts mark every missing cell, since each sees only its own
        const std::uint64_t missing = survey.columns()[input + 1].nonzero;
        const Survey::ColumnFacts& facts = survey.columns()[input];
        column.marked = gaps_tell(missing, survey.rows() - missing, facts.min < facts.max);
        if (!column.marked) --schema.inputs;
      }
      if (!offsets.empty()) schema.offsets.push_back(offsets[input]);
      if (!offsets.empty() && column.marked) schema.offsets.push_back(0);
      input = next;
    }
    if (column.kind != Column::Kind::category) continue;
    std::vector<std::size_t> order(column.levels.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto count = [&](std::size_t level) { return survey.columns()[input + level].nonzero; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return count(a) > count(b); });
    input += order.size();
    order.resize(std::min(order.size(), schema.max_levels));
    std::sort(order.begin(), order.end());
    std::vector<std::string> levels;
    for (const std::size_t level : order) levels.push_back(std::move(column.levels[level]));
    if (!schema.sparse) schema.inputs -= column.levels.size() - levels.size();
    column.levels = std::move(levels);
    if (!offsets.empty()) schema.offsets.resize(schema.offsets.size() + column.levels.size());
  }
  return schema;
}

Archive spec_archive(const Sum::State& state) {
  Archive archive;
  state.spec->save(archive);
  Archive gram;
  state.gram->save(gram);
  for (const char* key : {"features", "bound", "weight_bound", "targets"}) archive.tree[key] = gram.tree[key];
  archive.tree.erase("notes");
  return archive;
}

// Arrays are views of the state.
Archive archive_of(const Sum::State& state) {
  Archive archive;
  archive.tree["type"] = kType;
  archive.tree["kind"] = state.survey ? "survey" : "gram";
  state.origin.save_parts(archive);
  Archive survey, spec, gram;
  if (state.survey) {
    state.survey->save(survey);
    archive.put_child("survey", std::move(survey));
  } else {
    state.spec->save(spec);
    state.gram->save(gram);
    archive.put_child("spec", std::move(spec));
    archive.put_child("gram", std::move(gram));
    archive.tree["machines"] = state.origin.machines;
  }
  return archive;
}

Sum sum_of(Archive archive, const std::string& name) {
  try {
    const std::string type = get_text(archive.tree, "type");
    if (type != kType)
      fail(Error::Kind::model, "is a {}, expected a sum; `bochner accumulate` makes one",
           type.starts_with("bochner ") ? type.substr(8) : type);
    auto state = std::make_unique<Sum::State>();
    state->origin.name = name;
    state->origin.load_parts(archive);
    if (get_text(archive.tree, "kind") == "survey") {
      state->survey = Survey::from(archive.take_child("survey"));
    } else {
      state->spec = SumSpec::load(archive.take_child("spec"));
      state->gram = GramFold::from(archive.take_child("gram"));
      const MapPtr map = state->spec->map();
      if ((map ? map->outputs() : state->spec->schema.inputs) != state->gram->features())
        fail(Error::Kind::model, "sum: its maps do not give its features; the file is damaged");
      state->origin.load_machines(archive);
    }
    return Sum(std::move(state));
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "{}: {}; accumulate it again", name, e.what());
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", name, e.what());
  }
}

}  // namespace

Sum::Sum(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sum::Sum(Sum&&) noexcept = default;
Sum& Sum::operator=(Sum&&) noexcept = default;
Sum::~Sum() = default;

Sum::Kind Sum::kind() const { return state_->survey ? Kind::survey : Kind::gram; }
std::uint64_t Sum::rows() const { return state_->survey ? state_->survey->rows() : state_->gram->rows(); }
std::size_t Sum::parts() const { return state_->origin.parts.size(); }
const std::vector<std::string>& Sum::machines() const { return state_->origin.machines; }
Schema Sum::schema() const { return state_->survey ? settled_schema(*state_->survey) : state_->spec->schema; }

std::string Sum::description() const {
  const Schema schema = this->schema();
  std::string text = kind() == Kind::survey ? "survey    of the rows: the spec for the second `bochner accumulate`\n"
                                            : "sums      of least squares: ready for `bochner merge` and `solve`\n";
  text += fmt::format("rows      {} in {} part{}:", rows(), parts(), parts() == 1 ? "" : "s");
  for (std::size_t p = 0; p < std::min<std::size_t>(parts(), 8); ++p)
    text.append(" ").append(one_line(state_->origin.parts[p].name));
  text += parts() > 8 ? " ...\n" : "\n";
  text += fmt::format("inputs    {}{}\n", schema.inputs, schema.sparse ? " (sparse)" : "");
  text += schema.task == Task::classification ? fmt::format("task      {} classes\n", schema.labels.size())
                                              : fmt::format("task      regression of {} targets\n", schema.targets);
  if (state_->spec)
    for (const MapPtr& map : state_->spec->maps) text += fmt::format("map       {}\n", map->spec());
  for (const std::string& machine : machines()) text += fmt::format("machine   {}\n", machine);
  return text;
}

void Sum::merge(const Sum& other) {
  State& to = *state_;
  const State& from = other.state();
  const std::string &to_name = to.origin.name, &from_name = from.origin.name;
  if (kind() != other.kind()) {
    const std::string& survey = kind() == Kind::survey ? to_name : from_name;
    const std::string& sums = kind() == Kind::survey ? from_name : to_name;
    fail(Error::Kind::data,
         "{} is a survey (first round), {} holds sums (second round), expected one kind; merge the surveys, "
         "accumulate each part with the result as {}, then merge those sums",
         survey, sums, Option::spec);
  }
  if (kind() == Kind::survey) {
    if (to.survey->seed() != from.survey->seed())
      fail(Error::Kind::data, "{} has seed {}, {} has {}; accumulate with the same {}", to_name, to.survey->seed(),
           from_name, from.survey->seed(), Option::seed);
    const Schema all = unite(to.survey->schema(), to_name, from.survey->schema(), from_name);
    Survey sum = to.survey->recoded(all);
    merge_part(sum, to.origin, from.survey->recoded(all), from.origin);
    to.survey = std::move(sum);
    return;
  }
  const std::vector<std::string> found = differences(spec_archive(to), to_name, spec_archive(from), from_name);
  if (!found.empty())
    fail(Error::Kind::data, "{}: made with another spec than {}: {}; accumulate both with the same {} and options",
         from_name, to_name, fmt::join(found, ", "), Option::spec);
  merge_part(*to.gram, to.origin, *from.gram, from.origin);
}

void Sum::save(const std::string& path) const { write_archive(path, archive_of(*state_)); }

std::string Sum::bytes() const { return archive_bytes(archive_of(*state_)); }

bool Sum::is_file(const std::string& path) { return is_archive_of(path, kType); }

Sum Sum::load(const std::string& path) { return sum_of(read_archive(path), path); }

Sum Sum::of_bytes(std::string_view bytes, const std::string& name) {
  return sum_of(archive_of_bytes(bytes, name), name);
}

MapPtr SumSpec::map() const { return maps.empty() ? nullptr : chain(maps); }

void SumSpec::save(Archive& archive) const {
  archive.tree["schema"] = schema_to_json(schema);
  archive.tree["class_weights"] = class_weights;
  archive.tree["intercept"] = intercept;
  archive.tree["precision"] = double_precision ? "double" : "float";
  archive.tree["survey_rows"] = survey_rows;
  archive.tree["notes"] = notes;
  archive.tree["maps"] = maps.size();
  for (std::size_t i = 0; i < maps.size(); ++i) {
    Archive part;
    maps[i]->save(part);
    archive.put_child(fmt::format("map{}", i), std::move(part));
  }
  save_background(background, double_precision, archive);
}

SumSpec SumSpec::load(const Archive& archive) {
  SumSpec spec;
  spec.schema = schema_from_json(get_node(archive.tree, "schema"));
  if (spec.schema.task == Task::classification && spec.schema.labels.size() < 2)
    fail(Error::Kind::model, "sum: found fewer than two class labels; the file is damaged");
  for (const nlohmann::json& weight : get_node(archive.tree, "class_weights")) {
    if (!weight.is_number()) fail(Error::Kind::model, "sum: a class weight is no number; the file is damaged");
    spec.class_weights.push_back(weight.get<double>());
  }
  spec.intercept = get_flag(archive.tree, "intercept");
  spec.double_precision = get_text(archive.tree, "precision") == "double";
  spec.survey_rows = get_count(archive.tree, "survey_rows", std::uint64_t(1) << 53);
  for (const nlohmann::json& note : get_node(archive.tree, "notes"))
    if (note.is_string()) spec.notes.push_back(note.get<std::string>());
  const std::size_t count = get_count(archive.tree, "maps", 8);
  for (std::size_t i = 0; i < count; ++i) spec.maps.push_back(load_map(archive.child(fmt::format("map{}", i))));
  spec.background = load_background(archive, spec.double_precision, spec.schema.inputs);
  return spec;
}

}  // namespace bochner
