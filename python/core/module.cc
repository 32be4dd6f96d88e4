// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <stdexcept>

#include "bochner/error.h"
#include "bochner/execution.h"
#include "bochner/option_spelling.h"
#include "bochner/processor.h"
#include "core.h"

namespace bochner::python {

namespace {

// Mistakes and broken data are ValueErrors, broken models RuntimeErrors, files that cannot be read OSErrors.
void translate(const std::exception_ptr& caught, void*) {
  try {
    std::rethrow_exception(caught);
  } catch (const Error& error) {
    PyErr_SetString(error.kind() == Error::Kind::data ? PyExc_ValueError
                    : error.kind() == Error::Kind::io ? PyExc_OSError
                                                      : PyExc_RuntimeError,
                    error.what());
  } catch (const Stopped& stopped) {
    PyErr_SetString(PyExc_KeyboardInterrupt, stopped.what());
  }
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The library as it is; bochner has the estimators.";
  nb::register_exception_translator(translate);
  spell_options(OptionSpelling::fields);
  bind_rows(m);
  bind_frames(m);
  bind_options(m);
  bind_maps(m);
  bind_model(m);
  bind_methods(m);
  bind_mixtures(m);
  bind_neighbors(m);
  bind_embeddings(m);
  bind_parts(m);
  bind_rounds(m);
  bind_drawn(m);
  bind_text(m);
  bind_explain(m);
}

}  // namespace bochner::python
