// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// A stranger's own kernel, map, loss, fold and device, by public headers alone: trained, checked, transformed, saved
// and loaded again.

#include <bochner/bochner.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quadratic_map.h"

using namespace bochner;

namespace {

int faults = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++faults;
}

// A kernel: prod_j sin(D_j) / D_j. Its frequencies are uniform in [-1, 1], each by itself.
double sinc_value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  double product = 1;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double delta = (x[j] - y[j]) / kernel.length_scale(j);
    if (delta != 0) product *= std::sin(delta) / delta;
  }
  return product;
}
void draw_sinc(const Kernel&, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  for (std::size_t j = 0; j < omega.size(); ++j) omega[j] = 2 * draw_uniform(seed, index, j) - 1;
}
const KernelFamily kSinc = {.name = "sinc",
                            .value = sinc_value,
                            .draw = draw_sinc,
                            .law = KernelFamily::Law::any,
                            .second_moment = [](const Kernel&) { return 1.0 / 3; }};

MapKind quadratic_kind() {
  MapKind kind;
  kind.name = "quadratic";
  kind.make = [](const MapRequest& request) {
    return std::make_shared<QuadraticMap>(request.inputs, request.features ? request.features : 200, request.seed);
  };
  kind.load = QuadraticMap::load;
  kind.kernel = [](const Map&, std::span<const double> x, std::span<const double> y) {
    double product = 0;
    for (std::size_t j = 0; j < x.size(); ++j) product += x[j] * y[j];
    return product * product;
  };
  kind.redraw = [](const Map& map, std::uint64_t seed) {
    return std::make_shared<QuadraticMap>(map.inputs(), map.outputs(), seed);
  };
  return kind;
}

// A map that puts out CSR: pairs of inputs, each cut into `kCells`, hashed into so many features that none are dense.
class CrossedCells final : public Map {
 public:
  CrossedCells(std::size_t inputs, std::size_t features) : inputs_(inputs), features_(features) {}

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return features_; }
  std::size_t nonzeros() const override { return inputs_ * (inputs_ - 1) / 2; }
  bool apply_sparse(const Backend&, const RowBlock<float>& x, SparseRows<float>& z) const override {
    return add_rows(x, z);
  }
  bool apply_sparse(const Backend&, const RowBlock<double>& x, SparseRows<double>& z) const override {
    return add_rows(x, z);
  }
  void apply(const Backend&, const RowBlock<float>& x, MatrixView<float> z) const override { write_rows(x, z); }
  void apply(const Backend&, const RowBlock<double>& x, MatrixView<double> z) const override { write_rows(x, z); }
  std::string spec() const override { return "crossed:features=" + std::to_string(features_); }
  void save(Archive& archive) const override {
    archive.put_text("type", "crossed");
    archive.put_count("inputs", inputs_);
    archive.put_count("features", features_);
  }
  static MapPtr load(const Archive& archive) {
    return std::make_shared<CrossedCells>(archive.get_count("inputs", 1 << 20), archive.get_count("features", 1 << 30));
  }

 private:
  static constexpr double kCells = 4;

  template <class T>
  bool add_rows(const RowBlock<T>& x, SparseRows<T>& z) const {
    for (std::size_t i = 0; i < x.rows; ++i) {
      const T* const row = x.values + i * x.stride;
      std::map<std::size_t, T> sums;  // ascending
      for (std::size_t a = 0; a < inputs_; ++a)
        for (std::size_t b = a + 1; b < inputs_; ++b) {
          const auto cell = [&](std::size_t j) {
            return std::uint64_t(std::int64_t(std::floor(double(row[j]) * kCells)));
          };
          const double drawn = draw_uniform(a * inputs_ + b, cell(a) & 0xffff, cell(b) & 0xffff);
          sums[std::size_t(drawn * double(features_))] += T(0.5);
        }
      for (const auto& [column, value] : sums) z.add(column, value);
      z.end_row();
    }
    return true;
  }
  template <class T>
  void write_rows(const RowBlock<T>& x, MatrixView<T> z) const {
    SparseRows<T> rows;
    add_rows(x, rows);
    rows.write(z);
  }

  std::size_t inputs_, features_;
};

