// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bochner/model.h"
#include "folds/survey.h"
#include "run/stream.h"

namespace bochner {

// A model that learns on from rows: what was chosen stays, and what was learnt becomes that of the rows, found from
// where the model stands.
struct LearntOn {
  std::vector<MapPtr> maps;  // before the head
  MapPtr head;
  std::vector<std::string> notes = {};
};

// A sort of models that learn on in this way.
struct LearnsOn {
  bool (*is)(const Model& model);
  // rows: through no map, less the offsets of the model, with weights about 1; survey: of these.
  LearntOn (*learn)(const Model& from, const Stream& rows, const Survey& survey);
  std::uint64_t (*least_rows)(const Model& from) = nullptr;  // fewer rows teach nothing; null: 5
  // How strange a row is by the numbers that the model puts out for it, what that is called, and larger where rows are
  // stranger. Null: predictions are held against targets, a mixture by its density.
  double (*strangeness)(const double* outputs, std::size_t count) = nullptr;
  const char* strange = nullptr;
};

// The sort of a model; null: it learns by being trained anew. src/methods/registered.cc has the table.
const LearnsOn* learns_on(const Model& model);

// The rows as the head of a model sees them.
Stream at_head(const Model& model, const Stream& rows);

// A logistic head, by Newton's method from its coefficients.
extern const LearnsOn kLogisticLearnsOn;

}  // namespace bochner
