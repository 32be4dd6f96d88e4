// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/project.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "bochner/bounds.h"
#include "maps/load.h"

namespace bochner {

using Kind = ProjectOptions::Kind;
using Store = ProjectOptions::Store;

namespace {

constexpr const char* kKinds[] = {"gaussian", "sign", "sparse", "verysparse", "fastjl", "srht", "hash"};
constexpr const char* kStores[] = {"automatic", "matrix", "seed"};
constexpr std::size_t kMostDims = std::size_t(1) << 22;
constexpr std::size_t kMostInputs = std::size_t(1) << 32;  // columns of CSR rows are of 32 bits
constexpr std::size_t kPoints = 10000;
constexpr double kLittle = 32 << 20;  // bytes that are kept unasked

template <std::size_t N>
std::size_t find_name(const char* const (&names)[N], const std::string& text, const char* what) {
  for (std::size_t i = 0; i < N; ++i)
    if (text == names[i]) return i;
  std::string all;
  for (std::size_t i = 0; i < N; ++i) all += fmt::format("{}{}", i == 0 ? "" : i + 1 < N ? ", " : " or ", names[i]);
  mistake("project: found {}={}, expected {}", what, text, all);
}

bool is_sparse(Kind kind) { return kind == Kind::sparse || kind == Kind::verysparse || kind == Kind::fastjl; }

void check_project(std::size_t inputs, const ProjectOptions& options) {
  require(inputs > 0 && inputs < kMostInputs, "project: {} inputs, expected 1 to 2^32", inputs);
  require(options.dims > 0 && options.dims <= kMostDims, "project: {} dims, expected 1 to 2^22", options.dims);
  require(options.density >= 0 && options.density <= 1, "project: density {}, expected above 0 and at most 1",
          options.density);
  require(options.density == 0 || is_sparse(options.kind), "project: density goes with sparse, verysparse and fastjl");
  require(options.signs >= 1 && options.signs <= options.dims, "project: {} signs, expected 1 to {}, the dims",
          options.signs, options.dims);
  require(options.signs == 1 || options.kind == Kind::hash, "project: signs go with hash");
  require(options.norm == 1 || options.norm == 2, "project: norm {}, expected 1 or 2", options.norm);
  require(options.norm == 2 || options.kind == Kind::fastjl, "project: norm 1 goes with fastjl");
  require(options.points != 1, "project: 1 point, expected 2 or more");
  require(options.kind != Kind::srht || options.dims <= hadamard_width(inputs),
          "project: srht takes {} different outputs of a transform of {} inputs, which has {}; lower the dims, or use "
          "another kind",
          options.dims, inputs, hadamard_width(inputs));
}

std::unique_ptr<Projection> make_projection(std::size_t inputs, const ProjectOptions& options) {
  check_project(inputs, options);
  switch (options.kind) {
    case Kind::gaussian:
    case Kind::sign:
      return dense_projection(inputs, options);
    case Kind::fastjl:
    case Kind::srht:
      return hadamard_projection(inputs, options);
    default:
      return list_projection(inputs, options);
  }
}

// What the defaults stand for, so that a saved map does not depend on them.
ProjectOptions settled(std::size_t inputs, ProjectOptions options) {
  check_project(inputs, options);
  if (is_sparse(options.kind)) options.density = projection_density(inputs, options);
  options.points = 0;
  return options;
}

// x with the least |x| among those that make |A x - z| least. Conjugate gradients on A^T A x = A^T z from 0 (CGLS;
// Hestenes & Stiefel 1952), the rows of a block together: they never leave the range of A^T.
class InverseProjection final : public Map {
 public:
  InverseProjection(MapPtr forward, const Projection& matrix) : forward_(std::move(forward)), matrix_(matrix) {}

  std::size_t inputs() const override { return forward_->outputs(); }
  std::size_t outputs() const override { return forward_->inputs(); }
  std::size_t rows_at_once() const override { return std::clamp<std::size_t>(kNumbers / outputs(), 1, 64); }
  std::size_t held_bytes() const override {
    return forward_->held_bytes() + 4 * rows_at_once() * outputs() * sizeof(double);
  }
  MapPtr inverse(const MapPtr&) const override { return forward_; }
  std::optional<Outputs> puts_out() const override { return Outputs{Outputs::Kind::components}; }
  std::string spec() const override { return "inverse of " + forward_->spec(); }
  void save(Archive& archive) const override {
    forward_->save(archive);
    archive.tree["type"] = "project_inverse";
  }
  void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const override {
    apply_as(on, block, out);
  }
  void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const override {
    apply_as(on, block, out);
  }

