// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/watch.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "load_as.h"
#include "methods/online/train_kept.h"
#include "options.h"
#include "output.h"
#include "require.h"
#include "signals.h"

namespace bochner {

namespace {

struct WatchWords {
  std::string model, stream, output, page, window, half_life, time, solve_every, on_alarm, retrain;
  WatchOptions options;
  RunOptions run;
  FileOptions format;
};

// "10000" rows, "30d" or "12h".
Extent parse_extent(const std::string& option, const std::string& text) {
  constexpr std::pair<char, double> kUnits[] = {{'d', 1}, {'h', 1.0 / 24}, {'w', 7}};
  for (const auto& [letter, days] : kUnits) {
    if (text.empty() || text.back() != letter) continue;
    const double count = parse_number(option, text.substr(0, text.size() - 1));
    require(count > 0 && std::isfinite(count), "{}: found {}, expected more than nothing", option, text);
    return {0, count * days};
  }
  const double rows = parse_number(option, text);
  require(rows >= 1 && rows <= 1e15 && rows == std::floor(rows),
          "{}: found '{}', expected a number of rows, or of days (30d), hours (12h) or weeks (2w)", option, text);
  return std::uint64_t(rows);
}

std::optional<std::uint64_t> parse_schedule(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "alarm") return 0;
  const double rows = parse_number("--solve-every", text);
  require(rows >= 1 && rows <= 1e15 && rows == std::floor(rows),
          "--solve-every: found '{}', expected a number of rows, or alarm: only then", text);
  return std::uint64_t(rows);
}

// How a model is trained anew, by words of `bochner train`.
TrainOptions options_of(const ToldTraining& told) {
  TrainOptions options = told.words.options();
  check_options(options);
  return options;
}

TrainOptions options_by(const std::string& text) {
  ToldTraining told;
  try {
    told.line.parse("rows " + text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string("--retrain: words of `bochner train`: ") + error.what());
  }
  for (const char* name :
       {"--output", "--target", "--test", "--folds", "--validation", "--group", "--time", "--checkpoint", "--resume",
        "--keep-sum", "--ids", "--choices-of", "--choose-on", "--weights"})
    require(told.line.command().count(name) == 0,
            "--retrain: found {}, expected words that say what is learnt: a map, a learner, lambda, --effort", name);
  return options_of(told);
}

WatchOptions options_of(const WatchWords& words, Messages& messages) {
  WatchOptions options = words.options;
  if (!words.window.empty()) options.window = parse_extent("--window", words.window);
  if (!words.half_life.empty()) options.half_life = parse_extent("--half-life", words.half_life);
  require(options.window.rows == 0 || options.half_life.rows == 0,
          "--window: found --half-life too, expected one of them");
  const bool in_days = options.window.days > 0 || options.half_life.days > 0;
  require(!in_days || !words.time.empty(), "{}: found days, expected --time too: the column of the rows' times",
          options.window.days > 0 ? "--window" : "--half-life");
  require(in_days || words.time.empty(), "--time: goes with a --window or a --half-life of days, found neither");
  options.solve_every = parse_schedule(words.solve_every);
  using OnAlarm = WatchOptions::OnAlarm;
  if (!words.on_alarm.empty())
    options.on_alarm =
        parse_word<OnAlarm>("--on-alarm", words.on_alarm,
                            {{"keep", OnAlarm::keep}, {"forget", OnAlarm::forget}, {"rechoose", OnAlarm::rechoose}});
  if (!words.retrain.empty()) options.retrain = options_by(words.retrain);
  options.execution = words.run.execution(messages);
  options.execution.progress = {};
  options.execution.cancel = asked_to_stop;
  return options;
}

std::string line_of(const Watched& seen) {
  constexpr const char* kChanges[] = {"as before", "solved", "trained"};
  nlohmann::ordered_json line = {{"rows", seen.rows},
                                 {"kept", seen.kept},
                                 {"loss", seen.loss},
                                 {"mean_loss", seen.mean_loss},
                                 {"evidence", seen.evidence},
                                 {"alarm", seen.alarm ? nlohmann::ordered_json(*seen.alarm) : nlohmann::ordered_json()},
                                 {"model", kChanges[std::size_t(seen.change)]}};
  return line.dump() + "\n";
}

// The looks on stdout and the page, which is written at each alarm and at the end.
class Tellers {
 public:
  Tellers(const WatchWords& words, const WatchOptions& options, const Model& model, Messages& messages)
      : words_(words), messages_(messages), history_(options.level), loss_(WatchHistory::loss_name(model)) {}

  void tell(const Watched& seen) {
    print(line_of(seen));
    history_.add(seen);
    if (!seen.alarm) return;
    messages_.say(fmt::format("row {}: the errors have grown, evidence {:.3g}", *seen.alarm, seen.evidence));
    write_page();
  }
  void write_page() const {
    if (words_.page.empty()) return;
    Output file(words_.page);
    file.write(history_.page(words_.model + " watches " + (words_.stream == "-" ? "a stream" : words_.stream), loss_));
    file.finish();
  }

