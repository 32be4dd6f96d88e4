// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/independence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/option.h"
#include "base/require.h"
#include "bochner/kernel_family.h"
#include "choose/plan_memory.h"
#include "folds/covariance.h"
#include "folds/row_moments.h"
#include "methods/embeddings/exchange.h"
#include "methods/embeddings/pair_features.h"
#include "methods/embeddings/row_blocks.h"
#include "run/stream.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kSampleNumbers = std::size_t(1) << 25, kFewestRows = 256, kMostScaleRows = 4096, kChunk = 1024;
constexpr double kSampledRow = 160;  // bytes beside its numbers

void check_options(const IndependenceOptions& options, const Schema& schema) {
  require(schema.targets > 0, "independence: the rows have no target, expected at least one");
  require(!options.bandwidths.empty(), "bandwidths: found none, expected at least one");
  for (const double factor : options.bandwidths)
    require(factor > 0 && std::isfinite(factor), "bandwidths: found {}, expected positive numbers", factor);
  require(options.permutations >= 19 && options.permutations <= 1000000,
          "permutations: found {}, expected 19 to 1000000", options.permutations);
  require(options.features >= 2 && options.features % 2 == 0 && options.features <= 4096,
          "features: found {}, expected an even number from 2 to 4096", options.features);
  require(options.permuted_rows >= kFewestRows, "permuted_rows: found {}, expected at least {}", options.permuted_rows,
          kFewestRows);
  require(options.kernel.family->draw, "kernel: {} has no Fourier features", options.kernel.family->name);
}

class IndependenceTest {
 public:
  IndependenceTest(Rows& rows, const IndependenceOptions& options)
      : rows_(rows), options_(options), threads_(options.execution), schema_(rows.schema()) {}

  Independence run() && {
    draw_sample();
    const Matrix<double> few = head_of(x_), few_targets = head_of(y_);
    const PairFeatures features(schema_, few, few_targets, options_);
    found_.features = features.left();
    found_.permutations = options_.permutations;
    found_.rows_permuted = x_.rows();
    found_.exact = found_.rows == x_.rows();
    permute(features);
    if (!found_.exact) take_limit_law(features);
    return std::move(found_);
  }

 private:
  Workers on() { return workers_on(threads_); }
  Stream stream() { return Stream(rows_, nullptr, threads_, options_.execution); }

  // most: rows that are sampled, if there are as many. They are there twice while they are drawn.
  void check_memory(std::size_t most) const {
    const double m = double(std::min(most, rows_.size().value_or(most)));
    const double row = double(schema_.inputs + schema_.targets) * sizeof(double);
    const double several = double(options_.bandwidths.size()), left = several * double(options_.features);
    const double right = schema_.task == Task::classification ? double(schema_.labels.size()) : left;
    MemoryPlan drawn, permuted;
    drawn.add("sampled rows", m * (2 * row + kSampledRow));
    permuted.add("sampled rows", m * row);
    permuted.add("their features", m * (left + right) * sizeof(float));
    permuted.add("features of columns",
                 m * double(std::min(kMostColumnFeatures, kRankFeatures * schema_.inputs)) * sizeof(float));
    permuted.add("statistics",
                 2.0 * double(options_.permutations) * (several + double(schema_.inputs)) * sizeof(double));
    say_or_refuse(program_memory(threads_.count(), 1).add(peak_of({drawn, permuted})),
                  double(memory_limit(options_.execution)), "independence", fmt::format("raise {}", Option::memory),
                  {});
  }

