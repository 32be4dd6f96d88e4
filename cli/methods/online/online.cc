// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/online.h"

#include <fmt/format.h>

#include "clock.h"
#include "commands.h"
#include "load_as.h"
#include "methods/online/train_kept.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct OnlineWords {
  std::string model, file, output, receipt, rechoose;
  bool json = false;
  RunOptions run;
  FileOptions format;
};

using Change = Receipt (*)(OnlineModel&, Rows&, const Execution&, KeptCells*);

Receipt changed(OnlineModel& model, const OnlineWords& words, const Execution& execution, Change change) {
  KeptCells cells{.columns = {model.ids()}};
  RowsOptions reading = words.format.rows(words.run);
  const bool marks = !model.ids().empty();
  if (marks) reading.kept = &cells;
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.model().schema(), reading);
  try {
    return change(model, *rows, execution, marks ? &cells : nullptr);
  } catch (const Error& error) {
    fail(error.kind(), "{}: {}", words.file, error.what());
  }
}

void run_change(const OnlineWords& words, Change change) {
  Clock clock;
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  require(words.output != "-", "-o: found -, expected a file for the model");
  check_output(words.output, {words.model, words.file, words.rechoose});
  if (!words.receipt.empty()) check_output(words.receipt, {words.model, words.file, words.rechoose, words.output});
  OnlineModel model = load_as<OnlineModel>(words.model);
  messages.step("reading " + words.file);
  if (!words.rechoose.empty()) training_of(model, "--rechoose");
  Receipt receipt = changed(model, words, execution, change);
  if (!words.rechoose.empty()) {
    model = rechosen_by(model, words.rechoose, {words.run, words.format, messages});
    receipt = rechosen(std::move(receipt), model);
  }
  model.save(words.output);
  if (!words.receipt.empty()) {
    Output file(words.receipt);
    file.write(receipt.json() + "\n");
    file.finish();
  }
  for (const std::string& note : receipt.notes) messages.say("  " + note);
  if (!receipt.checked && receipt.action == "forget")
    messages.say(
        "  the model keeps no marks of rows (train --ids): that these were learnt was checked by counts alone");
  if (words.json)
    print(receipt.json() + "\n");
  else
    print(fmt::format("{} {}: {} before, {} now, {:.2f} s\n", receipt.action == "forget" ? "forgot" : "learnt",
                      counted(receipt.rows, "row"), receipt.rows_before, receipt.rows_after, clock.lap()));
  messages.say("saved " + words.output);
}

// What the two commands say of themselves.
struct Help {
  const char *name, *what, *rows, *footer;
};

void add_change(Command& app, Job& job, const Help& help, Change change) {
  Command* command = app.add_subcommand(help.name, help.what);
  auto words = std::make_shared<OnlineWords>();
  command->add_option("MODEL", words->model, "A model of `bochner train --keep-sum`")->required()->type_name("");
  command->add_option("ROWS", words->file, help.rows)->required()->type_name("");
  command->add_option("-o,--output", words->output, "Where to save the new model")->required()->type_name("MODEL");
  command->add_option("--receipt", words->receipt, "Where to save what was done, with digests, as JSON")
      ->type_name("FILE");
  command
      ->add_option("--rechoose", words->rechoose,
                   "All rows that remain: choices are made anew by them, and the model has the bytes of their training")
      ->type_name("FILE");
  words->format.add(*command);
  words->run.add(*command);
  command->add_flag("--json", words->json, "Print the receipt");
  command->footer(help.footer);
  command->callback([words, change, &job] { job = [words, change] { run_change(*words, change); }; });
}

}  // namespace

void add_update(Command& app, Job& job) {
  const Help help = {
      "update", "Learn more rows, exactly, by a model that keeps its sums",
      "The new rows, with their targets. - is standard input",
      "Example:\n"
      "  bochner train cars.csv --target price --keep-sum -o cars.model\n"
      "  bochner update cars.model march.csv -o cars2.model\n"
      "What was chosen by the first rows stays: columns, scaling, bandwidth, landmarks, lambda. The new model is that\n"
      "of a training on all rows with these choices, to the byte (train --choices-of)."};
  add_change(app, job, help, update);
}

void add_forget(Command& app, Job& job) {
  const Help help = {
      "forget", "Take rows out of a model that keeps its sums, exactly",
      "The rows that go, with their targets. - is standard input",
      "Example:\n"
      "  bochner train people.csv --target income --keep-sum --ids name -o people.model\n"
      "  bochner forget people.model gone.csv -o people2.model --receipt receipt.json\n"
      "The new model is that of a training on the other rows with the same choices, to the byte. Choices that the\n"
      "forgotten rows had a part in stay, and are listed; train --choose-on PUBLIC.csv makes them on other rows."};
  add_change(app, job, help, forget);
}

}  // namespace bochner
