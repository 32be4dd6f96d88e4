// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/drift.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/option.h"
#include "base/require.h"
#include "bochner/bandwidth.h"
#include "bochner/kernel_family.h"
#include "bochner/map.h"
#include "choose/plan_memory.h"
#include "folds/row_moments.h"
#include "maps/map_rows.h"
#include "methods/embeddings/block_sums.h"
#include "methods/embeddings/drift_columns.h"
#include "methods/embeddings/drift_sample.h"
#include "methods/embeddings/exchange.h"
#include "methods/embeddings/input_scales.h"
#include "methods/embeddings/joint_rows.h"
#include "model/mapped_rows.h"
#include "run/stream.h"

namespace bochner {

namespace {

constexpr std::size_t kMostBlocks = 4096, kFewestBlocks = 256, kSampleRows = 4096, kSampleNumbers = 1 << 25;
constexpr std::size_t kTestedRows = 4096, kSliceBytes = 8 << 20;           // rows whose features are there at a time
constexpr std::size_t kMostCounts = std::size_t(1) << 26, kMostBins = 33;  // counts of blocks x bins; bins of a number

void check_options(const DriftOptions& options) {
  require(!options.bandwidths.empty(), "bandwidths: found none, expected at least one");
  for (const double factor : options.bandwidths)
    require(factor > 0 && std::isfinite(factor), "bandwidths: found {}, expected positive numbers", factor);
  require(options.permutations >= 19 && options.permutations <= 1000000,
          "permutations: found {}, expected 19 to 1000000", options.permutations);
  require(options.windows >= 1 && options.windows <= 10000, "windows: found {}, expected 1 to 10000", options.windows);
  require(options.features % 2 == 0, "features: found {}, expected an even number", options.features);
  require(options.kernel.family->draw, "kernel: {} has no Fourier features", options.kernel.family->name);
}

class DriftTest {
 public:
  DriftTest(Rows& reference, Rows& fresh, const DriftOptions& options)
      : options_(options), threads_(options.execution), schema_(reference.schema()) {
    samples_[0].rows = &reference;
    samples_[1].rows = &fresh;
    require(fresh.schema().inputs == schema_.inputs, "drift: the new rows have {} inputs, expected {}",
            fresh.schema().inputs, schema_.inputs);
  }

  Drift run() && {
    count_rows();
    plan();
    share_memory();
    look_over();
    choose_scales();
    test();
    return std::move(found_);
  }

 private:
  Stream stream(const DriftSample& sample) { return Stream(*sample.rows, nullptr, threads_, options_.execution); }
  Workers on() { return workers_on(threads_); }

  void count_rows() {
    for (int s : {0, 1}) {
      DriftSample& sample = samples_[s];
      sample.keep(options_.execution);
      std::uint64_t rows = 0;
      sample.moments = RowMoments(schema_.inputs);
      stream(sample).each(s == 0 ? "reference" : "new", [&](const auto& block) {
        rows += block.rows;
        check_finite(block, s);
        sample.moments.add(on(), block);
      });
      if (rows < 2)
        fail(Error::Kind::data, "drift: found {} in the {} file, expected at least two",
             rows == 1 ? "one row" : "no rows", s == 0 ? "reference" : "new");
      (s == 0 ? found_.rows_reference : found_.rows_new) = rows;
    }
  }

  template <class T>
  void check_finite(const RowBlock<T>& block, int sample) const {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const std::size_t begin = block.sparse() ? block.offsets[i] : i * block.stride;
      const std::size_t end = block.sparse() ? block.offsets[i + 1] : begin + block.cols;
      for (std::size_t k = begin; k < end; ++k)
        if (!std::isfinite(block.values[k]))
          fail(Error::Kind::data,
               "{} rows, row {}, column {}: found {}, expected a finite number; remove the row or "
               "fill the value in",
               sample == 0 ? "reference" : "new", block.first + i, block.sparse() ? block.columns[k] : k - begin,
               block.values[k]);
    }
  }

