// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Matrix<double> x(1000, 2);  // the points of a sample
//   x(0, 0) = 1;
//   const Expansion mean = mean_expansion(x, gaussian(0.5));  // (1/N) sum_i k(x_i, .)
//   const ReducedSet set = reduce(mean, {.points = 20});
//   std::printf("%zu points are within %g of it", set.points.rows(), set.rkhs_distance);

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bochner/execution.h"
#include "bochner/kernel.h"
#include "bochner/map_options.h"
#include "bochner/matrix.h"
#include "bochner/rows.h"

namespace bochner {

// f = sum_i weights_i k(points_i, .): a mean embedding, a density, the decision function of a kernel machine.
struct Expansion {
  Matrix<double> points;
  std::vector<double> weights;
  Kernel kernel = {};
};
Expansion mean_expansion(Matrix<double> points, const Kernel& kernel);
// Rows as one: the mean of those, each by its weight; coefficients: the only target of the rows is the weight of each,
// as it is. Dense rows; the bandwidth is median, scale or numbers, in units of the inputs as they are. inputs: which of
// them; none: all.
Expansion expansion_of(Rows& rows, const Kernel& kernel, const Bandwidth& bandwidth = Bandwidth::Rule::median,
                       bool coefficients = false, const std::vector<std::size_t>& inputs = {});
// f at points.
std::vector<double> values_at(const Expansion& expansion, MatrixView<const double> points,
                              const Execution& execution = {});

struct ReduceOptions {
  enum class Method {
    joint,        // points by L-BFGS on the distance itself, weights eliminated at every step (variable projection)
    rsrf,         // Gupta, Muandet, Tolstikhin & Schoelkopf: random features, points and weights in turns
    fixed_point,  // Schoelkopf et al. 1999: one point after the other by the fixed-point iteration, on what is left
                  // over
    herding,      // Chen, Welling & Smola 2010: rows one after the other, equal weights
    thinning,     // Dwivedi & Mackey 2021: halving by pairs, then swaps; rows, equal weights
    kmeans,       // centres of clusters, the best weights
  };

  enum class Weights {
    free,           // either sign
    positive,       // none below 0
    probabilities,  // none below 0, and together 1
  };

  std::size_t points = 20;
  Method method = Method::joint;
  Weights weights = Weights::free;  // herding and thinning give probabilities anyway
  // For the joint method; points of herding and thinning are rows, inside and of one level anyway.
  bool inside = false;  // no point leaves the box of the expansion's points
  // Inputs begin .. begin + count of which one is 1 and the others are 0: points have one of these levels too.
  std::vector<std::pair<std::size_t, std::size_t>> indicators = {};
  // Several functions: which is the largest counts, not their values.
  bool compared = false;
  std::size_t features = 0;  // features of the objective, even; 0: chosen, twice the unknowns or more; rsrf: 100
  std::size_t starts = 0;    // 0: chosen. Random starts of rsrf and of each point of fixed_point
  std::uint64_t seed = 0;
  Execution execution = {};
  std::function<void(const std::string&)> say = {};  // notes, on the calling thread
};

// sum_j weights_j k(points_j, .) near an expansion.
struct ReducedSet {
  Matrix<double> points;
  std::vector<double> weights;
  double rkhs_distance = 0;    // |f - its reduced form| in the kernel's space, from all pairs
  bool distance_exact = true;  // false: beyond 100,000 points the norm of f is that of its features
  double norm = 0;             // |f|
  double objective = 0;        // |mean of the features - theirs|^2
  std::size_t features = 0;    // features of the objective
  double seconds = 0;          // time of the method, without distance and objective
  std::size_t steps = 0;       // evaluations, iterations or rounds of the method
  Kernel kernel = {};
  std::vector<std::string> notes;
};

// As many points as wanted, or the points of the expansion themselves where it has no more different ones. Throws
// std::invalid_argument for no points, NaN, and methods that the kernel or the weights do not allow: fixed_point wants
// a kernel of the L2 distance; herding and thinning want weights that are not negative. Kernels without a gradient at 0
// (laplacian) are taken to have the gradient 0 there, and the line search minds kinks. The same for any threads.
ReducedSet reduce(const Expansion& expansion, const ReduceOptions& options = {});

// Several functions over one set of points: the machines of several classes, say. weights: points x functions.
struct SharedExpansion {
  Matrix<double> points, weights;
  Kernel kernel = {};
};
// Rows as one: every target of the rows, a number, is a function's weight of the row.
SharedExpansion shared_expansion_of(Rows& rows, const Kernel& kernel,
                                    const Bandwidth& bandwidth = Bandwidth::Rule::median);
struct SharedSet {
  Matrix<double> points, weights;
  double rkhs_distance = 0, norm = 0;  // roots of the sums of the functions' squared ones
  double seconds = 0;
  std::size_t steps = 0;
  Kernel kernel = {};
};
// Points that serve all functions at once, by the joint method: where they share much, far fewer points than one by
// one. With options.compared the mean of the functions is left out first, and distance and norm are of what remains.
SharedSet reduce_together(const SharedExpansion& expansion, const ReduceOptions& options = {});

struct ReduceRowsOptions {
  // The only target of the rows is the coefficient of each: sum_i alpha_i k(x_i, .) is reduced as it is. Otherwise the
  // mean embedding, where every row counts by its weight.
  bool coefficients = false;
  bool levels = false;  // texts are held to their levels; otherwise points may lie between them
  ReduceOptions reduce = {};
  Kernel kernel = {};
  Bandwidth bandwidth = Bandwidth::Rule::median;  // median, scale or numbers, in units of the inputs as they are
};
// Texts are indicators of their levels.
ReducedSet reduce(Rows& rows, const ReduceRowsOptions& options);

}  // namespace bochner