  // The rows with the smallest random keys, in the order of the keys; all of them where they are few.
  void draw_sample() {
    struct Kept {
      std::uint64_t key, row;
      std::vector<double> x, y;
      bool operator<(const Kept& other) const { return std::pair(key, row) < std::pair(other.key, other.row); }
    };
    const std::size_t most =
        std::clamp(kSampleNumbers / std::max<std::size_t>(schema_.inputs, 1), kFewestRows, options_.permuted_rows);
    check_memory(most);
    std::vector<Kept> kept;  // a heap, the largest key first
    stream().each("sample", [&](const auto& block) {
      for (std::size_t i = 0; i < block.rows; ++i, ++found_.rows) {
        Kept row{bits(options_.seed, Draw::sample, found_.rows), found_.rows, {}, {}};
        if (kept.size() == most && kept.front() < row) continue;
        row.x = dense_row(block, i);
        row.y.assign(block.targets + i * block.target_count, block.targets + (i + 1) * block.target_count);
        kept.push_back(std::move(row));
        std::push_heap(kept.begin(), kept.end());
        if (kept.size() <= most) continue;
        std::pop_heap(kept.begin(), kept.end());
        kept.pop_back();
      }
    });
    if (found_.rows < 4) fail(Error::Kind::data, "independence: found {} rows, expected at least four", found_.rows);
    std::sort_heap(kept.begin(), kept.end());
    x_ = Matrix<double>(kept.size(), schema_.inputs);
    y_ = Matrix<double>(kept.size(), schema_.targets);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::copy(kept[i].x.begin(), kept[i].x.end(), x_.view().row(i));
      std::copy(kept[i].y.begin(), kept[i].y.end(), y_.view().row(i));
    }
  }

  template <class T>
  std::vector<double> dense_row(const RowBlock<T>& block, std::size_t i) const {
    std::vector<double> row(schema_.inputs);
    const std::size_t begin = block.sparse() ? block.offsets[i] : i * block.stride;
    const std::size_t count = block.sparse() ? block.offsets[i + 1] - begin : block.cols;
    for (std::size_t k = 0; k < count; ++k) {
      const double v = double(block.values[begin + k]);
      if (!std::isfinite(v))
        fail(Error::Kind::data,
             "row {}, column {}: found {}, expected a finite number; remove the row or fill the "
             "value in",
             block.first + i, block.sparse() ? block.columns[begin + k] : k, v);
      row[block.sparse() ? block.columns[begin + k] : k] = v;
    }
    return row;
  }

  static Matrix<double> head_of(const Matrix<double>& all) {
    Matrix<double> few(std::min(all.rows(), kMostScaleRows), all.cols());
    std::copy_n(all.data(), few.rows() * few.cols(), few.data());
    return few;
  }

  // Features of the sample, less their means; left: a row for each feature.
  struct SampleFeatures {
    Matrix<float> left, right;
  };
  SampleFeatures sample_features(const PairFeatures& features) {
    const std::size_t m = x_.rows(), width = features.all_left();
    SampleFeatures found{Matrix<float>(width, m), Matrix<float>(m, features.all_right())};
    for (std::size_t first = 0; first < m; first += kChunk) {
      Matrix<float> x(std::min(kChunk, m - first), x_.cols());
      std::copy_n(&x_(first, 0), x.rows() * x.cols(), x.data());
      RowBlock<float> block = RowBlock<float>::dense(x.view(), first);
      block.targets = &y_(first, 0);
      block.target_count = y_.cols();
      const Matrix<float> z = features.of(on(), block);
      for (std::size_t i = 0; i < z.rows(); ++i) {
        for (std::size_t j = 0; j < width; ++j) found.left(j, first + i) = z(i, j);
        std::copy_n(&z(i, width), found.right.cols(), &found.right(first + i, 0));
      }
    }
    centre_rows(found.left.view());
    centre_columns(found.right.view());
    return found;
  }

  // Statistics of every bandwidth, then of every column, under each permutation of the targets; the first is none.
  void permute(const PairFeatures& features) {
    const std::size_t m = x_.rows(), several = features.several();
    const SampleFeatures sample = sample_features(features);
    const Matrix<float>&left = sample.left, &right = sample.right;
    const ColumnFeatures columns = column_features(schema_, x_.view());
    if (columns.names.empty() && schema_.inputs > 0)
      note(fmt::format("columns: {} are too many to be tested one by one", schema_.inputs));
    Matrix<double> statistics(options_.permutations, several + columns.names.size());
    threads_.run(options_.permutations, [&](std::size_t p, int) {
      threads_.check_stop();
      const Shuffle shuffle(m, options_.seed, p);
      std::vector<Product> products;
      for (std::size_t h = 0; h < several && found_.exact; ++h)
        products.emplace_back(left.view().slice(h * features.left(), features.left()), features.right_begin(h),
                              features.right());
      if (!columns.names.empty())
        products.emplace_back(columns.across.view(), features.right_begin(several / 2), features.right());
      for (std::size_t first = 0; first < m; first += kChunk) {
        Matrix<float> targets(std::min(kChunk, m - first), right.cols());  // permuted
        for (std::size_t i = 0; i < targets.rows(); ++i) {
          const std::size_t from = p == 0 ? first + i : std::size_t(shuffle(first + i));
          std::copy_n(&right(from, 0), targets.cols(), &targets(i, 0));
        }
        for (Product& product : products) product.add(on().ops, first, targets);
      }
      for (std::size_t h = 0; h < several && found_.exact; ++h) {
        const std::vector<double> rows = products[h].squares(m);
        statistics(p, h) = std::accumulate(rows.begin(), rows.end(), 0.0);
      }
      if (columns.names.empty()) return;
      const std::vector<double> rows = products.back().squares(m);
      for (std::size_t c = 0; c < columns.names.size(); ++c)
        statistics(p, several + c) = std::accumulate(rows.begin() + std::ptrdiff_t(columns.edges[c]),
                                                     rows.begin() + std::ptrdiff_t(columns.edges[c + 1]), 0.0);
    });
    const Matrix<double> scores = scores_of(statistics.view());
    if (found_.exact) judge(statistics, scores, several);
    describe(columns, statistics, scores, several);
  }

  // a b, b some columns of the targets, by chunks of their rows.
  class Product {
   public:
    Product(MatrixView<const float> a, std::size_t begin, std::size_t count)
        : a_(a), begin_(begin), sum_(a.rows, count), part_(a.rows, count) {}

    // targets: those of rows `first` on.
    void add(const Backend& on, std::size_t first, const Matrix<float>& targets) {
      on.multiply(MatrixView<const float>{a_.data + first, a_.rows, targets.rows(), a_.stride},
                  MatrixView<const float>{targets.data() + begin_, targets.rows(), sum_.cols(), targets.cols()}, 0.0f,
                  part_.view());
      for (std::size_t k = 0; k < sum_.rows() * sum_.cols(); ++k) sum_.data()[k] += double(part_.data()[k]);
    }
    // |each row of a b|^2 / m^2.
    std::vector<double> squares(std::size_t rows) const {
      const double m = double(rows);
      std::vector<double> found(sum_.rows());
      for (std::size_t i = 0; i < sum_.rows(); ++i)
        for (std::size_t j = 0; j < sum_.cols(); ++j) found[i] += sum_(i, j) * sum_(i, j) / (m * m);
      return found;
    }

   private:
    MatrixView<const float> a_;
    std::size_t begin_;
    Matrix<double> sum_;
    Matrix<float> part_;
  };

  static Matrix<double> scores_of(MatrixView<const double> statistics) {
    Matrix<double> scores(statistics.rows, statistics.cols);
    std::vector<double> one(statistics.rows);
    for (std::size_t s = 0; s < statistics.cols; ++s) {
      for (std::size_t p = 0; p < statistics.rows; ++p) one[p] = statistics(p, s);
      const std::vector<double> normal = normal_scores(one);
      for (std::size_t p = 0; p < statistics.rows; ++p) scores(p, s) = normal[p];
    }
    return scores;
  }

  void judge(const Matrix<double>& statistics, const Matrix<double>& scores, std::size_t several) {
    found_.statistic = 0;
    for (std::size_t h = 0; h < several; ++h) found_.statistic += statistics(0, h) / double(several);
    found_.p_value =
        permutation_p_value(fused(MatrixView<const double>{scores.data(), scores.rows(), several, scores.cols()}));
  }

  void describe(const ColumnFeatures& columns, const Matrix<double>& statistics, const Matrix<double>& scores,
                std::size_t several) {
    if (columns.names.empty()) return;
    const std::vector<double> corrected = corrected_p_values(
        MatrixView<const double>{scores.data() + several, scores.rows(), columns.names.size(), scores.cols()});
    std::vector<double> one(statistics.rows());
    for (std::size_t c = 0; c < columns.names.size(); ++c) {
      for (std::size_t p = 0; p < one.size(); ++p) one[p] = statistics(p, several + c);
      found_.columns.push_back({columns.names[c], corrected[c], permutation_p_value(one), scores(0, several + c)});
    }
  }

  // n HSIC has the law of |Cxx^(1/2) N Cyy^(1/2)|^2, N normal: all bandwidths at once, from the covariances of all
  // rows.
  void take_limit_law(const PairFeatures& features) {
    const std::size_t left = features.all_left(), width = left + features.all_right();
    RowMoments moments(width);
    CovarianceFold products(width, {}, 1, false);
    stream().each("covariances", [&](const auto& any) {
      if constexpr (std::is_same_v<std::decay_t<decltype(any)>, RowBlock<float>>) {
        for (std::size_t begin = 0; begin < any.rows; begin += 4096) {
          const RowBlock<float> slice = any.slice(begin, std::min<std::size_t>(4096, any.rows - begin));
          const Matrix<float> z = features.of(on(), slice);
          moments.add(on(), RowBlock<float>::dense(z.view(), slice.first));
          products.add(on(), RowBlock<float>::dense(z.view(), slice.first));
        }
      }
    });
    Matrix<double> c = products.matrix(threads_);
    const double n = double(found_.rows);
    const std::vector<double> mean = moments.mean();
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < width; ++j) c(i, j) = c(i, j) / n - mean[i] * mean[j];
    const Matrix<double> a = root_of(c, 0, left), b = root_of(c, left, features.all_right());
    Matrix<double> statistics(options_.permutations, features.several());
    threads_.run(options_.permutations, [&](std::size_t p, int) {
      threads_.check_stop();
      Matrix<double> w(left, features.all_right());
      if (p == 0)
        for (std::size_t i = 0; i < left; ++i) std::copy_n(&c(i, left), w.cols(), &w(i, 0));
      else
        draw_limit(a, b, p, n, w);
      for (std::size_t h = 0; h < features.several(); ++h)
        for (std::size_t i = h * features.left(); i < (h + 1) * features.left(); ++i)
          for (std::size_t j = 0; j < features.right(); ++j)
            statistics(p, h) += std::pow(w(i, features.right_begin(h) + j), 2);
    });
    judge(statistics, scores_of(statistics.view()), features.several());
    note(
        fmt::format("more rows than {}: the p-value of all columns together is by the limit law of all {} rows, "
                    "those of columns by permutations of {}",
                    options_.permuted_rows, found_.rows, x_.rows()));
  }

  // r with r r' = the block of c that begins at `first`.
  static Matrix<double> root_of(const Matrix<double>& c, std::size_t first, std::size_t count) {
    Matrix<double> block(count, count);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(&c(first + i, first), count, &block(i, 0));
    Eigen eigen = largest_eigen(std::move(block), count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < count; ++k) eigen.vectors(i, k) *= std::sqrt(std::max(eigen.values[k], 0.0));
    return std::move(eigen.vectors);
  }

  void draw_limit(const Matrix<double>& a, const Matrix<double>& b, std::size_t p, double n, Matrix<double>& w) const {
    Matrix<double> draws(a.cols(), b.cols()), half(a.rows(), b.cols());
    for (std::size_t i = 0; i < draws.rows(); ++i)
      for (std::size_t j = 0; j < draws.cols(); ++j) draws(i, j) = normal(options_.seed, Draw::visit, p, i, j);
    multiply(1 / std::sqrt(n), a.view(), draws.view(), 0, half.view());
    multiply_transposed(1, half.view(), b.view(), 0, w.view());
  }

  void note(const std::string& text) {
    found_.notes.push_back(text);
    if (options_.say) options_.say(text);
  }

  Rows& rows_;
  IndependenceOptions options_;
  Threads threads_;
  Schema schema_;
  Matrix<double> x_, y_;  // the sample
  Independence found_;
};

}  // namespace

Independence independence(Rows& rows, const IndependenceOptions& options) {
  check_options(options, rows.schema());
  require(rows.schema().inputs > 0, "independence: the rows have no input, expected at least one");
  return IndependenceTest(rows, options).run();
}

}  // namespace bochner
