// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/components/low_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/option.h"
#include "base/pieces.h"
#include "base/require.h"
#include "methods/components/components_map.h"
#include "methods/components/kept_sparse.h"
#include "random/draw.h"
#include "run/logged.h"
#include "run/memory_plan.h"
#include "solve/dense.h"
#include "solve/krylov.h"
#include "solve/lanczos.h"
#include "solve/tall.h"

namespace bochner {

namespace {

constexpr std::size_t kGramShare = 24;  // times the directions of a sketch: columns whose products cost no more
constexpr std::size_t kMostProducts = 8;
constexpr std::size_t kMostLogged = std::size_t(16) << 20;  // bytes of what a pass found, for a run that may be stopped
constexpr double kBlurred = 1e-5;  // products in float blur eigenvectors below this share of the largest eigenvalue

// The state of one factor.
class Factoring {
 public:
  // Factors the rows of a stream, or sums of them if it is null.
  Factoring(const Stream* stream, const OnePass& known, Threads& threads, double limit)
      : stream_(stream),
        threads_(threads),
        options_(known.options),
        sparse_(known.sparse),
        n_(known.moments.rows()),
        d_(known.moments.cols()),
        total_(known.moments.total()),
        largest_(known.moments.largest()),
        limit_(limit) {
    const std::size_t rank = options_.rank;
    if (options_.center) found_.mean = known.moments.mean();
    found_.total = options_.center ? known.moments.centered() : total_;
    for (const double m : found_.mean) largest_mean_ = std::max(largest_mean_, std::abs(m));
    const bool once = options_.passes == std::size_t(1);
    width_ = std::min<std::size_t>(d_, once ? 2 * rank + 10 : rank + std::max<std::size_t>(10, rank / 5));
  }

  bool few_columns() const { return d_ <= std::max({std::size_t(256), kGramShare * width_, options_.products}); }
  CovarianceFold covariance(bool wide) const {
    return CovarianceFold(d_, found_.mean, std::max(largest_ + largest_mean_, 1e-300), wide);
  }
  Matrix<double> sketch_directions() const { return orthonormal(signs(d_, width_, 0), {}, threads_); }
  SketchFold sketch(const Matrix<double>& q, bool images, bool wide) const {
    return SketchFold(std::make_shared<const SketchBasis>(basis_of(q, images, wide)));
  }

  LowRank solved(const CovarianceFold& sum) {
    found_.passes = 1;
    from_covariance(largest_eigen(sum.matrix(threads_), options_.rank));
    return std::move(found_);
  }
  LowRank solved(const SketchFold& sum) {
    found_.passes = 1;
    from_sketch(sum);
    return std::move(found_);
  }
  LowRank of_zeros() {
    finish(Matrix<double>(d_, 0), {}, "zeros");
    return std::move(found_);
  }
  bool zeros() const { return found_.total <= 0; }

  LowRank run() {
    check_memory();
    if (zeros())
      return of_zeros();
    else if (by_gram())
      gram();
    else if (in_memory())
      sparse_in_memory();
    else if (options_.passes == std::size_t(1))
      one_pass();
    else if (n_ < d_ && options_.passes.value_or(3) >= 3 && !stream_->execution().ranks)
      dual();
    else
      primal();
    return std::move(found_);
  }

 private:
  bool by_gram() const { return few_columns() && gram_bytes() < 0.5 * limit_; }
  double gram_bytes() const { return 3.0 * double(d_) * double(d_) * sizeof(double); }

  KeptSparse::Shape shape() const { return {.rows = n_, .columns = d_, .total = total_}; }
  std::size_t most_space() const { return std::min({n_, d_, 6 * options_.rank + 8 * kPanelColumns}); }
  // Whether sparse rows, the space that their products span and the factor fit. A number of passes asks for passes.
  bool in_memory() const {
    if (!options_.kept || !sparse_ || options_.passes) return false;
    const double entries = double(stream_->input_bytes()) / (sizeof(float) + sizeof(std::uint32_t));
    const double held = KeptSparse::bytes(shape(), entries) +
                        2.0 * double(std::min(n_, d_)) * double(most_space()) * sizeof(double) +
                        3.0 * double(d_) * double(options_.rank) * sizeof(double);
    return held < 0.5 * limit_;
  }

  void check_memory() const {
    const double least =
        by_gram() ? 0 : (SketchFold::bytes(d_, width_, true) + 2.0 * double(d_ * width_) * sizeof(double));
    require(least <= limit_,
            "svd: {} directions of {} inputs take {}, {} leaves {}; ask for a lower rank or allow more memory", width_,
            d_, size_text(least), Option::memory, size_text(limit_));
  }

