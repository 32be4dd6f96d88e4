// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/binning_map.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "base/require.h"
#include "base/threads.h"
#include "methods/bins/draw_grid.h"

namespace bochner {

namespace {

// What a model file of a few bytes may make its reader draw: 2^28 pitches are 4 GiB.
constexpr std::uint64_t kMostPitches = std::uint64_t{1} << 28;

// Tables of millions of bins are built by all cores: a model should load in the time of reading its file.
Threads table_threads(std::size_t bins) { return Threads(bins < 200000 ? 1 : 0); }

}  // namespace

BinningMap::BinningMap(std::size_t inputs, BinningOptions options, std::vector<std::vector<std::uint64_t>> bins,
                       std::vector<std::uint64_t> ids)
    : inputs_(inputs), options_(std::move(options)), ids_(std::move(ids)), offsets_{0} {
  check_binning(inputs_, options_);
  require(options_.grids <= kMostPitches / inputs_,
          "binning map: {} grids of {} inputs, expected at most {} pitches; lower the grids", options_.grids, inputs_,
          kMostPitches);
  if (ids_.empty())
    for (std::size_t g = 0; g < options_.grids; ++g) ids_.push_back(g);
  require(bins.size() == options_.grids && ids_.size() == options_.grids,
          "binning map: bins of {} grids and {} draws, expected {}", bins.size(), ids_.size(), options_.grids);
  for (const auto& keys : bins) {
    require(keys.size() < HashIndex::kNone, "binning map: {} bins in a grid, expected fewer than {}", keys.size(),
            HashIndex::kNone);
    offsets_.push_back(offsets_.back() + keys.size());
  }
  tables_.resize(bins.size());
  table_threads(outputs()).run(bins.size(), [&](std::size_t g, int) { tables_[g] = HashIndex(std::move(bins[g])); });
}

template <>
const std::vector<Grid<float>>& BinningMap::grid_as() const {
  std::call_once(float_.once, [this] {
    for (const std::uint64_t id : ids_) float_.grids.push_back(draw_grid<float>(inputs_, options_, id));
  });
  return float_.grids;
}

template <>
const std::vector<Grid<double>>& BinningMap::grid_as() const {
  std::call_once(double_.once, [this] {
    for (const std::uint64_t id : ids_) double_.grids.push_back(draw_grid<double>(inputs_, options_, id));
  });
  return double_.grids;
}

void BinningMap::check(std::size_t cols) const {
  require(cols == inputs_, "binning map: block has {} columns, expected {}", cols, inputs_);
}

std::vector<std::uint32_t> packing_groups(std::size_t inputs, const BinningOptions& options) {
  if (options.order_high == 0) return {};
  if (!options.groups.empty()) return options.groups;
  std::vector<std::uint32_t> each(inputs);
  for (std::size_t j = 0; j < inputs; ++j) each[j] = std::uint32_t(j);
  return each;
}

double BinningMap::bound() const { return std::sqrt(1 / double(options_.grids)); }

template <class T>
void BinningMap::apply_as(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
  require(out.rows == block.rows && out.cols == outputs(), "binning map: output is {} x {}, expected {} x {}", out.rows,
          out.cols, block.rows, outputs());
  for (std::size_t i = 0; i < out.rows; ++i) std::fill_n(out.row(i), out.cols, T(0));
  const T one = T(bound());
  each_grid(on, block, [&](std::size_t g, const std::uint32_t* columns) {
    for (std::size_t i = 0; i < block.rows; ++i)
      if (columns[i] != HashIndex::kNone) out(i, offsets_[g] + columns[i]) = one;
  });
}

void BinningMap::apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const {
  apply_as(on, block, out);
}
void BinningMap::apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const {
  apply_as(on, block, out);
}

template <class T>
void BinningMap::add_sparse(const Backend& on, const RowBlock<T>& block, SparseRows<T>& rows) const {
  require(outputs() <= HashIndex::kNone, "binning map: {} outputs, expected at most {} for CSR; bound the bins",
          outputs(), HashIndex::kNone);
  const Lease<std::uint32_t> all(block.rows * grids());
  each_grid(on, block, [&](std::size_t g, const std::uint32_t* bins) {
    for (std::size_t i = 0; i < block.rows; ++i) all.data()[i * grids() + g] = bins[i];
  });
  const T one = T(bound());
  for (std::size_t i = 0; i < block.rows; ++i) {
    for (std::size_t g = 0; g < grids(); ++g)
      if (const std::uint32_t bin = all.data()[i * grids() + g]; bin != HashIndex::kNone)
        rows.add(offsets_[g] + bin, one);
    rows.end_row();
  }
}

bool BinningMap::apply_sparse(const Backend& on, const RowBlock<float>& block, SparseRows<float>& rows) const {
  add_sparse(on, block, rows);
  return true;
}
bool BinningMap::apply_sparse(const Backend& on, const RowBlock<double>& block, SparseRows<double>& rows) const {
  add_sparse(on, block, rows);
  return true;
}

std::size_t BinningMap::bytes() const {
  std::size_t sum = 0;
  for (const HashIndex& table : tables_) sum += table.bytes();
  return sum;
}

std::string BinningMap::spec() const {
  std::string text =
      fmt::format("binning:kernel={},grids={},seed={}", pitch_law_name(options_.law), options_.grids, options_.seed);
  if (options_.order_high > 0) text += fmt::format(",order={}-{}", options_.order_low, options_.order_high);
  if (options_.min_rows > 1) text += fmt::format(",min_rows={}", options_.min_rows);
  if (options_.max_bins > 0) text += fmt::format(",max_bins={}", options_.max_bins);
  return text;
}

void BinningMap::save(Archive& archive) const {
  const PitchLaw& law = options_.law;
  archive.tree = {{"type", "binning"},
                  {"kernel", pitch_law_name(law)},
                  {"grids", options_.grids},
                  {"seed", options_.seed},
                  {"inputs", inputs_},
                  {"order_low", options_.order_low},
                  {"order_high", options_.order_high},
                  {"min_rows", options_.min_rows},
                  {"max_bins", options_.max_bins},
                  {"length_scales", options_.length_scales.size()},
                  {"groups", options_.groups.size()},
                  {"low", law.low},
                  {"high", law.high},
                  {"pitches", law.pitches.size()}};
  archive.put<double>("length_scale", options_.length_scales, {options_.length_scales.size()});
  archive.put<std::uint32_t>("group", options_.groups, {options_.groups.size()});
  archive.put<double>("pitch", law.pitches, {law.pitches.size()});
  archive.put<double>("pitch_probability", law.cumulative, {law.cumulative.size()});
  archive.put<std::uint64_t>("draw", ids_, {ids_.size()});
  std::vector<std::uint64_t> counts, bins;
  bins.reserve(outputs());
  for (const HashIndex& table : tables_) {
    counts.push_back(table.size());
    bins.insert(bins.end(), table.keys().begin(), table.keys().end());
  }
  archive.put<std::uint64_t>("bin_count", counts, {counts.size()});
  archive.put<std::uint64_t>("bin", bins, {bins.size()});
}

std::shared_ptr<const BinningMap> load_binning(const Archive& archive) {
  constexpr std::uint64_t kAny = ~std::uint64_t{0};
  const nlohmann::json& tree = archive.tree;
  if (const std::string type = get_text(tree, "type"); type != "binning")
    fail(Error::Kind::model, "binning map: type is '{}', expected 'binning'", type);
  const std::uint64_t inputs = get_count(tree, "inputs", kMostPitches);
  try {
    BinningOptions options;
    if (get_text(tree, "kernel") == "table")
      options.law.family = PitchLaw::Family::table;
    else
      options.law = parse_pitch_law(get_text(tree, "kernel"));
    options.law.low = get_number(tree, "low");
    options.law.high = get_number(tree, "high");
    options.law.pitches = archive.get<double>("pitch", {get_count(tree, "pitches", kMostPitches)});
    options.law.cumulative = archive.get<double>("pitch_probability", {options.law.pitches.size()});
    options.grids = get_count(tree, "grids", kMostPitches);
    options.seed = get_count(tree, "seed", kAny);
    options.order_low = get_count(tree, "order_low", inputs);
    options.order_high = get_count(tree, "order_high", kAny);
    options.min_rows = get_count(tree, "min_rows", kAny);
    options.max_bins = get_count(tree, "max_bins", kAny);
    options.length_scales = archive.get<double>("length_scale", {get_count(tree, "length_scales", inputs)});
    options.groups = archive.get<std::uint32_t>("group", {get_count(tree, "groups", inputs)});
    const auto counts = archive.get<std::uint64_t>("bin_count", {options.grids});
    std::uint64_t total = 0;
    for (const std::uint64_t count : counts)
      require(!__builtin_add_overflow(total, count, &total), "binning map: the bins of its grids overflow a count");
    const auto all = archive.get<std::uint64_t>("bin", {total});
    std::vector<std::vector<std::uint64_t>> bins(counts.size());
    std::vector<std::ptrdiff_t> from{0};
    for (const std::uint64_t count : counts) from.push_back(from.back() + std::ptrdiff_t(count));
    table_threads(total).run(
        counts.size(), [&](std::size_t g, int) { bins[g].assign(all.begin() + from[g], all.begin() + from[g + 1]); });
    return std::make_shared<BinningMap>(inputs, std::move(options), std::move(bins),
                                        archive.get<std::uint64_t>("draw", {counts.size()}));
  } catch (const std::invalid_argument& wrong) {
    fail(Error::Kind::model, "{}", wrong.what());
  }
}

}  // namespace bochner
