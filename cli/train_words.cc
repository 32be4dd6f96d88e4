// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "train_words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "require.h"

namespace bochner {

namespace {

// What a learner that compares rows is told. It has no map but projections before it.
void parse_neighbor_words(const TrainWords& words, TrainOptions& options) {
  using Weighting = LearnerOptions::Weighting;
  if (!words.command || words.command->count("--map") == 0)
    options.map = NoMap{};
  else
    require(options.map != MapOptions(), "--map: found {} with --learner {}, expected none: it compares rows",
            words.map, words.learner);
  for (const std::string& text : split_lists(words.neighbors)) {
    const double k = parse_number("--neighbors", text);
    require(k >= 1 && k <= 1e9 && k == std::floor(k), "--neighbors: found '{}', expected a count of 1 or more", text);
    options.learner.neighbors.push_back(std::size_t(k));
  }
  if (!words.weighting.empty())
    options.learner.weighting = parse_word<Weighting>("--weighting", words.weighting,
                                                      {{"equal", Weighting::equal}, {"kernel", Weighting::kernel}});
}

// Methods that are commands of their own, and why the sums of parts make none of them.
constexpr std::pair<const char*, const char*> kMethods[] = {
    {"gmm", "every round of EM sums all rows about the means of the round before"},
    {"hmm", "every round of Baum-Welch sums all sequences by the states of the round before"},
    {"kmeans", "every pass sums all rows by the centres of the pass before"},
    {"pca", "the sums of `bochner svd --center` merge"},
    {"lda", "its model keeps no sums"},
    {"cca", "its model keeps no sums"},
    {"anomaly", "its threshold is of the scores of all rows"}};

void refuse_method(const std::string& name) {
  for (const auto& [method, why] : kMethods)
    require(name != method, "--learner: {0} is a command of its own, `bochner {0}`; it is not trained in parts: {1}",
            name, why);
}

void parse_loss_parameter(const TrainWords& words, const LearnerRow& row, LearnerOptions& learner) {
  for (const LearnerRow& other : learners()) {
    const auto given =
        other.parameter ? words.loss_parameters.find(other.parameter->name) : words.loss_parameters.end();
    if (given == words.loss_parameters.end() || given->second.empty()) continue;
    const std::string option = "--" + given->first;
    require(row.parameter && row.parameter->name == given->first, "{}: goes with --learner {}, found --learner {}",
            option, other.name, row.name);
    const std::vector<std::string> several = split_lists({given->second});
    if (row.has_levels && several.size() > 1)
      for (const std::string& level : several) learner.levels.push_back(parse_number(option, level));
    else
      learner.parameter = parse_number(option, given->second);
  }
}

// "ridge or knn; for classes svm, hard-svm or logistic; for numbers huber, svr or quantile"
std::string learners_text() {
  std::string text;
  for (const auto& [task, whose] : {std::pair<std::optional<Task>, const char*>{std::nullopt, ""},
                                    {Task::classification, "; for classes "},
                                    {Task::regression, "; for numbers "}}) {
    std::vector<std::string> names;
    for (const LearnerRow& row : learners())
      if (row.task == task) names.push_back(row.name);
    const std::string last = names.back();
    names.pop_back();
    text += fmt::format("{}{} or {}", whose, fmt::join(names, ", "), last);
  }
  return text;
}

// The learner and the options that go with it; an option of another learner is a mistake, not a wish.
void parse_learner_words(const TrainWords& words, TrainOptions& options) {
  LearnerOptions& learner = options.learner;
  std::vector<std::pair<const char*, Learner>> names;
  for (const LearnerRow& row : learners()) names.emplace_back(row.name, row.learner);
  refuse_method(words.learner);
  learner.learner = parse_word<Learner>("--learner", words.learner, names);
  const LearnerRow& row = learner_row(learner.learner);
  const auto only = [&](const char* option, bool given, bool allowed, const char* whose) {
    require(!given || allowed, "{}: goes with {}, found --learner {}", option, whose, words.learner);
  };
  const bool is_ridge = learner.learner == Learner::ridge, is_svr = learner.learner == Learner::svr;
  const bool by_objective = !is_ridge && !row.has_neighbors;
  only("--loss", !words.loss.empty(), row.has_loss, "--learner svm or svr");
  only("--C", !words.C.empty(), by_objective, "every --learner but ridge, which has --lambda, and knn");
  parse_loss_parameter(words, row, learner);
  only("--tolerance", !words.tolerance.empty(), by_objective, "every --learner but ridge and knn");
  only("--select", !words.select.empty(), is_ridge, "--learner ridge");
  only("--solver", words.solver != "auto", is_ridge, "--learner ridge");
  only("--neighbors", !words.neighbors.empty(), row.has_neighbors, "--learner knn");
  only("--weighting", !words.weighting.empty(), row.has_neighbors, "--learner knn");
  for (const char* option : {"--lambda", "--features", "--no-intercept"})
    only(option, words.command && words.command->count(option) > 0, !row.has_neighbors, "every --learner but knn");
  require(words.C.empty() || words.lambdas.empty(), "--C: found --lambda too, expected one of them");
  if (is_ridge) return;
  if (row.has_neighbors) parse_neighbor_words(words, options);

  if (is_svr && !words.loss.empty())
    learner.loss = parse_word<MarginLoss>("--loss", words.loss,
                                          {{"epsilon", MarginLoss::linear}, {"squared-epsilon", MarginLoss::squared}});
  else if (!words.loss.empty())
    learner.loss = parse_word<MarginLoss>("--loss", words.loss,
                                          {{"hinge", MarginLoss::linear}, {"squared-hinge", MarginLoss::squared}});
  for (const std::string& C : split_lists(words.C)) learner.C.push_back(parse_number("--C", C));
  learner.lambdas = options.ridge.lambdas;
  if (!words.tolerance.empty()) learner.tolerance = parse_number("--tolerance", words.tolerance);
  learner.intercept = !words.no_intercept;
  learner.seed = words.seed;
}

}  // namespace

void TrainWords::add(Command& app) {
  command = &app;
  app.add_option("FILE", file, "Rows to train on: csv, svmlight or npy, plain or .gz, .xz, .zst")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", output, "Where to save the model")->type_name("MODEL");
  app.add_option("--test", test,
                 "Keep this share of the rows, such as 0.2, from all of the training and score the model on them; "
                 "last:0.2: those at the end of the file")
      ->type_name("SHARE");
  folds_given = app.add_option("--folds", folds, "Cross-validate the whole training in K parts, then train on all rows")
                    ->type_name("K");
  app.add_option("--validation", validation, "Rows that choose lambda and give the score: no test of the model")
      ->type_name("FILE");
  app.add_option("--group", group,
                 "Column, no input, whose rows with the same cell belong together: none is held out in part")
      ->type_name("COLUMN");
  app.add_option(
         "--time", time,
         "Column of times, numbers or dates: held out are rows that are later than those learnt from. Default: a "
         "column of dates that the rows are in order of; none")
      ->type_name("COLUMN");
  add_reading(app);
  add_automatic(app);
  add_choices(app);
  add_learner(app);
  add_online(app);
  format.add(app);
  run.add(app);
  checkpoint.add(app, "training");
  app.add_flag("--json", json, "Print the report as JSON");
  app.add_flag("--verbose", verbose, "Say all that is chosen on the way, and how long it took");
}

void TrainWords::add_for_sums(Command& app) {
  add_reading(app);
  add_choices(app);
  add_learner(app);
  format.add(app);
  run.add(app);
}

void TrainWords::add_learner(Command& app) {
  app.add_flag("--deviation", deviation,
               "Keep what `predict --deviation` takes for a standard deviation of each row: ridge as a Gaussian "
               "process, and the automatic machine")
      ->group(kMachine);
  app.add_option("--learner", learner, learners_text())->type_name("L")->group(kMachine);
  app.add_option("--loss", loss, "svm: hinge (default) or squared-hinge; svr: epsilon (default) or squared-epsilon")
      ->type_name("L")
      ->group(kMachine);
  add_repeatable(app, "--lambda", lambdas,
                 "Penalty of |Zw - y|^2 + lambda n |w|^2; other learners: 1 / (C n). Several (a,b or again): the best")
      ->type_name("L")
      ->group(kMachine);
  add_repeatable(app, "--C", C, "Cost in 1/2 |w|^2 + C sum loss, for every learner but ridge; several: the best")
      ->type_name("C")
      ->group(kMachine);
  for (const LearnerRow& row : learners()) {
    if (!row.parameter) continue;
    const LossParameter& p = *row.parameter;
    const std::string initial = *p.initial_text ? p.initial_text : fmt::format("{:g}", p.initial);
    app.add_option(fmt::format("--{}", p.name), loss_parameters[p.name],
                   fmt::format("{}: {}; default: {}", row.name, p.meaning, initial))
        ->type_name("NUMBER")
        ->group(kMachine);
  }
  add_repeatable(app, "--neighbors", neighbors,
                 "knn: how many of the nearest rows are heard; several: the best. Default: 1 to 100, by leave-one-out")
      ->type_name("K")
      ->group(kMachine);
  app.add_option("--weighting", weighting,
                 "knn: what neighbours weigh: equal, or kernel (of their distance); default: by leave-one-out")
      ->type_name("W")
      ->group(kMachine);
  app.add_option("--tolerance", tolerance, "Relative gap of the objective; default 1e-6, on bins 1e-2. Not for ridge")
      ->type_name("T")
      ->group(kMachine);
  app.add_option("--select", select, "How lambda is chosen: loo (leave one out) or holdout")
      ->type_name("S")
      ->group(kMachine);
  app.add_option(
         "--solver", solver,
         "cholesky, cg (many features of many rows), dual (fewer rows than features) or auto, the fastest; for ridge")
      ->type_name("S")
      ->group(kMachine);
}

void TrainWords::add_online(Command& app) {
  app.add_flag(
         "--keep-sum", keep_sum,
         "Keep the exact sums of ridge in the model: `bochner update` and `bochner forget` add rows and take them out")
      ->group(kMachine);
  app.add_option(
         "--ids", ids,
         "With --keep-sum: column, no input, that identifies rows; salted hashes let forget refuse rows that were "
         "never learnt")
      ->type_name("COLUMN")
      ->group(kColumns);
  app.add_option("--choices-of", choices_of,
                 "Repeat all choices of a model with sums: columns, scaling, bandwidth, landmarks, lambda")
      ->type_name("MODEL")
      ->group(kMachine);
  app.add_option("--choose-on", choose_on,
                 "With --keep-sum: make all choices on these rows alone, which the model then does not learn")
      ->type_name("FILE")
      ->group(kMachine);
}

void TrainWords::add_automatic(Command& app) {
  app.add_flag("--auto", automatic,
               "Learn a metric of the inputs, race a kernel in it with trees, random bins and a linear model, blend "
               "them: what is done without any word of this group")
      ->group(kMachine);
  app.add_option("--effort", effort, "How far it goes: fast, normal (default) or best")
      ->type_name("E")
      ->group(kMachine);
  app.add_option("--optimize", optimize,
                 "What the automatic model is best by: for classes error, log-loss or auc; for numbers rmse, mae or "
                 "quantile:LEVEL; default: error and log-loss, rmse")
      ->type_name("SCORE")
      ->group(kMachine);
  app.add_option(
         "--budget", budget,
         "Time that a forecast of the work stays within, e.g. 30s, by fewer candidates and steps if need be. With "
         "--effort: no more than that effort")
      ->type_name("TIME")
      ->group(kMachine);
}

void TrainWords::add_reading(Command& app) {
  add_repeatable(app, "-t,--target", targets, "Column to predict, by name or index from 0; several: a,b or again")
      ->type_name("NAME|INDEX");
  app.add_option("--task", task, "regression or classification; default: by the target's values")->type_name("T");
  app.add_option("--missing", missing,
                 "Missing cells: mean (of numbers), mark (mean, and an input that tells), error, or drop (the row); "
                 "default: mean, "
                 "and mark where it may help")
      ->type_name("M")
      ->group(kColumns);
  app.add_option("--weights", weights, "Column of row weights")->type_name("COLUMN")->group(kColumns);
  columns.add(app);
}

void TrainWords::add_choices(Command& app) {
  app.add_flag("--keep-background", keep_background,
               "Keep up to 2000 of the rows in the model, as it reads them: `bochner explain` then needs no "
               "--background")
      ->group(kMachine);
  app.add_flag("--calibrate", calibrate,
               "Learn on rows held out how sure to be: probabilities of classes, intervals of numbers. The automatic "
               "machine does")
      ->group(kMachine);
  add_map(app);
  app.add_flag("--no-intercept", no_intercept, "No constant term")->group(kMachine);
  add_repeatable(app, "--class-weight", class_weights, "LABEL=W, or balanced: every class weighs the same")
      ->type_name("LABEL=W")
      ->group(kColumns);
}

void TrainWords::add_map(Command& app) {
  FeatureWords::add_map(app, "one, searched");
  add_precision_and_seed(app);
}

RowsOptions TrainWords::rows() const {
  RowsOptions rows = format.rows(run);
  rows.targets = split_lists(targets);
  rows.weights = weights;
  columns.apply(rows);
  if (command && command->count("--max-levels") == 0 && automatic_effort()) rows.max_levels = 0;
  if (!group.empty()) rows.ignore.push_back(group);
  if (!task.empty())
    rows.task =
        parse_word<Task>("--task", task, {{"regression", Task::regression}, {"classification", Task::classification}});
  if (const LearnerRow* row = find_learner(learner); row && row->power && !rows.task) rows.task = row->task;
  if (!missing.empty())
    rows.missing = parse_word<Missing>(
        "--missing", missing,
        {{"mean", Missing::mean}, {"mark", Missing::mark}, {"error", Missing::error}, {"drop", Missing::drop}});
  return rows;
}

// The first word given that says what the automatic machine would choose; none: "".
std::string TrainWords::machine_word() const {
  const auto others = {"--auto", "--effort",    "--budget",    "--optimize",
                       "--seed", "--calibrate", "--deviation", "--keep-background"};
  for (const Word* option : command->get_options()) {
    const std::string name = option->get_name();
    const bool chooses = option->get_group() == kMachine || name == "--scale" || name == "--validation";
    if (chooses && option->count() > 0 && std::find(others.begin(), others.end(), name) == others.end()) return name;
  }
  return "";
}

std::string TrainWords::automatic_word() const {
  if (automatic) return "--auto";
  return !effort.empty() ? "--effort" : !budget.empty() ? "--budget" : optimize.empty() ? "" : "--optimize";
}

// A plain command is the automatic machine's; a word of the machine means the one that it describes.
std::optional<Effort> TrainWords::automatic_effort() const {
  if (!command) return std::nullopt;
  const std::string word = machine_word(), asked = automatic_word();
  if (word == "--validation")
    require(asked.empty(), "--validation: found with {}, expected --test: the automatic machine holds rows out itself",
            asked);
  require(word.empty() || asked.empty(), "{}: found with {}, expected one of them: the automatic machine chooses it",
          word, asked);
  if (!word.empty()) return std::nullopt;
  if (effort.empty()) return budget.empty() ? Effort::normal : Effort::best;
  return parse_word<Effort>("--effort", effort,
                            {{"fast", Effort::fast}, {"normal", Effort::normal}, {"best", Effort::best}});
}

TrainOptions TrainWords::options() const {
  using Select = RidgeOptions::Select;
  using Solver = RidgeOptions::Solver;
  TrainOptions options;
  options.automatic = automatic_effort();
  if (!optimize.empty()) options.optimize = parse_optimize(optimize);
  if (!budget.empty()) options.budget = parse_duration("--budget", budget);
  options.calibrate = calibrate;
  options.keep_background = keep_background;
  const FeatureOptions chosen = feature_options();
  options.map = chosen.map;
  options.kernel = chosen.kernel;
  options.bandwidth = chosen.bandwidth;
  options.features = chosen.features;
  options.scale = chosen.scale;
  options.scale_inputs = chosen.scale_inputs;
  options.double_precision = chosen.double_precision;
  options.ridge.solver = parse_word<Solver>(
      "--solver", solver,
      {{"auto", Solver::automatic}, {"cholesky", Solver::cholesky}, {"cg", Solver::cg}, {"dual", Solver::dual}});
  require(options.ridge.solver != Solver::cg || select != "loo",
          "--solver: found cg with --select loo, expected --select holdout: leave-one-out needs the Gram matrix");
  require(options.ridge.solver != Solver::dual || select != "holdout",
          "--solver: found dual with --select holdout, expected --select loo: leave-one-out comes with its solution");
  for (const std::string& lambda : split_lists(lambdas))
    options.ridge.lambdas.push_back(parse_number("--lambda", lambda));
  for (double lambda : options.ridge.lambdas) require(lambda >= 0, "--lambda: found {}, expected 0 or more", lambda);
  parse_learner_words(*this, options);
  if (!select.empty())
    options.ridge.select =
        parse_word<Select>("--select", select, {{"loo", Select::leave_one_out}, {"holdout", Select::hold_out}});
  options.ridge.intercept = !no_intercept;
  options.ridge.deviation = deviation;
  options.ridge.seed = options.seed = seed;
  for (const std::string& text : class_weights) {
    const auto [label, weight] = split_pair(text);
    if (text == "balanced")
      options.balanced = true;
    else {
      require(!label.empty(), "--class-weight: found '{}', expected LABEL=WEIGHT or balanced", text);
      options.class_weights.emplace_back(label, parse_number("--class-weight", weight));
    }
  }
  return options;
}

}  // namespace bochner
