// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/hmm_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/lease.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "methods/mixtures/mixture_map.h"

namespace bochner {

namespace {

constexpr const char* kType = "hmm";
constexpr std::size_t kMostClasses = 100000;
constexpr double kLeastLog = -1e30;  // a log density that float holds

void check_probabilities(const double* p, std::size_t count, const char* what) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    require(p[i] >= 0 && p[i] <= 1 + 1e-9, "hmm: one of the {} is {}, expected 0 to 1", what, p[i]);
    sum += p[i];
  }
  require(std::abs(sum - 1) < 1e-6, "hmm: {} sum to {}, expected 1", what, sum);
}

void check(const Hmm& hmm) {
  const std::size_t S = hmm.states(), M = hmm.components();
  require(S > 0 && M > 0, "hmm: {} states of {} components, expected at least one of each", S, M);
  require(hmm.transitions.rows() == S && hmm.transitions.cols() == S, "hmm: {} x {} transitions of {} states",
          hmm.transitions.rows(), hmm.transitions.cols(), S);
  require(hmm.weights.rows() == S && hmm.gaussians.size() == S * M, "hmm: {} Gaussians of {} x {} weights, expected {}",
          hmm.gaussians.size(), hmm.weights.rows(), M, S * M);
  check_probabilities(hmm.start.data(), S, "start probabilities");
  for (std::size_t s = 0; s < S; ++s) {
    check_probabilities(&hmm.transitions(s, 0), S, "transitions of a state");
    check_probabilities(&hmm.weights(s, 0), M, "weights of a state");
  }
}

class HmmMap final : public MapOf<HmmMap> {
 public:
  explicit HmmMap(HmmParts parts) : parts_(std::move(parts)), states_(parts_.hmms) {
    require(parts_.priors.size() == parts_.hmms.size(), "hmm: {} priors of {} classes", parts_.priors.size(),
            parts_.hmms.size());
    check_probabilities(parts_.priors.data(), parts_.priors.size(), "priors");
    require(parts_.facts.slopes == 0 || states_.inputs() % 2 == 0,
            "hmm: {} inputs and their slopes, expected an even number", states_.inputs());
  }

  std::size_t inputs() const override { return parts_.facts.slopes > 0 ? states_.inputs() / 2 : states_.inputs(); }
  std::size_t outputs() const override { return parts_.hmms.size() * states_.states(); }
  std::optional<Outputs> puts_out() const override { return Outputs{Outputs::Kind::density}; }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& x, MatrixView<T> y) const {
    require(parts_.facts.slopes == 0,
            "hmm: the model takes slopes along sequences, which rows alone do not have; use predict");
    const std::size_t S = states_.states(), d = inputs();
    const Lease<double> wide(x.rows * d), memory(x.rows * S);
    std::fill_n(wide.data(), x.rows * d, 0.0);
    for (std::size_t i = 0; i < x.rows; ++i) {
      if (!x.sparse()) std::copy_n(x.values + i * x.stride, d, wide.data() + i * d);
      for (std::size_t p = x.sparse() ? x.offsets[i] : 0; x.sparse() && p < x.offsets[i + 1]; ++p)
        wide.data()[i * d + x.columns[p]] = double(x.values[p]);
    }
    const MatrixView<double> log_b{memory.data(), x.rows, S, S};
    for (std::size_t c = 0; c < parts_.hmms.size(); ++c) {
      states_.log_densities(on, {wide.data(), x.rows, d, d}, c, log_b, {});
      for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t s = 0; s < S; ++s) y(i, c * S + s) = T(std::max(kLeastLog, log_b(i, s)));
    }
  }

  std::string spec() const override {
    const Hmm& first = parts_.hmms[0];
    return fmt::format("hmm:states={},components={},covariance={}{}{}", first.states(), first.components(),
                       covariance_name(first.gaussians.form),
                       parts_.facts.slopes > 0 ? fmt::format(",slopes={}", parts_.facts.slopes) : "",
                       parts_.hmms.size() > 1 ? fmt::format(",classes={}", parts_.hmms.size()) : "");
  }
  void save(Archive& archive) const override;

 private:
  HmmParts parts_;
  HmmStates states_;
};

HmmParts parts_of(const Archive& archive) {
  HmmParts parts;
  const std::size_t classes = get_count(archive.tree, "classes", kMostClasses);
  parts.priors = archive.get<double>("priors", {classes});
  const nlohmann::json& facts = get_node(archive.tree, "facts");
  parts.facts = {.log_likelihood = get_number(facts, "log_likelihood"),
                 .rounds = get_count(facts, "rounds", std::uint64_t(1) << 53),
                 .falls = get_count(facts, "falls", std::uint64_t(1) << 53),
                 .converged = get_flag(facts, "converged"),
                 .floor = get_number(facts, "floor"),
                 .sequence = get_text(facts, "sequence"),
                 .slopes = facts.contains("slopes") ? get_count(facts, "slopes", kMostSlopes) : 0};
  parts.hmms = load_hmms(archive, classes);
  return parts;
}

}  // namespace

