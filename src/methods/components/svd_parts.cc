// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/option.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/strict_json.h"
#include "bochner/svd.h"
#include "bochner/visible_text.h"
#include "methods/components/factor_model.h"
#include "methods/components/low_rank.h"
#include "model/mapped_rows.h"
#include "rows/schema_json.h"
#include "rows/unite.h"
#include "run/part_sum.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr const char* kType = "bochner factor sum";
constexpr std::size_t kMostInputs = std::size_t(1) << 32, kMostRank = std::size_t(1) << 24;

struct Choice {
  std::size_t rank = 0;
  bool center = false, double_precision = false;
  std::uint64_t seed = 0;

  bool operator==(const Choice&) const = default;
  LowRankOptions options() const { return {.rank = rank, .center = center, .passes = 1, .seed = seed}; }
};

}  // namespace

struct FactorSum::State {
  SumOrigin origin;
  Schema schema;
  RowMoments moments{0};             // the parts' moments, or all rows' in the second round
  std::optional<Choice> choice;      // second round only
  std::optional<OnePassSum> sketch;  // second round only
};

namespace {

std::uint64_t rows_of(const std::vector<PartRows>& parts) {
  std::uint64_t rows = 0;
  for (const PartRows& part : parts) rows += part.rows;
  return rows;
}

// Rows that mean the same whatever the other parts hold.
void check_columns(const Schema& schema, const std::string& part) {
  for (const Column& column : schema.columns)
    require(column.kind != Column::Kind::category,
            "{}: column {} holds text, whose levels other parts may lack; leave it out ({})", part, column.name,
            Option::ignore);
  require(schema.columns.empty() || schema.missing != Missing::mean,
          "{}: missing cells would be filled by the mean of each part; refuse them ({})", part,
          spelled(Option::missing, "error"));
}

OnePass one_pass(const FactorSum::State& state) {
  return OnePass(state.moments, state.schema.sparse, state.choice->options());
}

// Moments of the columns of both, sparse rows as wide as the wider ones.
void merge_moments(FactorSum::State& to, const FactorSum::State& from) {
  const Schema all = unite(to.schema, to.origin.name, from.schema, from.origin.name);
  RowMoments sum = to.moments, other = from.moments;
  sum.widen(all.inputs);
  other.widen(all.inputs);
  merge_part(sum, to.origin, other, from.origin);
  to.moments = std::move(sum);
  to.schema = all;
}

}  // namespace

FactorSum::FactorSum(std::unique_ptr<State> state) : state_(std::move(state)) {}
FactorSum::FactorSum(FactorSum&&) noexcept = default;
FactorSum& FactorSum::operator=(FactorSum&&) noexcept = default;
FactorSum::~FactorSum() = default;

FactorSum::Kind FactorSum::kind() const { return state_->sketch ? Kind::sketch : Kind::moments; }
std::uint64_t FactorSum::rows() const { return rows_of(state_->origin.parts); }
std::size_t FactorSum::parts() const { return state_->origin.parts.size(); }
const Schema& FactorSum::schema() const { return state_->schema; }

std::string FactorSum::description() const {
  std::string text = kind() == Kind::moments ? "moments   of the rows: the spec for the second `bochner svd PART`\n"
                                             : "sketch    of the rows: ready for `bochner merge` and `solve`\n";
  text += fmt::format("rows      {} in {} part{}:", rows(), parts(), parts() == 1 ? "" : "s");
  for (std::size_t p = 0; p < std::min<std::size_t>(parts(), 8); ++p)
    text += fmt::format(" {}", one_line(state_->origin.parts[p].name));
  text += parts() > 8 ? " ...\n" : "\n";
  text += fmt::format("inputs    {}{}\n", schema().inputs, schema().sparse ? " (sparse)" : "");
  if (state_->choice)
    text += fmt::format("rank      {}{}\n", state_->choice->rank, state_->choice->center ? ", centred" : "");
  return text;
}

void FactorSum::merge(const FactorSum& other) {
  State& to = *state_;
  const State& from = other.state();
  if (kind() != other.kind())
    fail(Error::Kind::data,
         "{} is of the {} round, {} of the other one, expected one kind; merge the moments of all parts, sketch each "
         "part with the result, then merge those",
         to.origin.name, kind() == Kind::moments ? "first" : "second", from.origin.name);
  if (kind() == Kind::moments) return merge_moments(to, from);
  if (!(to.choice == from.choice && to.schema == from.schema && to.moments == from.moments))
    fail(Error::Kind::data, "{}: made with other moments, rank, centring or {} than {}; give both the same",
         from.origin.name, Option::seed, to.origin.name);
  std::visit(
      [&](auto& sum) {
        using F = std::remove_reference_t<decltype(sum)>;
        merge_part<F>(sum, to.origin, std::get<F>(*from.sketch), from.origin);
      },
      *to.sketch);
}

