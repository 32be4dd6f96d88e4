// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/explain.h"

#include <algorithm>
#include <optional>

#include "arrays.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

Matrix<double> matrix_of(const Array2<double>& array) {
  Matrix<double> copy(array.shape(0), array.shape(1));
  std::copy_n(array.data(), array.size(), copy.data());
  return copy;
}

}  // namespace

void bind_explain(nb::module_& m) {
  nb::enum_<ExplainOptions::Unknown>(m, "Unknown")
      .value("auto", ExplainOptions::Unknown::automatic)
      .value("columns", ExplainOptions::Unknown::columns)
      .value("rows", ExplainOptions::Unknown::rows);
  nb::class_<ExplainOptions>(m, "ExplainOptions")
      .def(nb::init<>())
      .def_rw("unknown", &ExplainOptions::unknown)
      .def_rw("background_rows", &ExplainOptions::background_rows)
      .def_rw("evaluations", &ExplainOptions::evaluations)
      .def_rw("pairs", &ExplainOptions::pairs)
      .def_rw("seed", &ExplainOptions::seed);
  nb::class_<Explanation>(m, "Explanation")
      .def_ro("columns", &Explanation::columns)
      .def_ro("outputs", &Explanation::outputs)
      .def_ro("base", &Explanation::base)
      .def_prop_ro(
          "values", [](const Explanation& found) { return to_array(found.values); }, nb::rv_policy::move)
      .def_prop_ro(
          "scores", [](const Explanation& found) { return to_array(found.scores); }, nb::rv_policy::move)
      .def_prop_ro(
          "errors", [](const Explanation& found) { return to_array(found.errors); }, nb::rv_policy::move)
      .def_prop_ro(
          "pairs", [](const Explanation& found) { return to_array(found.pairs); }, nb::rv_policy::move);
  m.def(
      "explain",
      [](const Model& model, HeldRows& rows, HeldRows* background, const ExplainOptions& options, Execution execution) {
        return run_long([&](const CancelFunction& cancel) {
          execution.cancel = cancel;
          return background ? explain(model, *rows.rows, *background->rows, options, execution)
                            : explain(model, *rows.rows, options, execution);
        });
      },
      nb::arg("model"), nb::arg("rows"), nb::arg("background").none(), nb::arg("options"), nb::arg("execution"));
  m.def("strongest_partner",
        [](const std::vector<std::string>& columns, const Array2<double>& cells, const Array2<double>& values,
           std::size_t column) -> std::optional<std::size_t> {
          for (const Dependence& one : dependences(columns, matrix_of(cells), matrix_of(values), columns.size()))
            if (one.column == column && !one.partner.empty()) return one.partner_column;
          return std::nullopt;
        });
}

}  // namespace bochner::python
