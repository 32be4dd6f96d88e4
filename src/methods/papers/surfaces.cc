// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/svg.h"
#include "bochner/pca.h"
#include "bochner/train.h"
#include "bochner/transform.h"
#include "methods/papers/claims.h"

namespace bochner {

namespace {

constexpr std::size_t kCells = 72;  // cells of a picture, each way
constexpr double kSide = 380;

// The plane of the first two principal components of the digits: the rows in it, and a grid of points on it.
struct Plane {
  Matrix<double> rows;  // rows x 2
  Axis x, y;
  Matrix<double> grid;  // kCells^2 x inputs
};

Axis axis_of(const Matrix<double>& rows, std::size_t component) {
  double low = rows(0, component), high = low;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    low = std::min(low, rows(i, component));
    high = std::max(high, rows(i, component));
  }
  return round_axis(low - 0.1 * (high - low), high + 0.1 * (high - low), 5);
}

Plane plane_of(const PapersOptions& options) {
  const PaperDigits& digits = *options.digits;
  const auto rows = memory_rows<float>(digits.pixels.view(), digits.labels.view(), digits.schema);
  PcaOptions pca_options{.rank = 2};
  pca_options.features = {.scale = ColumnScaling::Method::none, .execution = options.execution};
  const Model components = pca(*rows, pca_options);
  Plane plane;
  plane.rows = components.predict(*rows, options.execution);
  plane.x = axis_of(plane.rows, 0);
  plane.y = axis_of(plane.rows, 1);
  Matrix<double> places(kCells * kCells, 2);
  for (std::size_t i = 0; i < kCells * kCells; ++i) {
    places(i, 0) = plane.x.low + (plane.x.high - plane.x.low) * (double(i % kCells) + 0.5) / double(kCells);
    places(i, 1) = plane.y.low + (plane.y.high - plane.y.low) * (double(i / kCells) + 0.5) / double(kCells);
  }
  plane.grid = transform<double>(components.map()->inverse(components.map()), places.view(), options.execution);
  return plane;
}

// The largest score of each row.
std::vector<std::size_t> answers_of(const Matrix<double>& scores) {
  std::vector<std::size_t> answers(scores.rows());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const double* row = scores.data() + i * scores.cols();
    answers[i] = std::size_t(std::max_element(row, row + scores.cols()) - row);
  }
  return answers;
}

// Cells of one answer that lie beside each other are one rectangle.
std::string surface_picture(const PapersOptions& options, const Plane& plane, const TrainOptions& how) {
  const PaperDigits& digits = *options.digits;
  const auto rows = memory_rows<float>(digits.pixels.view().slice(0, digits.train_rows),
                                       digits.labels.view().slice(0, digits.train_rows), digits.schema);
  const std::vector<std::size_t> answers = answers_of(train(*rows, how).predict(plane.grid.view()));
  const PlotFrame frame{{50, 24, kSide, kSide}, plane.x, plane.y};
  const double step = kSide / double(kCells);
  Svg svg(kSide + 70, kSide + 80, "decision surface");
  draw_axes(svg, frame, "first principal component", "second principal component");
  for (std::size_t r = 0; r < kCells; ++r)
    for (std::size_t c = 0; c < kCells;) {
      std::size_t end = c;
      while (end < kCells && answers[r * kCells + end] == answers[r * kCells + c]) ++end;
      svg.rect(
          {frame.box.x + step * double(c), frame.box.y + kSide - step * double(r + 1), step * double(end - c), step},
          fmt::format("digit{}", answers[r * kCells + c]), {}, 0.45);
      c = end;
    }
  for (std::size_t i = 0; i < digits.train_rows; i += 3)
    svg.circle(frame.at(plane.rows(i, 0), plane.rows(i, 1)), 2.2,
               fmt::format("digit{}", std::size_t(digits.labels(i, 0))));
  return std::move(svg).done();
}

std::string curve_picture(const PapersOptions& options) {
  constexpr std::size_t kSizes[] = {30, 60, 90, 120, 180, 270};
  const PaperDigits& digits = *options.digits;
  const std::size_t n = digits.train_rows;
  const auto train_rows =
      memory_rows<float>(digits.pixels.view().slice(0, n), digits.labels.view().slice(0, n), digits.schema);
  const std::size_t rest = digits.pixels.rows() - n;
  const auto test_rows =
      memory_rows<float>(digits.pixels.view().slice(n, rest), digits.labels.view().slice(n, rest), digits.schema);
  const PlotFrame frame{{50, 24, 460, 200}, round_axis(0, 300, 6), round_axis(0.7, 1, 6)};
  Svg svg(560, 280, "accuracy against features");
  draw_axes(svg, frame, "Fourier features D", "accuracy (dashed: 000's exact and linear machines)");
  for (const double printed : {.972, .934}) svg.line(frame.at(0, printed), frame.at(300, printed), "ideal");
  std::vector<Point> points;
  for (const std::size_t D : kSizes) {
    const Model model = train(*train_rows, founding_svm(options, Fourier{}, D));
    points.push_back(frame.at(double(D), std::max(0.7, 1 - *model.evaluate(*test_rows, options.execution).error)));
    svg.circle(points.back(), 3.5, "c0 fill");
  }
  svg.path(points, "c0 stroke");
  return std::move(svg).done();
}

}  // namespace

void draw_digits(const PapersOptions& options, std::vector<PaperPicture>& pictures) {
  if (!options.digits) return;
  const Plane plane = plane_of(options);
  pictures.push_back({"digits", "Accuracy against Fourier features (000, figure 4)", curve_picture(options)});
  pictures.push_back({"digits", "The exact kernel's decisions on two components (000, figure 5)",
                      surface_picture(options, plane, founding_svm(options, Nystroem{}, options.digits->train_rows))});
  pictures.push_back({"digits", "Decisions by 270 Fourier features (000, figure 5)",
                      surface_picture(options, plane, founding_svm(options, Fourier{}, 270))});
}

}  // namespace bochner
