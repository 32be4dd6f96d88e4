// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "arrays.h"
#include "bochner/bandwidth.h"
#include "bochner/bounds.h"
#include "bochner/map_kind.h"
#include "bochner/nystroem.h"
#include "bochner/project.h"
#include "bochner/sparse_features.h"
#include "bochner/transform.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

Execution with_cancel(Execution execution, const CancelFunction& cancel) {
  execution.cancel = cancel;
  return execution;
}

// numpy makes the array where it can: it asks for huge pages, which cost a fraction of the time of first use.
template <class T>
nb::object transform_rows(const HeldMap& map, HeldRows& rows, const Execution& execution) {
  rows.rows->rewind();
  if (!rows.rows->size())
    return nb::cast(to_array(run_long([&](const CancelFunction& cancel) {
      return transform<T>(map.map, *rows.rows, with_cancel(execution, cancel));
    })));
  const std::size_t count = *rows.rows->size(), outputs = map.map->outputs();
  nb::object array = nb::module_::import_("numpy").attr("empty")(nb::make_tuple(count, outputs),
                                                                 sizeof(T) == 4 ? "float32" : "float64");
  const auto memory = nb::cast<nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>>(array);
  run_long([&](const CancelFunction& cancel) {
    transform_into<T>({memory.data(), count, outputs, outputs}, map.map, *rows.rows, with_cancel(execution, cancel));
  });
  return array;
}

// CSR: values, columns, offsets.
template <class T>
nb::tuple transform_to_csr(const HeldMap& map, HeldRows& rows, const Execution& execution) {
  SparseRows<T> z = run_long([&](const CancelFunction& cancel) {
    rows.rows->rewind();
    return transform_sparse<T>(map.map, *rows.rows, with_cancel(execution, cancel));
  });
  return nb::make_tuple(to_array(std::move(z.values)), to_array(std::move(z.columns)), to_array(std::move(z.offsets)));
}

template <class T>
HeldMap make_binning(HeldRows& rows, const BinningOptions& options, const Execution& execution) {
  return {run_long([&](const CancelFunction& cancel) {
    rows.rows->rewind();
    return binning<T>(*rows.rows, options, with_cancel(execution, cancel));
  })};
}

void bind_map_class(nb::module_& m) {
  nb::class_<HeldMap>(m, "Map")
      .def_prop_ro("inputs", [](const HeldMap& held) { return held.map->inputs(); })
      .def_prop_ro("outputs", [](const HeldMap& held) { return held.map->outputs(); })
      .def_prop_ro("nonzeros", [](const HeldMap& held) { return held.map->nonzeros(); })
      .def_prop_ro("spec", [](const HeldMap& held) { return held.map->spec(); })
      .def("inverse",
           [](const HeldMap& held) -> std::optional<HeldMap> {
             MapPtr back = held.map->inverse(held.map);
             return back ? std::optional<HeldMap>(HeldMap{std::move(back)}) : std::nullopt;
           })
      .def("transform_float", &transform_rows<float>)
      .def("transform_double", &transform_rows<double>)
      .def("transform_csr_float", &transform_to_csr<float>)
      .def("transform_csr_double", &transform_to_csr<double>);
}

// A map of one kind by its words, such as "chi2:steps=2".
HeldMap map_of_words(const std::string& words, std::size_t inputs, std::size_t features, std::uint64_t seed) {
  const MapOptions options = parse_map_options(words);
  MapRequest request;
  request.options = options.parts.at(0).map;
  request.inputs = inputs;
  request.features = features;
  request.seed = seed;
  return {kind_of(request.options).make(request)};
}

void bind_fourier(nb::module_& m) {
  m.def("map_of_words", &map_of_words);
  nb::class_<FourierOptions> options(m, "FourierOptions");
  nb::enum_<FourierOptions::Form>(options, "Form")
      .value("cossin", FourierOptions::Form::cossin)
      .value("shifted", FourierOptions::Form::shifted);
  nb::enum_<FourierOptions::Draw>(options, "Draw")
      .value("independent", FourierOptions::Draw::independent)
      .value("orthogonal", FourierOptions::Draw::orthogonal)
      .value("structured", FourierOptions::Draw::structured)
      .value("quasi", FourierOptions::Draw::quasi);
  options.def(nb::init<>())
      .def_rw("kernel", &FourierOptions::kernel)
      .def_rw("features", &FourierOptions::features)
      .def_rw("form", &FourierOptions::form)
      .def_rw("seed", &FourierOptions::seed)
      .def_rw("draw", &FourierOptions::draw);
  m.def("fourier", [](std::size_t inputs, const FourierOptions& o) { return HeldMap{fourier(inputs, o)}; });
}

