// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "bochner/kernel_family.h"
#include "maps/lower_factor.h"
#include "methods/explain/product_part.h"
#include "random/powers.h"

namespace bochner {

namespace {

// A kernel of landmarks that is a product over the inputs, each divided by its scale first.
struct ProductLandmarks {
  enum class Shape { squares, absolute, cauchy };

  Shape shape = Shape::squares;  // exp(-|D|^2), exp(-|D|_1), prod 1 / (1 + D_j^2)
  Matrix<float> points;
  std::vector<double> scales = {};
  Matrix<double> coefficients = {};  // [landmark][output]
};

// z = R k(x) with coefficients w: R'w are those of the kernel's values.
ProductLandmarks nystroem_landmarks(const Archive& archive, const Matrix<double>& w) {
  ProductLandmarks all{.points = get_matrix<float>(archive, "landmark")};
  const std::size_t m = all.points.rows(), d = all.points.cols();
  Kernel kernel = parse_kernel(get_text(archive.tree, "kernel"));
  kernel.length_scales = archive.get<double>("length_scale", {archive.length("length_scale")});
  const KernelShape shape = kernel.family->shape(kernel).value();
  if (shape == KernelShape::exponential1) all.shape = ProductLandmarks::Shape::absolute;
  if (shape == KernelShape::cauchy) all.shape = ProductLandmarks::Shape::cauchy;
  for (std::size_t j = 0; j < d; ++j)
    all.scales.push_back(kernel.length_scale(j) * (shape == KernelShape::gaussian ? std::sqrt(2.0) : 1));
  const std::vector<double> triangle = archive.get<double>("inverse_factor", {m * (m + 1) / 2});
  all.coefficients = Matrix<double>(m, w.cols());
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t r = 0; r <= i; ++r)
      for (std::size_t k = 0; k < w.cols(); ++k) all.coefficients(r, k) += triangle[i * (i + 1) / 2 + r] * w(i, k);
  return all;
}

// A kernel machine with exponent 2 and its own coefficients, before an affine map.
ProductLandmarks radial_landmarks(const Archive& archive, const AffineHead& head, std::vector<double>& constant) {
  ProductLandmarks all{.points = get_matrix<float>(archive, "landmarks")};
  all.scales.assign(all.points.cols(), 1.0);
  const Matrix<double> own = get_matrix<double>(archive, "coefficients");
  const std::vector<double> intercept = archive.get<double>("intercept", {own.cols()});
  all.coefficients = Matrix<double>(own.rows(), constant.size());
  for (std::size_t o = 0; o < own.cols(); ++o)
    for (std::size_t k = 0; k < constant.size(); ++k) {
      constant[k] += intercept[o] * head.weights(o, k);
      for (std::size_t r = 0; r < own.rows(); ++r) all.coefficients(r, k) += own(r, o) * head.weights(o, k);
    }
  return all;
}

class LandmarkTerms final : public ProductTerms {
 public:
  explicit LandmarkTerms(const ExplainTerm& term) : ProductTerms(term) {
    const Archive archive = saved_map(*term.map);
    const bool features = get_text(archive.tree, "type") == "nystroem";
    const ProductLandmarks all =
        features ? nystroem_landmarks(archive, term.head.weights) : radial_landmarks(archive, term.head, constant);
    const std::size_t m = all.points.rows();
    shape_ = all.shape;
    inputs_ = all.points.cols();
    groups_ = (m + kTogether - 1) / kTogether;
    points_.assign(groups_ * inputs_ * kTogether, 0.0);
    for (const double scale : all.scales) factor_.push_back(1 / scale);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t j = 0; j < inputs_; ++j)
        points_[(r / kTogether * inputs_ + j) * kTogether + r % kTogether] = double(all.points(r, j)) * factor_[j];
    a_re.assign(constant.size() * groups_ * kTogether, 0.0);
    for (std::size_t k = 0; k < constant.size(); ++k)
      for (std::size_t r = 0; r < m; ++r) a_re[k * groups_ * kTogether + r] = all.coefficients(r, k);
    text_ = std::to_string(m) + " landmarks";
  }

  bool complex() const override { return false; }
  std::size_t count() const override { return groups_; }
  std::string text() const override { return text_; }

  void factors(const Backend&, const double* row, std::size_t group, double* re, double*) const override {
    for (std::size_t j = 0; j < players.size(); ++j) {
      double sums[kTogether] = {}, products[kTogether];
      for (double& product : products) product = 1;
      for (const std::uint32_t i : players[j]) {
        const double* const z = points_.data() + (group * inputs_ + i) * kTogether;
        const double x = row[i] * factor_[i];
        for (std::size_t c = 0; c < kTogether; ++c) {
          const double delta = x - z[c];
          if (shape_ == ProductLandmarks::Shape::squares) sums[c] += delta * delta;
          if (shape_ == ProductLandmarks::Shape::absolute) sums[c] += std::abs(delta);
          if (shape_ == ProductLandmarks::Shape::cauchy) products[c] /= 1 + delta * delta;
        }
      }
      for (std::size_t c = 0; c < kTogether; ++c)
        re[j * kTogether + c] =
            shape_ == ProductLandmarks::Shape::cauchy ? products[c] : portable_exp_negative(-sums[c]);
    }
  }

 private:
  ProductLandmarks::Shape shape_ = ProductLandmarks::Shape::squares;
  std::size_t groups_ = 0, inputs_ = 0;
  std::vector<double> factor_;    // one per encoded input
  AlignedVector<double> points_;  // [group][input][kTogether], times the factors
  std::string text_;
};

}  // namespace

ExplainPartPtr landmark_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background) {
  return product_part(on, std::make_unique<LandmarkTerms>(term), term.encoding, background);
}

}  // namespace bochner
