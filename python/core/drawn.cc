// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/drawn.h"

#include "arrays.h"
#include "core.h"

namespace bochner::python {

void bind_drawn(nb::module_& m) {
  nb::class_<DrawnFrequencies>(m, "DrawnFrequencies")
      .def("omega", [](const DrawnFrequencies& drawn) { return to_array(drawn.omega); })
      .def_ro("phase", &DrawnFrequencies::phase)
      .def_ro("scale", &DrawnFrequencies::scale);
  m.def("drawn_frequencies", &drawn_frequencies, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<DrawnGrids>(m, "DrawnGrids")
      .def("shift", [](const DrawnGrids& drawn) { return to_array(drawn.shift); })
      .def("per_pitch", [](const DrawnGrids& drawn) { return to_array(drawn.per_pitch); })
      .def("low", [](const DrawnGrids& drawn) { return to_array(drawn.low); })
      .def("high", [](const DrawnGrids& drawn) { return to_array(drawn.high); });
  m.def("drawn_grids", [](std::size_t inputs, const BinningOptions& options, const std::vector<std::uint64_t>& draws,
                          bool double_precision) { return drawn_grids(inputs, options, draws, double_precision); });
}

}  // namespace bochner::python
