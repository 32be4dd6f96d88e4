// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "arrays.h"
#include "bochner/schema.h"
#include "bochner/sparse_rows.h"
#include "bochner/stream.h"
#include "bochner/table_rows.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

using Targets = std::optional<Array2<double>>;
using Weights = std::optional<Array1<double>>;

MatrixView<const double> view_of(const Targets& targets) {
  return targets ? python::view_of(*targets) : MatrixView<const double>{};
}

template <class T>
HeldRows dense_rows(const AnyArray2<T>& x, const Targets& targets, const Weights& weights, const Schema& schema) {
  const TableView<T> table{x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1)};
  const double* const w = weights ? weights->data() : nullptr;
  const bool by_rows = table.column_step == 1 && table.row_step >= std::ptrdiff_t(table.cols);
  const MatrixView<const T> matrix{table.data, table.rows, table.cols, std::size_t(table.row_step)};
  return {
      by_rows ? memory_rows<T>(matrix, view_of(targets), schema, w) : table_rows<T>(table, view_of(targets), schema, w),
      nb::make_tuple(x, targets, weights)};
}

template <class T>
struct Csr {
  Array1<T> values;
  Array1<std::uint32_t> columns;
  Array1<std::uint64_t> offsets;
};

template <class T>
HeldRows sparse_rows(const Csr<T>& x, const Targets& targets, const Weights& weights, const Schema& schema) {
  RowBlock<T> all;
  all.rows = x.offsets.shape(0) - 1;
  all.cols = schema.inputs;
  all.values = x.values.data();
  all.columns = x.columns.data();
  all.offsets = x.offsets.data();
  all.targets = view_of(targets).data;
  all.target_count = view_of(targets).cols;
  all.weights = weights ? weights->data() : nullptr;
  return {memory_rows<T>(all, schema), nb::make_tuple(x.values, x.columns, x.offsets, targets, weights)};
}

template <class T>
void bind_sources(nb::module_& m) {
  using namespace nb::literals;
  m.def("dense_rows", &dense_rows<T>, "x"_a.noconvert(), "targets"_a.none(), "weights"_a.none(), "schema"_a);
  m.def(
      "sparse_rows",
      [](const Array1<T>& values, const Array1<std::uint32_t>& columns, const Array1<std::uint64_t>& offsets,
         const Targets& targets, const Weights& weights, const Schema& schema) {
        return sparse_rows<T>({values, columns, offsets}, targets, weights, schema);
      },
      "values"_a.noconvert(), "columns"_a, "offsets"_a, "targets"_a.none(), "weights"_a.none(), "schema"_a);
}

void bind_schema(nb::module_& m) {
  nb::enum_<Task>(m, "Task").value("regression", Task::regression).value("classification", Task::classification);
  nb::enum_<Missing>(m, "Missing")
      .value("mean", Missing::mean)
      .value("error", Missing::error)
      .value("drop", Missing::drop)
      .value("mark", Missing::mark);
  nb::class_<Column> column(m, "Column");
  nb::enum_<Column::Kind>(column, "Kind")
      .value("numeric", Column::Kind::numeric)
      .value("category", Column::Kind::category)
      .value("target", Column::Kind::target)
      .value("weight", Column::Kind::weight)
      .value("ignored", Column::Kind::ignored);
  column.def(nb::init<>())
      .def_rw("name", &Column::name)
      .def_rw("kind", &Column::kind)
      .def_rw("levels", &Column::levels)
      .def_rw("fill", &Column::fill)
      .def_prop_ro("dated", [](const Column& column) { return column.dates != Column::Dates::none; })
      .def_rw("marked", &Column::marked)
      .def_rw("mixed", &Column::mixed);
  nb::class_<Schema>(m, "Schema")
      .def(nb::init<>())
      .def(nb::init<const Schema&>())
      .def_rw("columns", &Schema::columns)
      .def_rw("header", &Schema::header)
      .def_rw("inputs", &Schema::inputs)
      .def_rw("sparse", &Schema::sparse)
      .def_rw("index_base", &Schema::index_base)
      .def_rw("task", &Schema::task)
      .def_rw("labels", &Schema::labels)
      .def_rw("targets", &Schema::targets)
      .def_rw("missing", &Schema::missing)
      .def("input_names", &Schema::input_names)
      .def("target_names", &Schema::target_names)
      .def("__eq__", [](const Schema& a, const Schema& b) { return a == b; });
}

// All rows as CSR, read once: values, columns, offsets, targets.
nb::tuple read_sparse(HeldRows& held) {
  SparseRows<double> all;
  std::vector<double> targets;
  run_long([&](const CancelFunction& cancel) {
    held.rows->rewind();
    each<double>(*held.rows, nullptr,
                 [&](const RowBlock<double>& block) {
                   for (std::size_t i = 0; i < block.rows; ++i) {
                     all.append(block, i);
                     all.end_row();
                   }
                   targets.insert(targets.end(), block.targets, block.targets + block.rows * block.target_count);
                 },
                 {.cancel = cancel});
  });
  const std::size_t rows = all.rows(), count = rows ? targets.size() / rows : 0;
  return nb::make_tuple(to_array(std::move(all.values)), to_array(std::move(all.columns)),
                        to_array(std::move(all.offsets)), to_array(std::move(targets), rows, count));
}

void bind_reading(nb::module_& m) {
  nb::class_<RowsOptions>(m, "RowsOptions")
      .def(nb::init<>())
      .def_rw("targets", &RowsOptions::targets)
      .def_rw("weights", &RowsOptions::weights)
      .def_rw("ignore", &RowsOptions::ignore)
      .def_rw("categories", &RowsOptions::categories)
      .def_rw("task", &RowsOptions::task, nb::arg().none())
      .def_rw("missing", &RowsOptions::missing, nb::arg().none())
      .def_rw("missing_values", &RowsOptions::missing_values)
      .def_rw("max_levels", &RowsOptions::max_levels)
      .def_rw("threads", &RowsOptions::threads)
      .def_rw("memory", &RowsOptions::memory)
      .def_rw("index_base", &RowsOptions::index_base, nb::arg().none())
      .def_rw("header", &RowsOptions::header, nb::arg().none())
      .def_rw("target_required", &RowsOptions::target_required)
      .def_rw("inputs_only", &RowsOptions::inputs_only);
  m.def("open_rows", [](const std::string& path, const RowsOptions& options) {
    return HeldRows{run_long([&](const CancelFunction&) { return open_rows(path, options); })};
  });
  m.def("open_rows", [](const std::string& path, const Schema& schema, const RowsOptions& options) {
    return HeldRows{run_long([&](const CancelFunction&) { return open_rows(path, schema, options); })};
  });
}

}  // namespace

void bind_rows(nb::module_& m) {
  bind_schema(m);
  nb::class_<HeldRows>(m, "Rows")
      .def_prop_ro("schema", [](const HeldRows& held) { return held.rows->schema(); })
      .def_prop_ro("size", [](const HeldRows& held) { return held.rows->size(); })
      .def_prop_ro("notes", [](const HeldRows& held) { return held.rows->notes(); });
  bind_sources<float>(m);
  bind_sources<double>(m);
  bind_reading(m);
  m.def("read_sparse", &read_sparse);
}

}  // namespace bochner::python
