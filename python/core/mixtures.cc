// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "arrays.h"
#include "bochner/hmm.h"
#include "bochner/mixture.h"
#include "bochner/sample.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

void bind_gaussians(nb::module_& m) {
  nb::class_<CovarianceForm>(m, "CovarianceForm").def("__init__", [](CovarianceForm* place, const std::string& name) {
    new (place) CovarianceForm(parse_covariance_name(name));
  });
  nb::class_<Gaussians>(m, "Gaussians")
      .def("means", [](const Gaussians& g) { return to_array(g.means); })
      .def("variances", [](const Gaussians& g) { return to_array(g.variances); })
      .def("covariance", [](const Gaussians& g, std::size_t k) { return to_array(g.covariance(k)); });
  nb::class_<Mixture>(m, "Mixture")
      .def_ro("weights", &Mixture::weights)
      .def_ro("gaussians", &Mixture::gaussians)
      .def("sample", [](const Mixture& mixture, std::size_t rows, std::uint64_t seed) {
        std::vector<std::size_t> components;
        auto drawn = to_array(sample_mixture(mixture, rows, seed, &components));
        return nb::make_tuple(drawn, to_array(std::vector<std::int64_t>(components.begin(), components.end())));
      });
}

void bind_mixture(nb::module_& m) {
  nb::class_<MixtureOptions>(m, "MixtureOptions")
      .def(nb::init<>())
      .def_rw("components", &MixtureOptions::components)
      .def_rw("covariance", &MixtureOptions::covariance)
      .def_rw("restarts", &MixtureOptions::restarts)
      .def_rw("tolerance", &MixtureOptions::tolerance)
      .def_rw("rounds", &MixtureOptions::rounds)
      .def_rw("floor", &MixtureOptions::floor, nb::arg().none())
      .def_rw("start", &MixtureOptions::start)
      .def_rw("features", &MixtureOptions::features);
  m.def("mixture", [](HeldRows& rows, MixtureOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.features.execution.cancel = cancel;
      rows.rows->rewind();
      return mixture(*rows.rows, options);
    });
  });
  nb::class_<MixtureFacts>(m, "MixtureFacts")
      .def_ro("log_likelihood", &MixtureFacts::log_likelihood)
      .def_ro("parameters", &MixtureFacts::parameters)
      .def_ro("aic", &MixtureFacts::aic)
      .def_ro("bic", &MixtureFacts::bic)
      .def_ro("rounds", &MixtureFacts::rounds)
      .def_ro("converged", &MixtureFacts::converged);
  m.def("mixture_facts", [](const HeldMap& head) { return mixture_facts(*head.map); });
  m.def("mixtures_of", [](const HeldMap& head) { return mixtures_of(*head.map); });
  m.def("log_density", [](const Model& model) {
    const MapPtr density = log_density(model.head());
    return HeldMap{model.feature_map() ? chain({model.feature_map(), density}) : density};
  });
  m.def("rows_of_features", [](const Model& model, const Array2<double>& features) {
    Matrix<double> copy(features.shape(0), features.shape(1));
    std::copy_n(features.data(), features.size(), copy.data());
    return to_array(rows_of_features(model, std::move(copy)));
  });
}

void bind_hmm(nb::module_& m) {
  nb::class_<HmmOptions> options(m, "HmmOptions");
  nb::enum_<HmmOptions::Topology>(options, "Topology")
      .value("free", HmmOptions::Topology::free)
      .value("left_to_right", HmmOptions::Topology::left_to_right);
  options.def(nb::init<>())
      .def_rw("states", &HmmOptions::states)
      .def_rw("components", &HmmOptions::components)
      .def_rw("covariance", &HmmOptions::covariance, nb::arg().none())
      .def_rw("topology", &HmmOptions::topology)
      .def_rw("restarts", &HmmOptions::restarts)
      .def_rw("tolerance", &HmmOptions::tolerance)
      .def_rw("rounds", &HmmOptions::rounds)
      .def_rw("floor", &HmmOptions::floor, nb::arg().none())
      .def_rw("shrink", &HmmOptions::shrink, nb::arg().none())
      .def_rw("slopes", &HmmOptions::slopes, nb::arg().none())
      .def_rw("features", &HmmOptions::features);
  m.def("hmm", [](HeldRows& rows, const std::vector<std::size_t>& starts, HmmOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.features.execution.cancel = cancel;
      rows.rows->rewind();
      return hmm(*rows.rows, starts, options);
    });
  });
  nb::class_<HmmFacts>(m, "HmmFacts")
      .def_ro("log_likelihood", &HmmFacts::log_likelihood)
      .def_ro("rounds", &HmmFacts::rounds)
      .def_ro("converged", &HmmFacts::converged);
  m.def("hmm_facts", [](const HeldMap& head) { return hmm_facts(*head.map); });
  nb::class_<SequenceAnswer>(m, "SequenceAnswer")
      .def_ro("rows", &SequenceAnswer::rows)
      .def_ro("log_density", &SequenceAnswer::log_density)
      .def_ro("label", &SequenceAnswer::label)
      .def_ro("scores", &SequenceAnswer::scores)
      .def_ro("states", &SequenceAnswer::states);
  m.def("predict_sequences",
        [](const Model& model, HeldRows& rows, const std::vector<std::size_t>& starts, Execution execution) {
          return run_long([&](const CancelFunction& cancel) {
            execution.cancel = cancel;
            rows.rows->rewind();
            return predict_sequences(model, *rows.rows, starts, execution);
          });
        });
}

}  // namespace

void bind_mixtures(nb::module_& m) {
  bind_gaussians(m);
  bind_mixture(m);
  bind_hmm(m);
}

}  // namespace bochner::python
