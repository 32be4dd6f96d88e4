// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/require.h"
#include "methods/explain/background.h"
#include "methods/explain/terms.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kMostListed = 20;   // columns whose coalitions may be listed
constexpr std::size_t kRowsAtOnce = 192;  // predictions of a batch, or more if one needs more
constexpr std::size_t kLeastPairs = 4;    // pairs of permutations: a standard error needs several

// A map that is asked for the scores of coalitions: rows with the columns of x that are known and those of a background
// row otherwise. All coalitions, or those that permutations of the columns and their reverses pass through: the score
// that a column adds as it becomes known, whose mean over permutations is its Shapley value. Castro, Gomez & Tejada,
// Computers & Operations Research 2009; antithetic as in Mitchell et al., JMLR 2022.
class SampledPart final : public ExplainPart {
 public:
  SampledPart(const Workers& on, MapPtr map, const ExplainedInputs& inputs, const ExplainOptions& options,
              const ExplainBackground& background)
      : map_(std::move(map)),
        inputs_(inputs),
        options_(options),
        background_(background.whole ? background.x : each_by_itself(background.x, inputs, options.seed)),
        base_(map_->outputs(), 0.0) {
    const std::size_t B = background_.rows(), p = inputs_.players;
    listed_ = p <= kMostListed && double(std::size_t(1) << p) * double(B) <= double(options.evaluations);
    permutations_ = std::max(kLeastPairs, options.evaluations / std::max<std::size_t>(1, 2 * (p - 1)));
    outside_ = Matrix<double>(B, base_.size());
    in_turn(on, B, kRowsAtOnce, [&](std::size_t begin, std::size_t count) {
      scores(on.ops, background_.view().slice(begin, count), outside_.view().slice(begin, count));
    });
    for (std::size_t b = 0; b < B; ++b)
      for (std::size_t k = 0; k < base_.size(); ++k) base_[k] += outside_(b, k) / double(B);
    require(!options.pairs || listed_,
            "explain: pairs of a model that has no closed form need all {} coalitions of {} columns on {} background "
            "rows, more than {} evaluations a row; raise the evaluations, or draw fewer background rows",
            p < 64 ? std::to_string(std::uint64_t(1) << p) : "2^" + std::to_string(p), p, B, options.evaluations);
  }

  const std::vector<double>& base() const override { return base_; }
  bool exact() const override { return listed_ || inputs_.players == 1; }
  std::string text() const override {
    return exact() ? fmt::format("predictions of all {} coalitions, exact", std::size_t(1) << inputs_.players)
                   : fmt::format("predictions along {} permutations a row, with standard errors", 2 * permutations_);
  }

  void add(const Backend& on, const ExplainedRows& rows) const override {
    for (std::size_t i = 0; i < rows.x.rows; ++i) {
      Matrix<double> inside(1, base_.size());
      scores(on, rows.x.slice(i, 1), inside.view());
      if (listed_)
        list(on, rows, i);
      else
        permute(on, rows, i, inside.data());
    }
  }

 private:
  // Each column's rows in an order of their own: rows of columns that know nothing of each other.
  static Matrix<double> each_by_itself(const Matrix<double>& x, const ExplainedInputs& inputs, std::uint64_t seed) {
    Matrix<double> mixed(x.rows(), x.cols());
    for (std::size_t j = 0; j < inputs.players; ++j) {
      const std::vector<std::uint32_t> order = shuffled(x.rows(), seed, j, x.rows());
      for (std::size_t c = 0; c < x.cols(); ++c)
        for (std::size_t i = 0; inputs.owner[c] == j && i < x.rows(); ++i) mixed(i, c) = x(order[i], c);
    }
    return mixed;
  }