MapKind crossed_kind() {
  MapKind kind;
  kind.name = "crossed";
  kind.size = [](const MapRequest& request) {
    return MapSize{.features = request.features ? request.features : 1 << 16,
                   .nonzeros = request.inputs * (request.inputs - 1) / 2};
  };
  kind.make = [](const MapRequest& request) {
    return std::make_shared<CrossedCells>(request.inputs, request.features ? request.features : 1 << 16);
  };
  kind.load = CrossedCells::load;
  return kind;
}

// A fold: the second moments of features. Its solve: the direction of most variance, by power iteration.
struct Moments {
  std::size_t width = 0;
  double rows = 0;
  std::vector<double> sums = std::vector<double>(width), products = std::vector<double>(width * width);

  void add(const RowBlock<float>& z) {
    rows += double(z.rows);
    for (std::size_t i = 0; i < z.rows; ++i) {
      const float* const row = z.values + i * z.stride;
      for (std::size_t j = 0; j < width; ++j) {
        sums[j] += double(row[j]);
        for (std::size_t k = 0; k < width; ++k) products[j * width + k] += double(row[j]) * double(row[k]);
      }
    }
  }
  void merge(const Moments& other) {
    rows += other.rows;
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += other.sums[j];
    for (std::size_t j = 0; j < products.size(); ++j) products[j] += other.products[j];
  }
  void save(Archive& archive) const {
    archive.put_number("rows", rows);
    archive.put<double>("sums", sums, {width});
    archive.put<double>("products", products, {width, width});
  }
  void load(const Archive& archive) {
    rows = archive.get_number("rows");
    sums = archive.get<double>("sums", {width});
    products = archive.get<double>("products", {width, width});
  }
};
static_assert(Fold<Moments>);

MapPtr first_component(const Moments& moments) {
  const std::size_t D = moments.width;
  std::vector<double> direction(D, 1), image(D);
  for (int step = 0; step < 200; ++step) {
    double norm = 0;
    for (std::size_t j = 0; j < D; ++j) {
      image[j] = 0;
      for (std::size_t k = 0; k < D; ++k)
        image[j] += (moments.products[j * D + k] / moments.rows -
                     moments.sums[j] / moments.rows * moments.sums[k] / moments.rows) *
                    direction[k];
      norm += image[j] * image[j];
    }
    for (std::size_t j = 0; j < D; ++j) direction[j] = image[j] / std::sqrt(norm);
  }
  Matrix<double> weights(D, 1);
  double offset = 0;
  for (std::size_t j = 0; j < D; ++j) {
    weights(j, 0) = direction[j];
    offset -= direction[j] * moments.sums[j] / moments.rows;
  }
  return linear(std::move(weights), {offset});
}

Matrix<float> some_rows(std::size_t rows, std::size_t inputs) {
  Matrix<float> x(rows, inputs);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < inputs; ++j) x(i, j) = float(draw_uniform(7, i, j) - 0.5);
  return x;
}

// Trained, saved and loaded again, it predicts the same numbers.
void expect_kept(const Model& model, Rows& rows, const std::string& path, const char* what) {
  model.save(path);
  expect(Model::load(path).predict(rows) == model.predict(rows), what);
}

void use_kernel(Rows& rows, const std::string& path) {
  register_kernel(kSinc);
  const Kernel sinc = parse_kernel("sinc");
  TrainOptions options;
  options.kernel = sinc;
  options.bandwidth = 5.0;
  options.features = 128;
  const Model model = train(rows, options);
  expect(model.report().score && *model.report().score->r2 > 0.5, "a training with an own kernel learns");
  expect_kept(model, rows, path, "a model with an own kernel is loaded as it was saved");
  const MapCheck found = check(rows, options, {.sample = 100, .draws = 20});
  expect(found.bias && std::fabs(*found.bias) < 5 * *found.bias_deviation, "its features are unbiased");
  options.map = Nystroem{};
  options.features = 50;
  expect_kept(train(rows, options), rows, path, "an own kernel serves Nystroem too");
}

