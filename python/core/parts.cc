// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/parts.h"

#include "bochner/atomic_file.h"
#include "bochner/online.h"
#include "bochner/svd.h"
#include "bochner/watch.h"
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

// A watch with what it watches, if Python does not hold that, and its looks.
class HeldWatch {
 public:
  HeldWatch(OnlineModel& model, WatchOptions options)
      : history_(options.level), loss_(WatchHistory::loss_name(model.model())), watch_(model, std::move(options)) {}
  HeldWatch(const Model& model, WatchOptions options)
      : own_(std::make_unique<Model>(model)),
        history_(options.level),
        loss_(WatchHistory::loss_name(model)),
        watch_(*own_, std::move(options)) {}

  Watched see(HeldRows& rows, const std::vector<double>& times) {
    const Watched seen = run_long([&](const CancelFunction&) {
      rows.rows->rewind();
      return watch_.see(*rows.rows, times);
    });
    history_.add(seen);
    return seen;
  }
  void settle() {
    run_long([&](const CancelFunction&) { return watch_.settle(), true; });
  }
  Model model() const { return *own_; }
  void save_page(const std::string& path, const std::string& title) const {
    AtomicFile file(path);
    file.write(history_.page(title, loss_));
    file.commit();
  }

 private:
  std::unique_ptr<Model> own_;
  WatchHistory history_;
  std::string loss_;
  Watch watch_;
};

void bind_watch(nb::module_& m) {
  nb::class_<WatchOptions> options(m, "WatchOptions");
  nb::enum_<WatchOptions::OnAlarm>(m, "OnAlarm")
      .value("keep", WatchOptions::OnAlarm::keep)
      .value("forget", WatchOptions::OnAlarm::forget)
      .value("rechoose", WatchOptions::OnAlarm::rechoose);
  nb::class_<Extent>(m, "Extent").def("__init__", [](Extent* made, std::uint64_t rows, double days) {
    new (made) Extent(rows, days);
  });
  options.def(nb::init<>())
      .def_rw("window", &WatchOptions::window)
      .def_rw("half_life", &WatchOptions::half_life)
      .def_rw("solve_every", &WatchOptions::solve_every, nb::arg().none())
      .def_rw("on_alarm", &WatchOptions::on_alarm)
      .def_rw("retrain", &WatchOptions::retrain, nb::arg().none())
      .def_rw("level", &WatchOptions::level)
      .def_rw("seed", &WatchOptions::seed)
      .def_rw("execution", &WatchOptions::execution);
  nb::enum_<Watched::Change>(m, "WatchChange")
      .value("none", Watched::Change::none)
      .value("solved", Watched::Change::solved)
      .value("trained", Watched::Change::trained);
  nb::class_<Watched>(m, "Watched")
      .def_ro("rows", &Watched::rows)
      .def_ro("kept", &Watched::kept)
      .def_ro("loss", &Watched::loss)
      .def_ro("mean_loss", &Watched::mean_loss)
      .def_ro("evidence", &Watched::evidence)
      .def_ro("alarm", &Watched::alarm)
      .def_ro("change", &Watched::change);
  nb::class_<HeldWatch>(m, "Watch")
      .def(nb::init<OnlineModel&, WatchOptions>(), nb::keep_alive<1, 2>())
      .def(nb::init<const Model&, WatchOptions>())
      .def("see", &HeldWatch::see)
      .def("settle", &HeldWatch::settle)
      .def_prop_ro("model", &HeldWatch::model)
      .def("save_page", &HeldWatch::save_page);
}

}  // namespace

void bind_parts(nb::module_& m) {
  bind_factor_sums(m);
  bind_online(m);
  bind_watch(m);
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