 private:
  static constexpr std::size_t kMostSteps = 1000, kNumbers = std::size_t(1) << 24;

  template <class T>
  void apply_as(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    require(block.cols == inputs(), "inverse projection: block has {} columns, expected {}", block.cols, inputs());
    Matrix<double> z(block.rows, block.cols);
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (!block.sparse())
        std::copy_n(block.values + i * block.stride, block.cols, &z(i, 0));
      else
        for (std::size_t at = block.offsets[i]; at < block.offsets[i + 1]; ++at)
          z(i, block.columns[at]) = double(block.values[at]);
    }
    const Matrix<double> x = solve(on, std::move(z), double(std::numeric_limits<T>::epsilon()));
    for (std::size_t i = 0; i < block.rows; ++i) std::copy_n(&x(i, 0), x.cols(), out.row(i));
  }

  // Letters as in Paige & Saunders 1982.
  Matrix<double> solve(const Backend& on, Matrix<double> r, double tolerance) const {
    const std::size_t rows = r.rows(), d = outputs(), k = inputs();
    const Projection& A = matrix_;
    Matrix<double> x(rows, d), s(rows, d), q(rows, k);
    A.back(on, r.view(), s.view());
    Matrix<double> p = s;
    std::vector<double> gamma = squares(s), enough = gamma;
    for (double& bound : enough) bound *= tolerance * tolerance;
    for (std::size_t step = 0; step < kMostSteps; ++step) {
      if (std::equal(gamma.begin(), gamma.end(), enough.begin(), std::less_equal<>())) break;
      A.forward(on, RowBlock<double>::dense(std::as_const(p).view()), q.view());
      const std::vector<double> delta = squares(q);
      std::vector<double> alpha(rows);
      for (std::size_t i = 0; i < rows; ++i) alpha[i] = gamma[i] > enough[i] && delta[i] > 0 ? gamma[i] / delta[i] : 0;
      add(alpha, p, 1, x);
      add(alpha, q, -1, r);
      A.back(on, r.view(), s.view());
      const std::vector<double> next = squares(s);
      for (std::size_t i = 0; i < rows; ++i) {
        const double beta = gamma[i] > 0 ? next[i] / gamma[i] : 0;
        for (std::size_t j = 0; j < d; ++j) p(i, j) = s(i, j) + beta * p(i, j);
      }
      gamma = next;
    }
    return x;
  }

  static std::vector<double> squares(const Matrix<double>& m) {
    std::vector<double> sums(m.rows());
    for (std::size_t i = 0; i < m.rows(); ++i)
      for (std::size_t j = 0; j < m.cols(); ++j) sums[i] += m(i, j) * m(i, j);
    return sums;
  }
  static void add(const std::vector<double>& factor, const Matrix<double>& from, double sign, Matrix<double>& to) {
    for (std::size_t i = 0; i < to.rows(); ++i)
      for (std::size_t j = 0; j < to.cols(); ++j) to(i, j) += sign * factor[i] * from(i, j);
  }

  MapPtr forward_;
  const Projection& matrix_;  // the matrix of forward_
};

}  // namespace

std::string projection_name(Kind kind) { return kKinds[std::size_t(kind)]; }
Kind parse_projection_name(const std::string& text) { return Kind(find_name(kKinds, text, "kind")); }
std::string store_name(Store store) { return kStores[std::size_t(store)]; }
Store parse_store_name(const std::string& text) { return Store(find_name(kStores, text, "store")); }

std::size_t hadamard_width(std::size_t inputs) { return std::bit_ceil(inputs); }

double projection_density(std::size_t inputs, const ProjectOptions& options) {
  if (options.density > 0) return options.density;
  if (options.kind == Kind::verysparse) return 1 / std::sqrt(double(inputs));
  if (options.kind != Kind::fastjl) return 1.0 / 3;
  const std::size_t points = options.points ? options.points : kPoints;
  const double log_n = std::log(double(points));
  const double wanted =
      options.norm == 2 ? log_n * log_n : log_n / std::min(1.0, projection_epsilon(points, options.dims));
  return std::min(1.0, wanted / double(hadamard_width(inputs)));
}

double projection_bytes(std::size_t inputs, const ProjectOptions& options) {
  const double d = double(inputs), k = double(options.dims);
  switch (options.kind) {
    case Kind::gaussian:
      return d * k * sizeof(float);
    case Kind::sign:
      return d * std::ceil(k / 64) * 8;
    case Kind::fastjl:
      return k * double(hadamard_width(inputs)) * projection_density(inputs, options) * 8;
    case Kind::srht:
      return k * sizeof(std::uint32_t);
    case Kind::hash:
      return d * list_bytes(double(options.signs), options.dims);
    default:
      return d * list_bytes(k * projection_density(inputs, options), options.dims);
  }
}