void use_map(Rows& rows, const std::string& path) {
  register_map_kind(quadratic_kind());
  TrainOptions options;
  options.map = CustomMap{"quadratic"};
  options.features = 100;
  const Model model = train(rows, options);
  expect(model.report().score && *model.report().score->r2 > 0.5, "a training with an own map learns");
  expect_kept(model, rows, path, "a model with an own map is loaded as it was saved");

  const Matrix<float> x = some_rows(500, 4);
  Matrix<double> y(500, 1);
  for (std::size_t i = 0; i < 500; ++i) y(i, 0) = double(x(i, 0)) * double(x(i, 1)) + double(x(i, 2));
  Schema schema;
  schema.inputs = 4;
  schema.targets = 1;
  const auto own = memory_rows<float>(x.view(), y.view(), schema);
  expect_kept(fit(*own, std::make_shared<QuadraticMap>(4, 40, 3)), *own, path, "fit takes an own map");
  const MapPtr small = std::make_shared<QuadraticMap>(4, 400, 3);
  const MapCheck found = check(small, x.view(), {.sample = 60, .draws = 30});
  expect(found.bias && std::fabs(*found.bias) < 5 * *found.bias_deviation, "its features are unbiased");
  const Matrix<float> z = transform<float>(small, x.view());
  expect(z.rows() == 500 && z.cols() == 400, "transform gives a row of features for each row");
}

// Every learner trains on CSR features, of which there are more than a dense matrix has room for.
void use_sparse_map(Rows& rows, const std::string& path) {
  register_map_kind(crossed_kind());
  TrainOptions options;
  options.map = CustomMap{"crossed"};
  options.features = 1 << 13;
  options.ridge.lambdas = {1e-4};
  options.learner.tolerance = 1e-2;
  options.learner.loss = MarginLoss::squared;
  for (const LearnerRow& learner : learners()) {
    if (learner.task == Task::classification || learner.has_neighbors) continue;  // which has no map
    if (std::string_view(learner.name) == "gamma") continue;                      // some targets are 0
    options.learner.learner = learner.learner;
    options.learner.C = {10};
    const Model model = train(rows, options);
    expect(model.report().features == std::size_t(1) << 13, "an own map has as many features as were asked for");
    expect(*model.evaluate(rows).r2 > 0.2, "a training with CSR features learns");
    expect_kept(model, rows, path, "a model with CSR features is loaded as it was saved");
  }
  const Matrix<float> x = some_rows(500, 4);
  Matrix<double> y(500, 1);
  for (std::size_t i = 0; i < 500; ++i) y(i, 0) = x(i, 0) * x(i, 1) > 0;
  Schema schema;
  schema.inputs = 4;
  schema.targets = 1;
  schema.task = Task::classification;
  schema.labels = {"no", "yes"};
  const auto own = memory_rows<float>(x.view(), y.view(), schema);
  const MapPtr map = std::make_shared<CrossedCells>(4, 10000);
  for (const LearnerRow& learner : learners()) {
    if (learner.task == Task::regression || learner.has_neighbors) continue;
    std::vector<double> C;
    if (learner.has_C) C = {10};
    const Model model = learner.learner == Learner::ridge
                            ? fit(*own, map)
                            : fit_learner(*own, map, {.learner = learner.learner, .C = C});
    const Matrix<double> scores = model.predict(*own);
    std::size_t right = 0;
    for (std::size_t i = 0; i < 500; ++i) right += (scores(i, 0) > 0) == (y(i, 0) > 0);
    expect(right > 490, "every learner of classes takes CSR features");
    expect_kept(model, *own, path, "and its model is loaded as it was saved");
  }
}

// A loss with a parameter: expectiles, squares that weigh errors above and below differently.
LossCurve expectile(const LossPoint& at) {
  const double r = at.target - at.score, weight = at.cost * (r > 0 ? at.parameter : 1 - at.parameter);
  return {weight * r * r / 2, -weight * r, weight};
}

