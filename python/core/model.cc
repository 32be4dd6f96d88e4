// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/model.h"

#include "arrays.h"
#include "bochner/figures.h"
#include "bochner/train.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

Matrix<double> probabilities_of(const Model& model, const Array2<double>& scores) {
  Matrix<double> of_classes(scores.shape(0), model.schema().labels.size());
  for (std::size_t i = 0; i < of_classes.rows(); ++i) model.probabilities(&view_of(scores)(i, 0), &of_classes(i, 0));
  return of_classes;
}

// rows x 2: lower and upper.
Matrix<double> intervals_of(const Model& model, const Array1<double>& predictions, double level, std::size_t target) {
  Matrix<double> found(predictions.shape(0), 2);
  for (std::size_t i = 0; i < found.rows(); ++i)
    std::tie(found(i, 0), found(i, 1)) = model.intervals()->around(predictions(i), level, target);
  return found;
}

// The numbers of a score that it has, by their names in JSON.
nb::dict figures(const Score& score) {
  nb::dict found;
  const auto put = [&](const char* name, const std::optional<double>& value) {
    if (value) found[name] = *value;
  };
  put("error", score.error);
  put("baseline_error", score.baseline_error);
  put("log_loss", score.log_loss);
  put("baseline_log_loss", score.baseline_log_loss);
  put("log_loss_standard_error", score.log_loss_standard_error);
  put("auc", score.auc);
  put("auc_by_chance", score.auc_by_chance);
  put("r2", score.r2);
  put("rmse", score.rmse);
  put("mae", score.mae);
  put("deviance", score.deviance);
  put("baseline_deviance", score.baseline_deviance);
  put("standard_error", score.standard_error);
  return found;
}

void bind_report(nb::module_& m) {
  nb::class_<Report>(m, "Report")
      .def_ro("rows", &Report::rows)
      .def_ro("inputs", &Report::inputs)
      .def_ro("features", &Report::features)
      .def_ro("map", &Report::map)
      .def_ro("learner", &Report::learner)
      .def_ro("solver", &Report::solver)
      .def_ro("regularization", &Report::lambda)
      .def_ro("kernel", &Report::kernel)
      .def_ro("bandwidth", &Report::bandwidth)
      .def_ro("validation", &Report::validation)
      .def_ro("notes", &Report::notes)
      .def_ro("log_marginal_likelihood", &Report::log_marginal_likelihood)
      .def_ro("seconds", &Report::seconds)
      .def_prop_ro("converged", [](const Report& r) { return r.termination != Termination::step_limit; })
      .def_prop_ro("score", [](const Report& r) { return r.score ? r.score->text() : ""; })
      .def_prop_ro("figures", [](const Report& r) { return figures(r.score.value_or(Score{})); })
      .def("__str__", &Report::text);
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_report(m);
  nb::class_<Model>(m, "Model")
      .def(nb::new_([](const Schema& schema, const HeldMap& head, bool double_precision, const std::string& kind) {
        return Model(schema, {}, head.map, {}, double_precision, Outputs{parse_outputs_name(kind)});
      }))
      .def_static("load", &Model::load, nb::call_guard<nb::gil_scoped_release>())
      .def("save", &Model::save, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("schema", [](const Model& model) { return model.schema(); })
      .def_prop_ro("report", [](const Model& model) { return model.report(); })
      .def_prop_ro("description", &Model::description)
      .def_prop_ro("double_precision", &Model::double_precision)
      .def_prop_ro("outputs", &Model::outputs)
      .def_prop_ro("target_offsets", [](const Model& model) { return model.target_offsets(); })
      .def_prop_ro("output_names", [](const Model& model) { return model.puts_out().names; })
      .def_prop_ro("output_kind", [](const Model& model) { return outputs_name(model.puts_out().kind); })
      .def_prop_ro("figures", [](const Model& model) { return figures_of(*model.head()); })
      .def_prop_ro("map", [](const Model& model) { return HeldMap{model.map()}; })
      .def_prop_ro("head", [](const Model& model) { return HeldMap{model.head()}; })
      .def_prop_ro("transform_map",
                   [](const Model& model) -> std::optional<HeldMap> {
                     return model.transform_map() ? std::optional<HeldMap>(HeldMap{model.transform_map()})
                                                  : std::nullopt;
                   })
      .def(
          "predict",
          [](const Model& model, HeldRows& rows, Execution execution, bool with_deviation) {
            return to_array(run_long([&](const CancelFunction& cancel) {
              execution.cancel = cancel;
              rows.rows->rewind();
              return with_deviation ? model.predict_with_deviation(*rows.rows, execution)
                                    : model.predict(*rows.rows, execution);
            }));
          },
          nb::arg("rows"), nb::arg("execution"), nb::arg("with_deviation") = false)
      .def_prop_ro("has_deviation", &Model::has_deviation)
      .def_prop_ro("has_background", [](const Model& model) { return model.background().has_value(); })
      .def_prop_ro("has_probabilities", &Model::has_probabilities)
      .def("probabilities",
           [](const Model& model, const Array2<double>& scores) { return to_array(probabilities_of(model, scores)); })
      .def_prop_ro("has_intervals", [](const Model& model) { return model.intervals().has_value(); })
      .def("intervals", [](const Model& model, const Array1<double>& predictions, double level, std::size_t target) {
        return to_array(intervals_of(model, predictions, level, target));
      });
  m.def("check_options", &check_options);
  m.def("train", [](HeldRows& rows, TrainOptions options) {
    return run_long([&](const CancelFunction& cancel) {
      options.execution.cancel = cancel;
      rows.rows->rewind();
      return train(*rows.rows, options);
    });
  });
}

}  // namespace bochner::python