  SketchBasis basis_of(const Matrix<double>& q, bool images, bool wide) const {
    return {
        .cols = d_, .q = q, .mean = found_.mean, .total = total_, .sparse = sparse_, .images = images, .wide = wide};
  }

  SketchFold pass(const Matrix<double>& q, bool images, bool wide) {
    return summed(sketch(q, images, wide), fmt::format("pass {}", ++found_.passes));
  }
  template <class F>
  F summed(F empty, const std::string& step) const {
    return stream_->fold_saved(std::move(empty), step);
  }
  // What a pass found, by a checkpoint's log where an earlier run made it, as far as that is small.
  Matrix<double> found_by_pass(std::size_t rows, std::size_t cols, const std::function<Matrix<double>()>& make) {
    const std::size_t passes = found_.passes;
    if (rows * cols * sizeof(double) > kMostLogged) return make();
    const std::vector<double> numbers =
        logged(stream_->execution().checkpoint, fmt::format("pass {}", passes + 1), rows * cols, [&] {
          const Matrix<double> made = make();
          return std::vector<double>(made.data(), made.data() + rows * cols);
        });
    found_.passes = passes + 1;
    Matrix<double> found(rows, cols);
    std::copy(numbers.begin(), numbers.end(), found.data());
    return found;
  }

  // Random signs, rows x width.
  Matrix<double> signs(std::size_t rows, std::size_t width, std::uint64_t purpose) const {
    Matrix<double> omega(rows, width);
    each_in_pieces(threads_, rows, 1024, [&](std::size_t i) {
      for (std::size_t k = 0; k < width; k += 64) {
        const std::uint64_t drawn = bits(options_.seed, Draw::sketch, i, k / 64, purpose);
        for (std::size_t b = k; b < std::min(width, k + 64); ++b) omega(i, b) = (drawn >> (b - k)) & 1 ? 1 : -1;
      }
    });
    return omega;
  }

  // A^T A and its eigenvectors; in double where float would blur the smallest.
  void gram() {
    const auto eigen = [&](bool wide) {
      return largest_eigen(
          found_by_pass(
              d_, d_,
              [&] { return summed(covariance(wide), fmt::format("pass {}", ++found_.passes)).matrix(threads_); }),
          options_.rank);
    };
    Eigen found = eigen(false);
    if (found.values.back() < kBlurred * found.values[0] && options_.passes != std::size_t(1)) found = eigen(true);
    from_covariance(std::move(found));
  }
  void from_covariance(Eigen found) {
    found_.gain = 0;
    finish(std::move(found.vectors), std::move(found.values), "covariance");
  }

  // Tropp, Yurtsever, Udell & Cevher, NIPS 2017: A^T A ~ W H^+ W^T, a lower bound of it.
  void one_pass() { from_sketch(pass(sketch_directions(), true, false)); }
  void from_sketch(const SketchFold& sum) {
    const Matrix<double> ritz = sum.ritz();
    const Eigen h = largest_eigen(ritz, ritz.rows());
    std::size_t kept = 0;
    while (kept < ritz.rows() && h.values[kept] > 1e-10 * h.values[0]) ++kept;
    Matrix<double> z(ritz.rows(), kept);
    for (std::size_t i = 0; i < ritz.rows(); ++i)
      for (std::size_t k = 0; k < kept; ++k) z(i, k) = h.vectors(i, k) / std::sqrt(h.values[k]);
    by_products(combine(sum.image(threads_), z, threads_), "one-pass sketch");
  }

  // Takes the left singular vectors of b, where A^T A ~ unit b b^T.
  void by_products(Matrix<double> b, const std::string& method, double unit = 1) {
    const Eigen small = largest_eigen(cross(b, b, threads_), std::min(options_.rank, b.cols()));
    std::size_t kept = 0;
    while (kept < small.values.size() && small.values[kept] > 1e-14 * small.values[0]) ++kept;
    Matrix<double> z(b.cols(), kept);
    for (std::size_t i = 0; i < b.cols(); ++i)
      for (std::size_t k = 0; k < kept; ++k) z(i, k) = small.vectors(i, k) / std::sqrt(small.values[k]);
    std::vector<double> values(small.values.begin(), small.values.begin() + std::ptrdiff_t(kept));
    for (double& value : values) value *= unit;
    finish(combine(std::move(b), z, threads_), std::move(values), method);
  }