void use_loss(Rows& rows, const std::string& path) {
  const Learner learner = register_learner(
      {.name = "expectile",
       .task = Task::regression,
       .has_C = true,
       .parameter =
           LossParameter{.name = "share", .meaning = "the weight of errors above", .low = 0, .high = 1, .initial = 0.5},
       .curve = expectile,
       .judged_by_loss = true});
  const auto trained = [&](double share) {
    return train(rows, {.features = 64, .learner = {.learner = learner, .C = {10}, .parameter = share}});
  };
  const Model low = trained(0.1), high = trained(0.9);
  expect(low.report().learner == "expectile", "a model says which loss it learnt by");
  expect_kept(high, rows, path, "a model of an own loss is loaded as it was saved");
  const Matrix<double> below = low.predict(rows), above = high.predict(rows);
  std::size_t ordered = 0;
  for (std::size_t i = 0; i < below.rows(); ++i) ordered += below(i, 0) < above(i, 0);
  expect(ordered > below.rows() * 99 / 100, "the parameter of an own loss counts");
  const Model half = trained(0.5);
  const Matrix<double> squares =
      train(rows, {.features = 64, .learner = {.learner = Learner::huber, .C = {5}, .parameter = 1e6}}).predict(rows);
  const Matrix<double> own = half.predict(rows);
  double most = 0;
  for (std::size_t i = 0; i < own.rows(); ++i) most = std::max(most, std::fabs(own(i, 0) - squares(i, 0)));
  expect(most < 0.01, "half of all squares is what the library's own squares give");
}

void use_fold(const std::string& path) {
  const std::size_t inputs = 4, D = 20;
  const Matrix<float> x = some_rows(3000, inputs);
  Schema schema;
  schema.inputs = inputs;
  const auto rows = memory_rows<float>(x.view(), {}, schema);
  const MapPtr map = std::make_shared<QuadraticMap>(inputs, D, 3);
  const Moments empty{D};
  const Moments all = fold(*rows, map, empty, {.threads = 1});
  expect(fold(*rows, map, empty, {.threads = 3}).products == all.products, "threads change no bit of a fold");

  Archive archive;
  all.save(archive);
  write_archive(path, archive);
  Moments again = empty;
  again.load(read_archive(path));
  expect(again.products == all.products && again.rows == all.rows, "a fold is loaded as it was saved");

  const Outputs component{Outputs::Kind::components, {"first"}};
  const Model model(schema, {map}, first_component(all), {}, false, component);
  expect_kept(model, *rows, path, "a model of components is loaded as it was saved");
  expect(Model::load(path).puts_out() == component, "it still says what it puts out");
  const Matrix<double> scores = model.predict(*rows);
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    mean += scores(i, 0) / double(scores.rows());
    square += scores(i, 0) * scores(i, 0) / double(scores.rows());
  }
  expect(square > 0 && std::fabs(mean) < 1e-4 * std::sqrt(square), "components are centred");
}

// A device: it has an operation for quadratic maps and leaves all others to the processor.
class QuadraticDevice final : public Device {
 public:
  std::string description() const override { return "quadratic maps"; }
  bool map(const Map& map, const RowBlock<float>& x, MatrixView<float> z) const override {
    const auto* quadratic = dynamic_cast<const QuadraticMap*>(&map);
    if (!quadratic) return false;
    quadratic->map_rows(x, z);
    ++blocks;
    return true;
  }
  mutable std::atomic<int> blocks = 0;
};

void use_device(Rows& rows) {
  const auto device = std::make_shared<QuadraticDevice>();
  register_device("quadratic", device);
  const std::size_t inputs = rows.schema().inputs;
  const MapPtr map = std::make_shared<QuadraticMap>(inputs, 64, 3);
  const auto sum = [&](const MapPtr& through, const Execution& execution) {
    rows.rewind();
    return fold(rows, through, Moments{.width = 64}, execution).sums;
  };
  expect(sum(map, {}) == sum(map, {.device = "quadratic"}), "a device gives the sums of the processor");
  expect(device->blocks > 0, "a device maps blocks");
  const int before = device->blocks;
  const MapPtr other = fourier(inputs, {.kernel = gaussian(500), .features = 64});
  expect(sum(other, {}) == sum(other, {.device = "quadratic"}), "the processor does what a device leaves");
  expect(device->blocks == before, "a device leaves other maps");
  try {
    sum(map, {.device = "abacus"});
    expect(false, "a device that is not registered is refused");
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

int main(int, char** arguments) {
  const auto rows = open_rows(arguments[1], {.targets = {"usr"}});
  const std::string path = std::string(arguments[2]) + "/own.model";
  use_kernel(*rows, path);
  use_map(*rows, path);
  use_sparse_map(*rows, path);
  use_loss(*rows, path);
  use_fold(path);
  use_device(*rows);
  std::printf("own kernel, map, loss, fold and device: %d faults\n", faults);
  return faults == 0 ? 0 : 1;
}