void save_hmms(const std::vector<Hmm>& hmms, Archive& archive) {
  for (std::size_t c = 0; c < hmms.size(); ++c) {
    const Hmm& hmm = hmms[c];
    const std::size_t S = hmm.states(), M = hmm.components();
    Archive of_class;
    save_gaussians(hmm.gaussians, of_class);
    of_class.put<double>("start", hmm.start, {S});
    of_class.put<double>("transitions", {hmm.transitions.data(), S * S}, {S, S});
    of_class.put<double>("weights", {hmm.weights.data(), S * M}, {S, M});
    archive.put_child(fmt::format("class{}", c), std::move(of_class));
  }
}

std::vector<Hmm> load_hmms(const Archive& archive, std::size_t classes) {
  std::vector<Hmm> hmms;
  for (std::size_t c = 0; c < classes; ++c) {
    const Archive of_class = archive.child(fmt::format("class{}", c));
    Hmm hmm;
    hmm.gaussians = load_gaussians(of_class);
    const std::size_t S = of_class.length("start");
    require(S > 0 && hmm.gaussians.size() % S == 0, "hmm: {} Gaussians of {} states", hmm.gaussians.size(), S);
    const std::size_t M = hmm.gaussians.size() / S;
    hmm.start = of_class.get<double>("start", {S});
    hmm.transitions = get_matrix<double>(of_class, "transitions", S, S);
    hmm.weights = get_matrix<double>(of_class, "weights", S, M);
    hmms.push_back(std::move(hmm));
  }
  return hmms;
}

HmmStates::HmmStates(const std::vector<Hmm>& hmms) {
  require(!hmms.empty(), "hmm: no model, expected one or one of each class");
  for (const Hmm& hmm : hmms) {
    check(hmm);
    require(hmm.states() == hmms[0].states() && hmm.components() == hmms[0].components() &&
                hmm.gaussians.inputs() == hmms[0].gaussians.inputs(),
            "hmm: classes of different states, components or inputs");
    densities_.emplace_back(hmm.gaussians);
    Matrix<double> logs(hmm.states(), hmm.components());
    for (std::size_t i = 0; i < hmm.states() * hmm.components(); ++i)
      logs.data()[i] =
          hmm.weights.data()[i] > 0 ? std::log(hmm.weights.data()[i]) : -std::numeric_limits<double>::infinity();
    log_weights_.push_back(std::move(logs));
  }
}

void HmmStates::log_densities(const Backend& on, MatrixView<const double> x, std::size_t c, MatrixView<double> log_b,
                              MatrixView<double> joint) const {
  const std::size_t S = states(), M = components();
  const Lease<double> memory(joint.data ? 1 : x.rows * S * M);
  if (!joint.data) joint = {memory.data(), x.rows, S * M, S * M};
  densities_[c].log_densities(on, x, 0, S * M, joint);
  for (std::size_t t = 0; t < x.rows; ++t)
    for (std::size_t s = 0; s < S; ++s) {
      double* const of_state = &joint(t, s * M);
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t m = 0; m < M; ++m) most = std::max(most, of_state[m] += log_weights_[c](s, m));
      if (M == 1 || !std::isfinite(most)) {
        log_b(t, s) = most;
        continue;
      }
      double sum = 0;
      for (std::size_t m = 0; m < M; ++m) sum += std::exp(of_state[m] - most);
      log_b(t, s) = most + std::log(sum);
    }
}

void HmmMap::save(Archive& archive) const {
  archive.tree["type"] = kType;
  archive.tree["classes"] = parts_.hmms.size();
  archive.put<double>("priors", parts_.priors, {parts_.priors.size()});
  const HmmFacts& facts = parts_.facts;
  archive.tree["facts"] = {
      {"log_likelihood", facts.log_likelihood}, {"rounds", facts.rounds}, {"falls", facts.falls},
      {"converged", facts.converged},           {"floor", facts.floor},   {"sequence", facts.sequence}};
  if (facts.slopes > 0) archive.tree["facts"]["slopes"] = facts.slopes;
  save_hmms(parts_.hmms, archive);
}

MapPtr hmm_map(std::vector<Hmm> hmms, std::vector<double> priors, HmmFacts facts) {
  return std::make_shared<HmmMap>(HmmParts{std::move(hmms), std::move(priors), std::move(facts)});
}

MapPtr load_hmm(const Archive& archive) {
  return build_from_model([&]() -> MapPtr { return std::make_shared<HmmMap>(parts_of(archive)); });
}

std::optional<HmmParts> hmm_parts(const Map& head) {
  if (!head.spec().starts_with("hmm:")) return std::nullopt;
  Archive archive;
  head.save(archive);
  return parts_of(archive);
}

std::optional<HmmFacts> hmm_facts(const Map& head) {
  std::optional<HmmParts> parts = hmm_parts(head);
  return parts ? std::optional(parts->facts) : std::nullopt;
}

std::vector<Hmm> hmms_of(const Map& head) {
  std::optional<HmmParts> parts = hmm_parts(head);
  return parts ? std::move(parts->hmms) : std::vector<Hmm>();
}

}  // namespace bochner
