// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/reduce_model.h"

#include <algorithm>

#include "base/archive.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/strict_json.h"
#include "maps/map_rows.h"
#include "maps/nystroem.h"
#include "run/compute.h"

namespace bochner {

namespace {

struct LandmarkMap {
  Kernel kernel;
  Matrix<double> landmarks, inverse;
};

std::string type_of(const Map& map) {
  Archive archive;
  map.save(archive);
  return get_text(archive.tree, "type");
}

LandmarkMap landmarks_of(const Map& map) {
  Archive archive;
  map.save(archive);
  const std::size_t m = map.outputs(), d = map.inputs();
  LandmarkMap found{parse_kernel(get_text(archive.tree, "kernel")), Matrix<double>(m, d), Matrix<double>(m, m)};
  found.kernel.length_scales = archive.get<double>("length_scale", archive.shape("length_scale"));
  const std::vector<float> points = archive.get<float>("landmark", {m, d});
  std::copy(points.begin(), points.end(), found.landmarks.data());
  const std::vector<double> triangle = archive.get<double>("inverse_factor", {m * (m + 1) / 2});
  for (std::size_t i = 0; i < m; ++i) std::copy_n(triangle.data() + i * (i + 1) / 2, i + 1, &found.inverse(i, 0));
  return found;
}

// A head that is W'z + b, by its answers to 0 and to every unit vector.
struct AffineHead {
  Matrix<double> weights;  // features x outputs
  std::vector<double> intercept;
};

AffineHead affine(const Map& head, const Execution& execution) {
  const std::size_t m = head.inputs();
  Matrix<double> units(m + 1, m), answers(m + 1, head.outputs());
  for (std::size_t i = 0; i < m; ++i) units(i + 1, i) = 1;
  Threads threads(execution);
  map_rows(workers_on(threads), head, RowBlock<double>::dense(units.view()), answers.view());
  AffineHead found{Matrix<double>(m, head.outputs()), {&answers(0, 0), &answers(0, 0) + head.outputs()}};
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t c = 0; c < head.outputs(); ++c) found.weights(i, c) = answers(i + 1, c) - answers(0, c);
  return found;
}

MapPtr points_map(const Kernel& kernel, const Matrix<double>& points) {
  Matrix<float> landmarks(points.rows(), points.cols());
  std::copy_n(points.data(), points.rows() * points.cols(), landmarks.data());
  Matrix<double> same(points.rows(), points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) same(i, i) = 1;
  return std::make_shared<const NystroemMap>(kernel, std::move(landmarks), std::move(same), "given");
}

}  // namespace

ReducedModel reduce(const Model& model, const ReduceOptions& options) {
  std::vector<MapPtr> maps = model.maps();
  require(!maps.empty() && type_of(*maps.back()) == "nystroem" && type_of(*model.head()) == "linear",
          "reduce: the model is {}, expected a linear machine over landmarks, which map nystroem makes",
          model.report().map.empty() ? "of no map" : model.report().map);
  const LandmarkMap of = landmarks_of(*maps.back());
  const AffineHead head = affine(*model.head(), options.execution);
  const std::size_t m = of.landmarks.rows(), outputs = head.intercept.size();
  SharedExpansion expansion{of.landmarks, Matrix<double>(m, outputs), of.kernel};  // R'W
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t c = 0; c < outputs; ++c) expansion.weights(j, c) += of.inverse(i, j) * head.weights(i, c);
  ReduceOptions together = options;
  together.compared |= model.puts_out().kind == Outputs::Kind::scores;
  SharedSet set = reduce_together(expansion, together);
  maps.back() = points_map(of.kernel, set.points);
  Report report = model.report();
  report.features = set.points.rows();
  report.map = maps.size() > 1 ? chain(maps)->spec() : maps.back()->spec();
  report.notes.push_back(fmt::format(
      "reduced from {} landmarks to {} points, RKHS distance {:.4g} of {:.4g}; scores are of the machine before", m,
      set.points.rows(), set.rkhs_distance, set.norm));
  if (options.say) options.say(report.notes.back());
  Model small(model.schema(), std::move(maps), linear(std::move(set.weights), head.intercept), std::move(report),
              model.double_precision(), model.puts_out());
  small.set_calibration(model.calibration());
  small.set_intervals(model.intervals());
  small.set_background(model.background());
  return {std::move(small), m, set.points.rows(), set.rkhs_distance, set.norm, set.seconds};
}

bool is_model_file(const std::string& path) { return is_archive_of(path, "bochner model"); }

}  // namespace bochner
