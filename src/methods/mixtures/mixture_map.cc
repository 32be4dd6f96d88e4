// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/mixture_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/finite.h"
#include "base/lease.h"
#include "base/require.h"
#include "maps/dense_block.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "methods/mixtures/gaussians.h"

namespace bochner {

namespace {

constexpr const char* kMixtureType = "mixture";
constexpr std::size_t kMostMixtureClasses = 100000;
constexpr double kLeastMixtureLog = -1e30;  // where a density is beyond all range: a score that float holds

double log_sum(const double* values, std::size_t count) {
  const double most = *std::max_element(values, values + count);
  if (!std::isfinite(most)) return kLeastMixtureLog;
  double sum = 0;
  for (std::size_t m = 0; m < count; ++m) sum += std::exp(values[m] - most);
  return std::max(kLeastMixtureLog, most + std::log(sum));
}

class MixtureMap final : public MapOf<MixtureMap> {
 public:
  MixtureMap(std::vector<Mixture> mixtures, std::vector<double> priors, MixtureOutput output, MixtureFacts facts)
      : mixtures_(std::move(mixtures)), priors_(std::move(priors)), output_(output), facts_(facts) {
    require(!mixtures_.empty() && priors_.size() == mixtures_.size(), "mixture: {} priors of {} mixtures",
            priors_.size(), mixtures_.size());
    require(output_ != MixtureOutput::classes || mixtures_.size() >= 2, "mixture: 1 class, expected 2 or more");
    require(output_ != MixtureOutput::shares || mixtures_.size() == 1, "mixture: {} mixtures, expected one",
            mixtures_.size());
    for (const Mixture& mixture : mixtures_) {
      require(mixture.gaussians.inputs() == mixtures_[0].gaussians.inputs(), "mixture: classes of {} and {} inputs",
              mixture.gaussians.inputs(), mixtures_[0].gaussians.inputs());
      check_shares(mixture.weights, mixture.gaussians.size(), "weights");
      most_ = std::max(most_, mixture.weights.size());
      narrow_.emplace_back(mixture.gaussians);
      wide_.emplace_back(mixture.gaussians);
    }
    check_shares(priors_, mixtures_.size(), "priors");
  }

  std::size_t inputs() const override { return mixtures_[0].gaussians.inputs(); }
  std::size_t outputs() const override {
    if (output_ == MixtureOutput::shares) return mixtures_[0].weights.size();
    return output_ == MixtureOutput::density || mixtures_.size() == 2 ? 1 : mixtures_.size();
  }
  std::optional<Outputs> puts_out() const override {
    if (output_ == MixtureOutput::classes) return Outputs{Outputs::Kind::scores};
    if (output_ == MixtureOutput::density) return Outputs{Outputs::Kind::density, {"log_density"}};
    Outputs shares{Outputs::Kind::clusters};
    for (std::size_t m = 0; m < outputs(); ++m) shares.names.push_back(fmt::format("component{}", m));
    return shares;
  }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& x, MatrixView<T> y) const {
    const DenseBlock<T> dense(x);
    const MatrixView<const T> rows = dense.rows();
    const std::size_t classes = mixtures_.size();
    const Lease<double> memory(x.rows * (classes + most_));
    const MatrixView<double> of_class{memory.data(), x.rows, classes, classes};
    for (std::size_t c = 0; c < classes; ++c) {
      const std::size_t M = mixtures_[c].weights.size();
      const MatrixView<double> joint{memory.data() + x.rows * classes, x.rows, M, M};
      densities<T>()[c].log_densities(on, rows, 0, M, joint);
      for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t m = 0; m < M; ++m) joint(i, m) += std::log(mixtures_[c].weights[m]);
        of_class(i, c) = log_sum(joint.row(i), M);
        if (output_ != MixtureOutput::shares) continue;
        for (std::size_t m = 0; m < M; ++m) {
          const double share = std::exp(joint(i, m) - of_class(i, 0));
          y(i, m) = T(std::isfinite(share) ? std::min(share, 1.0) : 0);
        }
      }
    }
    if (output_ == MixtureOutput::shares) return;
    for (std::size_t i = 0; i < x.rows; ++i) put_classes(of_class.row(i), y.row(i));
  }

  double largest_coefficient() const override { return 0; }  // checked where it is made
  std::string spec() const override {
    std::string components;
    for (const Mixture& mixture : mixtures_)
      components = fmt::format("{}{}{}", components, components.empty() ? "" : "+", mixture.weights.size());
    const bool same = std::all_of(mixtures_.begin(), mixtures_.end(), [&](const Mixture& mixture) {
      return mixture.weights.size() == mixtures_[0].weights.size();
    });
    if (same) components = fmt::format("{}", mixtures_[0].weights.size());
    return fmt::format("mixture:components={},covariance={}{}", components,
                       covariance_name(mixtures_[0].gaussians.form),
                       mixtures_.size() > 1 ? fmt::format(",classes={}", mixtures_.size()) : "");
  }
  void save(Archive& archive) const override;

 private:
  static void check_shares(const std::vector<double>& shares, std::size_t count, const char* what) {
    require(shares.size() == count, "mixture: found {} {}, expected {}", shares.size(), what, count);
    double sum = 0;
    for (const double share : shares) {
      require(share > 0 && share <= 1 + 1e-9, "mixture: one of the {} is {}, expected above 0 and at most 1", what,
              share);
      sum += share;
    }
    require(std::abs(sum - 1) < 1e-6, "mixture: the {} sum to {}, expected 1", what, sum);
  }
  template <class T>
  const std::vector<GaussianDensities<T>>& densities() const {
    if constexpr (std::is_same_v<T, float>)
      return narrow_;
    else
      return wide_;
  }
  // log p(x | class) becomes what is put out.
  template <class T>
  void put_classes(double* of_class, T* y) const {
    const std::size_t classes = mixtures_.size();
    for (std::size_t c = 0; c < classes; ++c)
      of_class[c] = std::max(kLeastMixtureLog, of_class[c] + std::log(priors_[c]));
    const double all = log_sum(of_class, classes);
    if (output_ == MixtureOutput::density) {
      y[0] = T(all);
    } else if (classes == 2) {
      y[0] = T(of_class[1] - of_class[0]);
    } else {
      for (std::size_t c = 0; c < classes; ++c) y[c] = T(of_class[c] - all);
    }
  }

  std::vector<Mixture> mixtures_;
  std::vector<double> priors_;
  MixtureOutput output_;
  MixtureFacts facts_;
  std::size_t most_ = 0;
  std::vector<GaussianDensities<float>> narrow_;
  std::vector<GaussianDensities<double>> wide_;
};