  // An order of n: by random keys, a function of its coordinates alone.
  static std::vector<std::uint32_t> shuffled(std::size_t n, std::uint64_t seed, std::uint64_t i, std::uint64_t j) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(n);
    for (std::size_t k = 0; k < n; ++k) keys[k] = {bits(seed, Draw::visit, i, j, k), std::uint32_t(k)};
    std::sort(keys.begin(), keys.end());
    std::vector<std::uint32_t> order(n);
    for (std::size_t k = 0; k < n; ++k) order[k] = keys[k].second;
    return order;
  }

  template <class T>
  void scores_as(const Backend& on, MatrixView<const double> x, MatrixView<double> out) const {
    Matrix<T> rows(x.rows, x.cols), found(x.rows, out.cols);
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t c = 0; c < x.cols; ++c) rows(i, c) = T(x(i, c));
    map_->apply(on, RowBlock<T>::dense(std::as_const(rows).view()), found.view());
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t k = 0; k < out.cols; ++k) out(i, k) = double(found(i, k));
  }
  void scores(const Backend& on, MatrixView<const double> x, MatrixView<double> out) const {
    inputs_.wide ? scores_as<double>(on, x, out) : scores_as<float>(on, x, out);
  }

  // Copies the inputs of a column from x.
  void learn(const double* x, std::uint32_t column, double* to) const {
    for (std::size_t c = 0; c < inputs_.owner.size(); ++c)
      if (inputs_.owner[c] == column) to[c] = x[c];
  }

  void list(const Backend& on, const ExplainedRows& rows, std::size_t row) const {
    const std::size_t p = rows.players, B = background_.rows(), K = base_.size(), coalitions = std::size_t(1) << p;
    Matrix<double> x(B, background_.cols()), out(B, K), worth(coalitions, K);
    for (std::size_t set = 0; set < coalitions; ++set) {
      x = background_;
      for (std::size_t b = 0; b < B; ++b)
        for (std::size_t c = 0; c < inputs_.owner.size(); ++c)
          if (set >> inputs_.owner[c] & 1) x(b, c) = rows.x(row, c);
      scores(on, x.view(), out.view());
      for (std::size_t b = 0; b < B; ++b)
        for (std::size_t k = 0; k < K; ++k) worth(set, k) += out(b, k) / double(B);
    }
    // |S|! (n - |S| - 1)! / n! of coalitions S among n others and one.
    const auto weight = [](std::size_t size, std::size_t n) {
      double chances = 1;  // n - 1 over size
      for (std::size_t i = 0; i < size; ++i) chances *= double(n - 1 - i) / double(i + 1);
      return 1 / (chances * double(n));
    };
    for (std::size_t set = 0; set < coalitions; ++set) {
      const auto size = std::size_t(__builtin_popcountll(set));
      for (std::size_t j = 0; j < p; ++j) {
        if (set >> j & 1) continue;
        const std::size_t with = set | std::size_t(1) << j;
        for (std::size_t k = 0; k < K; ++k)
          rows.values_of(row)[k * p + j] += weight(size, p) * (worth(with, k) - worth(set, k));
        for (std::size_t i = 0; i < j && rows.pairs; ++i) {
          if (set >> i & 1) continue;
          const std::size_t other = set | std::size_t(1) << i, both = with | other;
          for (std::size_t k = 0; k < K; ++k) {
            const double half =
                weight(size, p - 1) * (worth(both, k) - worth(with, k) - worth(other, k) + worth(set, k)) / 2;
            rows.pairs_of(row)[(k * p + i) * p + j] += half;
            rows.pairs_of(row)[(k * p + j) * p + i] += half;
          }
        }
      }
    }
  }

  // Sums over permutations, each with its reverse: what a column adds, and what all columns add together.
  struct Gains {
    std::vector<double> sum, squares, products;  // [output][player]; products with the whole
    std::vector<double> whole, whole_squares;    // [output]

    Gains(std::size_t outputs, std::size_t players)
        : sum(outputs * players), squares(sum), products(sum), whole(outputs), whole_squares(outputs) {}
    void add(const std::vector<double>& gain, std::size_t k, std::size_t players) {
      double all = 0;
      for (std::size_t c = k * players; c < (k + 1) * players; ++c) all += gain[c];
      for (std::size_t c = k * players; c < (k + 1) * players; ++c) {
        sum[c] += gain[c];
        squares[c] += gain[c] * gain[c];
        products[c] += gain[c] * all;
      }
      whole[k] += all;
      whole_squares[k] += all * all;
    }
  };

  void permute(const Backend& on, const ExplainedRows& rows, std::size_t row, const double* inside) const {
    const std::size_t p = rows.players, K = base_.size(), steps = 2 * (p - 1);
    Gains gains(K, p);
    if (p == 1) {
      for (std::size_t k = 0; k < K; ++k) rows.values_of(row)[k] += inside[k] - base_[k];
      return;
    }
    const std::size_t together = std::max<std::size_t>(1, kRowsAtOnce / steps), d = background_.cols();
    const std::uint64_t number = rows.first + row;
    const std::size_t start = std::size_t(bits(options_.seed, Draw::sample, number) % background_.rows());
    Matrix<double> x(together * steps, d), out(together * steps, K);
    std::vector<std::vector<std::uint32_t>> orders(together);
    std::vector<double> gain(K * p);
    for (std::size_t first = 0; first < permutations_; first += together) {
      const std::size_t count = std::min(together, permutations_ - first);
      for (std::size_t t = 0; t < count; ++t) {
        orders[t] = shuffled(p, options_.seed, number, first + t);
        write_steps(rows.x.row(row), background(start + first + t), orders[t], x.view().slice(t * steps, steps));
      }
      scores(on, x.view().slice(0, count * steps), out.view().slice(0, count * steps));
      for (std::size_t t = 0; t < count; ++t) {
        const double* const outside = &outside_((start + first + t) % background_.rows(), 0);
        for (std::size_t k = 0; k < K; ++k) {
          find_gains(orders[t], out.view().slice(t * steps, steps), k, outside[k], inside[k], &gain[k * p]);
          gains.add(gain, k, p);
        }
      }
    }
    for (std::size_t k = 0; k < K; ++k)
      conclude(gains, k, inside[k] - base_[k], rows.values_of(row) + k * p,
               rows.squares ? rows.squares + row * rows.width() + k * p : nullptr);
  }

  const double* background(std::size_t b) const { return &background_(b % background_.rows(), 0); }

  // The rows between b and x as the columns become known in their order, then in the reverse order.
  void write_steps(const double* x, const double* b, const std::vector<std::uint32_t>& order,
                   MatrixView<double> to) const {
    const std::size_t p = order.size();
    for (const bool back : {false, true})
      for (std::size_t s = 0; s + 1 < p; ++s) {
        double* const row = to.row((back ? p - 1 : 0) + s);
        std::copy_n(s == 0 ? b : row - to.stride, to.cols, row);
        learn(x, order[back ? p - 1 - s : s], row);
      }
  }

  static void find_gains(const std::vector<std::uint32_t>& order, MatrixView<const double> scores, std::size_t k,
                         double outside, double inside, double* gain) {
    const std::size_t p = order.size();
    std::fill_n(gain, p, 0.0);
    for (const bool back : {false, true}) {
      double before = outside;
      for (std::size_t s = 0; s < p; ++s) {
        const double now = s + 1 < p ? scores((back ? p - 1 : 0) + s, k) : inside;
        gain[order[back ? p - 1 - s : s]] += 0.5 * (now - before);
        before = now;
      }
    }
  }

  // The values and their variances. What all columns add together is known over the whole background: a regression of
  // what one adds on it (Cochran, Sampling Techniques, 1977, chapter 7) is more certain than the mean, and its values
  // add up, since the slopes do to 1.
  void conclude(const Gains& gains, std::size_t k, double total, double* values, double* variances) const {
    const std::size_t p = inputs_.players;
    const double T = double(permutations_), whole = gains.whole[k] / T;
    const double spread = gains.whole_squares[k] - T * whole * whole;
    const bool varies = spread > 1e-12 * gains.whole_squares[k];
    double sizes = 0;
    for (std::size_t c = k * p; c < (k + 1) * p; ++c) sizes += std::abs(gains.sum[c]);
    for (std::size_t j = 0; j < p; ++j) {
      const std::size_t c = k * p + j;
      const double mean = gains.sum[c] / T, together = gains.products[c] - T * mean * whole;
      const double slope = varies ? together / spread : sizes > 0 ? std::abs(gains.sum[c]) / sizes : 1 / double(p);
      const double left = gains.squares[c] - T * mean * mean - (varies ? slope * together : 0);
      values[j] += mean + slope * (total - whole);
      if (variances && left > 1e-14 * gains.squares[c]) variances[j] += left / (T - 2) / T;  // otherwise rounding
    }
  }

  MapPtr map_;
  ExplainedInputs inputs_;
  ExplainOptions options_;
  Matrix<double> background_, outside_;  // outside_: scores of the background
  std::vector<double> base_;
  bool listed_ = false;
  std::size_t permutations_ = 0;  // and as many reverses
};

}  // namespace

ExplainPartPtr sampled_part(const Workers& on, const MapPtr& map, const ExplainedInputs& inputs,
                            const ExplainOptions& options, const ExplainBackground& background) {
  return std::make_unique<SampledPart>(on, map, inputs, options, background);
}

}  // namespace bochner
