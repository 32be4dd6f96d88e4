// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/archive.h"
#include "bochner/gaussians.h"
#include "bochner/row_block.h"
#include "folds/binned_sum.h"

namespace bochner {

// What sums over rows are taken about: near the means they lead to, so that little cancels.
struct GaussianCenters {
  // means are rounded to float, so that x - center is the same for rows of float and double.
  GaussianCenters(const CovarianceForm& form, const Matrix<double>& means);

  // Rows of float may be summed as such where units keep their squares within its range: powers of two, at least the
  // deviations of the input, so that a square overflows only where a density has. variances: K x d or K x 1.
  void measure_in(const Matrix<double>& variances);

  CovarianceForm form;
  Matrix<double> means;               // K x d
  std::vector<double> units;          // d, or none
  std::vector<Matrix<double>> bases;  // lowrank: B_k, d x rank, whose sums S B_k are wanted
};

// Which row counts how much for which Gaussian: r(i, m) for Gaussian group[i] * r.cols + m, 0 and more.
struct Responsibilities {
  MatrixView<const double> r;
  const std::uint32_t* group = nullptr;  // one per row; null: all rows are of group 0
  // Where inputs are independent: finds r of rows begin .. end on the thread that then sums them, while its cache has
  // them. None: r is there.
  std::function<void(std::size_t begin, std::size_t end)> find = {};
};

// The sums over rows x that count r for Gaussian k, whose center is c_k:
//   sum r,  sum r (x - c),  and of r (x - c)(x - c)^T what the form of the covariance needs: its lower triangle (of all
//   Gaussians together where they are tied), its diagonal, its trace, or its diagonal and its product with B_k.
// Chunks are summed in floating point and then exactly.
class GaussianSums {
 public:
  explicit GaussianSums(std::shared_ptr<const GaussianCenters> about);

  // edges: where the rows are cut into chunks, a function of the data alone (bochner/fold.h: chunk_edges).
  template <class T>
  void add(const Workers& on, MatrixView<const T> x, const Responsibilities& of, const std::vector<std::size_t>& edges);
  void merge(const GaussianSums& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const GaussianSums& other) const;

  // Whether no input is multiplied by another.
  static bool independent(const CovarianceForm& form) {
    return form.kind == CovarianceForm::Kind::diag || form.kind == CovarianceForm::Kind::spherical;
  }

  std::size_t size() const { return weights_.size(); }
  std::size_t inputs() const { return about_->means.cols(); }
  const GaussianCenters& about() const { return *about_; }

  // What the rows of Gaussian k have, about their own mean; weight(k) > 0.
  double weight(std::size_t k) const { return weights_[k].value(); }
  std::vector<double> mean(std::size_t k) const;
  Matrix<double> covariance(std::size_t k) const;      // full
  Matrix<double> pooled_covariance() const;            // tied: of all rows about their Gaussians' means
  std::vector<double> variances(std::size_t k) const;  // diag, lowrank: one per input; spherical: their mean
  Matrix<double> along_basis(std::size_t k) const;     // lowrank: covariance B_k, d x rank

 private:
  template <class T>
  class Chunk;
  std::size_t second_size() const;  // numbers of r (x - c)(x - c)^T for each k
  std::vector<double> shift(std::size_t k) const;
  template <class C, class T>
  void add_diagonal(const Workers& on, MatrixView<const T> x, const Responsibilities& of,
                    const std::vector<std::size_t>& edges);
  template <class T>
  void add_moments(const Workers& on, const Chunk<T>& chunk, std::size_t k);
  template <class T>
  void add_along_basis(const Workers& on, const Chunk<T>& chunk, std::size_t k, BinnedSum* sums) const;
  template <class T>
  void add_tied(const Workers& on, MatrixView<const T> x, const Responsibilities& of,
                const std::vector<std::size_t>& edges, std::size_t strip);
  template <class T>
  void add_strip(const Workers& on, const Chunk<T>& chunk, std::size_t strip, BinnedSum* sums) const;
  template <class T>
  void add_rows(const Workers& on, const Chunk<T>& chunk, std::size_t begin, std::size_t end, BinnedSum* sums) const;

  std::shared_ptr<const GaussianCenters> about_;
  std::vector<BinnedSum> weights_;  // K
  std::vector<BinnedSum> firsts_;   // K x d
  std::vector<BinnedSum> seconds_;  // K x second_size(), tied: second_size()
};

}  // namespace bochner
