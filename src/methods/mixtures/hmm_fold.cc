// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/hmm_fold.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "folds/binned_sums.h"
#include "maps/lower_factor.h"
#include "methods/mixtures/forward_backward.h"

namespace bochner {

namespace {

std::shared_ptr<const GaussianCenters> centers_of(const std::vector<Hmm>& hmms) {
  const Gaussians& first = hmms[0].gaussians;
  Matrix<double> means(hmms.size() * first.size(), first.inputs());
  for (std::size_t c = 0; c < hmms.size(); ++c)
    std::copy_n(hmms[c].gaussians.means.data(), first.size() * first.inputs(), &means(c * first.size(), 0));
  GaussianCenters centers(first.form, means);
  if (first.form.kind == CovarianceForm::Kind::lowrank)
    for (const Hmm& hmm : hmms)
      for (std::size_t k = 0; k < first.size(); ++k)
        centers.bases.push_back(
            low_rank_regression(hmm.gaussians.matrices[k].view(), {&hmm.gaussians.variances(k, 0), first.inputs()}));
  return std::make_shared<const GaussianCenters>(std::move(centers));
}

}  // namespace

Sequences Sequences::of(const std::vector<std::size_t>& chosen) const {
  std::size_t rows = 0;
  for (const std::size_t i : chosen) rows += starts[i + 1] - starts[i];
  Sequences some{.x = Matrix<double>(rows, x.cols()), .starts = {0}, .classes = {}, .groups = groups};
  for (const std::size_t i : chosen) {
    const std::size_t count = starts[i + 1] - starts[i];
    std::copy_n(&x(starts[i], 0), count * x.cols(), some.x.data() + some.starts.back() * x.cols());
    some.starts.push_back(some.starts.back() + count);
    some.classes.push_back(classes[i]);
    if (!weights.empty()) some.weights.push_back(weights[i]);
  }
  return some;
}

HmmRound::HmmRound(std::vector<Hmm> given) : hmms(std::move(given)), states(hmms), about(centers_of(hmms)) {}

HmmFold::HmmFold(std::shared_ptr<const HmmRound> round, std::shared_ptr<const GaussianCenters> about)
    : round_(std::move(round)),
      S_(round_->states.states()),
      sums_(about ? std::move(about) : round_->about),
      starts_(round_->hmms.size() * S_),
      transitions_(round_->hmms.size() * S_ * S_),
      likelihoods_(round_->hmms.size()),
      rows_(round_->hmms.size()),
      sequences_(round_->hmms.size()) {}

void HmmFold::add(const Workers& on, const Sequences& sequences, MatrixView<const double> of) {
  const std::size_t S = S_, M = round_->states.components(), n = sequences.x.rows();
  require(of.rows == n, "hmm: {} rows of {}", of.rows, n);
  Matrix<double> shares(n, S * M), moves(sequences.size(), S * S), first(sequences.size(), S);
  std::vector<std::uint32_t> group(n);
  std::vector<double> likelihoods(sequences.size());
  on.threads.run(sequences.size(), [&](std::size_t i, int) {
    const std::size_t begin = sequences.starts[i], T = sequences.starts[i + 1] - begin, c = sequences.classes[i];
    if (T == 0) return;
    const Hmm& hmm = round_->hmms[c];
    Matrix<double> log_b(T, S), gamma(T, S);
    const MatrixView<double> joint{&shares(begin, 0), T, S * M, S * M};
    round_->states.log_densities(on.ops, sequences.rows(i), c, log_b.view(), joint);
    const double weight = sequences.weight(i);
    likelihoods[i] = weight * forward_backward({hmm.start, hmm.transitions}, std::as_const(log_b).view(), gamma.view(),
                                               {&moves(i, 0), S, S, S});
    for (std::size_t k = 0; k < S * S; ++k) moves(i, k) *= weight;
    for (std::size_t t = 0; t < T; ++t) {
      group[begin + t] = std::uint32_t(c);
      for (std::size_t s = 0; s < S; ++s)
        for (std::size_t m = 0; m < M; ++m) {
          double& share = joint(t, s * M + m);
          share = std::isfinite(log_b(t, s)) ? weight * gamma(t, s) * std::exp(share - log_b(t, s)) : 0;
        }
    }
    for (std::size_t s = 0; s < S; ++s) first(i, s) = weight * gamma(0, s);
  });
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::size_t c = sequences.classes[i];
    if (sequences.starts[i + 1] == sequences.starts[i]) continue;
    likelihoods_[c].add(likelihoods[i]);
    rows_[c] += sequences.starts[i + 1] - sequences.starts[i];
    ++sequences_[c];
    for (std::size_t s = 0; s < S; ++s) starts_[c * S + s].add(first(i, s));
    for (std::size_t s = 0; s < S * S; ++s) transitions_[c * S * S + s].add(moves(i, s));
  }
  sums_.add(on, of, {.r = std::as_const(shares).view(), .group = group.data()}, sequences.starts);
}

void HmmFold::merge(const HmmFold& other) {
  require(starts_.size() == other.starts_.size() && rows_.size() == other.rows_.size(),
          "hmm: sums of other models cannot be merged");
  const auto add = [](std::vector<BinnedSum>& to, const std::vector<BinnedSum>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i].merge(from[i]);
  };
  sums_.merge(other.sums_);
  add(starts_, other.starts_);
  add(transitions_, other.transitions_);
  add(likelihoods_, other.likelihoods_);
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    rows_[c] += other.rows_[c];
    sequences_[c] += other.sequences_[c];
  }
}

void HmmFold::save(Archive& archive) const {
  sums_.save(archive);
  put_sums(archive, "starts", starts_);
  put_sums(archive, "transitions", transitions_);
  put_sums(archive, "likelihoods", likelihoods_);
  archive.put<std::uint64_t>("rows", rows_, {rows_.size()});
  archive.put<std::uint64_t>("sequences", sequences_, {sequences_.size()});
}

void HmmFold::load(const Archive& archive) {
  sums_.load(archive);
  starts_ = get_sums(archive, "starts", starts_.size());
  transitions_ = get_sums(archive, "transitions", transitions_.size());
  likelihoods_ = get_sums(archive, "likelihoods", likelihoods_.size());
  rows_ = archive.get<std::uint64_t>("rows", {rows_.size()});
  sequences_ = archive.get<std::uint64_t>("sequences", {sequences_.size()});
}

HmmPass pass_over(const Workers& on, const Sequences& sequences) {
  return [on, &sequences](const HmmFold& empty) {
    HmmFold fold = empty;
    fold.add(on, sequences);
    return fold;
  };
}

}  // namespace bochner
