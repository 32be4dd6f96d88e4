// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/require.h"
#include "methods/explain/background.h"
#include "methods/explain/coalitions.h"
#include "methods/explain/gains.h"
#include "methods/explain/terms.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kMostListed = 20;   // columns whose coalitions may be listed
constexpr std::size_t kRowsAtOnce = 192;  // predictions of a batch, or more if one needs more
constexpr std::size_t kLeastPairs = 4;    // pairs of permutations: a standard error needs several
constexpr std::size_t kFirstPairs = 8;    // that a row has before its errors are looked at, if their number is open
constexpr double kUsualPairs = 8;         // what pairs of permutations between background rows count for
constexpr std::size_t kListed = 2000;     // predictions of a row that are listed, if their number is open
constexpr std::size_t kAnchors = 1000, kNeighbours = 4;  // background rows that are held against each other

// A map that is asked for the scores of coalitions: rows with the columns of x that are known and those of a background
// row otherwise. All coalitions, or those that permutations of the columns and their reverses pass through: the score
// that a column adds as it becomes known, whose mean over permutations is its Shapley value. Castro, Gomez & Tejada,
// Computers & Operations Research 2009; antithetic as in Mitchell et al., JMLR 2022. What a column adds to a background
// row depends on that row mostly by what its own cell is worth there. Values of the background rows themselves, found
// once, are a control variate for that: they are added to what x gains on a row, and their mean is 0.
class SampledPart final : public ExplainPart {
 public:
  SampledPart(const Workers& on, const std::vector<ExplainTerm>& terms, const ExplainOptions& options,
              const ExplainBackground& background)
      : terms_(terms),
        inputs_(encoded_inputs(terms)),
        of_column_(inputs_.players),
        options_(options),
        background_(encode(on.ops, background.x.view())),
        base_(terms[0].map->outputs(), 0.0),
        spread_(background.spread) {
    for (std::size_t c = 0; c < inputs_.owner.size(); ++c) of_column_[inputs_.owner[c]].push_back(std::uint32_t(c));
    if (!background.whole) background_ = each_by_itself(background_, inputs_, options.seed);
    const std::size_t B = background_.rows(), p = inputs_.players;
    const std::size_t asked = options.evaluations, listed = asked ? asked : kListed;
    listed_ = p <= kMostListed && double(std::size_t(1) << p) * double(B) <= double(listed);
    permutations_ = std::max(kLeastPairs, (asked ? asked : kMostEvaluations) / std::max<std::size_t>(1, 2 * (p - 1)));
    outside_ = Matrix<double>(B, base_.size());
    for (std::size_t begin = 0; begin < B; begin += kRowsAtOnce) {
      const std::size_t count = std::min(kRowsAtOnce, B - begin);
      scores(on.ops, std::as_const(background_).view().slice(begin, count), outside_.view().slice(begin, count));
    }
    for (std::size_t b = 0; b < B; ++b)
      for (std::size_t k = 0; k < base_.size(); ++k) base_[k] += outside_(b, k) / double(B);
    require(!options.pairs || listed_,
            "explain: pairs of a model that has no closed form need all {} coalitions of {} columns on {} background "
            "rows, more than {} evaluations a row; raise the evaluations, or draw fewer background rows",
            p < 64 ? std::to_string(std::uint64_t(1) << p) : "2^" + std::to_string(p), p, B, listed);
    anchors_ = Matrix<double>(B, base_.size() * p);
    usual_.assign(base_.size() * p, 0.0);
    if (!exact() && B > 1 && B <= kAnchors) hold_against_each_other(on);
  }

  const std::vector<double>& base() const override { return base_; }
  bool exact() const override { return listed_ || inputs_.players == 1; }
  std::string text() const override {
    return exact() ? fmt::format("predictions of all {} coalitions, exact", std::size_t(1) << inputs_.players)
           : options_.evaluations
               ? fmt::format("predictions along {} permutations a row, with standard errors", 2 * permutations_)
               : fmt::format(
                     "predictions along 16 permutations a row and more until standard errors are below {:.3g} % "
                     "of the score's spread, at most {}",
                     100 * kExplainedShare, 2 * permutations_);
  }

