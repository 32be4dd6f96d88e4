// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bochner/in_units.h"
#include "bochner/json.h"
#include "bochner/online.h"
#include "bochner/parts.h"
#include "bochner/svd.h"
#include "commands.h"
#include "load_as.h"
#include "model_json.h"
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

// Inspects a sum of `bochner svd`.
void inspect_factor_sum(const InspectWords& words) {
  const FactorSum sum = load_as<FactorSum>(words.model);
  if (!words.json) return print(fmt::format("sum       {}\n{}", words.model, sum.description()));
  print_json(nlohmann::json{{"sum", words.model},
                            {"kind", sum.kind() == FactorSum::Kind::moments ? "moments" : "sketch"},
                            {"rows", sum.rows()},
                            {"parts", sum.parts()},
                            {"schema", parsed(sum.schema())}});
}

// A line each: the columns in which it differs most from the others, beside how much they differ among all.
std::string table_text(const char* name, const Matrix<double>& values, const std::vector<std::string>& columns,
                       bool centred) {
  constexpr std::size_t kFewRows = 20, kFewColumns = 6;
  std::vector<double> middle(values.cols()), spread(values.cols());
  for (std::size_t k = 0; centred && k < values.rows(); ++k)
    for (std::size_t j = 0; j < values.cols(); ++j) middle[j] += values(k, j) / double(values.rows());
  for (std::size_t k = 0; k < values.rows(); ++k)
    for (std::size_t j = 0; j < values.cols(); ++j) spread[j] += std::pow(values(k, j) - middle[j], 2);
  std::string text;
  for (std::size_t k = 0; k < std::min(kFewRows, values.rows()); ++k) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t j = 0; j < values.cols(); ++j)
      order.emplace_back(spread[j] > 0 ? -std::fabs(values(k, j) - middle[j]) / std::sqrt(spread[j]) : 0, j);
    std::sort(order.begin(), order.end());
    text += fmt::format("{:<9} {}:", name, k);
    for (std::size_t i = 0; i < std::min(kFewColumns, order.size()); ++i)
      text += fmt::format("{} {} {:.4g}", i ? "," : "", columns[order[i].second], values(k, order[i].second));
    text += order.size() > kFewColumns ? ", ...\n" : "\n";
  }
  return text + (values.rows() > kFewRows ? fmt::format("{:<9} ... (all by --json)\n", name) : "");
}

nlohmann::json kept_json(const OnlineModel& kept) {
  nlohmann::json tree = {{"rows", kept.rows()}, {"sha256", kept.digest()}, {"choices_sha256", kept.choices_digest()}};
  tree["ids"] = kept.ids().empty() ? nlohmann::json() : nlohmann::json(kept.ids());
  for (const Choice& choice : kept.choices())
    tree["frozen"].push_back({{"choice", choice.name}, {"from", choice.from}});
  return tree;
}

void run_inspect(const InspectWords& words) {
  if (is_sum(words.model)) return inspect_sum(words);
  if (FactorSum::is_file(words.model)) return inspect_factor_sum(words);
  const Model model = load_model(words.model);
  const std::uintmax_t bytes = std::filesystem::file_size(words.model);
  const std::optional<Matrix<double>> centres = centres_of(model), loadings = loadings_of(model);
  const std::vector<std::string> columns =
      centres || loadings ? model.schema().input_names() : std::vector<std::string>();
  if (!words.json) {
    print(fmt::format("model     {}, {} bytes\n{}", words.model, bytes, model.description()));
    if (OnlineModel::is_file(words.model)) print(load_as<OnlineModel>(words.model).description());
    if (centres) print(table_text("centre", *centres, columns, true));
    if (loadings) print(table_text("loading", *loadings, columns, false));
    return;
  }
  nlohmann::json tree = model_json(model, words.model);
  if (OnlineModel::is_file(words.model)) tree["kept_sum"] = kept_json(load_as<OnlineModel>(words.model));
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