  void plan() {
    const std::size_t most =
        std::clamp(kSampleNumbers / std::max<std::size_t>(schema_.inputs, 1), kFewestBlocks, kMostBlocks);
    plan_ = plan_exchange(found_.rows_reference, found_.rows_new, most);
    for (std::size_t s : {0, 1})
      samples_[s].blocks =
          std::make_shared<RowBlocks>(plan_.rows[s], plan_.blocks[s], plan_.block_rows, options_.seed, s);
    found_.blocks = plan_.all_blocks();
    found_.block_rows = plan_.block_rows;
    const double rows = double(found_.rows_reference) + double(found_.rows_new);
    features_ = options_.features;
    if (features_ == 0)
      features_ = 64 * std::size_t(std::clamp(0x1p31 / rows / double(options_.bandwidths.size()) / 64, 4.0, 16.0));
  }

  std::size_t sampled_places() const {
    return std::min<std::size_t>(
        plan_.block_rows,
        std::max<std::size_t>(1, std::min(kSampleRows, kSampleNumbers / schema_.inputs) / found_.blocks));
  }
  // Columns are counted in these bins at most.
  double most_bins() const {
    double bins = schema_.columns.empty() ? double(kMostBins * schema_.inputs) : 0;
    for (const Column& column : schema_.columns) {
      if (column.kind == Column::Kind::numeric) bins += double(kMostBins);
      if (column.kind == Column::Kind::category) bins += double(column.levels.size() + 1);
    }
    return bins > double(kMostCounts / found_.blocks) ? 0 : bins;
  }

  // Rows are kept if there is room, and as many bandwidths are summed up in a pass: their sums are the same however
  // they are grouped. Sampled rows are there twice: as they come and sorted, then sorted and scaled.
  void share_memory() {
    const double limit = double(memory_limit(options_.execution)), blocks = double(found_.blocks);
    const double exchanges = double(options_.permutations + 1), features = double(features_);
    const double d = double(schema_.inputs);
    const double one = (blocks + d) * features * sizeof(float) +
                       1.5 * std::min(double(kTestedRows) * features * sizeof(float), double(kSliceBytes));
    MemoryPlan test, sampled;
    sampled.add("sampled rows", 2.0 * double(sampled_places()) * blocks * d * sizeof(double));
    test.add("exchanges", exchanges * blocks * sizeof(double));
    test.add("strips", (blocks + exchanges) * double(kExchangeStrip) * sizeof(double));
    test.add("counts", blocks * most_bins() * sizeof(std::int32_t));
    test.add("sums of blocks", one);
    const MemoryPlan least = program_memory(threads_.count(), 1).add(peak_of({sampled, test}));
    say_or_refuse(least, limit, "drift",
                  fmt::format("raise {}, or take fewer permutations or features", Option::memory), {});
    double left = limit - least.total();
    for (DriftSample& sample : samples_) {
      const double bytes = sample.kept ? double(sample.kept->memory_bytes(sizeof(float))) : 0;
      if (bytes > left) sample.forget();
      if (sample.kept) left -= bytes;
    }
    at_once_ = std::size_t(std::clamp(1 + left / one, 1.0, double(options_.bandwidths.size())));
  }

