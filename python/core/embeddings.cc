// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "arrays.h"
#include "bochner/drift.h"
#include "bochner/embedding.h"
#include "bochner/independence.h"
#include "bochner/reduce.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

void bind_drift(nb::module_& m) {
  nb::class_<DriftOptions>(m, "DriftOptions")
      .def(nb::init<>())
      .def_rw("kernel", &DriftOptions::kernel)
      .def_rw("bandwidths", &DriftOptions::bandwidths)
      .def_rw("features", &DriftOptions::features)
      .def_rw("permutations", &DriftOptions::permutations)
      .def_rw("seed", &DriftOptions::seed)
      .def_rw("execution", &DriftOptions::execution);
  nb::class_<Drift::ColumnChange>(m, "ColumnChange")
      .def_ro("name", &Drift::ColumnChange::name)
      .def_ro("text", &Drift::ColumnChange::text)
      .def_ro("p_value", &Drift::ColumnChange::p_value)
      .def_ro("statistic", &Drift::ColumnChange::statistic)
      .def_ro("distance", &Drift::ColumnChange::distance)
      .def_ro("mean_reference", &Drift::ColumnChange::mean_reference)
      .def_ro("mean_new", &Drift::ColumnChange::mean_new)
      .def_ro("missing_reference", &Drift::ColumnChange::missing_reference)
      .def_ro("missing_new", &Drift::ColumnChange::missing_new);
  nb::class_<Drift>(m, "Drift")
      .def_ro("p_value", &Drift::p_value)
      .def_ro("statistic", &Drift::statistic)
      .def_ro("columns", &Drift::columns)
      .def_ro("missing_in_new", &Drift::missing_in_new)
      .def_ro("missing_in_reference", &Drift::missing_in_reference)
      .def_ro("rows_reference", &Drift::rows_reference)
      .def_ro("rows_new", &Drift::rows_new)
      .def_ro("notes", &Drift::notes);
  m.def("drift", [](const std::string& reference, const std::string& fresh, DriftOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      return drift(reference, fresh, options);
    });
  });
}

void bind_reduce(nb::module_& m) {
  nb::class_<ReduceOptions> options(m, "ReduceOptions");
  nb::enum_<ReduceOptions::Method>(options, "Method")
      .value("joint", ReduceOptions::Method::joint)
      .value("rsrf", ReduceOptions::Method::rsrf)
      .value("fixed_point", ReduceOptions::Method::fixed_point)
      .value("herding", ReduceOptions::Method::herding)
      .value("thinning", ReduceOptions::Method::thinning)
      .value("kmeans", ReduceOptions::Method::kmeans);
  options.def(nb::init<>())
      .def_rw("points", &ReduceOptions::points)
      .def_rw("method", &ReduceOptions::method)
      .def_rw("seed", &ReduceOptions::seed)
      .def_rw("execution", &ReduceOptions::execution);
  nb::class_<ReduceRowsOptions>(m, "ReduceRowsOptions")
      .def(nb::init<>())
      .def_rw("reduce", &ReduceRowsOptions::reduce)
      .def_rw("kernel", &ReduceRowsOptions::kernel)
      .def_prop_rw(
          "bandwidth", [](const ReduceRowsOptions& o) { return bandwidth_words(o.bandwidth); },
          [](ReduceRowsOptions& o, const std::string& words) { o.bandwidth = parse_bandwidth(words); });
  nb::class_<ReducedSet>(m, "ReducedSet")
      .def("points", [](const ReducedSet& set) { return to_array(set.points); })
      .def("weights", [](const ReducedSet& set) { return to_array(set.weights); })
      .def_ro("rkhs_distance", &ReducedSet::rkhs_distance)
      .def_ro("norm", &ReducedSet::norm)
      .def_ro("kernel", &ReducedSet::kernel);
  m.def("reduce", [](HeldRows& rows, ReduceRowsOptions reducing) {
    return run_long([&](const CancelFunction& cancel) {
      reducing.reduce.execution.cancel = cancel;
      rows.rows->rewind();
      return reduce(*rows.rows, reducing);
    });
  });
}

void bind_independence(nb::module_& m) {
  nb::class_<IndependenceOptions>(m, "IndependenceOptions")
      .def(nb::init<>())
      .def_rw("kernel", &IndependenceOptions::kernel)
      .def_rw("bandwidths", &IndependenceOptions::bandwidths)
      .def_rw("features", &IndependenceOptions::features)
      .def_rw("permutations", &IndependenceOptions::permutations)
      .def_rw("seed", &IndependenceOptions::seed)
      .def_rw("execution", &IndependenceOptions::execution);
  nb::class_<Independence::Column>(m, "ColumnDependence")
      .def_ro("name", &Independence::Column::name)
      .def_ro("p_value", &Independence::Column::p_value)
      .def_ro("p_value_alone", &Independence::Column::p_value_alone)
      .def_ro("statistic", &Independence::Column::statistic);
  nb::class_<Independence>(m, "Independence")
      .def_ro("p_value", &Independence::p_value)
      .def_ro("statistic", &Independence::statistic)
      .def_ro("exact", &Independence::exact)
      .def_ro("columns", &Independence::columns)
      .def_ro("rows", &Independence::rows)
      .def_ro("permutations", &Independence::permutations)
      .def_ro("notes", &Independence::notes);
  m.def("independence", [](HeldRows& rows, IndependenceOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return independence(*rows.rows, options);
    });
  });
}

void bind_mean_embedding(nb::module_& m) {
  nb::class_<MeanEmbedding>(m, "MeanEmbedding")
      .def(nb::new_([](const HeldMap& map, double largest_weight) { return MeanEmbedding(map.map, largest_weight); }))
      .def_static("load", &MeanEmbedding::load, nb::call_guard<nb::gil_scoped_release>())
      .def("save", &MeanEmbedding::save, nb::call_guard<nb::gil_scoped_release>())
      .def("add",
           [](MeanEmbedding& mean, HeldRows& rows, Execution execution) {
             run_long([&](const CancelFunction& cancel) {
               execution.cancel = cancel;
               rows.rows->rewind();
               mean.add(*rows.rows, execution);
               return 0;
             });
           })
      .def("merge", &MeanEmbedding::merge, nb::call_guard<nb::gil_scoped_release>())
      .def("subtract", &MeanEmbedding::subtract, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("rows", &MeanEmbedding::rows)
      .def_prop_ro("weight", &MeanEmbedding::weight)
      .def("mean", [](const MeanEmbedding& mean) { return to_array(mean.mean()); })
      .def("at", [](const MeanEmbedding& mean, const Array2<double>& points) {
        return to_array(run_long([&](const CancelFunction&) { return mean.at(view_of(points)); }));
      });
  m.def("squared_mmd", [](const MeanEmbedding& a, const MeanEmbedding& b) {
    const SquaredMmd found = squared_mmd(a, b);
    return std::pair(found.biased, found.unbiased);
  });
}

}  // namespace

void bind_embeddings(nb::module_& m) {
  bind_independence(m);
  bind_mean_embedding(m);
  bind_drift(m);
  bind_reduce(m);
}

}  // namespace bochner::python