constexpr std::pair<const char*, MixtureOutput> kOutputs[] = {
    {"shares", MixtureOutput::shares}, {"classes", MixtureOutput::classes}, {"density", MixtureOutput::density}};

nlohmann::json shape_to_json(const MixtureShape& shape) {
  return {{"inputs", shape.inputs},
          {"separation", shape.separation},
          {"eccentricity", shape.eccentricity},
          {"median_eccentricity", shape.median_eccentricity}};
}

MixtureShape shape_from_json(const nlohmann::json& tree) {
  return {.inputs = get_count(tree, "inputs", std::uint64_t(1) << 53),
          .separation = get_number(tree, "separation"),
          .eccentricity = get_number(tree, "eccentricity"),
          .median_eccentricity = get_number(tree, "median_eccentricity")};
}

MixtureFacts facts_from_json(const nlohmann::json& tree) {
  MixtureFacts facts{.log_likelihood = get_number(tree, "log_likelihood"),
                     .parameters = get_number(tree, "parameters"),
                     .aic = get_number(tree, "aic"),
                     .bic = get_number(tree, "bic"),
                     .rounds = get_count(tree, "rounds", std::uint64_t(1) << 53),
                     .falls = get_count(tree, "falls", std::uint64_t(1) << 53),
                     .converged = get_flag(tree, "converged"),
                     .floor = get_number(tree, "floor"),
                     .shape = {}};
  if (tree.contains("shape")) facts.shape = shape_from_json(get_node(tree, "shape"));
  if (tree.contains("projected")) facts.projected = shape_from_json(get_node(tree, "projected"));
  return facts;
}

}  // namespace

void save_gaussians(const Gaussians& g, Archive& archive) {
  archive.tree["covariance"] = covariance_name(g.form);
  archive.put<double>("means", {g.means.data(), g.size() * g.inputs()}, {g.size(), g.inputs()});
  if (g.variances.rows() > 0)
    archive.put<double>("variances", {g.variances.data(), g.variances.rows() * g.variances.cols()},
                        {g.variances.rows(), g.variances.cols()});
  if (g.matrices.empty()) return;
  const std::size_t rows = g.matrices[0].rows(), cols = g.matrices[0].cols();
  std::vector<double> all;
  for (const Matrix<double>& matrix : g.matrices) all.insert(all.end(), matrix.data(), matrix.data() + rows * cols);
  archive.put<double>("matrices", all, {g.matrices.size(), rows, cols});
}

