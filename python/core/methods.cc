// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "arrays.h"
#include "bochner/anomaly.h"
#include "bochner/cca.h"
#include "bochner/groups.h"
#include "bochner/kmeans.h"
#include "bochner/lda.h"
#include "bochner/pca.h"
#include "bochner/ranking.h"
#include "bochner/semi.h"
#include "bochner/svd.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

// A method that makes a model from rows by options that have the features' options among them.
template <class Options>
auto by_features(Model (*method)(Rows&, const Options&)) {
  return [method](HeldRows& rows, Options options) {
    return run_long([&](const CancelFunction& cancel) {
      options.features.execution.cancel = cancel;
      rows.rows->rewind();
      return method(*rows.rows, options);
    });
  };
}

void bind_svd(nb::module_& m) {
  nb::class_<SvdOptions>(m, "SvdOptions")
      .def(nb::init<>())
      .def_rw("rank", &SvdOptions::rank)
      .def_rw("center", &SvdOptions::center)
      .def_rw("passes", &SvdOptions::passes, nb::arg().none())
      .def_rw("seed", &SvdOptions::seed)
      .def_rw("double_precision", &SvdOptions::double_precision)
      .def_rw("execution", &SvdOptions::execution);
  m.def("svd", [](HeldRows& rows, SvdOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return svd(*rows.rows, options);
    });
  });
  nb::class_<Factor>(m, "Factor")
      .def_ro("singular_values", &Factor::singular_values)
      .def_ro("total", &Factor::total)
      .def_ro("error", &Factor::error)
      .def_ro("passes", &Factor::passes)
      .def_ro("method", &Factor::method);
  m.def("factor_of", [](const HeldMap& map) { return factor_of(*map.map); });
}

void bind_semi_and_ranking(nb::module_& m) {
  nb::class_<SemiOptions>(m, "SemiOptions")
      .def(nb::init<>())
      .def_rw("features", &SemiOptions::features)
      .def_rw("neighbors", &SemiOptions::neighbors)
      .def_rw("graph_weights", &SemiOptions::graph_weights)
      .def_rw("learner", &SemiOptions::learner)
      .def_rw("labelled", &SemiOptions::labelled);
  nb::class_<RankingOptions> rankings(m, "RankingOptions");
  nb::enum_<RankingOptions::Weights>(rankings, "Weights")
      .value("chosen", RankingOptions::Weights::chosen)
      .value("same", RankingOptions::Weights::same)
      .value("ndcg", RankingOptions::Weights::ndcg);
  rankings.def(nb::init<>())
      .def_rw("groups", &RankingOptions::groups)
      .def_rw("weights", &RankingOptions::weights)
      .def_rw("lambdas", &RankingOptions::lambdas)
      .def_rw("features", &RankingOptions::features);
  m.def("ranking", by_features<RankingOptions>(&ranking));
  m.def("score_ranking", [](const std::vector<double>& scores, const std::vector<double>& grades,
                            const std::vector<std::uint64_t>& groups, std::size_t at) {
    const RankingScore found = score_ranking(scores, grades, groups, at);
    return std::pair(found.ndcg, found.pairs);
  });
  m.def("semi_supervised", by_features<SemiOptions>(&semi_supervised));
}

}  // namespace

void bind_methods(nb::module_& m) {
  bind_svd(m);
  bind_semi_and_ranking(m);
  nb::class_<PcaOptions>(m, "PcaOptions")
      .def(nb::init<>())
      .def_rw("rank", &PcaOptions::rank)
      .def_rw("passes", &PcaOptions::passes, nb::arg().none())
      .def_rw("features", &PcaOptions::features);
  m.def("pca", by_features<PcaOptions>(&pca));
  nb::class_<LdaOptions>(m, "LdaOptions")
      .def(nb::init<>())
      .def_rw("lambdas", &LdaOptions::lambdas)
      .def_rw("features", &LdaOptions::features);
  m.def("lda", by_features<LdaOptions>(&lda));
  nb::class_<KMeansOptions>(m, "KMeansOptions")
      .def(nb::init<>())
      .def_rw("clusters", &KMeansOptions::clusters)
      .def_rw("restarts", &KMeansOptions::restarts)
      .def_rw("most_passes", &KMeansOptions::most_passes)
      .def_rw("tolerance", &KMeansOptions::tolerance)
      .def_rw("features", &KMeansOptions::features);
  m.def("kmeans", by_features<KMeansOptions>(&kmeans));
  nb::class_<AnomalyOptions> anomalies(m, "AnomalyOptions");
  nb::enum_<AnomalyOptions::Method>(anomalies, "Method")
      .value("embedding", AnomalyOptions::Method::embedding)
      .value("bins", AnomalyOptions::Method::bins)
      .value("isolation", AnomalyOptions::Method::isolation)
      .value("mixture", AnomalyOptions::Method::mixture);
  anomalies.def(nb::init<>())
      .def_rw("method", &AnomalyOptions::method)
      .def_rw("rate", &AnomalyOptions::rate)
      .def_rw("components", &AnomalyOptions::components)
      .def_rw("features", &AnomalyOptions::features);
  m.def("anomaly", by_features<AnomalyOptions>(&anomaly));
  nb::class_<CcaOptions>(m, "CcaOptions")
      .def(nb::init<>())
      .def_rw("rank", &CcaOptions::rank)
      .def_rw("lambdas", &CcaOptions::lambdas)
      .def_rw("features", &CcaOptions::features);
  m.def("cca", by_features<CcaOptions>(&cca));
  m.def("feature_model", [](HeldRows& rows, FeatureOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return feature_model(*rows.rows, options);
    });
  });
}

}  // namespace bochner::python