  // The rows at the same places of every block: the same set of rows whichever blocks change sides, so that what is
  // chosen by it keeps the level exact.
  void look_over() {
    const std::size_t places = sampled_places();
    std::vector<std::vector<double>> rows;
    for (int s : {0, 1})
      stream(samples_[s]).each("sample", [&](const auto& block) {
        for (std::size_t i = 0; i < block.rows; ++i) {
          const RowBlocks::Place at = samples_[s].blocks->of(block.first + i);
          if (at.block == RowBlocks::kNone || at.place >= places) continue;
          std::vector<double> row(schema_.inputs);
          const std::size_t begin = block.sparse() ? block.offsets[i] : i * block.stride;
          const std::size_t count = block.sparse() ? block.offsets[i + 1] - begin : block.cols;
          for (std::size_t k = 0; k < count; ++k)
            row[block.sparse() ? block.columns[begin + k] : k] = double(block.values[begin + k]);
          rows.push_back(std::move(row));
        }
      });
    // Sorted: their order tells who they belong to.
    std::sort(rows.begin(), rows.end());
    sample_ = Matrix<double>(rows.size(), schema_.inputs);
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy(rows[i].begin(), rows[i].end(), &sample_(i, 0));
  }

  void choose_scales() {
    const std::vector<double> scales = input_scales(schema_, sample_.view());
    const Matrix<double> scaled = divided(sample_.view(), scales);
    const double median = median_bandwidth(options_.kernel, scaled.view());
    for (const double factor : options_.bandwidths) {
      FourierOptions fourier_options{.kernel = options_.kernel, .features = features_};
      fourier_options.kernel.length_scales = scales;
      for (double& scale : fourier_options.kernel.length_scales) scale *= factor * median;
      fourier_options.seed = options_.seed + maps_.size();
      if (options_.kernel.family->law == KernelFamily::Law::radial)
        fourier_options.draw = FourierOptions::Draw::orthogonal;
      maps_.push_back(fourier(schema_.inputs, fourier_options));
      found_.scales.push_back({.bandwidth = factor * median});
    }
    found_.features = maps_.size() * features_;
    found_.kernel = kernel_name(options_.kernel);
    bins_ = std::make_shared<ColumnBins>(choose_bins(schema_, sample_.view()));
    if (bins_->width > kMostCounts / found_.blocks) {
      found_.notes.push_back(fmt::format("columns: {} are too many to be tested one by one", bins_->columns.size()));
      bins_ = std::make_shared<ColumnBins>();
    }
    sample_ = {};
  }

  // Features of `count` bandwidths from `first` on; with the first of them the counts of columns.
  void sum_up(std::size_t first, std::size_t count) {
    const MapPtr map = concat({maps_.begin() + std::ptrdiff_t(first), maps_.begin() + std::ptrdiff_t(first + count)});
    const std::size_t most =
        std::clamp<std::size_t>(kSliceBytes / (sizeof(float) * map->outputs()), kChunkRows / 16, kTestedRows);
    sums_.clear();
    for (int s : {0, 1}) {
      BlockSums sums(samples_[s].blocks, map->outputs(), map->bound());
      BlockCounts counts(samples_[s].blocks, first == 0 ? bins_ : std::make_shared<const ColumnBins>());
      stream(samples_[s]).each(s == 0 ? "reference" : "new", [&](const auto& any) {
        if constexpr (std::is_same_v<std::decay_t<decltype(any)>, RowBlock<float>>) {
          if (first == 0) counts.add(on(), any);
          for (std::size_t begin = 0; begin < any.rows; begin += most) {
            const RowBlock<float> slice = any.slice(begin, std::min(most, any.rows - begin));
            Matrix<float> z(slice.rows, map->outputs());
            map_rows(on(), *map, slice, z.view());
            sums.add(on(), RowBlock<float>::dense(z.view(), slice.first));
          }
        }
      });
      sums_.push_back(std::move(sums));
      if (first == 0) counts_.push_back(std::move(counts));
    }
  }

  void test() {
    const Matrix<double> exchanges = draw_exchanges(plan_, options_.permutations, options_.seed);
    found_.permutations = options_.permutations;
    Matrix<double> scores(exchanges.rows(), maps_.size());
    for (std::size_t first = 0; first < maps_.size(); first += at_once_) {
      const std::size_t count = std::min(at_once_, maps_.size() - first);
      sum_up(first, count);
      test_scales(exchanges, first, count, scores);
    }
    sums_.clear();
    found_.p_value = permutation_p_value(fused(scores.view()));
    if (!bins_->columns.empty()) {
      const BlockCounts counts[2] = {std::move(counts_[0]), std::move(counts_[1])};
      found_.columns = test_columns(on(), plan_, exchanges.view(), *bins_, counts);
      describe_columns();
    }
  }

