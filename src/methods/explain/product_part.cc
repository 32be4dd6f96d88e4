// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/explain/product_part.h"

#include <algorithm>

#include "base/lease.h"
#include "base/require.h"
#include "methods/explain/background.h"

namespace bochner {

namespace {

constexpr std::size_t kTogether = ProductGames::kTogether;
constexpr std::size_t kMostOutside = std::size_t(1) << 28;  // numbers: 2 GiB
constexpr std::size_t kMostPlayers = 2000;                  // the cost of a row is their square

// Shapley values of products over columns, in closed form. What stands for a column outside of the coalition is the
// mean of its factors over the background, or its factor in a background row: one game for each, whose mean counts.
class ProductPart final : public ExplainPart {
 public:
  ProductPart(const Workers& on, std::unique_ptr<ProductTerms> terms, const ColumnEncoding& encoding,
              const ExplainBackground& background)
      : terms_(std::move(terms)),
        encoding_(encoding),
        players_(terms_->players.size()),
        outsides_(background.whole ? background.x.rows() : 1),
        row_((terms_->complex() ? 2 : 1) * players_ * kTogether),
        rule_(gauss_legendre((players_ + 1) / 2)),
        base_(terms_->constant) {
    require(players_ <= kMostPlayers, "explain: the model reads {} columns, expected at most {} for its closed form",
            players_, kMostPlayers);
    require(
        terms_->count() * outsides_ * row_ <= kMostOutside,
        "explain: {} background rows of {} columns and {} terms are more than fit in memory; draw fewer rows, or let "
        "columns stand for themselves",
        outsides_, players_, terms_->count() * kTogether);
    outside_.resize(terms_->count() * outsides_ * row_);
    const Matrix<double> x = encoding_.encode(on.ops, background.x.view());
    in_turn(on, terms_->count(), 1, [&](std::size_t group, std::size_t) { find_outside(on.ops, x, group); });
    for (std::size_t group = 0; group < terms_->count(); ++group) add_base(group);
  }

  const std::vector<double>& base() const override { return base_; }
  std::string text() const override { return terms_->text() + ", exact"; }

  void add(const Backend& on, const ExplainedRows& rows) const override {
    const Lease<double> room(encoding_.numbers(rows.x.rows));
    const MatrixView<const double> x = encoding_.encode(on, rows.x, room.data());
    const std::size_t pairs = rows.pairs ? players_ * (players_ - 1) / 2 : 0, sides = terms_->complex() ? 2 : 1;
    const Lease<double> inside(row_), scratch(product_scratch(players_)), shares(sides * kTogether * players_),
        pair_shares(sides * kTogether * pairs);
    for (std::size_t group = 0; group < terms_->count(); ++group)
      for (std::size_t i = 0; i < x.rows; ++i) {
        terms_->factors(on, x.row(i), group, inside.data(), imaginary(inside.data()));
        for (std::size_t b = 0; b < outsides_; ++b) {
          const double* out = outside(group, b);
          const ProductGames games{players_, rule_.nodes,   rule_.weights, inside.data(), imaginary(inside.data()),
                                   out,      imaginary(out)};
          product_shares(games, scratch.data(), shares.data());
          add_values(group, shares.data(), rows.values_of(i), rows);
          if (pairs == 0) continue;
          product_pair_shares(games, scratch.data(), pair_shares.data());
          add_pairs(group, pair_shares.data(), pairs, rows.pairs_of(i), rows);
        }
      }
  }

 private:
  template <class T>
  T* imaginary(T* real) const {
    return terms_->complex() ? real + players_ * kTogether : nullptr;
  }
  double* outside(std::size_t group, std::size_t b) { return outside_.data() + (group * outsides_ + b) * row_; }
  const double* outside(std::size_t group, std::size_t b) const {
    return outside_.data() + (group * outsides_ + b) * row_;
  }

