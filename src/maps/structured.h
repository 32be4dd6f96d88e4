// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/backend.h"
#include "base/aligned.h"
#include "bochner/map.h"

namespace bochner {

// Frequencies in blocks S M, M = n^(-3/2) H D3 H D2 H D1: H the Hadamard matrix of n = 2^m >= d inputs, D random signs,
// S the lengths of frequencies drawn by the kernel's law for n inputs. Choromanski, Rowland & Weller, NIPS 2017. M is
// orthogonal, a stand-in for one drawn uniformly; lengths are drawn one by one, which Fastfood (Le, Sarlos & Smola,
// ICML 2013) does in its S and spoils in its G. A row of d inputs is padded with zeros: d coordinates of a law for n
// inputs that depends on the length alone have the kernel's law for d.
template <class T>
struct StructuredWeights {
  std::size_t inputs = 0, width = 0, frequencies = 0;
  T scale = 1;
  AlignedVector<T> signs;   // [blocks][3][width]; those of D1 divided by the length scales
  AlignedVector<T> factor;  // one per frequency: its length, in turns
  AlignedVector<T> phase;   // turns; empty: cos and sin
};

template <class T>
StructuredWeights<T> structured_weights(std::size_t inputs, const FourierOptions& options, std::size_t frequencies,
                                        double scale);

// z = the features of rows. A row's result is a function of that row alone, to the bit, dense or CSR. Where numbers are
// so large that the transform could overflow, all angles count as 0.
template <class T>
void structured_features(const Backend& on, const RowBlock<T>& x, const StructuredWeights<T>& w, MatrixView<T> z);

}  // namespace bochner
