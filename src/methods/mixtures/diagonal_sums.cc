// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <type_traits>

#include "backend/gaussians.h"
#include "base/lease.h"
#include "methods/mixtures/gaussian_sums.h"

namespace bochner {

namespace {

using Kind = CovarianceForm::Kind;
constexpr std::size_t kMostNumbers = 1 << 20;  // sums held for the chunks that are summed side by side

// The sums of one chunk for every Gaussian whose inputs are independent: its weight, and first and second moments, each
// of `stride` inputs. C: what differences are computed in.
template <class C>
class DiagonalChunk {
 public:
  DiagonalChunk(const GaussianCenters& about, double* sums)
      : about_(about),
        stride_(padded(about.means.cols())),
        centers_(about.means.rows() * stride_),
        rows_(kMomentRows * stride_),
        at_(kMomentRows + 1),
        shares_(kMomentRows + 1),
        sums_(sums) {
    std::fill_n(centers_.data(), about.means.rows() * stride_, C(0));
    for (std::size_t k = 0; k < about.means.rows(); ++k)
      for (std::size_t j = 0; j < about.means.cols(); ++j)
        centers_.data()[k * stride_ + j] = C(about.means(k, j) * per_unit(about, j));
    std::fill_n(rows_.data(), kMomentRows * stride_, C(0));
    std::fill_n(sums_, size(about), 0.0);
  }

  static std::size_t padded(std::size_t d) { return (d + kMomentColumns - 1) / kMomentColumns * kMomentColumns; }
  static std::size_t size(const GaussianCenters& about) {
    return about.means.rows() * (1 + 2 * padded(about.means.cols()));
  }
  // Rows of double, and those of float that are summed as double, are taken as they are.
  static double per_unit(const GaussianCenters& about, std::size_t j) {
    return std::is_same_v<C, float> ? 1 / about.units[j] : 1;
  }

  template <class T>
  void add(MatrixView<const T> x, const Responsibilities& of, std::size_t begin, std::size_t end) {
    const std::size_t d = x.cols, M = of.r.cols;
    const Lease<C> factor(d);
    for (std::size_t j = 0; j < d; ++j) factor.data()[j] = C(per_unit(about_, j));
    for (; begin < end; begin += kMomentRows) {
      const std::size_t count = std::min(kMomentRows, end - begin);
      if (of.find) of.find(begin, begin + count);
      for (std::size_t i = 0; i < count; ++i) {
        const T* const row = x.row(begin + i);
        C* const to = rows_.data() + i * stride_;
        for (std::size_t j = 0; j < d; ++j) to[j] = C(row[j]) * factor.data()[j];
      }
      for (std::size_t k = 0; k < about_.means.rows(); ++k) add_gaussian(of, begin, count, k, k / M, k % M);
    }
  }

 private:
  void add_gaussian(const Responsibilities& of, std::size_t begin, std::size_t count, std::size_t k, std::size_t group,
                    std::size_t m) {
    double* const sums = sums_ + k * (1 + 2 * stride_);
    std::uint32_t* const at = at_.data();
    C* const shares = shares_.data();
    std::size_t held = 0;
    double weight = 0;
    for (std::size_t i = 0; i < count; ++i) {  // no branch, whose way nobody could foretell
      const double r = of.group && of.group[begin + i] != group ? 0 : of.r(begin + i, m);
      at[held] = std::uint32_t(i);
      shares[held] = C(r);
      weight += r;
      held += r > 0;
    }
    if (held == 0) return;
    sums[0] += weight;
    add_moments(
        SharedRows<C>{
            .x = {rows_.data(), count, about_.means.cols(), stride_}, .at = at, .shares = shares, .count = held},
        centers_.data() + k * stride_, sums + 1, sums + 1 + stride_);
  }

  const GaussianCenters& about_;
  std::size_t stride_;
  Lease<C> centers_, rows_;
  Lease<std::uint32_t> at_;
  Lease<C> shares_;
  double* sums_;
};

}  // namespace

// Weights, first and second moments where no input is multiplied by another: chunks side by side, while the rows of
// each are in a cache for all Gaussians.
template <class C, class T>
void GaussianSums::add_diagonal(const Workers& on, MatrixView<const T> x, const Responsibilities& of,
                                const std::vector<std::size_t>& edges) {
  const std::size_t d = inputs(), stride = DiagonalChunk<C>::padded(d), numbers = DiagonalChunk<C>::size(*about_);
  const std::size_t at_once = std::max<std::size_t>(1, kMostNumbers / numbers);
  std::vector<double> sums(std::min(at_once, edges.size() - 1) * numbers);
  const auto add_gaussian = [&](const double* found, std::size_t k) {
    const double *const first = found + 1, *const second = first + stride;
    if (found[0] == 0) return;
    weights_[k].add(found[0]);
    BinnedSum* const seconds = &seconds_[k * second_size()];
    double trace = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double unit = 1 / DiagonalChunk<C>::per_unit(*about_, j), square = second[j] * unit * unit;
      firsts_[k * d + j].add(first[j] * unit);
      if (about_->form.kind == Kind::diag) seconds[j].add(square);
      trace += square;
    }
    if (about_->form.kind == Kind::spherical) seconds[0].add(trace);
  };
  for (std::size_t begin = 0; begin + 1 < edges.size(); begin += at_once) {
    const std::size_t chunks = std::min(at_once, edges.size() - 1 - begin);
    on.threads.run(chunks, [&](std::size_t c, int) {
      DiagonalChunk<C>(*about_, &sums[c * numbers]).add(x, of, edges[begin + c], edges[begin + c + 1]);
    });
    on.threads.run(size(), [&](std::size_t k, int) {
      for (std::size_t c = 0; c < chunks; ++c) add_gaussian(&sums[c * numbers + k * (1 + 2 * stride)], k);
    });
  }
}

template void GaussianSums::add_diagonal<float>(const Workers&, MatrixView<const float>, const Responsibilities&,
                                                const std::vector<std::size_t>&);
template void GaussianSums::add_diagonal<double>(const Workers&, MatrixView<const float>, const Responsibilities&,
                                                 const std::vector<std::size_t>&);
template void GaussianSums::add_diagonal<double>(const Workers&, MatrixView<const double>, const Responsibilities&,
                                                 const std::vector<std::size_t>&);

}  // namespace bochner
