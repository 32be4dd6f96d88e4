// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "arrays.h"
#include "bochner/frame.h"
#include "core.h"
#include "long_work.h"

namespace bochner::python {

namespace {

using Type = FrameColumn::Type;
using Cells = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Marks = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Type type_of(nb::dlpack::dtype type) {
  using nb::dlpack::dtype_code;
  const auto code = dtype_code(type.code);
  if (code == dtype_code::Bool) return Type::boolean;
  if (code == dtype_code::Float && type.bits == 64) return Type::f64;
  if (code == dtype_code::Float && type.bits == 32) return Type::f32;
  if (code == dtype_code::Int)
    return type.bits == 64 ? Type::i64 : type.bits == 32 ? Type::i32 : type.bits == 16 ? Type::i16 : Type::i8;
  if (code == dtype_code::UInt)
    return type.bits == 64 ? Type::u64 : type.bits == 32 ? Type::u32 : type.bits == 16 ? Type::u16 : Type::u8;
  throw nb::type_error("cells: expected numbers of at most 64 bits");
}

void set_cells(FrameColumn& column, const Cells& cells) {
  column.type = type_of(cells.dtype());
  column.cells = cells.data();
  column.step = std::ptrdiff_t(cells.stride(0)) * std::ptrdiff_t(cells.itemsize());
}

void set_codes(FrameColumn& column, const Array1<std::int32_t>& codes, std::vector<std::string> levels) {
  column.type = Type::codes;
  column.cells = codes.data();
  column.levels = std::move(levels);
}

}  // namespace

// The arrays of the columns must live as long as the rows: `memory` keeps them.
void bind_frames(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<FrameColumn>(m, "FrameColumn")
      .def(nb::init<>())
      .def_rw("name", &FrameColumn::name)
      .def_rw("ticks_per_day", &FrameColumn::ticks_per_day)
      .def_rw("dates", &FrameColumn::dates)
      .def_rw("category", &FrameColumn::category)
      .def("set_cells", &set_cells, "cells"_a)
      .def("set_codes", &set_codes, "codes"_a.noconvert(), "levels"_a)
      .def(
          "set_missing", [](FrameColumn& column, const Marks& marks) { column.missing = marks.data(); },
          "marks"_a.noconvert());
  nb::class_<Frame>(m, "Frame")
      .def(nb::init<>())
      .def_rw("source", &Frame::source)
      .def_rw("rows", &Frame::rows)
      .def_rw("columns", &Frame::columns)
      .def_rw("named", &Frame::named)
      .def_rw("target_names", &Frame::target_names)
      .def_rw("labels", &Frame::labels)
      .def(
          "set_targets", [](Frame& frame, const Array2<double>& targets) { frame.targets = view_of(targets); },
          "targets"_a.noconvert())
      .def(
          "set_weights", [](Frame& frame, const Array1<double>& weights) { frame.weights = weights.data(); },
          "weights"_a.noconvert());
  m.def("frame_rows", [](const Frame& frame, const RowsOptions& options, nb::object memory) {
    return HeldRows{run_long([&](const CancelFunction&) { return frame_rows(frame, options); }), std::move(memory)};
  });
  m.def("frame_rows", [](const Frame& frame, const Schema& schema, nb::object memory) {
    return HeldRows{run_long([&](const CancelFunction&) { return frame_rows(frame, schema); }), std::move(memory)};
  });
}

}  // namespace bochner::python
