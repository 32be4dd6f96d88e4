// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/independence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "bochner/kernel_family.h"
#include "embeddings/exchange.h"
#include "embeddings/pair_features.h"
#include "folds/covariance.h"
#include "folds/row_blocks.h"
#include "folds/row_moments.h"
#include "run/stream.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kSampleNumbers = std::size_t(1) << 25, kFewestRows = 256, kMostScaleRows = 4096, kChunk = 1024;

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

  // The rows with the smallest random keys, in the order of the keys; all of them where they are few.
  void draw_sample() {
    struct Kept {
      std::uint64_t key, row;
      std::vector<double> x, y;
      bool operator<(const Kept& other) const { return std::pair(key, row) < std::pair(other.key, other.row); }
    };
    const std::size_t most =
        std::clamp(kSampleNumbers / std::max<std::size_t>(schema_.inputs, 1), kFewestRows, options_.permuted_rows);
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

  Matrix<float> sample_features(const PairFeatures& features) {
    Matrix<float> x(x_.rows(), x_.cols());
    std::copy_n(x_.data(), x_.rows() * x_.cols(), x.data());
    RowBlock<float> block = RowBlock<float>::dense(x.view());
    block.targets = y_.data();
    block.target_count = y_.cols();
    return features.of(on(), block);
  }

  // Statistics of every bandwidth, then of every column, under each permutation of the targets; the first is none.
  void permute(const PairFeatures& features) {
    const std::size_t m = x_.rows(), several = features.several();
    const Matrix<float> z = sample_features(features);
    const Matrix<float> left = centred_across({z.data(), m, features.all_left(), z.cols()});
    const Matrix<float> right = centred({z.data() + features.all_left(), m, features.all_right(), z.cols()});
    const ColumnFeatures columns = column_features(schema_, x_.view());
    if (columns.names.empty() && schema_.inputs > 0)
      note(fmt::format("columns: {} are too many to be tested one by one", schema_.inputs));
    Matrix<double> statistics(options_.permutations, several + columns.names.size());
    threads_.run(options_.permutations, [&](std::size_t p, int) {
      threads_.check_stop();
      const Shuffle shuffle(m, options_.seed, p);
      Matrix<float> targets(m, features.all_right());  // permuted, a row for each row
      for (std::size_t i = 0; i < m; ++i) {
        const std::size_t from = p == 0 ? i : std::size_t(shuffle(i));
        std::copy_n(&right(from, 0), targets.cols(), &targets(i, 0));
      }
      for (std::size_t h = 0; h < several && found_.exact; ++h)
        statistics(p, h) = squared_product(left.view().slice(h * features.left(), features.left()), targets,
                                           features.right_begin(h), features.right())
                               .total;
      if (columns.names.empty()) return;
      const Product all =
          squared_product(columns.across.view(), targets, features.right_begin(several / 2), features.right());
      for (std::size_t c = 0; c < columns.names.size(); ++c)
        statistics(p, several + c) = std::accumulate(all.rows.begin() + std::ptrdiff_t(columns.edges[c]),
                                                     all.rows.begin() + std::ptrdiff_t(columns.edges[c + 1]), 0.0);
    });
    const Matrix<double> scores = scores_of(statistics.view());
    if (found_.exact) judge(statistics, scores, several);
    describe(columns, statistics, scores, several);
  }

  struct Product {
    double total = 0;
    std::vector<double> rows;
  };
  // |a b|^2 / m^2, b some columns of the targets; sums of each row of a too.
  Product squared_product(MatrixView<const float> a, const Matrix<float>& targets, std::size_t begin,
                          std::size_t count) {
    Matrix<double> sum(a.rows, count);
    Matrix<float> part(a.rows, count);
    for (std::size_t first = 0; first < a.cols; first += kChunk) {
      const std::size_t rows = std::min(kChunk, a.cols - first);
      on().ops.multiply(
          MatrixView<const float>{a.data + first, a.rows, rows, a.stride},
          MatrixView<const float>{targets.data() + first * targets.cols() + begin, rows, count, targets.cols()}, 0.0f,
          part.view());
      for (std::size_t k = 0; k < a.rows * count; ++k) sum.data()[k] += double(part.data()[k]);
    }
    Product found;
    const double m = double(a.cols);
    for (std::size_t i = 0; i < a.rows; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < count; ++j) row += sum(i, j) * sum(i, j) / (m * m);
      found.rows.push_back(row);
      found.total += row;
    }
    return found;
  }

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
