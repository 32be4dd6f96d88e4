// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/neighbors.h"

#include "arrays.h"
#include "bochner/duplicates.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

// Numbers of rows and distances, queries x k each.
nb::tuple arrays_of(Neighbors found) {
  const std::size_t queries = found.queries(), k = found.k;
  return nb::make_tuple(to_array(std::move(found.rows), queries, k), to_array(std::move(found.distances), queries, k));
}

void bind_index(nb::module_& m) {
  nb::class_<NeighborIndex>(m, "NeighborIndex")
      .def(nb::new_([](HeldRows& rows, IndexOptions options) {
        return run_long([&](const CancelFunction& cancel) {
          options.execution.cancel = cancel;
          rows.rows->rewind();
          return NeighborIndex(*rows.rows, options);
        });
      }))
      .def_static("load", &NeighborIndex::load, nb::call_guard<nb::gil_scoped_release>())
      .def("save", nb::overload_cast<const std::string&>(&NeighborIndex::save, nb::const_),
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("size", &NeighborIndex::size)
      .def_prop_ro("schema", [](const NeighborIndex& index) { return index.schema(); })
      .def_prop_ro("method", [](const NeighborIndex& index) { return index.report().method; })
      .def_prop_ro("recall", [](const NeighborIndex& index) { return index.report().recall; })
      .def("query", [](const NeighborIndex& index, HeldRows& rows, std::size_t k, Execution execution) {
        return arrays_of(run_long([&](const CancelFunction& cancel) {
          execution.cancel = cancel;
          rows.rows->rewind();
          return index.query(*rows.rows, k, execution);
        }));
      });
}

void bind_duplicates(nb::module_& m) {
  nb::class_<DuplicateOptions>(m, "DuplicateOptions")
      .def(nb::init<>())
      .def_rw("metric", &DuplicateOptions::metric, nb::arg().none())
      .def_rw("threshold", &DuplicateOptions::threshold, nb::arg().none())
      .def_rw("pairs", &DuplicateOptions::pairs)
      .def_rw("execution", &DuplicateOptions::execution);
  m.def("find_duplicates", [](HeldRows& rows, DuplicateOptions options) {
    const std::vector<Duplicate> found = run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return find_duplicates(*rows.rows, options);
    });
    std::vector<std::uint64_t> pairs;
    std::vector<double> similarities;
    for (const Duplicate& pair : found) {
      pairs.insert(pairs.end(), {pair.row, pair.of});
      similarities.push_back(pair.similarity);
    }
    return nb::make_tuple(to_array(std::move(pairs), found.size(), 2), to_array(std::move(similarities)));
  });
}

}  // namespace

void bind_neighbors(nb::module_& m) {
  nb::enum_<Metric>(m, "Metric")
      .value("euclidean", Metric::euclidean)
      .value("cosine", Metric::cosine)
      .value("inner", Metric::inner)
      .value("hamming", Metric::hamming)
      .value("jaccard", Metric::jaccard);
  nb::class_<IndexOptions> options(m, "IndexOptions");
  nb::enum_<IndexOptions::Method>(options, "Method")
      .value("auto", IndexOptions::Method::automatic)
      .value("exact", IndexOptions::Method::exact)
      .value("project", IndexOptions::Method::project)
      .value("lsh", IndexOptions::Method::lsh)
      .value("forest", IndexOptions::Method::forest);
  options.def(nb::init<>())
      .def_rw("metric", &IndexOptions::metric)
      .def_rw("method", &IndexOptions::method)
      .def_rw("recall", &IndexOptions::recall)
      .def_rw("k", &IndexOptions::k)
      .def_rw("spill", &IndexOptions::spill)
      .def_rw("seed", &IndexOptions::seed)
      .def_rw("execution", &IndexOptions::execution);
  bind_index(m);
  bind_duplicates(m);
  m.def("neighbor_graph", [](HeldRows& rows, std::size_t k, IndexOptions options) {
    return arrays_of(run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return neighbor_graph(*rows.rows, k, options);
    }));
  });
}

}  // namespace bochner::python
