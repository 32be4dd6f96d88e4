// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/parts.h"

#include "bochner/online.h"
#include "bochner/svd.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

void bind_factor_sums(nb::module_& m) {
  nb::class_<FactorSum>(m, "FactorSum")
      .def_static("load", &FactorSum::load, nb::call_guard<nb::gil_scoped_release>())
      .def("save", &FactorSum::save, nb::call_guard<nb::gil_scoped_release>())
      .def("merge", &FactorSum::merge, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("is_moments", [](const FactorSum& sum) { return sum.kind() == FactorSum::Kind::moments; })
      .def_prop_ro("rows", &FactorSum::rows)
      .def_prop_ro("parts", &FactorSum::parts)
      .def_prop_ro("schema", &FactorSum::schema)
      .def_prop_ro("description", &FactorSum::description);
  m.def("moments_part", [](HeldRows& rows, const PartName& part, Execution execution) {
    return run_long([&](const CancelFunction& cancel) {
      execution.cancel = cancel;
      rows.rows->rewind();
      return moments_part(*rows.rows, part, execution);
    });
  });
  m.def("sketch_part", [](HeldRows& rows, const FactorSum& moments, const PartName& part, SvdOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return sketch_part(*rows.rows, moments, part, options);
    });
  });
  m.def("solve_factor", [](const FactorSum& sum, Execution execution) {
    return run_long([&](const CancelFunction& cancel) {
      execution.cancel = cancel;
      return svd(sum, execution);
    });
  });
}

// update() or forget(): the receipt.
auto changing(Receipt (*change)(OnlineModel&, Rows&, const Execution&, KeptCells*)) {
  return [change](OnlineModel& model, HeldRows& rows, Execution execution) {
    return run_long([&](const CancelFunction& cancel) {
      execution.cancel = cancel;
      rows.rows->rewind();
      return change(model, *rows.rows, execution, nullptr).json();
    });
  };
}

void bind_online(nb::module_& m) {
  nb::class_<OnlineModel>(m, "OnlineModel")
      .def_static("load", &OnlineModel::load, nb::call_guard<nb::gil_scoped_release>())
      .def_static("is_file", &OnlineModel::is_file)
      .def("save", &OnlineModel::save, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("model", [](const OnlineModel& model) { return model.model(); })
      .def_prop_ro("rows", &OnlineModel::rows)
      .def_prop_ro("digest", &OnlineModel::digest)
      .def_prop_ro("description", &OnlineModel::description);
  m.def("train_online", [](HeldRows& rows, TrainOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return train_online(*rows.rows, options);
    });
  });
  m.def("train_as", [](const OnlineModel& choices, HeldRows& rows, Execution execution) {
    return run_long([&](const CancelFunction& cancel) {
      execution.cancel = cancel;
      rows.rows->rewind();
      return train_as(choices, *rows.rows, execution);
    });
  });
  m.def("update", changing(update));
  m.def("forget", changing(forget));
}

}  // namespace

void bind_parts(nb::module_& m) {
  bind_factor_sums(m);
  bind_online(m);
  nb::class_<PartName>(m, "PartName")
      .def("__init__", [](PartName* place, const std::string& name, std::uint64_t number) {
        new (place) PartName{name, number};
      });
  nb::class_<Sum>(m, "Sum")
      .def_static("load", &Sum::load, nb::call_guard<nb::gil_scoped_release>())
      .def("save", &Sum::save, nb::call_guard<nb::gil_scoped_release>())
      .def("merge", &Sum::merge, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("is_survey", [](const Sum& sum) { return sum.kind() == Sum::Kind::survey; })
      .def_prop_ro("rows", &Sum::rows)
      .def_prop_ro("parts", &Sum::parts)
      .def_prop_ro("schema", &Sum::schema)
      .def_prop_ro("description", &Sum::description);
  m.def("survey_part", [](HeldRows& rows, const PartName& part, std::uint64_t seed, Execution execution) {
    return run_long([&](const CancelFunction& cancel) {
      execution.cancel = cancel;
      rows.rows->rewind();
      return survey_part(*rows.rows, part, seed, execution);
    });
  });
  m.def("sum_part", [](HeldRows& rows, const Sum& spec, const PartName& part, TrainOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return sum_part(*rows.rows, spec, part, options);
    });
  });
  m.def("sum_part", [](HeldRows& rows, const Model& spec, const PartName& part, TrainOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return sum_part(*rows.rows, spec, part, options);
    });
  });
  m.def("solve", [](const Sum& sum, const std::vector<double>& lambdas, Execution execution) {
    return run_long([&](const CancelFunction& cancel) {
      execution.cancel = cancel;
      return solve(sum, lambdas, execution);
    });
  });
}

}  // namespace bochner::python
