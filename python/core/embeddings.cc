// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "arrays.h"
#include "bochner/drift.h"
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
      .def_ro("mean_new", &Drift::ColumnChange::mean_new);
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

}  // namespace

void bind_embeddings(nb::module_& m) {
  bind_drift(m);
  bind_reduce(m);
}

}  // namespace bochner::python
