// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/gaussian_sums.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/lease.h"
#include "base/require.h"
#include "folds/binned_sums.h"

namespace bochner {

namespace {

using Kind = CovarianceForm::Kind;
constexpr std::size_t kStrip = 4 * kProductStep;  // columns of a covariance that are one piece of work

std::size_t strips_of(std::size_t d) { return (d + kStrip - 1) / kStrip; }
std::size_t triangle(std::size_t row) { return row * (row + 1) / 2; }  // where a row of a packed lower triangle begins

Matrix<double> rounded_to_float(const Matrix<double>& a) {
  Matrix<double> b(a.rows(), a.cols());
  for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) b.data()[i] = double(float(a.data()[i]));
  return b;
}

// sum += a^T b
void add_cross(const Backend& on, MatrixView<const float> a, MatrixView<const float> b, MatrixView<double> sum) {
  on.add_product(a, b, sum);
}
void add_cross(const Backend& on, MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> sum) {
  const Lease<double> columns(a.rows * a.cols);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.cols; ++j) columns.data()[j * a.rows + i] = a(i, j);
  on.multiply(MatrixView<const double>{columns.data(), a.cols, a.rows, a.rows}, b, 1.0, sum);
}

}  // namespace

GaussianCenters::GaussianCenters(const CovarianceForm& form, const Matrix<double>& means)
    : form(form), means(rounded_to_float(means)) {}

void GaussianCenters::measure_in(const Matrix<double>& variances) {
  constexpr int kMost = 120;  // so that a unit and one by it are floats
  units.resize(means.cols());
  for (std::size_t j = 0; j < units.size(); ++j) {
    double most = 0;
    for (std::size_t k = 0; k < variances.rows(); ++k)
      most = std::max(most, variances(k, variances.cols() == 1 ? 0 : j));
    units[j] = std::ldexp(1.0, std::clamp(std::ilogb(std::sqrt(most)) + 1, -kMost, kMost));
  }
}

GaussianSums::GaussianSums(std::shared_ptr<const GaussianCenters> about)
    : about_(std::move(about)), weights_(about_->means.rows()), firsts_(size() * inputs()) {
  seconds_.resize((about_->form.kind == Kind::tied ? 1 : size()) * second_size());
}

std::size_t GaussianSums::second_size() const {
  const std::size_t d = inputs();
  switch (about_->form.kind) {
    case Kind::full:
    case Kind::tied:
      return triangle(d);
    case Kind::diag:
      return d;
    case Kind::spherical:
      return 1;
    case Kind::lowrank:
      return d + d * about_->form.rank;
  }
  return 0;
}

// The rows of a chunk that count for a Gaussian: sqrt(r) (x - c), dense.
template <class T>
class GaussianSums::Chunk {
 public:
  Chunk(MatrixView<const T> x, const Responsibilities& of, std::size_t begin, std::size_t end, std::size_t k,
        const double* center)
      : cols_(x.cols), memory_((end - begin) * x.cols), roots_(end - begin), center_(x.cols) {
    const std::size_t M = of.r.cols, group = k / M, m = k % M;
    std::copy_n(center, cols_, center_.data());
    for (std::size_t i = begin; i < end; ++i) {
      if (of.group && of.group[i] != group) continue;
      const double r = of.r(i, m);
      if (!(r > 0)) continue;
      const double root = std::sqrt(r);
      const T factor = T(root);
      const T* const row = x.row(i);
      T* const to = memory_.data() + rows_ * cols_;
      for (std::size_t j = 0; j < cols_; ++j) to[j] = (row[j] - center_.data()[j]) * factor;
      roots_.data()[rows_++] = root;
      weight_ += r;
    }
  }

  std::size_t rows() const { return rows_; }
  double weight() const { return weight_; }
  double root(std::size_t i) const { return roots_.data()[i]; }
  MatrixView<const T> view() const { return {memory_.data(), rows_, cols_, cols_}; }

 private:
  std::size_t cols_, rows_ = 0;
  Lease<T> memory_;
  Lease<double> roots_;
  Lease<T> center_;
  double weight_ = 0;
};