  // The bandwidths that were summed up, `count` from `begin_scale` on.
  void test_scales(const Matrix<double>& exchanges, std::size_t begin_scale, std::size_t count,
                   Matrix<double>& scores) {
    const std::size_t first = plan_.blocks[0];
    const double n = double(plan_.rows[0]), m = double(plan_.rows[1]);
    const BlockTable table{count * features_,
                           [&](std::size_t b, std::size_t j) {
                             return double(b < first ? sums_[0].sums()(b, j) : sums_[1].sums()(b - first, j));
                           },
                           [&](int sample, std::size_t j) { return double(sums_[sample].rest()[j]); }};
    std::vector<std::size_t> edges;
    for (std::size_t h = 0; h <= count; ++h) edges.push_back(h * features_);
    const double unit = sums_[0].unit(), factor = std::pow((1 / n + 1 / m) * unit, 2);
    Matrix<double> mmd2(count, exchanges.rows());
    exchanged_sums(on(), plan_, exchanges.view(), table, edges, [&](std::size_t begin, MatrixView<const double> sums) {
      const std::size_t h = begin / features_;
      for (std::size_t p = 0; p < sums.rows; ++p)
        for (std::size_t j = 0; j < sums.cols; ++j) mmd2(h, p) += factor * sums(p, j) * sums(p, j);
    });
    for (std::size_t h = 0; h < count; ++h) {
      Drift::Scale& scale = found_.scales[begin_scale + h];
      const std::span<const double> row(&mmd2(h, 0), exchanges.rows());
      const std::vector<double> normal = normal_scores(row);
      for (std::size_t p = 0; p < exchanges.rows(); ++p) scores(p, begin_scale + h) = normal[p];
      scale.mmd2 = row[0];
      scale.mmd2_unbiased = unbiased(h, table);
      scale.p_value = permutation_p_value(row);
      found_.statistic += scale.mmd2_unbiased / double(maps_.size());
    }
  }

  // Sums over pairs of different rows: |z|^2 = 1 of every row is left out.
  double unbiased(std::size_t h, const BlockTable& table) const {
    const double n = double(plan_.rows[0]), m = double(plan_.rows[1]), unit = sums_[0].unit();
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t j = h * features_; j < (h + 1) * features_; ++j) {
      double of[2] = {table.rest(0, j), table.rest(1, j)};
      for (std::size_t b = 0; b < plan_.all_blocks(); ++b) of[b < plan_.blocks[0] ? 0 : 1] += table.at(b, j);
      xx += of[0] * of[0] * unit * unit;
      yy += of[1] * of[1] * unit * unit;
      xy += of[0] * of[1] * unit * unit;
    }
    return (xx - n) / (n * (n - 1)) + (yy - m) / (m * (m - 1)) - 2 * xy / (n * m);
  }