  KrylovOptions krylov(std::size_t passes_each, std::size_t after) const {
    KrylovOptions krylov{.wanted = options_.rank, .trace = found_.total, .bytes = 0.5 * limit_};
    krylov.least = krylov.most = kMostProducts;
    if (options_.passes)
      krylov.least = krylov.most = std::max<std::size_t>(1, (*options_.passes - after) / passes_each);
    else
      krylov.least = 1;
    return krylov;
  }

  // The space of A^T A, a pass for each product, and one for the coordinates of the rows in it.
  void primal() {
    Matrix<double> start = signs(d_, width_, 0);
    for (bool wide = false;; wide = true) {
      const KrylovSpace space = block_krylov(
          std::move(start),
          [&](const Matrix<double>& q) {
            return found_by_pass(d_, q.cols(), [&] { return pass(q, true, wide).image(threads_); });
          },
          krylov(1, 1), threads_);
      Matrix<double> basis = completed(space.basis, options_.rank);
      const Eigen ritz = largest_eigen(
          found_by_pass(basis.cols(), basis.cols(), [&] { return pass(basis, false, wide).ritz(); }), options_.rank);
      if (wide || options_.passes || sparse_ || ritz.values.back() > kBlurred * ritz.values[0] ||
          ritz.values.back() <= 1e-13 * ritz.values[0]) {
        estimate_gain(space, ritz.values);
        return finish(combine(basis, ritz.vectors, threads_), ritz.values, "block Krylov");
      }
      start = std::move(basis);
    }
  }

  // The space of A A^T: directions of as many numbers as there are rows, which are fewer.
  void dual() {
    const bool wide = false;
    const auto back = [&](const Matrix<double>& p) {  // A^T p
      return found_by_pass(d_, p.cols(), [&] {
        SketchBasis basis = basis_of(Matrix<double>(d_, 0), true, wide);
        basis.coordinates = p;
        return summed(SketchFold(std::make_shared<const SketchBasis>(std::move(basis))),
                      fmt::format("pass {}", ++found_.passes))
            .image(threads_);
      });
    };
    const auto forth = [&](Matrix<double> w) {  // A w
      const std::size_t width = w.cols();
      return found_by_pass(n_, width, [&] {
        ++found_.passes;
        Matrix<double> u(n_, width);
        stream_->through(components(std::move(w), found_.mean))
            .each(fmt::format("pass {}", found_.passes), [&](const auto& block) {
              for (std::size_t i = 0; i < block.rows; ++i)
                for (std::size_t k = 0; k < block.cols; ++k)
                  u(block.first + i, k) = double(block.values[i * block.stride + k]);
            });
        return u;
      });
    };
    const std::size_t width = std::min<std::size_t>(width_, n_);
    const KrylovSpace space = block_krylov(
        signs(n_, width, 1), [&](const Matrix<double>& p) { return forth(back(p)); }, krylov(2, 1), threads_);
    by_products(back(space.basis), "block Krylov of the rows");
    estimate_gain(space, squares());
  }

  // Sparse rows that lie in memory: Lanczos on the side of fewer numbers.
  void sparse_in_memory() {
    const KeptSparse a(*stream_, shape(), found_.mean);
    const double unit = a.square_unit();
    SparseSpace space = leading_space(a, signs(a.size(), std::min(a.size(), kPanelColumns), 1),
                                      {.wanted = options_.rank, .most = most_space(), .trace = found_.total / unit},
                                      kBlurred, *stream_);
    found_.passes = space.products + (a.by_columns() ? 1 : 0);
    found_.gain = gain_of(space, found_.total / unit);
    if (a.by_columns()) return by_products(std::move(space.columns), "block Lanczos of the rows", unit);
    for (double& value : space.values) value *= unit;
    finish(std::move(space.vectors), std::move(space.values), "block Lanczos");
  }

  std::vector<double> squares() const {
    std::vector<double> values;
    for (const double s : found_.singular_values) values.push_back(s * s);
    return values;
  }

  // What one more product would have brought, by how the gains fell.
  void estimate_gain(const KrylovSpace& space, const std::vector<double>& values) {
    const std::size_t p = space.captured.size();
    const double captured = std::accumulate(values.begin(), values.end(), 0.0);
    const double left = std::max(found_.total - captured, 1e-12 * found_.total);
    if (p < 2) return;
    const double last = std::max(captured - space.captured[p - 1], 0.0);
    const double before = space.captured[p - 1] - space.captured[p - 2];
    const double ratio = before > 0 ? std::min(last / before, 0.95) : 0;
    found_.gain = 0.5 * last * ratio / (1 - ratio) / left;
  }

