// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// What the module's parts share. They bind the public headers as they are: no logic here, words become types in Python.

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bochner/map.h"
#include "bochner/rows.h"

namespace bochner::python {

namespace nb = nanobind;

// Rows, and the Python objects whose memory they read.
struct HeldRows {
  std::unique_ptr<Rows> rows;
  nb::object memory = {};
};

struct HeldMap {
  MapPtr map;
};

void bind_rows(nb::module_& m);
void bind_frames(nb::module_& m);
void bind_options(nb::module_& m);
void bind_maps(nb::module_& m);
void bind_model(nb::module_& m);
void bind_methods(nb::module_& m);
void bind_mixtures(nb::module_& m);
void bind_neighbors(nb::module_& m);
void bind_embeddings(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_rounds(nb::module_& m);
void bind_drawn(nb::module_& m);
void bind_text(nb::module_& m);
void bind_explain(nb::module_& m);

}  // namespace bochner::python