bool keeps_matrix(std::size_t inputs, const ProjectOptions& options) {
  if (options.store != Store::automatic) return options.store == Store::matrix;
  const bool cheap = options.kind == Kind::sign || options.kind == Kind::hash;  // cheap to draw again
  return !cheap && projection_bytes(inputs, options) <= kLittle;
}

// The variance is (2 + (s - 3) sum u^4) / k if entries r of the matrix have E r^4 = s. For srht and fastjl the entries
// of H D u have E v^4 = (3 - 2 sum u^4) / n^2 each.
double projection_variance(std::size_t inputs, const ProjectOptions& options, double sum_of_fourth_powers) {
  check_project(inputs, options);
  const double k = double(options.dims), n = double(hadamard_width(inputs)), u4 = sum_of_fourth_powers;
  switch (options.kind) {
    case Kind::gaussian:
      return 2 / k;
    case Kind::sign:
    case Kind::hash:
      return 2 / k * (1 - u4);
    case Kind::srht:
      return n == 1 ? 0 : 2 / k * (1 - u4) * (n - k) / (n - 1);
    case Kind::fastjl:
      return (2 + 3 * (1 / projection_density(inputs, options) - 1) * (3 - 2 * u4) / n) / k;
    default:
      return (2 + (1 / projection_density(inputs, options) - 3) * u4) / k;
  }
}

ProjectMap::ProjectMap(std::size_t inputs, const ProjectOptions& options)
    : inputs_(inputs), options_(settled(inputs, options)), projection_(make_projection(inputs, options_)) {}

void ProjectMap::apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const {
  require(block.cols == inputs_, "project: block has {} columns, expected {}", block.cols, inputs_);
  projection_->forward(on, block, out);
}
void ProjectMap::apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const {
  require(block.cols == inputs_, "project: block has {} columns, expected {}", block.cols, inputs_);
  projection_->forward(on, block, out);
}

MapPtr ProjectMap::inverse(const MapPtr& self) const { return std::make_shared<InverseProjection>(self, *projection_); }

std::string ProjectMap::spec() const {
  std::string text = fmt::format("project:kind={},dims={}", projection_name(options_.kind), options_.dims);
  if (is_sparse(options_.kind)) text += fmt::format(",density={:.6g}", options_.density);
  if (options_.norm == 1) text += ",norm=1";
  if (options_.kind == Kind::hash) text += fmt::format(",signs={}", options_.signs);
  if (options_.store != Store::automatic) text += fmt::format(",store={}", store_name(options_.store));
  return text + fmt::format(",seed={}", options_.seed);
}

void ProjectMap::save(Archive& archive) const {
  archive.tree = {{"type", "project"},
                  {"kind", projection_name(options_.kind)},
                  {"inputs", inputs_},
                  {"dims", options_.dims},
                  {"seed", options_.seed}};
  if (is_sparse(options_.kind)) archive.tree["density"] = options_.density;
  if (options_.norm == 1) archive.tree["norm"] = 1;
  if (options_.kind == Kind::hash) archive.tree["signs"] = options_.signs;
  if (options_.store != Store::automatic) archive.tree["store"] = store_name(options_.store);
}

MapPtr load_project(const Archive& archive) {
  return build_from_model([&] {
    const nlohmann::json& tree = archive.tree;
    ProjectOptions options;
    options.kind = parse_projection_name(get_text(tree, "kind"));
    options.dims = get_count(tree, "dims", kMostDims);
    options.seed = get_count(tree, "seed", ~std::uint64_t{0});
    if (is_sparse(options.kind)) options.density = get_number(tree, "density");
    require(!is_sparse(options.kind) || options.density > 0, "project: density {}, expected above 0", options.density);
    if (tree.contains("norm")) options.norm = int(get_count(tree, "norm", 2));
    if (options.kind == Kind::hash) options.signs = get_count(tree, "signs", kMostDims);
    if (tree.contains("store")) options.store = parse_store_name(get_text(tree, "store"));
    return project(get_count(tree, "inputs", kMostInputs), options);
  });
}

MapPtr load_project_inverse(const Archive& archive) {
  const MapPtr forward = load_project(archive);
  return forward->inverse(forward);
}

MapPtr project(std::size_t inputs, const ProjectOptions& options) {
  return std::make_shared<ProjectMap>(inputs, options);
}

}  // namespace bochner
