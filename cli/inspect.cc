// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bochner/factor.h"
#include "bochner/figures.h"
#include "bochner/json.h"
#include "bochner/parts.h"
#include "bochner/svd.h"
#include "commands.h"
#include "load_as.h"
#include "options.h"
#include "output.h"

namespace bochner {

namespace {

struct InspectWords {
  std::string model;
  bool json = false, quiet = false;
};

template <class T>
nlohmann::json parsed(const T& thing) {
  return nlohmann::json::parse(json_text(thing));
}

// A sum of `bochner accumulate`: where it stands and what is next.
void inspect_sum(const InspectWords& words) {
  const Sum sum = load_sum(words.model);
  if (!words.json) {
    print(fmt::format("sum       {}\n{}", words.model, sum.description()));
    return;
  }
  print_json(nlohmann::json{{"sum", words.model},
                            {"kind", sum.kind() == Sum::Kind::survey ? "survey" : "gram"},
                            {"rows", sum.rows()},
                            {"parts", sum.parts()},
                            {"schema", parsed(sum.schema())}});
}

// Of `bochner svd`.
void inspect_factor_sum(const InspectWords& words) {
  const FactorSum sum = load_as<FactorSum>(words.model);
  if (!words.json) return print(fmt::format("sum       {}\n{}", words.model, sum.description()));
  print_json(nlohmann::json{{"sum", words.model},
                            {"kind", sum.kind() == FactorSum::Kind::moments ? "moments" : "sketch"},
                            {"rows", sum.rows()},
                            {"parts", sum.parts()},
                            {"schema", parsed(sum.schema())}});
}

void run_inspect(const InspectWords& words) {
  if (is_sum(words.model)) return inspect_sum(words);
  if (FactorSum::is_file(words.model)) return inspect_factor_sum(words);
  const Model model = load_model(words.model);
  const std::uintmax_t bytes = std::filesystem::file_size(words.model);
  if (!words.json) {
    print(fmt::format("model     {}, {} bytes\n{}", words.model, bytes, model.description()));
    return;
  }
  nlohmann::json tree{{"model", words.model},
                      {"bytes", bytes},
                      {"map", model.map()->spec()},
                      {"feature_map", model.feature_map() ? parsed(*model.feature_map()) : nlohmann::json::object()},
                      {"outputs", model.outputs()},
                      {"precision", model.double_precision() ? "double" : "float"},
                      {"schema", parsed(model.schema())},
                      {"report", parsed(model.report())}};
  if (const std::optional<Factor> factor = factor_of(*model.head())) {
    tree["singular_values"] = factor->singular_values;
    tree["factor"] = {{"error", factor->error}, {"passes", factor->passes}, {"method", factor->method}};
  }
  for (const auto& [name, numbers] : figures_of(*model.head())) tree[name] = numbers;
  print_json(tree);
}

}  // namespace

void add_inspect(Command& app, Job& job) {
  Command* command = app.add_subcommand("inspect", "Say what is in a model file or a sum");
  auto words = std::make_shared<InspectWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` or `bochner accumulate` saved")
      ->required()
      ->type_name("");
  command->add_flag("--json", words->json, "Everything but the arrays, as JSON");
  command->add_flag("-q,--quiet", words->quiet, "Accepted like everywhere; there are no messages to silence");
  command->footer("Example:\n  bochner inspect cars.model");
  command->callback([words, &job] { job = [words] { run_inspect(*words); }; });
}

}  // namespace bochner
