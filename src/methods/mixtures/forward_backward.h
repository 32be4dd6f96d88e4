// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/matrix.h"

// One sequence of a hidden Markov model of S states; log_b(t, s): log density of its row t in state s. Rabiner, A
// tutorial on hidden Markov models, 1989. Forward and backward sums are scaled at every row by the largest density and
// by their sum; where that leaves nothing of a sequence (states that alone may be reached are too unlikely) it is done
// again with logarithms.
namespace bochner {

struct Chain {
  const std::vector<double>& start;
  const Matrix<double>& transitions;
};

// log p(sequence). gamma(t, s) = P(state s at t); transitions += expected numbers of them, S x S.
double forward_backward(const Chain& chain, MatrixView<const double> log_b, MatrixView<double> gamma,
                        MatrixView<double> transitions);

// log p(sequence) alone.
double log_evidence(const Chain& chain, MatrixView<const double> log_b);

// The likeliest states.
std::vector<std::size_t> viterbi(const Chain& chain, MatrixView<const double> log_b);

}  // namespace bochner