void bind_nystroem(nb::module_& m) {
  nb::class_<NystroemOptions> options(m, "NystroemOptions");
  nb::enum_<NystroemOptions::Choice>(options, "Choice")
      .value("uniform", NystroemOptions::Choice::uniform)
      .value("leverage", NystroemOptions::Choice::leverage)
      .value("rpcholesky", NystroemOptions::Choice::rpcholesky);
  options.def(nb::init<>())
      .def_rw("kernel", &NystroemOptions::kernel)
      .def_rw("landmarks", &NystroemOptions::landmarks)
      .def_rw("choice", &NystroemOptions::choice)
      .def_rw("tolerance", &NystroemOptions::tolerance)
      .def_rw("seed", &NystroemOptions::seed);
  m.def("nystroem", [](const Array2<double>& sample, const NystroemOptions& o, const Execution& execution) {
    return HeldMap{run_long(
        [&](const CancelFunction& cancel) { return nystroem(view_of(sample), o, with_cancel(execution, cancel)); })};
  });
}

void bind_binning(nb::module_& m) {
  nb::class_<BinningOptions>(m, "BinningOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "law", [](const BinningOptions& o) { return pitch_law_name(o.law); },
          [](BinningOptions& o, const std::string& name) { o.law = parse_pitch_law(name); })
      .def_rw("length_scales", &BinningOptions::length_scales)
      .def_prop_rw(
          "law_range", [](const BinningOptions& o) { return std::pair(o.law.low, o.law.high); },
          [](BinningOptions& o, const std::pair<double, double>& range) { std::tie(o.law.low, o.law.high) = range; })
      .def("set_law_table",
           [](BinningOptions& o, std::vector<double> pitches, std::vector<double> cumulative) {
             o.law.family = PitchLaw::Family::table;
             o.law.pitches = std::move(pitches);
             o.law.cumulative = std::move(cumulative);
           })
      .def_rw("groups", &BinningOptions::groups)
      .def_rw("grids", &BinningOptions::grids)
      .def_rw("seed", &BinningOptions::seed)
      .def_rw("order_low", &BinningOptions::order_low)
      .def_rw("order_high", &BinningOptions::order_high)
      .def_rw("min_rows", &BinningOptions::min_rows)
      .def_rw("max_bins", &BinningOptions::max_bins);
  m.def("binning_float", &make_binning<float>);
  m.def("binning_double", &make_binning<double>);
}

void bind_project(nb::module_& m) {
  nb::class_<ProjectOptions> options(m, "ProjectOptions");
  nb::enum_<ProjectOptions::Kind>(options, "Kind")
      .value("gaussian", ProjectOptions::Kind::gaussian)
      .value("sign", ProjectOptions::Kind::sign)
      .value("sparse", ProjectOptions::Kind::sparse)
      .value("verysparse", ProjectOptions::Kind::verysparse)
      .value("fastjl", ProjectOptions::Kind::fastjl)
      .value("srht", ProjectOptions::Kind::srht)
      .value("hash", ProjectOptions::Kind::hash);
  options.def(nb::init<>())
      .def_rw("kind", &ProjectOptions::kind)
      .def_rw("dims", &ProjectOptions::dims)
      .def_rw("seed", &ProjectOptions::seed)
      .def_rw("density", &ProjectOptions::density)
      .def_rw("signs", &ProjectOptions::signs)
      .def_rw("points", &ProjectOptions::points);
  m.def("project", [](std::size_t inputs, const ProjectOptions& o) { return HeldMap{project(inputs, o)}; });
}

}  // namespace

void bind_maps(nb::module_& m) {
  nb::class_<Kernel>(m, "Kernel")
      .def("__init__", [](Kernel* place, const std::string& words) { new (place) Kernel(parse_kernel(words)); })
      .def_rw("length_scales", &Kernel::length_scales)
      .def_rw("parameters", &Kernel::parameters)
      .def_prop_ro("name", [](const Kernel& kernel) { return kernel_name(kernel); });
  m.def("median_bandwidth", [](const Kernel& k, const Array2<double>& x) { return median_bandwidth(k, view_of(x)); });
  m.def("scale_bandwidth", [](const Kernel& k, const Array2<double>& x) { return scale_bandwidth(k, view_of(x)); });
  m.def("kernel_matrix", [](const Kernel& kernel, const Array2<double>& x) {
    Matrix<double> k(x.shape(0), x.shape(0));
    const MatrixView<const double> rows = view_of(x);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t j = 0; j < rows.rows; ++j)
        k(i, j) = kernel_value(kernel, {rows.row(i), rows.cols}, {rows.row(j), rows.cols});
    return to_array(std::move(k));
  });
  m.def("fourier_epsilon_pointwise", &fourier_epsilon_pointwise);
  bind_map_class(m);
  bind_fourier(m);
  bind_nystroem(m);
  bind_binning(m);
  bind_project(m);
}

}  // namespace bochner::python
