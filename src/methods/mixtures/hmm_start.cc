// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/hmm_start.h"

#include <algorithm>
#include <cmath>

#include "methods/mixtures/floor.h"
#include "methods/mixtures/start.h"

namespace bochner {

namespace {

using Kind = CovarianceForm::Kind;
constexpr double kUnseen = 0.1;  // transitions that a start counts for each that it may have

MixtureSample sample_of(const Sequences& sequences) {
  MixtureSample sample{.x = sequences.x, .classes = {}, .weights = {}, .groups = sequences.groups};
  sample.weights.assign(sequences.x.rows(), 1.0);
  for (std::size_t i = 0; i < sequences.size(); ++i)
    sample.classes.insert(sample.classes.end(), sequences.starts[i + 1] - sequences.starts[i],
                          double(sequences.classes[i]));
  return sample;
}

StartOptions start_options(const HmmOptions& options, std::size_t components, const std::vector<double>& floor) {
  return {.components = components,
          .covariance = *options.covariance,
          .restarts = 1,
          .rounds = 0,
          .seed = options.features.seed,
          .floor = floor};
}

// The state of each row: that of the cluster it is likeliest of, or of the part of its sequence.
std::vector<std::size_t> first_states(const Workers& on, const Sequences& sequences, const HmmOptions& options,
                                      const std::vector<double>& floor, std::size_t attempt) {
  const std::size_t S = options.states;
  std::vector<std::size_t> states(sequences.x.rows());
  if (options.topology == HmmOptions::Topology::left_to_right) {
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const std::size_t begin = sequences.starts[i], T = sequences.starts[i + 1] - begin;
      for (std::size_t t = 0; t < T; ++t) states[begin + t] = t * S / T;
    }
    return states;
  }
  StartOptions start = start_options(options, S, floor);
  start.covariance = {.kind = Kind::diag};
  const Mixtures clusters = clustered_start(on, sample_of(sequences), start, attempt);
  const GaussianDensities<double> densities(clusters.gaussians);
  on.threads.run(sequences.size(), [&](std::size_t i, int) {
    const MatrixView<const double> x = sequences.rows(i);
    Matrix<double> log_p(x.rows, S);
    densities.log_densities(on.ops, x, sequences.classes[i] * S, S, log_p.view());
    for (std::size_t t = 0; t < x.rows; ++t) {
      const double* const row = &log_p(t, 0);
      states[sequences.starts[i] + t] = std::size_t(std::max_element(row, row + S) - row);
    }
  });
  return states;
}

void shares_of_counts(double* counts, std::size_t n) {
  double all = 0;
  for (std::size_t i = 0; i < n; ++i) all += counts[i];
  for (std::size_t i = 0; i < n; ++i) counts[i] /= all;
}

}  // namespace

Gaussians joined_gaussians(const std::vector<Hmm>& hmms) {
  const Gaussians& first = hmms[0].gaussians;
  const std::size_t K = first.size();
  Gaussians all{
      .form = first.form, .means = Matrix<double>(hmms.size() * K, first.inputs()), .variances = {}, .matrices = {}};
  if (first.variances.rows() > 0) all.variances = Matrix<double>(hmms.size() * K, first.variances.cols());
  for (std::size_t c = 0; c < hmms.size(); ++c) {
    const Gaussians& g = hmms[c].gaussians;
    std::copy_n(g.means.data(), K * g.inputs(), &all.means(c * K, 0));
    if (g.variances.rows() > 0) std::copy_n(g.variances.data(), K * g.variances.cols(), &all.variances(c * K, 0));
    all.matrices.insert(all.matrices.end(), g.matrices.begin(), g.matrices.end());
  }
  return all;
}

std::vector<Gaussians> split_gaussians(const Gaussians& all, std::size_t parts) {
  const std::size_t K = all.size() / parts;
  std::vector<Gaussians> split;
  for (std::size_t c = 0; c < parts; ++c) {
    Gaussians g{.form = all.form, .means = Matrix<double>(K, all.inputs()), .variances = {}, .matrices = {}};
    std::copy_n(&all.means(c * K, 0), K * all.inputs(), g.means.data());
    if (all.variances.rows() > 0) {
      g.variances = Matrix<double>(K, all.variances.cols());
      std::copy_n(&all.variances(c * K, 0), K * all.variances.cols(), g.variances.data());
    }
    if (!all.matrices.empty())
      g.matrices.assign(all.matrices.begin() + std::ptrdiff_t(c * K),
                        all.matrices.begin() + std::ptrdiff_t((c + 1) * K));
    split.push_back(std::move(g));
  }
  return split;
}