  void describe_columns() {
    std::size_t c = 0;
    const std::vector<std::string> names = schema_.input_names();
    const std::vector<double> means[2] = {samples_[0].moments.mean(), samples_[1].moments.mean()};
    const auto number = [&](std::size_t input, const std::string& name, double fill) {
      Drift::ColumnChange& change = found_.columns[c];
      const double offset = offset_of(input), filled = double(float(fill - offset));
      const auto present = [&](int s, double missing) {
        return without_fills({means[s][input], samples_[s].moments.deviation(input)}, missing, filled);
      };
      const auto [a, da] = present(0, change.missing_reference);
      const auto [b, db] = present(1, change.missing_new);
      const double n = double(plan_.rows[0]) * (1 - change.missing_reference),
                   m = double(plan_.rows[1]) * (1 - change.missing_new);
      change.name = name;
      change.mean_reference = a + offset;
      change.mean_new = b + offset;
      change.deviation =
          std::sqrt((n * da * da + m * db * db) / (n + m) + n * m / ((n + m) * (n + m)) * (a - b) * (a - b));
      for (const float edge : bins_->columns[c].edges) change.edges.push_back(double(edge) + offset);
      ++c;
    };
    if (schema_.columns.empty())
      for (std::size_t j = 0; j < schema_.inputs; ++j) number(j, names[j], 0);
    for (const Column& column : schema_.columns) {
      if (column.kind == Column::Kind::numeric) {
        found_.columns[c].dates = column.dates != Column::Dates::none;
        number(bins_->columns[c].input, column.name, column.fill);
      }
      if (column.kind != Column::Kind::category) continue;
      found_.columns[c].name = column.name;
      found_.columns[c++].levels = column.levels;
    }
  }

  double offset_of(std::size_t input) const { return schema_.offsets.empty() ? 0 : schema_.offsets[input]; }

  DriftOptions options_;
  Threads threads_;
  Schema schema_;
  DriftSample samples_[2];
  ExchangePlan plan_;
  Matrix<double> sample_;
  std::size_t features_ = 0, at_once_ = 1;  // features of each bandwidth; bandwidths of a pass
  std::vector<MapPtr> maps_;                // one per bandwidth
  std::shared_ptr<const ColumnBins> bins_;
  std::vector<BlockSums> sums_;
  std::vector<BlockCounts> counts_;
  Drift found_;
};

// Every window by itself. What changed slowly shows from some window on.
std::vector<Drift::Window> test_windows(Rows& reference, Rows& fresh, std::uint64_t rows, const DriftOptions& options) {
  std::unique_ptr<Rows> kept;
  if (worth_keeping(reference, sizeof(float), options.execution)) kept = cached_rows<float>(reference);
  const std::uint64_t count = options.windows;
  if (rows < 2 * count)
    fail(Error::Kind::data, "windows: found {} new rows for {}, expected at least two each", rows, count);
  std::vector<Drift::Window> windows;
  for (std::uint64_t w = 0; w < count; ++w) {
    const std::uint64_t begin = rows * w / count, end = rows * (w + 1) / count;
    const auto part = subset_rows(fresh, [=](std::uint64_t row) { return row >= begin && row < end; });
    const Drift found = DriftTest(kept ? *kept : reference, *part, options).run();
    windows.push_back(
        {begin, end - begin, std::min(1.0, double(count) * found.p_value), found.p_value, found.statistic});
  }
  return windows;
}

}  // namespace

Drift drift(Rows& reference, Rows& fresh, const DriftOptions& options) {
  check_options(options);
  Drift found = DriftTest(reference, fresh, options).run();
  if (options.windows > 1) found.windows = test_windows(reference, fresh, found.rows_new, options);
  return found;
}

Drift drift(const std::string& reference, const std::string& fresh, const DriftOptions& options) {
  check_options(options);
  JointRows joint = open_both(reference, fresh, options.reading);
  std::vector<std::string> notes = joint.notes;
  if (!joint.only_first.empty())
    notes.push_back(fmt::format("only in {}: {}", reference, fmt::join(joint.only_first, ", ")));
  if (!joint.only_second.empty())
    notes.push_back(fmt::format("only in {}: {}", fresh, fmt::join(joint.only_second, ", ")));
  for (const std::string& note : notes)
    if (options.say) options.say(note);
  Drift found = drift(*joint.first, *joint.second, options);
  found.missing_in_new = std::move(joint.only_first);
  found.missing_in_reference = std::move(joint.only_second);
  found.notes.insert(found.notes.begin(), notes.begin(), notes.end());
  return found;
}

}  // namespace bochner