void FactorSum::save(const std::string& path) const {
  Archive archive, moments, sketch;
  archive.put_text("type", kType);
  state_->origin.save_parts(archive);
  archive.tree["schema"] = schema_to_json(state_->schema);
  state_->moments.save(moments);
  archive.put_child("moments", std::move(moments));
  if (const auto& choice = state_->choice) {
    archive.put_count("rank", choice->rank);
    archive.tree["center"] = choice->center;
    archive.tree["double"] = choice->double_precision;
    archive.tree["seed"] = choice->seed;
    std::visit([&](const auto& sum) { sum.save(sketch); }, *state_->sketch);
    archive.put_child("sketch", std::move(sketch));
  }
  write_archive(path, archive);
}

bool FactorSum::is_file(const std::string& path) { return is_archive_of(path, kType); }

FactorSum FactorSum::load(const std::string& path) {
  const Archive archive = read_archive(path);
  try {
    if (const std::string type = archive.get_text("type"); type != kType)
      fail(Error::Kind::model, "found \"{}\", expected moments or a sketch of `bochner svd`", type);
    auto state = std::make_unique<State>();
    state->origin.name = path;
    state->origin.load_parts(archive);
    state->schema = schema_from_json(get_node(archive.tree, "schema"));
    require(state->schema.inputs > 0 && state->schema.inputs < kMostInputs, "it has {} inputs", state->schema.inputs);
    const Archive moments = archive.child("moments");
    check_shape(moments, "sums", {state->schema.inputs, 1 + BinnedSum::kPlaces});  // before it takes memory
    state->moments = RowMoments(state->schema.inputs);
    state->moments.load(moments);
    if (archive.tree.contains("rank")) {
      state->choice = Choice{.rank = get_count(archive.tree, "rank", kMostRank),
                             .center = get_flag(archive.tree, "center"),
                             .double_precision = get_flag(archive.tree, "double"),
                             .seed = get_count(archive.tree, "seed", ~std::uint64_t(0))};
      const Archive sketch = archive.child("sketch");
      std::size_t bytes = 0;
      for (const auto& [name, array] : sketch.arrays) bytes += array.content().size();
      Threads threads(1);
      require(double(bytes) >= sizeof(std::int64_t) * one_pass(*state).least_numbers(threads),
              "its sketch is too small");  // before it takes memory
      state->sketch = one_pass(*state).empty(threads);
      std::visit([&](auto& sum) { sum.load(sketch); }, *state->sketch);
    }
    return FactorSum(std::move(state));
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "{}: {}; the file is damaged", path, one_line(e.what()));
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", path, one_line(e.what()));
  }
}

FactorSum moments_part(Rows& rows, const PartName& part, const Execution& execution) {
  check_columns(rows.schema(), part.name);
  Threads threads(execution);
  auto state = std::make_unique<FactorSum::State>();
  state->origin.name = part.name;
  state->schema = without_targets(rows.schema());
  state->moments = Stream(rows, nullptr, threads, execution).fold(RowMoments(state->schema.inputs), "means");
  if (state->moments.rows() == 0) fail(Error::Kind::data, "{}: there are no rows; leave the part out", part.name);
  state->origin.parts = {{part.name, part.number, state->moments.rows()}};
  return FactorSum(std::move(state));
}

FactorSum sketch_part(Rows& rows, const FactorSum& moments, const PartName& part, const SvdOptions& options) {
  if (moments.kind() != FactorSum::Kind::moments)
    fail(Error::Kind::data, "{}: is a sketch, expected the merged moments of all parts", moments.state().origin.name);
  require(!options.passes || options.passes == std::size_t(1),
          "passes: found {}; parts are summed in one, leave it out", options.passes.value_or(1));
  require(rows.schema().inputs == moments.schema().inputs,
          "{}: the rows were not read by the schema of the moments; open them with open_rows(path, moments.schema())",
          part.name);
  Threads threads(options.execution);
  auto state = std::make_unique<FactorSum::State>();
  state->origin.name = part.name;
  state->schema = moments.schema();
  state->moments = moments.state().moments;
  state->choice = Choice{options.rank, options.center, options.double_precision, options.seed};
  const Stream stream(rows, nullptr, threads, options.execution);
  std::uint64_t count = 0;
  state->sketch = std::visit(
      [&](auto sum) -> OnePassSum {
        stream.each("sketch", [&](const auto& block) {
          count += block.rows;
          sum.add(stream.workers(), block);
        });
        return sum;
      },
      one_pass(*state).empty(threads));
  if (count == 0) fail(Error::Kind::data, "{}: there are no rows; leave the part out", part.name);
  state->origin.parts = {{part.name, part.number, count}};
  return FactorSum(std::move(state));
}

Model svd(const FactorSum& sum, const Execution& execution) {
  const FactorSum::State& state = sum.state();
  if (sum.kind() == FactorSum::Kind::moments)
    fail(Error::Kind::data,
         "{} holds moments, expected the sketches of the second round; sketch each part with "
         "it as the {}, merge the results and solve those",
         state.origin.name, Option::spec);
  if (sum.rows() != state.moments.rows())
    fail(Error::Kind::data, "{}: the moments are of {} rows, the sketches of {}: a part is missing, or one too many",
         state.origin.name, state.moments.rows(), sum.rows());
  Threads threads(execution);
  return factor_model(state.schema, one_pass(state).solve(*state.sketch, threads), state.moments,
                      state.choice->double_precision);
}

}  // namespace bochner
