// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/device.h"
#include "bochner/feature_options.h"
#include "bochner/learner.h"
#include "bochner/split.h"
#include "bochner/train.h"
#include "core.h"

namespace bochner::python {

namespace {

// What is said in words, as by the flags of the command.
template <class Options>
void bind_words(nb::class_<Options>& options) {
  options.def_prop_rw(
      "map", [](const Options& o) { return map_words(o.map); },
      [](Options& o, const std::string& words) { o.map = parse_map_options(words); });
  options.def_prop_rw(
      "kernel", [](const Options& o) { return kernel_name(o.kernel); },
      [](Options& o, const std::string& words) { o.kernel = parse_kernel(words); });
  options.def_prop_rw(
      "bandwidth", [](const Options& o) { return bandwidth_words(o.bandwidth); },
      [](Options& o, const std::string& words) { o.bandwidth = parse_bandwidth(words); });
  options.def_rw("features", &Options::features)
      .def_rw("scale", &Options::scale, nb::arg().none())
      .def_rw("scale_inputs", &Options::scale_inputs)
      .def_rw("double_precision", &Options::double_precision)
      .def_rw("seed", &Options::seed)
      .def_rw("execution", &Options::execution)
      .def_rw("say", &Options::say, nb::arg().none());
}

void bind_enums(nb::module_& m) {
  using Scaling = ColumnScaling::Method;
  nb::enum_<Effort>(m, "Effort")
      .value("fast", Effort::fast)
      .value("normal", Effort::normal)
      .value("best", Effort::best);
  nb::enum_<Scaling>(m, "Scaling")
      .value("none", Scaling::none)
      .value("standardize", Scaling::standardize)
      .value("minmax", Scaling::minmax)
      .value("log", Scaling::log)
      .value("quantile", Scaling::quantile)
      .value("whiten", Scaling::whiten);
  nb::enum_<Learner>(m, "Learner")
      .value("ridge", Learner::ridge)
      .value("svm", Learner::svm)
      .value("hard_svm", Learner::hard_svm)
      .value("logistic", Learner::logistic)
      .value("huber", Learner::huber)
      .value("svr", Learner::svr)
      .value("quantile", Learner::quantile)
      .value("knn", Learner::knn)
      .value("poisson", Learner::poisson)
      .value("gamma", Learner::gamma)
      .value("tweedie", Learner::tweedie);
  nb::enum_<MarginLoss>(m, "MarginLoss").value("linear", MarginLoss::linear).value("squared", MarginLoss::squared);
  nb::enum_<RidgeOptions::Solver>(m, "Solver")
      .value("auto", RidgeOptions::Solver::automatic)
      .value("cholesky", RidgeOptions::Solver::cholesky)
      .value("cg", RidgeOptions::Solver::cg)
      .value("dual", RidgeOptions::Solver::dual);
}

void bind_learners(nb::module_& m) {
  nb::class_<RidgeOptions>(m, "RidgeOptions")
      .def(nb::init<>())
      .def_rw("lambdas", &RidgeOptions::lambdas)
      .def_rw("solver", &RidgeOptions::solver)
      .def_rw("tolerance", &RidgeOptions::tolerance)
      .def_rw("most_steps", &RidgeOptions::most_steps)
      .def_rw("intercept", &RidgeOptions::intercept)
      .def_rw("deviation", &RidgeOptions::deviation)
      .def_rw("seed", &RidgeOptions::seed);
  nb::class_<LearnerOptions> learner(m, "LearnerOptions");
  nb::enum_<LearnerOptions::Weighting>(learner, "Weighting")
      .value("auto", LearnerOptions::Weighting::chosen)
      .value("uniform", LearnerOptions::Weighting::equal)
      .value("kernel", LearnerOptions::Weighting::kernel);
  learner.def(nb::init<>())
      .def_rw("learner", &LearnerOptions::learner)
      .def_rw("loss", &LearnerOptions::loss)
      .def_rw("C", &LearnerOptions::C)
      .def_rw("lambdas", &LearnerOptions::lambdas)
      .def_rw("parameter", &LearnerOptions::parameter, nb::arg().none())
      .def_rw("levels", &LearnerOptions::levels)
      .def_rw("intercept", &LearnerOptions::intercept)
      .def_rw("tolerance", &LearnerOptions::tolerance, nb::arg().none())
      .def_rw("most_steps", &LearnerOptions::most_steps)
      .def_rw("neighbors", &LearnerOptions::neighbors)
      .def_rw("weighting", &LearnerOptions::weighting)
      .def_rw("seed", &LearnerOptions::seed);
}

}  // namespace

void bind_options(nb::module_& m) {
  bind_enums(m);
  nb::class_<Execution>(m, "Execution")
      .def("__init__", [](Execution* made) { new (made) Execution{.device = default_device()}; })
      .def_rw("threads", &Execution::threads)
      .def_rw("memory", &Execution::memory)
      .def_rw("progress", &Execution::progress, nb::arg().none())
      .def_rw("device", &Execution::device);
  bind_learners(m);
  nb::class_<Optimize>(m, "Optimize").def(nb::init<>()).def_rw("level", &Optimize::level);
  m.def("parse_optimize", &parse_optimize, nb::arg("words"));
  nb::class_<TrainOptions> train(m, "TrainOptions");
  train.def(nb::init<>())
      .def_rw("automatic", &TrainOptions::automatic, nb::arg().none())
      .def_rw("budget", &TrainOptions::budget)
      .def_rw("optimize", &TrainOptions::optimize)
      .def_rw("ridge", &TrainOptions::ridge)
      .def_rw("learner", &TrainOptions::learner)
      .def_rw("class_weights", &TrainOptions::class_weights)
      .def_rw("balanced", &TrainOptions::balanced)
      .def_rw("groups", &TrainOptions::groups)
      .def_rw("times", &TrainOptions::times)
      .def_rw("calibrate", &TrainOptions::calibrate)
      .def_rw("keep_background", &TrainOptions::keep_background);
  bind_words(train);
  nb::class_<FeatureOptions> features(m, "FeatureOptions");
  features.def(nb::init<>());
  bind_words(features);
  m.def("row_groups", &row_groups, nb::arg("path"), nb::arg("schema"), nb::arg("column"),
        nb::arg("reading") = RowsOptions{});
  m.def("row_times", &row_times, nb::arg("path"), nb::arg("schema"), nb::arg("column"),
        nb::arg("reading") = RowsOptions{});
}

}  // namespace bochner::python