  void add(const Backend& on, const ExplainedRows& rows) const override {
    const Matrix<double> x = encode(on, rows.x);
    Matrix<double> inside(x.rows(), base_.size());
    ExplainedRows encoded = rows;
    encoded.x = x.view();
    scores(on, encoded.x, inside.view());
    for (std::size_t i = 0; i < x.rows(); ++i) listed_ ? list(on, encoded, i) : permute(on, encoded, i, &inside(i, 0));
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

  static ExplainedInputs encoded_inputs(const std::vector<ExplainTerm>& terms) {
    ExplainedInputs all{terms[0].encoding.players(), {}, terms[0].encoding.wide()};
    for (const ExplainTerm& term : terms)
      all.owner.insert(all.owner.end(), term.encoding.owner().begin(), term.encoding.owner().end());
    return all;
  }

  Matrix<double> encode(const Backend& on, MatrixView<const double> x) const {
    Matrix<double> all(x.rows, inputs_.owner.size());
    std::size_t begin = 0;
    for (const ExplainTerm& term : terms_) {
      const Matrix<double> some = term.encoding.encode(on, x);
      for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(&some(i, 0), some.cols(), &all(i, begin));
      begin += some.cols();
    }
    return all;
  }

  // The sum of the terms on encoded rows.
  template <class T>
  void scores_as(const Backend& on, MatrixView<const double> x, MatrixView<double> out) const {
    for (std::size_t i = 0; i < x.rows; ++i) std::fill_n(out.row(i), out.cols, 0.0);
    std::size_t begin = 0;
    for (const ExplainTerm& term : terms_) {
      const std::size_t cols = term.encoding.owner().size();
      Matrix<T> rows(x.rows, cols), found(x.rows, out.cols);
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t c = 0; c < cols; ++c) rows(i, c) = T(x(i, begin + c));
      term.map->apply(on, RowBlock<T>::dense(std::as_const(rows).view()), found.view());
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t k = 0; k < out.cols; ++k) out(i, k) += double(found(i, k));
      begin += cols;
    }
  }
  void scores(const Backend& on, MatrixView<const double> x, MatrixView<double> out) const {
    inputs_.wide ? scores_as<double>(on, x, out) : scores_as<float>(on, x, out);
  }

  // Copies the inputs of a column from x.
  void learn(const double* x, std::uint32_t column, double* to) const {
    for (const std::uint32_t c : of_column_[column]) to[c] = x[c];
  }
  bool same(const double* x, const double* b, std::uint32_t column) const {
    return std::all_of(of_column_[column].begin(), of_column_[column].end(),
                       [&](std::uint32_t c) { return x[c] == b[c]; });
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
    std::vector<std::uint32_t> columns(p);
    std::iota(columns.begin(), columns.end(), 0u);
    add_coalitions({worth.data(), coalitions * K}, columns, 1, rows, row);
  }

  // Pairs of permutations between background rows and rows x of scores `inside`: what each column adds on the way.
  struct Way {
    const double *x, *inside;
    std::size_t b;
    std::uint64_t i, j;  // which permutation
  };
  // Writes [way][output][player]. A column whose cells are the same in both rows adds nothing, and is no step.
  void walk(const Backend& on, const std::vector<Way>& ways, double* gains) const {
    const std::size_t p = inputs_.players, K = base_.size(), most = std::max(kRowsAtOnce, 2 * p);
    Matrix<double> x(most, background_.cols()), out(most, K);
    std::vector<std::vector<std::uint32_t>> orders;
    std::vector<std::size_t> begins;
    std::fill_n(gains, ways.size() * K * p, 0.0);
    for (std::size_t first = 0; first < ways.size(); first += orders.size()) {
      orders.clear();
      begins.assign(1, 0);
      for (std::size_t w = first; w < ways.size() && begins.back() + 2 * p <= most; ++w) {
        const Way& way = ways[w];
        orders.push_back(shuffled(p, options_.seed, way.i, way.j));
        std::erase_if(orders.back(), [&](std::uint32_t j) { return same(way.x, &background_(way.b, 0), j); });
        const std::size_t steps = orders.back().size() < 2 ? 0 : 2 * (orders.back().size() - 1);
        write_steps(way.x, &background_(way.b, 0), orders.back(), x.view().slice(begins.back(), steps));
        begins.push_back(begins.back() + steps);
      }
      const std::size_t used = begins.back();
      if (used > 0) scores(on, std::as_const(x).view().slice(0, used), out.view().slice(0, used));
      for (std::size_t t = 0; t < orders.size(); ++t)
        for (std::size_t k = 0; k < K; ++k)
          find_gains(orders[t], std::as_const(out).view().slice(begins[t], begins[t + 1] - begins[t]), k,
                     outside_(ways[first + t].b, k), ways[first + t].inside[k], gains + ((first + t) * K + k) * p);
    }
  }

  // anchors_: values g of the background's rows, so that what a column adds on the way from b to c is about its
  // g(c) - g(b). Least squares over each row's ways to some others; then all columns are made to add up.
  void hold_against_each_other(const Workers& on) {
    const std::size_t B = background_.rows(), width = anchors_.cols();
    std::vector<std::size_t> shifts;
    for (std::size_t r = 0; r < std::min(kNeighbours, B / 2); ++r)
      shifts.push_back(r == 0 ? 1 : 1 + std::size_t(bits(options_.seed, Draw::sample, r, 2) % (B - 1)));
    const std::size_t R = shifts.size();
    Matrix<double> gains(B * R, width);
    in_turn(on, B, 4, [&](std::size_t begin, std::size_t count) {
      std::vector<Way> ways;
      for (std::size_t b = begin; b < begin + count; ++b)
        for (std::size_t r = 0; r < R; ++r)
          ways.push_back({&background_(b, 0), &outside_(b, 0), (b + shifts[r]) % B, ~std::uint64_t(b), r});
      walk(on.ops, ways, &gains(begin * R, 0));
    });
    constexpr std::size_t kRounds = 40;
    Matrix<double> next(B, width);
    for (std::size_t round = 0; round < kRounds; ++round) {
      std::fill_n(next.data(), B * width, 0.0);
      for (std::size_t b = 0; b < B; ++b)
        for (std::size_t r = 0; r < R; ++r) {
          const std::size_t c = (b + shifts[r]) % B;
          for (std::size_t v = 0; v < width; ++v) {
            next(b, v) += anchors_(c, v) + gains(b * R + r, v);
            next(c, v) += anchors_(b, v) - gains(b * R + r, v);
          }
        }
      for (std::size_t v = 0; v < B * width; ++v)
        anchors_.data()[v] = 0.5 * anchors_.data()[v] + 0.25 * next.data()[v] / double(R);
    }
    for (std::size_t k = 0; k < base_.size(); ++k) make_anchors_add_up(k);
    for (std::size_t b = 0; b < B; ++b)
      for (std::size_t r = 0; r < R; ++r)
        for (std::size_t v = 0; v < width; ++v) {
          const double left = gains(b * R + r, v) - anchors_(b, v) + anchors_((b + shifts[r]) % B, v);
          usual_[v] += left * left / double(B * R);
        }
  }

  // Means of 0 over the rows; sums of f - base in each row. What lacks is shared among columns by their size.
  void make_anchors_add_up(std::size_t k) {
    const std::size_t B = background_.rows(), p = inputs_.players;
    std::vector<double> sizes(p);
    double all = 0;
    for (std::size_t j = 0; j < p; ++j) {
      double mean = 0;
      for (std::size_t b = 0; b < B; ++b) mean += anchors_(b, k * p + j) / double(B);
      for (std::size_t b = 0; b < B; ++b) sizes[j] += std::abs(anchors_(b, k * p + j) -= mean);
      all += sizes[j];
    }
    for (std::size_t b = 0; b < B && all > 0; ++b) {
      double lacks = outside_(b, k) - base_[k];
      for (std::size_t j = 0; j < p; ++j) lacks -= anchors_(b, k * p + j);
      for (std::size_t j = 0; j < p; ++j) anchors_(b, k * p + j) += lacks * sizes[j] / all;
    }
  }

  void permute(const Backend& on, const ExplainedRows& rows, std::size_t row, const double* inside) const {
    const std::size_t p = rows.players, K = base_.size(), B = background_.rows();
    Gains gains(K, p);
    if (p == 1) {
      for (std::size_t k = 0; k < K; ++k) rows.values_of(row)[k] += inside[k] - base_[k];
      return;
    }
    const std::uint64_t number = rows.first + row;
    const std::vector<std::uint32_t> order = shuffled(B, options_.seed, number, ~std::uint64_t(0));
    std::vector<Way> ways;
    std::vector<double> found;
    while (gains.count < permutations_ && !(options_.evaluations == 0 && precise(gains))) {
      const std::size_t open = gains.count ? gains.count / 4 : kFirstPairs;
      const std::size_t count = std::min(options_.evaluations ? permutations_ : open, permutations_ - gains.count);
      ways.clear();
      for (std::size_t t = gains.count; t < gains.count + count; ++t)
        ways.push_back({rows.x.row(row), inside, order[t % B], number, t});
      found.resize(count * K * p);
      walk(on, ways, found.data());
      for (std::size_t t = 0; t < count; ++t) {
        double* const gain = &found[t * K * p];
        for (std::size_t v = 0; v < K * p; ++v) gain[v] += anchors_(ways[t].b, v);
        for (std::size_t k = 0; k < K; ++k) gains.add(gain + k * p, k);
      }
      gains.count += count;
    }
    for (std::size_t k = 0; k < K; ++k)
      conclude(gains, k, inside[k] - base_[k], rows.values_of(row) + k * p,
               rows.squares ? rows.squares + row * rows.width() + k * p : nullptr);
  }

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
    for (const bool back : {false, true}) {
      double before = outside;
      for (std::size_t s = 0; s < p; ++s) {
        const double now = s + 1 < p ? scores((back ? p - 1 : 0) + s, k) : inside;
        gain[order[back ? p - 1 - s : s]] += 0.5 * (now - before);
        before = now;
      }
    }
  }

  void conclude(const Gains& gains, std::size_t k, double total, double* values, double* variances) const {
    for (std::size_t j = 0; j < inputs_.players; ++j) {
      const Gains::Value found = gains.value(k, j, total);
      values[j] += found.value;
      if (variances) variances[j] += variance_of(gains, k, j, found.variance);
    }
  }

  // Few permutations may meet none of a column's rare cells, and vary too little. Those between background rows count
  // as some more.
  double variance_of(const Gains& gains, std::size_t k, std::size_t j, double own) const {
    const double T = double(gains.count), more = usual_[k * inputs_.players + j] > 0 ? kUsualPairs : 0;
    return (T * own + more * usual_[k * inputs_.players + j] / T) / (T + more);
  }

  // Whether all standard errors are below their share of the score's spread.
  bool precise(const Gains& gains) const {
    if (gains.count < kFirstPairs) return false;
    for (std::size_t k = 0; k < base_.size(); ++k) {
      const double most = kExplainedShare * spread_[k];
      for (std::size_t j = 0; j < inputs_.players; ++j)
        if (variance_of(gains, k, j, gains.value(k, j, 0).variance) > most * most) return false;
    }
    return true;
  }

  std::vector<ExplainTerm> terms_;
  ExplainedInputs inputs_;  // what the terms encode, side by side: rows are mixed behind the encodings
  std::vector<std::vector<std::uint32_t>> of_column_;  // inputs
  ExplainOptions options_;
  Matrix<double> background_, outside_;        // outside_: scores of the background
  Matrix<double> anchors_;                     // [background row][output][player]
  std::vector<double> base_, spread_, usual_;  // usual_: variances of what anchors leave, [output][player]
  bool listed_ = false;
  std::size_t permutations_ = 0;  // and as many reverses
};

}  // namespace

ExplainPartPtr sampled_part(const Workers& on, const std::vector<ExplainTerm>& terms, const ExplainOptions& options,
                            const ExplainBackground& background) {
  return std::make_unique<SampledPart>(on, terms, options, background);
}

}  // namespace bochner
