// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <mutex>
#include <vector>

#include "backend/fourier_weights.h"
#include "bochner/map.h"
#include "maps/structured.h"

namespace bochner {

// Random Fourier features. Rahimi & Recht, NIPS 2007.
//   cossin:  z(x) = sqrt(1/F) [cos(W x), sin(W x)],  F = D/2 frequencies
//   shifted: z(x) = sqrt(2/D) cos(W x + b),          b ~ U[0, 2 pi)
// Rows of W follow the kernel's frequency law. W is a function of the seed, so it is made on first use, in the
// one precision that is used, and is never saved.
class FourierMap final : public Map {
 public:
  // chosen: the numbers of the frequencies taken, of independent draws of the seed; none: the first.
  FourierMap(std::size_t inputs, const FourierOptions& options, std::vector<std::uint64_t> chosen = {});

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return options_.features; }
  void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const override;
  void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const override;
  double bound() const override { return scale_; }
  std::size_t held_bytes() const override;
  std::unique_ptr<CheckSubject> check_subject(const MapPtr& self, bool double_precision) const override;
  const FourierWeights<float>* fourier_weights() const override;  // structured ones are never formed
  std::string spec() const override;
  void save(Archive& archive) const override;

  const FourierOptions& options() const { return options_; }
  std::size_t frequencies() const;
  template <class T>
  const FourierWeights<T>& weights() const;

 private:
  template <class T>
  struct Lazy {
    std::once_flag once;
    FourierWeights<T> weights;
    StructuredWeights<T> structured;
  };
  template <class T>
  const StructuredWeights<T>& structured() const;
  std::size_t drawn_at_once() const;  // frequencies
  template <class T>
  FourierWeights<T> draw_weights() const;
  template <class T>
  void apply_as(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const;

  std::size_t inputs_;
  FourierOptions options_;
  std::vector<std::uint64_t> chosen_;
  double scale_;
  mutable Lazy<float> float_;
  mutable Lazy<double> double_;
};

template <>
const FourierWeights<float>& FourierMap::weights() const;
template <>
const FourierWeights<double>& FourierMap::weights() const;
template <>
const StructuredWeights<float>& FourierMap::structured() const;
template <>
const StructuredWeights<double>& FourierMap::structured() const;

// "independent", "orthogonal", ... and back; std::invalid_argument for another word.
std::string draw_name(FourierOptions::Draw draw);
FourierOptions::Draw parse_draw_name(const std::string& text);

// What save() wrote. Error::Kind::model when a field is absent or makes no sense.
MapPtr load_fourier(const Archive& archive);

}  // namespace bochner
