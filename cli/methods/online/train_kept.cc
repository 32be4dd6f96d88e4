// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/online/train_kept.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bochner/online.h"
#include "clock.h"
#include "load_as.h"
#include "output.h"
#include "require.h"
#include "train_report.h"
#include "train_talk.h"

namespace bochner {

namespace {

// What --choices-of does not decide: how the file is written, and how the work runs.
constexpr std::initializer_list<const char*> kBesideChoices = {
    "FILE",         "--output",     "--keep-sum",       "--ids",     "--choices-of", "--format",          "--delimiter",
    "--decimal",    "--date-order", "--missing-values", "--header",  "--no-header",  "--threads",         "--memory",
    "--block-rows", "--quiet",      "--json",           "--verbose", "--index-base", "--no-usual-missing"};

bool is_beside_choices(const std::string& name) {
  return std::find(kBesideChoices.begin(), kBesideChoices.end(), name) != kBesideChoices.end();
}

void check_words(const Command& command, const TrainWords& words) {
  for (const char* name : {"--test", "--folds", "--group", "--checkpoint", "--resume"})
    require(command.count(name) == 0,
            "{}: found with --keep-sum, expected none: the sums are of all rows of the file; score the model on other "
            "rows with `bochner eval`",
            name);
  require(words.choices_of.empty() || words.choose_on.empty(),
          "--choose-on: found --choices-of too, expected one of them");
  require(words.keep_sum || words.ids.empty(), "--ids: goes with --keep-sum, found none; add it");
}

// The words of the first training may be said again: the model has what they decided. Names them.
std::string words_decided(const Command& command) {
  std::string names;
  for (const Word* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && !is_beside_choices(name)) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

// The words that say what is chosen, so that they can be said again of other rows; none if other rows chose.
std::vector<std::string> words_to_keep(const Command& command, const TrainWords& words) {
  std::vector<std::string> kept;
  if (!words.choose_on.empty() || !words.validation.empty()) return kept;
  for (const Word* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || is_beside_choices(name)) continue;
    for (const std::string& value : option->results()) kept.push_back(name + "=" + value);
  }
  return kept;
}

// A target that is given must be the model's.
void check_target(const TrainWords& words, const Schema& schema) {
  const std::vector<std::string> names = schema.target_names();
  for (const std::string& target : split_lists(words.targets)) {
    const bool is_number = target.find_first_not_of("-0123456789") == std::string::npos;
    require(is_number || std::find(names.begin(), names.end(), target) != names.end(),
            "--target: found {}, expected {} as in {}, whose choices are repeated", target, fmt::join(names, ", "),
            words.choices_of);
  }
}

// What is wrong with a row is said with its file.
template <class Work>
auto in_file(const std::string& file, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!std::string_view(error.what()).starts_with("row ")) throw;
    fail(error.kind(), "{}: {}", file, error.what());
  }
}

class KeptTraining {
 public:
  KeptTraining(const TrainWords& words, Messages& messages, TrainTalk& talk)
      : words_(words), messages_(messages), options_(words.options()) {
    options_.execution = words.run.execution(messages);
    talk.listen(options_);
    check_options(options_);
  }

  // Learns by the choices of another.
  OnlineModel as(const OnlineModel& choices) const { return learnt_as(choices, choices.ids()); }

  OnlineModel run() const {
    if (!words_.choices_of.empty()) {
      const OnlineModel choices = load_as<OnlineModel>(words_.choices_of);
      require(words_.ids.empty() || words_.ids == choices.ids(),
              "--ids: found {}, expected {} as in {}, whose choices are repeated", words_.ids,
              choices.ids().empty() ? "none" : choices.ids(), words_.choices_of);
      check_target(words_, choices.model().schema());
      return learnt_as(choices, choices.ids());
    }
    if (words_.choose_on.empty()) {
      OnlineModel model = chosen(words_.file, "");
      mark(model, words_.file);
      return model;
    }
    OnlineModel choices = chosen(words_.choose_on, words_.choose_on);
    if (!words_.ids.empty()) mark(choices, words_.choose_on);
    return learnt_as(choices, words_.ids);
  }