  // v with more columns, of any other directions and orthonormal to it, up to `count`.
  Matrix<double> completed(Matrix<double> v, std::size_t count) const {
    for (std::uint64_t trial = 2; v.cols() < count; ++trial) {
      std::vector<Matrix<double>> before;
      if (v.cols()) before.push_back(v);
      const Matrix<double> more = orthonormal(signs(d_, std::min(d_, count - v.cols() + 4), trial), before, threads_);
      Matrix<double> both(d_, std::min(count, v.cols() + more.cols()));
      for (std::size_t i = 0; i < d_; ++i)
        for (std::size_t k = 0; k < both.cols(); ++k) both(i, k) = k < v.cols() ? v(i, k) : more(i, k - v.cols());
      v = std::move(both);
    }
    return v;
  }

  // Rank, signs and the error. values: eigenvalues of A^T A for the first columns of v, 0 beyond.
  void finish(Matrix<double> v, std::vector<double> values, const std::string& method) {
    v = completed(std::move(v), options_.rank);
    values.resize(options_.rank);
    double captured = 0;
    for (double& value : values) {
      value = std::max(value, 0.0);
      captured += value;
      found_.singular_values.push_back(std::sqrt(value));
    }
    std::vector<double> most(options_.rank);  // the largest entry of each column, the first of equal ones
    for (std::size_t j = 0; j < d_; ++j)
      for (std::size_t k = 0; k < options_.rank; ++k)
        if (j == 0 || std::abs(v(j, k)) > std::abs(most[k]) * (1 + 1e-6)) most[k] = v(j, k);
    for (std::size_t j = 0; j < d_; ++j)
      for (std::size_t k = 0; k < options_.rank; ++k)
        if (most[k] < 0) v(j, k) = -v(j, k);
    found_.left = std::max(found_.total - captured, 0.0);
    found_.components = std::move(v);
    found_.method = method;
  }

  const Stream* stream_;
  Threads& threads_;
  const LowRankOptions& options_;
  bool sparse_;
  std::size_t n_, d_;
  double total_, largest_, limit_, largest_mean_ = 0;
  std::size_t width_ = 0;
  LowRank found_;
};

}  // namespace

void check_rank(std::size_t rank, std::uint64_t rows, std::size_t inputs) {
  const std::uint64_t most = std::min<std::uint64_t>(rows, inputs);
  require(rank >= 1 && rank <= most, "rank: found {}, expected 1 to {}, the most that {} rows of {} inputs have", rank,
          most, rows, inputs);
}

LowRank low_rank(const Stream& stream, const RowMoments& moments, const LowRankOptions& options) {
  check_rank(options.rank, moments.rows(), moments.cols());
  require(options.passes.value_or(1) >= 1 && options.passes.value_or(1) <= 1000, "passes: found {}, expected 1 to 1000",
          options.passes.value_or(0));
  // Products of float rows would overflow, or vanish.
  if (moments.largest() > 1e15 || (moments.largest() > 0 && moments.largest() < 1e-15))
    fail(Error::Kind::data,
         "the largest feature is {:.3g}, expected a size between 1e-15 and 1e15; scale the inputs, or give them other "
         "units",
         moments.largest());
  const OnePass known(moments, stream.schema().sparse && !stream.map(), options);
  return Factoring(&stream, known, stream.threads(), double(memory_limit(stream.execution()))).run();
}

OnePassSum OnePass::empty(Threads& threads) const {
  check_rank(options.rank, moments.rows(), moments.cols());
  const Factoring factoring(nullptr, *this, threads, std::numeric_limits<double>::infinity());
  if (factoring.few_columns()) return factoring.covariance(true);
  return factoring.sketch(factoring.sketch_directions(), true, !sparse);
}

double OnePass::least_numbers(Threads& threads) const {
  check_rank(options.rank, moments.rows(), moments.cols());
  const Factoring factoring(nullptr, *this, threads, std::numeric_limits<double>::infinity());
  const double columns = double(moments.cols());
  return columns * (factoring.few_columns() ? columns / 2 : double(options.rank));
}

LowRank OnePass::solve(const OnePassSum& sum, Threads& threads) const {
  Factoring factoring(nullptr, *this, threads, std::numeric_limits<double>::infinity());
  if (factoring.zeros()) return factoring.of_zeros();
  return std::visit([&](const auto& fold) { return factoring.solved(fold); }, sum);
}

MapPtr factor_map(LowRank found) {
  Factor factor{.singular_values = std::move(found.singular_values),
                .total = found.total,
                .error = found.total > 0 ? std::sqrt(found.left / found.total) : 0,
                .above_best = found.gain,
                .passes = found.passes,
                .method = std::move(found.method)};
  return components(std::move(found.components), std::move(found.mean), std::move(factor));
}

}  // namespace bochner