  void find_outside(const Backend& on, const Matrix<double>& x, std::size_t group) {
    if (outsides_ == x.rows()) {
      for (std::size_t b = 0; b < outsides_; ++b)
        terms_->factors(on, &x(b, 0), group, outside(group, b), imaginary(outside(group, b)));
      return;
    }
    double* const mean = outside(group, 0);
    std::fill_n(mean, row_, 0.0);
    const Lease<double> one(row_);
    for (std::size_t b = 0; b < x.rows(); ++b) {
      terms_->factors(on, &x(b, 0), group, one.data(), imaginary(one.data()));
      for (std::size_t c = 0; c < row_; ++c) mean[c] += one.data()[c];
    }
    for (std::size_t c = 0; c < row_; ++c) mean[c] /= double(x.rows());
  }

  // Re a z of a term, for output k.
  double real_part(std::size_t group, std::size_t k, std::size_t c, double re, double im) const {
    const std::size_t at = (k * terms_->count() + group) * kTogether + c;
    return terms_->complex() ? terms_->a_re[at] * re - terms_->a_im[at] * im : terms_->a_re[at] * re;
  }

  void add_base(std::size_t group) {
    for (std::size_t b = 0; b < outsides_; ++b)
      for (std::size_t c = 0; c < kTogether; ++c) {
        double re = 1, im = 0;
        for (std::size_t j = 0; j < players_; ++j) {
          const double* const o = outside(group, b) + j * kTogether + c;
          const double o_im = terms_->complex() ? o[players_ * kTogether] : 0, was = re;
          re = re * *o - im * o_im;
          im = was * o_im + im * *o;
        }
        for (std::size_t k = 0; k < base_.size(); ++k) base_[k] += real_part(group, k, c, re, im) / double(outsides_);
      }
  }

  // The real part of the sum over the terms of a group, share r of player or pair j of n.
  double summed(std::size_t group, std::size_t k, const double* shares, std::size_t j, std::size_t n) const {
    const double *re = shares + j * kTogether, *im = re + (terms_->complex() ? n * kTogether : 0);
    double sum = 0;
    for (std::size_t c = 0; c < kTogether; ++c) sum += real_part(group, k, c, re[c], im[c]);
    return sum / double(outsides_);
  }
  void add_values(std::size_t group, const double* shares, double* values, const ExplainedRows& rows) const {
    for (std::size_t k = 0; k < rows.outputs; ++k)
      for (std::size_t j = 0; j < players_; ++j)
        values[k * rows.players + terms_->columns[j]] += summed(group, k, shares, j, players_);
  }
  void add_pairs(std::size_t group, const double* shares, std::size_t count, double* pairs,
                 const ExplainedRows& rows) const {
    for (std::size_t k = 0; k < rows.outputs; ++k)
      for (std::size_t i = 0, pair = 0; i < players_; ++i)
        for (std::size_t j = i + 1; j < players_; ++j, ++pair) {
          const double half = summed(group, k, shares, pair, count) / 2;
          const std::size_t a = terms_->columns[i], b = terms_->columns[j];
          pairs[(k * rows.players + a) * rows.players + b] += half;
          pairs[(k * rows.players + b) * rows.players + a] += half;
        }
  }

  std::unique_ptr<ProductTerms> terms_;
  ColumnEncoding encoding_;
  std::size_t players_, outsides_, row_;
  UnitRule rule_;
  std::vector<double> base_;
  AlignedVector<double> outside_;  // [group][background row or 1][row_]
};

}  // namespace

ProductTerms::ProductTerms(const ExplainTerm& term) : constant(term.head.constant) {
  std::vector<std::vector<std::uint32_t>> all(term.encoding.players());
  for (std::size_t i = 0; i < term.encoding.owner().size(); ++i)
    all[term.encoding.owner()[i]].push_back(std::uint32_t(i));
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (all[j].empty()) continue;
    players.push_back(std::move(all[j]));
    columns.push_back(std::uint32_t(j));
  }
}

ExplainPartPtr product_part(const Workers& on, std::unique_ptr<ProductTerms> terms, const ColumnEncoding& encoding,
                            const ExplainBackground& background) {
  return std::make_unique<ProductPart>(on, std::move(terms), encoding, background);
}

}  // namespace bochner