 private:
  OnlineModel chosen(const std::string& file, const std::string& name) const {
    RowsOptions reading = words_.rows();
    if (!words_.ids.empty()) reading.ignore.push_back(words_.ids);
    messages_.step("reading " + file);
    const std::unique_ptr<Rows> rows = open_rows(file, reading);
    std::unique_ptr<Rows> validation;
    TrainOptions options = options_;
    if (!words_.validation.empty()) {
      validation = open_rows(words_.validation, rows->schema(), words_.format.rows(words_.run));
      options.validation = validation.get();
      options.validation_name = words_.validation;
    }
    return in_file(file, [&] { return train_online(*rows, options, name); });
  }

  std::unique_ptr<Rows> read_as(const OnlineModel& model, const std::string& file, const std::string& ids,
                                KeptCells& cells) const {
    RowsOptions reading = words_.format.rows(words_.run);
    cells.columns = {ids};
    if (!ids.empty()) reading.kept = &cells;
    return open_rows(file, model.model().schema(), reading);
  }

  void mark(OnlineModel& model, const std::string& file) const {
    if (words_.ids.empty()) return;
    KeptCells cells;
    const std::unique_ptr<Rows> rows = read_as(model, file, words_.ids, cells);
    in_file(file, [&] { return keep_ids(model, *rows, words_.ids, cells, options_.execution), 0; });
  }

  OnlineModel learnt_as(const OnlineModel& choices, const std::string& ids) const {
    KeptCells cells;
    messages_.step("reading " + words_.file);
    const std::unique_ptr<Rows> rows = read_as(choices, words_.file, ids, cells);
    return in_file(words_.file,
                   [&] { return train_as(choices, *rows, options_.execution, ids.empty() ? nullptr : &cells); });
  }

  const TrainWords& words_;
  Messages& messages_;
  TrainOptions options_;
};

}  // namespace

std::unique_ptr<ToldTraining> training_of(const OnlineModel& model, const std::string& what) {
  require(!model.words().empty(),
          "{}: the model does not know how its choices were made: by --choose-on, --validation, Python or C++, or by a "
          "version that kept no words; train it anew",
          what);
  auto told = std::make_unique<ToldTraining>();
  std::vector<std::string> words = model.words();
  words.insert(words.begin(), "rows");  // FILE
  try {
    told->line.parse(words);
  } catch (const std::invalid_argument& error) {
    fail(Error::Kind::model, "the words of the model's training: {}; train it anew", error.what());
  }
  return told;
}

OnlineModel rechosen_by(const OnlineModel& model, const std::string& file, const Rechoosing& beside) {
  const std::unique_ptr<ToldTraining> told = training_of(model, "--rechoose");
  TrainWords& words = told->words;
  words.file = file;
  words.ids = model.ids();
  words.keep_sum = true;
  words.run = beside.run;
  words.format = beside.format;
  TrainTalk talk(beside.messages, false);
  const KeptTraining training(words, beside.messages, talk);
  if (training.as(model).digest() != model.digest())
    fail(Error::Kind::data, "{}: these are not the rows that remain, by their sums; expected exactly those", file);
  OnlineModel anew = training.run();
  anew.set_words(model.words());
  return anew;
}

void train_kept(const Command& command, const TrainWords& words) {
  Clock clock;
  Messages messages(words.run.quiet);
  TrainTalk talk(messages, words.verbose);
  check_words(command, words);
  require(words.output != "-", "-o: found -, expected a file for the model");
  check_output(words.output, {words.file, words.validation, words.choices_of, words.choose_on});
  const std::string decided = words.choices_of.empty() ? "" : words_decided(command);
  if (!decided.empty()) messages.say(fmt::format("{}: decided by {}", decided, words.choices_of));
  OnlineModel model = KeptTraining(words, messages, talk).run();
  if (words.choices_of.empty()) model.set_words(words_to_keep(command, words));
  if (!words.output.empty()) {
    if (words.keep_sum)
      model.save(words.output);
    else
      model.model().save(words.output);
  }
  const double seconds = clock.lap();
  talk.won(model.model().report());
  if (words.json)
    print_json(train_json(model.model(), words, seconds));
  else
    print(train_text(model.model(), words, seconds));
  if (words.keep_sum) messages.say(fmt::format("the sums of {} are kept in the model", counted(model.rows(), "row")));
  talk.end(words.output, {});
}

}  // namespace bochner