template <class T>
void GaussianSums::add(const Workers& on, MatrixView<const T> x, const Responsibilities& of,
                       const std::vector<std::size_t>& edges) {
  require(x.cols == inputs(), "gaussians: block has {} columns, expected {}", x.cols, inputs());
  const bool full = about_->form.kind == Kind::full, tied = about_->form.kind == Kind::tied;
  if (independent(about_->form)) {
    if constexpr (std::is_same_v<T, float>)
      if (!about_->units.empty()) return add_diagonal<float>(on, x, of, edges);
    return add_diagonal<double>(on, x, of, edges);
  }
  const std::size_t strips = full ? strips_of(inputs()) : 1;
  on.threads.run(size() * strips, [&](std::size_t piece, int) {
    const std::size_t k = piece / strips, strip = piece % strips;
    for (std::size_t c = 0; c + 1 < edges.size(); ++c) {
      const Chunk<T> chunk(x, of, edges[c], edges[c + 1], k, &about_->means(k, 0));
      if (chunk.rows() == 0) continue;
      if (strip == 0) add_moments(on, chunk, k);
      if (full) add_strip(on, chunk, strip, &seconds_[k * second_size()]);
    }
  });
  if (tied) on.threads.run(strips_of(inputs()), [&](std::size_t strip, int) { add_tied(on, x, of, edges, strip); });
}

// Weight and first moments of Gaussian k, and with a low rank the second ones of each input and along the basis.
template <class T>
void GaussianSums::add_moments(const Workers& on, const Chunk<T>& chunk, std::size_t k) {
  const std::size_t d = inputs();
  const bool low_rank = about_->form.kind == Kind::lowrank;
  const Lease<double> memory(2 * d);
  double *const first = memory.data(), *const second = memory.data() + d;
  std::fill_n(first, 2 * d, 0.0);
  for (std::size_t i = 0; i < chunk.rows(); ++i) {
    const T* const row = chunk.view().row(i);
    const double root = chunk.root(i);
    for (std::size_t j = 0; j < d; ++j) first[j] += root * double(row[j]);
    if (!low_rank) continue;
    for (std::size_t j = 0; j < d; ++j) second[j] += double(row[j]) * double(row[j]);
  }
  weights_[k].add(chunk.weight());
  for (std::size_t j = 0; j < d; ++j) firsts_[k * d + j].add(first[j]);
  if (!low_rank) return;
  BinnedSum* const sums = &seconds_[k * second_size()];
  for (std::size_t j = 0; j < d; ++j) sums[j].add(second[j]);
  add_along_basis(on, chunk, k, sums + d);
}

template <class T>
void GaussianSums::add_along_basis(const Workers& on, const Chunk<T>& chunk, std::size_t k, BinnedSum* sums) const {
  const std::size_t d = inputs(), rank = about_->form.rank;
  Matrix<double> wide(chunk.rows(), d), along(chunk.rows(), rank), cross(d, rank);
  for (std::size_t i = 0; i < chunk.rows(); ++i) std::copy_n(chunk.view().row(i), d, &wide(i, 0));
  on.ops.multiply(std::as_const(wide).view(), about_->bases[k].view(), 0.0, along.view());
  add_cross(on.ops, std::as_const(wide).view(), std::as_const(along).view(), cross.view());
  for (std::size_t j = 0; j < d * rank; ++j) sums[j].add(cross.data()[j]);
}

// Adds a strip of rows of r (x - c)(x - c)^T, cut into narrow strips that end at the diagonal.
template <class T>
void GaussianSums::add_strip(const Workers& on, const Chunk<T>& chunk, std::size_t strip, BinnedSum* sums) const {
  const std::size_t last = std::min(inputs(), (strip + 1) * kStrip);
  for (std::size_t begin = strip * kStrip; begin < last; begin += kProductStep)
    add_rows(on, chunk, begin, std::min(last, begin + kProductStep), sums);
}

template <class T>
void GaussianSums::add_rows(const Workers& on, const Chunk<T>& chunk, std::size_t begin, std::size_t end,
                            BinnedSum* sums) const {
  const std::size_t width = end - begin;
  const MatrixView<const T> a = chunk.view();
  const Lease<double> memory(width * end);
  const MatrixView<double> product{memory.data(), width, end, end};
  std::fill_n(memory.data(), width * end, 0.0);
  add_cross(on.ops, MatrixView<const T>{a.data + begin, a.rows, width, a.stride},
            MatrixView<const T>{a.data, a.rows, end, a.stride}, product);
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j <= begin + i; ++j) sums[triangle(begin + i) + j].add(product(i, j));
}