Gaussians floor_gaussians(const CovarianceForm& form, std::size_t K, std::size_t d, const std::vector<double>& floor) {
  Gaussians g{.form = form, .means = Matrix<double>(K, d), .variances = {}, .matrices = {}};
  if (form.kind == Kind::full || form.kind == Kind::tied) {
    g.matrices.assign(form.kind == Kind::tied ? 1 : K, Matrix<double>(d, d));
    for (Matrix<double>& matrix : g.matrices)
      for (std::size_t j = 0; j < d; ++j) matrix(j, j) = floor[j];
    return g;
  }
  g.variances = Matrix<double>(K, form.kind == Kind::spherical ? 1 : d);
  for (std::size_t k = 0; k < K; ++k) std::copy_n(floor.data(), g.variances.cols(), &g.variances(k, 0));
  return g;
}

std::vector<double> class_variances(const Sequences& sequences) {
  const std::size_t d = sequences.x.cols();
  Matrix<double> means(sequences.groups, d);
  std::vector<double> rows(sequences.groups), variances(d);
  const auto each_row = [&](const auto& visit) {
    for (std::size_t i = 0; i < sequences.size(); ++i)
      for (std::size_t t = sequences.starts[i]; t < sequences.starts[i + 1]; ++t) visit(sequences.classes[i], t);
  };
  each_row([&](std::size_t c, std::size_t) { ++rows[c]; });
  each_row([&](std::size_t c, std::size_t t) {
    for (std::size_t j = 0; j < d; ++j) means(c, j) += sequences.x(t, j) / rows[c];
  });
  each_row([&](std::size_t c, std::size_t t) {
    for (std::size_t j = 0; j < d; ++j)
      variances[j] += std::pow(sequences.x(t, j) - means(c, j), 2) / double(sequences.x.rows());
  });
  return variances;
}

double choose_hmm_floor(const Workers& on, const Sequences& sequences, const HmmOptions& options,
                        const std::vector<double>& variances) {
  std::vector<std::size_t> halves[2], seen(sequences.groups);
  for (std::size_t i = 0; i < sequences.size(); ++i) halves[seen[sequences.classes[i]]++ % 2].push_back(i);
  return choose_floor(on, sample_of(sequences.of(halves[0])), sample_of(sequences.of(halves[1])),
                      start_options(options, options.states * options.components, {}), variances);
}

std::vector<Hmm> hmm_start(const Workers& on, const Sequences& sequences, const HmmOptions& options,
                           const std::vector<double>& floor, std::size_t attempt) {
  const std::size_t S = options.states, M = options.components, C = sequences.groups;
  const std::vector<std::size_t> states = first_states(on, sequences, options, floor, attempt);
  MixtureSample sample = sample_of(sequences);
  for (std::size_t i = 0; i < sample.rows(); ++i) sample.classes[i] = sample.classes[i] * double(S) + double(states[i]);
  sample.groups = C * S;
  const Mixtures emissions = clustered_start(on, sample, start_options(options, M, floor), attempt);
  const std::vector<Gaussians> gaussians = split_gaussians(emissions.gaussians, C);
  const bool free = options.topology == HmmOptions::Topology::free;
  std::vector<Hmm> hmms;
  for (std::size_t c = 0; c < C; ++c) {
    Hmm hmm{.start = std::vector<double>(S),
            .transitions = Matrix<double>(S, S),
            .weights = Matrix<double>(S, M),
            .gaussians = gaussians[c]};
    std::copy_n(&emissions.weights[c * S * M], S * M, hmm.weights.data());
    for (std::size_t s = 0; s < S; ++s) {
      hmm.start[s] = free ? kUnseen : double(s == 0);
      for (std::size_t r = 0; r < S; ++r) hmm.transitions(s, r) = free || r == s || r == s + 1 ? kUnseen : 0;
    }
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (sequences.classes[i] != c || sequences.starts[i] == sequences.starts[i + 1]) continue;
      if (free) ++hmm.start[states[sequences.starts[i]]];
      for (std::size_t t = sequences.starts[i]; t + 1 < sequences.starts[i + 1]; ++t)
        if (hmm.transitions(states[t], states[t + 1]) > 0) ++hmm.transitions(states[t], states[t + 1]);
    }
    shares_of_counts(hmm.start.data(), S);
    for (std::size_t s = 0; s < S; ++s) shares_of_counts(&hmm.transitions(s, 0), S);
    hmms.push_back(std::move(hmm));
  }
  return hmms;
}

}  // namespace bochner
