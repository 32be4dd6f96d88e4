// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/check.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "bochner/hashes.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "train_words.h"

namespace bochner {

namespace {

struct CheckWords {
  TrainWords train;
  std::string model, lambda, hash;
  std::vector<std::string> limits;
  CheckOptions options;
  bool json = false;
};

struct Measure {
  const char* name;
  double (*value)(const MapCheck&);
};
constexpr Measure kMeasures[] = {
    {"worst", [](const MapCheck& c) { return c.worst_error; }},
    {"rms", [](const MapCheck& c) { return c.rms_error; }},
    {"bias", [](const MapCheck& c) { return std::fabs(c.bias.value_or(c.mean_error)); }},
    {"spectral", [](const MapCheck& c) { return c.spectral_error; }},
    {"ridge", [](const MapCheck& c) { return c.ridge_error; }},
    {"trace", [](const MapCheck& c) { return std::fabs(c.trace_error); }},
};

struct Limit {
  Measure measure;
  double most;
};

// "0.1" is of the worst error, "spectral=0.05" of another.
std::vector<Limit> parse_limits(const std::vector<std::string>& texts) {
  std::vector<Limit> limits;
  for (const std::string& text : split_lists(texts)) {
    const auto [name, number] = split_pair(text);
    const double most = parse_number("--fail-above", number);
    require(most >= 0, "--fail-above: found {}, expected 0 or more", number);
    const Measure measure = name.empty() ? kMeasures[0]
                                         : parse_word<Measure>("--fail-above", name,
                                                               {{"worst", kMeasures[0]},
                                                                {"rms", kMeasures[1]},
                                                                {"bias", kMeasures[2]},
                                                                {"spectral", kMeasures[3]},
                                                                {"ridge", kMeasures[4]},
                                                                {"trace", kMeasures[5]}});
    limits.push_back({measure, most});
  }
  return limits;
}

nlohmann::json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json to_json(const MapCheck& check) {
  nlohmann::json tree = {{"map", check.map},
                         {"kernel", check.kernel},
                         {"rows", check.rows},
                         {"pairs", check.pairs},
                         {"features", check.features},
                         {"weight", check.weight},
                         {"draws", check.draws},
                         {"mean_error", check.mean_error},
                         {"rms_error", check.rms_error},
                         {"worst",
                          {{"error", check.worst_error},
                           {"rows", {check.worst_pair.first, check.worst_pair.second}},
                           {"kernel", check.worst_kernel},
                           {"estimate", check.worst_estimate}}},
                         {"bias", number(check.bias)},
                         {"bias_deviation", number(check.bias_deviation)},
                         {"variance", number(check.variance)},
                         {"variance_deviation", number(check.variance_deviation)},
                         {"expected_variance", number(check.expected_variance)},
                         {"spectral_error", check.spectral_error},
                         {"lambda", check.lambda},
                         {"ridge_error", check.ridge_error},
                         {"trace_error", check.trace_error},
                         {"one_sided", check.one_sided},
                         {"notes", check.notes}};
  if (check.distortion)
    tree["distortion"] = {{"mean", check.distortion->mean},           {"99%", check.distortion->high},
                          {"worst", check.distortion->worst},         {"map_bytes", check.distortion->map_bytes},
                          {"row_bytes", check.distortion->row_bytes}, {"row_seconds", check.distortion->row_seconds}};
  tree["bounds"] = nlohmann::json::array();
  for (const MapCheck::Bound& bound : check.bounds)
    tree["bounds"].push_back(
        {{"of", bound.of}, {"epsilon", number(bound.epsilon)}, {"probability", bound.probability}});
  tree["by_kernel"] = nlohmann::json::array();
  for (const MapCheck::Band& band : check.bands)
    tree["by_kernel"].push_back({{"low", band.low},
                                 {"high", band.high},
                                 {"pairs", band.pairs},
                                 {"mean_error", band.mean_error},
                                 {"rms_error", band.rms_error},
                                 {"worst_error", band.worst_error},
                                 {"expected_rms", number(band.expected_rms)}});
  return tree;
}

// A model brings its own map, and hashes have none: words that would make another contradict it.
void refuse_map_words(const Command& command, const char* instead) {
  for (const char* name : {"--kernel", "--bandwidth", "--gamma", "--map", "--features", "--precision", "--scale"})
    require(command.get_option(name)->count() == 0, "{}: {}; leave it or {} out", name,
            instead == std::string_view("--model") ? "the model says it already" : "hashes have no map", instead);
}

MapCheck run_model(const Command& command, const CheckWords& words, Messages& messages) {
  refuse_map_words(command, "--model");
  for (const char* name : {"--target", "--task", "--missing", "--weights", "--ignore", "--category"})
    require(command.get_option(name)->count() == 0, "{}: the model says it already; leave it or --model out", name);
  const Model model = load_model(words.model);
  RowsOptions reading = words.train.format.rows(words.train.run);
  reading.target_required = false;
  const std::unique_ptr<Rows> rows = open_rows(words.train.file, model.schema(), reading);
  return check(*rows, model, words.options, words.train.run.execution(messages));
}

// Hashes of neighbours instead of a map: how often they are alike.
void run_hashes(const Command& command, const CheckWords& words) {
  Messages messages(words.train.run.quiet);
  refuse_map_words(command, "--hash");
  double most = std::numeric_limits<double>::infinity();
  for (const Limit& limit : parse_limits(words.limits)) {
    require(limit.measure.name == std::string_view("worst"), "--fail-above: found {}, expected worst with --hash",
            limit.measure.name);
    most = limit.most;
  }
  std::vector<HashFamily> families;
  if (words.hash == "all")
    families = {HashFamily::stable, HashFamily::cauchy, HashFamily::hyperplane, HashFamily::crosspolytope,
                HashFamily::minhash};
  else
    families = {parse_hash_name(words.hash)};
  RowsOptions reading = words.train.rows();
  reading.inputs_only = true;
  const std::unique_ptr<Rows> rows = open_rows(words.train.file, reading);
  nlohmann::json all = nlohmann::json::array();
  bool above = false;
  for (const HashFamily family : families) {
    const HashCheck found =
        check_hash(*rows, family, 100 * words.options.draws, words.train.seed, words.train.run.execution(messages));
    if (!words.json) print(found.text());
    nlohmann::json tree = {{"hash", hash_name(family)}, {"width", found.width}, {"functions", found.functions},
                           {"pairs", found.pairs},      {"worst", found.worst}, {"bands", nlohmann::json::array()}};
    for (const HashCheck::Band& band : found.bands)
      tree["bands"].push_back({{"distance", band.distance},
                               {"found", band.found},
                               {"expected", band.expected},
                               {"deviation", band.deviation}});
    all.push_back(std::move(tree));
    if (found.worst <= most) continue;
    above = true;
    say_error(fmt::format("{}: {}: the worst error is {:.3g}, above {:g} of --fail-above", words.train.file,
                          hash_name(family), found.worst, most));
  }
  if (words.json) print_json(all);
  if (above) throw AboveLimit{};
}

MapCheck run_map(const CheckWords& words, Messages& messages) {
  TrainOptions options = words.train.options();
  options.execution = words.train.run.execution(messages);
  options.say = [&](const std::string& line) { messages.say("  " + line); };
  RowsOptions reading = words.train.rows();
  reading.target_required = !reading.targets.empty();
  const std::unique_ptr<Rows> rows = open_rows(words.train.file, reading);
  return check(*rows, options, words.options);
}

void run_check(const Command& command, CheckWords& words) {
  Messages messages(words.train.run.quiet);
  const std::vector<Limit> limits = parse_limits(words.limits);
  require(words.options.sample >= 2, "--sample: found {}, expected at least 2", words.options.sample);
  require(words.options.draws >= 1, "--seeds: found 0, expected at least 1");
  require(words.options.delta > 0 && words.options.delta < 1, "--delta: found {}, expected between 0 and 1",
          words.options.delta);
  if (!words.lambda.empty()) words.options.lambda = parse_number("--lambda", words.lambda);
  require(!words.options.lambda || *words.options.lambda > 0, "--lambda: found {}, expected a positive number",
          words.lambda);
  words.options.seed = words.train.seed;
  if (!words.hash.empty()) {
    require(words.model.empty(), "--hash: found --model too, expected one of them");
    return run_hashes(command, words);
  }
  const MapCheck found = words.model.empty() ? run_map(words, messages) : run_model(command, words, messages);
  if (words.json)
    print_json(to_json(found));
  else
    print(found.text());
  bool above = false;
  for (const Limit& limit : limits) {
    const double value = limit.measure.value(found);
    if (value <= limit.most) continue;
    above = true;
    say_error(fmt::format("{}: the {} error is {:.3g}, above {:g} of --fail-above", words.train.file,
                          limit.measure.name, value, limit.most));
  }
  if (above) throw AboveLimit{};
}

}  // namespace

void add_check(Command& app, Job& job) {
  Command* command = app.add_subcommand("check", "Measure how near a map comes to its kernel on rows of a file");
  auto words = std::make_shared<CheckWords>();
  command
      ->add_option("FILE", words->train.file,
                   "Rows; a target is left out of the inputs, and only --bandwidth auto looks at it")
      ->required()
      ->type_name("");
  command->add_option("--model", words->model, "Check the map of a model that `bochner train` saved")
      ->type_name("MODEL");
  command
      ->add_option(
          "--hash", words->hash,
          "Instead of a map: how often hashes are alike beside their closed form, by 100 times --seeds of them; "
          "stable, cauchy, hyperplane, crosspolytope, minhash or all")
      ->type_name("H");
  command->add_option("--sample", words->options.sample, "Rows to compare in pairs, at most 5000; default 1000")
      ->type_name("N");
  command->add_option("--seeds", words->options.draws, "Draws of a random map for bias and variance; default 20")
      ->type_name("N");
  command->add_option("--lambda", words->lambda, "Penalty of the ridge-relative error; default: the model's, or 1e-3")
      ->type_name("L");
  command->add_option("--delta", words->options.delta, "The bounds may fail this often; default 0.01")->type_name("P");
  add_repeatable(*command, "--fail-above", words->limits,
                 "Exit with 4 where the worst error, or NAME=X of worst, rms, bias, spectral, ridge or trace, is above")
      ->type_name("X|NAME=X");
  words->train.add_reading(*command);
  words->train.add_map(*command);
  words->train.format.add(*command);
  words->train.run.add(*command);
  command->add_flag("--json", words->json, "Print the figures as JSON");
  command->footer(
      "Examples:\n"
      "  bochner check cars.csv --target price --features 1024\n"
      "  bochner check cars.csv --target price --map nystroem --features 300 --json\n"
      "  bochner check cars.csv --target price --map binning --kernel laplacian --features 200\n"
      "  bochner check cars.csv --target price --map fourier+binning --bandwidth auto\n"
      "  bochner check cars.csv --target price --map project:kind=sign,dims=100\n"
      "  bochner check images.npy --hash all --seeds 100\n"
      "  bochner check new.csv --model cars.model --fail-above worst=0.2,spectral=0.05\n"
      "Without --bandwidth the median rule gives it; auto searches as train does, and takes a --target. Exits with 4 "
      "where --fail-above does not hold.");
  command->callback([words, command, &job] { job = [words, command] { run_check(*command, *words); }; });
}

}  // namespace bochner