template <class T>
void GaussianSums::add_tied(const Workers& on, MatrixView<const T> x, const Responsibilities& of,
                            const std::vector<std::size_t>& edges, std::size_t strip) {
  for (std::size_t k = 0; k < size(); ++k)
    for (std::size_t c = 0; c + 1 < edges.size(); ++c) {
      const Chunk<T> chunk(x, of, edges[c], edges[c + 1], k, &about_->means(k, 0));
      if (chunk.rows() > 0) add_strip(on, chunk, strip, seconds_.data());
    }
}

template void GaussianSums::add(const Workers&, MatrixView<const float>, const Responsibilities&,
                                const std::vector<std::size_t>&);
template void GaussianSums::add(const Workers&, MatrixView<const double>, const Responsibilities&,
                                const std::vector<std::size_t>&);

void GaussianSums::merge(const GaussianSums& other) {
  require(size() == other.size() && inputs() == other.inputs() && seconds_.size() == other.seconds_.size(),
          "gaussians: sums of {} with {} inputs, expected {} with {}", other.size(), other.inputs(), size(), inputs());
  const auto add = [](std::vector<BinnedSum>& to, const std::vector<BinnedSum>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i].merge(from[i]);
  };
  add(weights_, other.weights_);
  add(firsts_, other.firsts_);
  add(seconds_, other.seconds_);
}

void GaussianSums::save(Archive& archive) const {
  put_sums(archive, "weights", weights_);
  put_sums(archive, "firsts", firsts_);
  put_sums(archive, "seconds", seconds_);
}

void GaussianSums::load(const Archive& archive) {
  weights_ = get_sums(archive, "weights", weights_.size());
  firsts_ = get_sums(archive, "firsts", firsts_.size());
  seconds_ = get_sums(archive, "seconds", seconds_.size());
}

bool GaussianSums::operator==(const GaussianSums& other) const {
  return weights_ == other.weights_ && firsts_ == other.firsts_ && seconds_ == other.seconds_;
}

std::vector<double> GaussianSums::shift(std::size_t k) const {
  const double all = weight(k);
  std::vector<double> shift(inputs());
  for (std::size_t j = 0; j < shift.size(); ++j) shift[j] = firsts_[k * inputs() + j].value() / all;
  return shift;
}

std::vector<double> GaussianSums::mean(std::size_t k) const {
  std::vector<double> mean = shift(k);
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += about_->means(k, j);
  return mean;
}

Matrix<double> GaussianSums::covariance(std::size_t k) const {
  const std::size_t d = inputs();
  const std::vector<double> delta = shift(k);
  const double all = weight(k);
  const BinnedSum* const sums = &seconds_[k * second_size()];
  Matrix<double> covariance(d, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      covariance(i, j) = covariance(j, i) = sums[triangle(i) + j].value() / all - delta[i] * delta[j];
  return covariance;
}

Matrix<double> GaussianSums::pooled_covariance() const {
  const std::size_t d = inputs();
  double all = 0;
  Matrix<double> covariance(d, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) covariance(i, j) = seconds_[triangle(i) + j].value();
  for (std::size_t k = 0; k < size(); ++k) {
    const double weight = this->weight(k);
    if (!(weight > 0)) continue;
    all += weight;
    const std::vector<double> delta = shift(k);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) covariance(i, j) -= weight * delta[i] * delta[j];
  }
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j) covariance(j, i) = covariance(i, j) = covariance(i, j) / all;
  return covariance;
}

std::vector<double> GaussianSums::variances(std::size_t k) const {
  const std::vector<double> delta = shift(k);
  const double all = weight(k);
  if (about_->form.kind == Kind::spherical) {
    double trace = seconds_[k].value() / all;
    for (const double value : delta) trace -= value * value;
    return {std::max(0.0, trace) / double(inputs())};
  }
  std::vector<double> variances(inputs());
  for (std::size_t j = 0; j < inputs(); ++j)
    variances[j] = std::max(0.0, seconds_[k * second_size() + j].value() / all - delta[j] * delta[j]);
  return variances;
}

Matrix<double> GaussianSums::along_basis(std::size_t k) const {
  const std::size_t d = inputs(), rank = about_->form.rank;
  const std::vector<double> delta = shift(k);
  const double all = weight(k);
  Matrix<double> along(d, rank);
  for (std::size_t a = 0; a < rank; ++a) {
    double of_shift = 0;
    for (std::size_t j = 0; j < d; ++j) of_shift += delta[j] * about_->bases[k](j, a);
    for (std::size_t j = 0; j < d; ++j)
      along(j, a) = seconds_[k * second_size() + d + j * rank + a].value() / all - delta[j] * of_shift;
  }
  return along;
}

}  // namespace bochner