Gaussians load_gaussians(const Archive& archive) {
  using Kind = CovarianceForm::Kind;
  Gaussians g;
  g.form = parse_covariance_name(get_text(archive.tree, "covariance"));
  g.means = get_matrix<double>(archive, "means");
  if (g.form.kind != Kind::full && g.form.kind != Kind::tied) g.variances = get_matrix<double>(archive, "variances");
  if (g.form.kind == Kind::diag || g.form.kind == Kind::spherical) return g;
  const std::vector<std::size_t>& shape = archive.shape("matrices");
  require(shape.size() == 3, "gaussians: matrices have {} dimensions, expected 3", shape.size());
  const std::vector<double> all = archive.get<double>("matrices", shape);
  for (std::size_t k = 0; k < shape[0]; ++k) {
    Matrix<double> matrix(shape[1], shape[2]);
    std::copy_n(all.data() + k * shape[1] * shape[2], shape[1] * shape[2], matrix.data());
    g.matrices.push_back(std::move(matrix));
  }
  return g;
}

void MixtureMap::save(Archive& archive) const {
  archive.tree["type"] = kMixtureType;
  for (const auto& [name, output] : kOutputs)
    if (output == output_) archive.tree["output"] = name;
  archive.tree["classes"] = mixtures_.size();
  archive.put<double>("priors", priors_, {priors_.size()});
  nlohmann::json facts{{"log_likelihood", facts_.log_likelihood},
                       {"parameters", facts_.parameters},
                       {"aic", facts_.aic},
                       {"bic", facts_.bic},
                       {"rounds", facts_.rounds},
                       {"falls", facts_.falls},
                       {"converged", facts_.converged},
                       {"floor", facts_.floor}};
  if (facts_.shape) facts["shape"] = shape_to_json(*facts_.shape);
  if (facts_.projected) facts["projected"] = shape_to_json(*facts_.projected);
  archive.tree["facts"] = facts;
  for (std::size_t c = 0; c < mixtures_.size(); ++c) {
    Archive of_class;
    save_gaussians(mixtures_[c].gaussians, of_class);
    of_class.put<double>("weights", mixtures_[c].weights, {mixtures_[c].weights.size()});
    archive.put_child(fmt::format("class{}", c), std::move(of_class));
  }
}

namespace {

struct Parts {
  std::vector<Mixture> mixtures;
  std::vector<double> priors;
  MixtureOutput output = MixtureOutput::shares;
  MixtureFacts facts;
};

Parts mixture_parts(const Archive& archive) {
  Parts parts;
  const std::string output = get_text(archive.tree, "output");
  const auto* found =
      std::find_if(std::begin(kOutputs), std::end(kOutputs), [&](const auto& known) { return output == known.first; });
  require(found != std::end(kOutputs), "mixture: found output \"{}\", expected shares, classes or density", output);
  parts.output = found->second;
  parts.facts = facts_from_json(get_node(archive.tree, "facts"));
  const std::size_t classes = get_count(archive.tree, "classes", kMostMixtureClasses);
  parts.priors = archive.get<double>("priors", {classes});
  for (std::size_t c = 0; c < classes; ++c) {
    const Archive of_class = archive.child(fmt::format("class{}", c));
    Mixture mixture;
    mixture.gaussians = load_gaussians(of_class);
    mixture.weights = of_class.get<double>("weights", {mixture.gaussians.size()});
    parts.mixtures.push_back(std::move(mixture));
  }
  return parts;
}

// What a map saved, where it is a mixture.
std::optional<Parts> mixture_parts(const Map& map) {
  if (!map.spec().starts_with(kMixtureType)) return std::nullopt;  // others may be large
  Archive archive;
  map.save(archive);
  if (!archive.tree.contains("type") || archive.tree["type"] != kMixtureType) return std::nullopt;
  return mixture_parts(archive);
}

}  // namespace

MapPtr mixture_map(std::vector<Mixture> mixtures, std::vector<double> priors, MixtureOutput output,
                   MixtureFacts facts) {
  return std::make_shared<MixtureMap>(std::move(mixtures), std::move(priors), output, facts);
}

MapPtr load_mixture(const Archive& archive) {
  return build_from_model([&] {
    Parts parts = mixture_parts(archive);
    return mixture_map(std::move(parts.mixtures), std::move(parts.priors), parts.output, parts.facts);
  });
}

std::optional<MixtureFacts> mixture_facts(const Map& head) {
  const std::optional<Parts> parts = mixture_parts(head);
  return parts ? std::optional(parts->facts) : std::nullopt;
}

std::vector<Mixture> mixtures_of(const Map& head) {
  std::optional<Parts> parts = mixture_parts(head);
  return parts ? std::move(parts->mixtures) : std::vector<Mixture>();
}

std::vector<double> mixture_priors(const Map& head) {
  std::optional<Parts> parts = mixture_parts(head);
  return parts ? std::move(parts->priors) : std::vector<double>();
}

MapPtr log_density(const MapPtr& head) {
  std::optional<Parts> parts = head ? mixture_parts(*head) : std::nullopt;
  if (!parts) return nullptr;
  return mixture_map(std::move(parts->mixtures), std::move(parts->priors), MixtureOutput::density, parts->facts);
}

}  // namespace bochner
