// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <memory>

#include "bochner/hmm.h"
#include "bochner/processor.h"
#include "c_api/guard.h"
#include "model/load_model.h"

using namespace bochner;
using namespace bochner::c_api;

namespace {

// Names of a handle are made once, so that the texts live as long as it.
struct NamedModel : bochner_model {
  explicit NamedModel(Predictor made) : bochner_model{std::move(made)} {}

  std::vector<std::string> input_names;
  std::string kind;
};

const NamedModel* named(const bochner_model* model) { return static_cast<const NamedModel*>(model); }

// made: gives the model.
template <class Make>
std::int32_t load_by(const Make& make, bochner_model** model, bochner_error* error) {
  if (model) *model = nullptr;
  return guarded(error, [&] {
    require_given(model, "model");
    if (const char* fault = processor_fault()) mistake("{}", fault);
    try {
      auto loaded = std::make_unique<NamedModel>(Predictor(make()));
      loaded->input_names = loaded->predictor.model().schema().input_names();
      loaded->kind = outputs_name(loaded->predictor.model().puts_out().kind);
      require(!hmm_facts(*loaded->predictor.model().head()),
              "load: the model answers for sequences of rows, expected one that answers for each row; use the command");
      *model = loaded.release();
    } catch (const Error& e) {  // a file that cannot be read is no model
      fail(Error::Kind::model, "{}", e.what());
    }
  });
}

const char* text_at(const std::vector<std::string>& texts, std::size_t i) {
  return i < texts.size() ? texts[i].c_str() : nullptr;
}

const Schema* schema_of(const bochner_model* model) { return model ? &model->predictor.model().schema() : nullptr; }

const Column* column_of(const bochner_model* model, std::size_t column) {
  const Schema* schema = schema_of(model);
  return schema && column < schema->columns.size() ? &schema->columns[column] : nullptr;
}

bool of_classes(const bochner_model* model) { return model && model->predictor.model().puts_out().of_classes(); }

}  // namespace

std::int32_t bochner_load(const char* path, bochner_model** model, bochner_error* error) {
  const auto load = [&] {
    require_given(path, "path");
    return Model::load(path);
  };
  return load_by(load, model, error);
}

std::int32_t bochner_load_bytes(const void* bytes, std::size_t size, bochner_model** model, bochner_error* error) {
  const auto load = [&] {
    require_given(bytes, "bytes");
    return model_of_bytes({static_cast<const char*>(bytes), size}, "bytes");
  };
  return load_by(load, model, error);
}

void bochner_free(bochner_model* model) { delete named(model); }

std::size_t bochner_inputs(const bochner_model* model) { return model ? model->predictor.inputs() : 0; }

const char* bochner_input_name(const bochner_model* model, std::size_t input) {
  return model ? text_at(named(model)->input_names, input) : nullptr;
}

std::size_t bochner_outputs(const bochner_model* model) { return model ? model->predictor.outputs() : 0; }

const char* bochner_output_name(const bochner_model* model, std::size_t output) {
  return model ? text_at(model->predictor.model().puts_out().names, output) : nullptr;
}

const char* bochner_output_kind(const bochner_model* model) { return model ? named(model)->kind.c_str() : nullptr; }

std::size_t bochner_classes(const bochner_model* model) {
  return of_classes(model) ? schema_of(model)->labels.size() : 0;
}

const char* bochner_class_label(const bochner_model* model, std::size_t class_number) {
  return of_classes(model) ? text_at(schema_of(model)->labels, class_number) : nullptr;
}

std::int32_t bochner_has_probabilities(const bochner_model* model) {
  return of_classes(model) && model->predictor.model().has_probabilities();
}

std::size_t bochner_columns(const bochner_model* model) { return model ? schema_of(model)->columns.size() : 0; }

const char* bochner_column_name(const bochner_model* model, std::size_t column) {
  const Column* found = column_of(model, column);
  return found ? found->name.c_str() : nullptr;
}

std::int32_t bochner_column_kind(const bochner_model* model, std::size_t column) {
  const Column* found = column_of(model, column);
  if (!found) return -1;
  switch (found->kind) {
    case Column::Kind::numeric:
      return found->dates == Column::Dates::none ? BOCHNER_COLUMN_NUMERIC : BOCHNER_COLUMN_DATE;
    case Column::Kind::category:
      return BOCHNER_COLUMN_CATEGORY;
    case Column::Kind::target:
      return BOCHNER_COLUMN_TARGET;
    case Column::Kind::weight:
      return BOCHNER_COLUMN_WEIGHT;
    case Column::Kind::ignored:
      break;
  }
  return BOCHNER_COLUMN_IGNORED;
}

std::size_t bochner_column_levels(const bochner_model* model, std::size_t column) {
  const Column* found = column_of(model, column);
  return found ? found->levels.size() : 0;
}

const char* bochner_column_level(const bochner_model* model, std::size_t column, std::size_t level) {
  const Column* found = column_of(model, column);
  return found ? text_at(found->levels, level) : nullptr;
}