 private:
  const WatchWords& words_;
  Messages& messages_;
  WatchHistory history_;
  std::string loss_;
};

template <class AnyModel>
void watch_by(AnyModel& model, const Model& first, const WatchWords& words, const WatchOptions& options,
              Messages& messages) {
  KeptCells cells{.columns = {words.time}};
  RowsOptions reading = words.format.rows(words.run);
  if (!words.time.empty()) reading.kept = &cells;
  const std::unique_ptr<Rows> rows = open_live_rows(words.stream, first.schema(), reading, asked_to_stop);
  Tellers tellers(words, options, first, messages);
  try {
    watch(
        model, *rows, options, [&](const Watched& seen) { tellers.tell(seen); }, words.time.empty() ? nullptr : &cells);
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("row ") && !what.starts_with("watch: ")) throw;
    fail(error.kind(), "{}: {}", words.stream, what);
  }
  tellers.write_page();
  if (words.output.empty()) return;
  model.save(words.output);
  messages.say("saved " + words.output);
}

void run_watch(const WatchWords& words) {
  Messages messages(words.run.quiet);
  WatchOptions options = options_of(words, messages);
  require(words.output != "-", "-o: found -, expected a file for the model");
  if (!words.output.empty()) check_output(words.output, {words.model, words.stream});
  if (!words.page.empty()) check_output(words.page, {words.model, words.stream, words.output});
  stop_when_asked();
  if (OnlineModel::is_file(words.model)) {
    OnlineModel model = load_as<OnlineModel>(words.model);
    if (options.on_alarm == WatchOptions::OnAlarm::rechoose && !options.retrain)
      options.retrain = options_of(*training_of(model, "--on-alarm rechoose"));
    const Model first = model.model();
    watch_by(model, first, words, options, messages);
  } else {
    Model model = load_model(words.model);
    const std::string dropped = dropped_by_learning_on(model);
    if (!dropped.empty() && !options.retrain && (options.window.any() || options.half_life.any()))
      messages.say(fmt::format("{} of the training: dropped when the model first learns on", dropped));
    const Model first = model;
    watch_by(model, first, words, options, messages);
  }
  if (asked_to_stop()) throw EndedBySignal{};
}

void add_learning(Command& command, WatchWords& words) {
  command
      .add_option("--window", words.window,
                  "Learn from the newest rows of the stream, N of them or those of so many days (30d, 12h, 2w); the "
                  "others are forgotten. Default: from all")
      ->type_name("N|DAYS");
  command
      .add_option("--half-life", words.half_life,
                  "Or older rows weigh less: half in each N rows, or so many days, and leave after ten halvings")
      ->type_name("N|DAYS");
  command.add_option("--time", words.time, "Column of times, numbers of days or dates, for days")->type_name("COLUMN");
  command
      .add_option(
          "--solve-every", words.solve_every,
          "Rows between two solves, or trainings; alarm: only then. Default: each look, trainings at alarms alone")
      ->type_name("N|alarm");
  command
      .add_option(
          "--on-alarm", words.on_alarm,
          "keep (default): the rows stay; forget: those before the look of the alarm leave; rechoose: all choices "
          "are made anew by the rows kept")
      ->type_name("WHAT");
  command
      .add_option(
          "--retrain", words.retrain,
          "Words of `bochner train`, in quotes, by which a model without sums is trained anew, or choices made; "
          "default for sums: those of its training")
      ->type_name("WORDS");
}

}  // namespace

void add_watch(Command& app, Job& job) {
  Command* command = app.add_subcommand("watch", "Predict rows as they come, test for change, and learn them");
  auto words = std::make_shared<WatchWords>();
  command
      ->add_option(
          "MODEL", words->model,
          "A model that predicts; one of `bochner train --keep-sum` learns each row exactly, and logistic, knn, "
          "gmm, kmeans and anomaly learn on from the window")
      ->required()
      ->type_name("");
  command->add_option("--stream", words->stream, "The rows, with their targets; - is standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("--every", words->options.every, "Rows of a look, after which a line is printed; default: 1000")
      ->type_name("K");
  add_learning(*command, *words);
  command
      ->add_option("--level", words->options.level,
                   "Chance of an alarm while nothing changes, over any number of rows; default: 0.05")
      ->type_name("A");
  command->add_option("--seed", words->options.seed, "Of the draws that part equal ranks; default: 0")->type_name("S");
  command->add_option("-o,--output", words->output, "Where to save the model at the end")->type_name("MODEL");
  command
      ->add_option("--page", words->page, "A page with loss and evidence over time and alarms, written at each alarm")
      ->type_name("FILE");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  tail -f sales.csv | bochner watch sales.model --stream - --every 100 --window 10000\n"
      "  bochner watch sales.model --stream sales.csv --window 30d --time day --on-alarm rechoose --page sales.html\n"
      "  bochner watch boosted.model --stream - --window 5000 --retrain '--effort fast'\n"
      "A line of JSON for each K rows: rows so far, rows that the model is of, the loss of these rows and the mean of\n"
      "all (each predicted before it was learnt), the evidence that errors have grown, the row of an alarm, and "
      "whether\n"
      "the model was solved or trained. Ctrl-C ends the stream: the model and the page are saved.");
  command->callback([words, &job] { job = [words] { run_watch(*words); }; });
}

}  // namespace bochner
