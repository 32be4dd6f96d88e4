// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/hmm.h"

#include "clock.h"
#include "command_checkpoint.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct HmmWords {
  std::string sequence, states, covariance = "diag", topology = "free", project, floor = "auto", shrink = "0",
                                slopes = "0";
  HmmOptions options;
  MappedWords mapped;
  CheckpointWords checkpoint;
};

void run_hmm(const Command& command, HmmWords words) {
  Clock clock;
  Messages messages(words.mapped.rows.run.quiet);
  HmmOptions options = words.options;
  options.states = parse_count_or_auto("--states", words.states);
  options.covariance.reset();
  if (words.covariance != "auto") options.covariance = parse_covariance_name(words.covariance);
  options.topology = parse_word<HmmOptions::Topology>(
      "--topology", words.topology,
      {{"free", HmmOptions::Topology::free}, {"left-to-right", HmmOptions::Topology::left_to_right}});
  if (!words.project.empty()) options.project = parse_count_or_auto("--project", words.project);
  if (words.floor != "auto") options.floor = parse_number("--floor", words.floor);
  options.shrink.reset();
  if (words.shrink != "auto") options.shrink = parse_number("--shrink", words.shrink);
  if (words.slopes == "auto")
    options.slopes.reset();
  else if (words.slopes != "0")
    options.slopes = parse_count_or_auto("--slopes", words.slopes);
  options.sequence = words.sequence;
  options.features = words.mapped.options(messages);
  if (!options.features.scale) options.features.scale = ColumnScaling::Method::none;
  words.mapped.rows.columns.ignore.push_back(words.sequence);
  const std::unique_ptr<Rows> rows = words.mapped.open();
  const std::vector<std::size_t> starts = sequence_starts(words.mapped.rows.file, rows->schema(), words.sequence,
                                                          words.mapped.rows.format.rows(words.mapped.rows.run));
  CommandCheckpoint checkpoint(
      command, words.checkpoint,
      {.inputs = {{"the data (by their hash)", words.mapped.rows.file}}, .output = words.mapped.rows.output});
  checkpoint.attach(options.features.execution, messages);
  const Model model = hmm(*rows, starts, options);
  words.mapped.rows.save(model);
  checkpoint.remove();
  const HmmFacts facts = *hmm_facts(*model.head());
  messages.say(fmt::format("{} of {} in {} of {}, {}, {:.2f} s", model.head()->spec(),
                           counted(model.report().rows, "row"), counted(starts.size(), "sequence"),
                           words.mapped.rows.output, counted(facts.rounds, "round"), clock.lap()));
  messages.say(fmt::format("log-likelihood {:.6g} a row{}; floor {:g} of the variance", facts.log_likelihood,
                           facts.falls == 0 ? ", it never fell" : "", facts.floor));
}

}  // namespace

void add_hmm(Command& app, Job& job) {
  Command* command = app.add_subcommand("hmm", "Learn a hidden Markov model of sequences, or one of each class");
  auto words = std::make_shared<HmmWords>();
  HmmOptions& options = words->options;
  words->mapped.add(*command, MappedWords::Targets::optional,
                    "Column of the sequences' classes: one model is learnt for each, and they classify");
  words->checkpoint.add(*command, "training");
  command
      ->add_option("--sequence", words->sequence,
                   "Column that tells sequences apart: consecutive rows with the same id are one, in their order")
      ->required()
      ->type_name("COLUMN");
  command->add_option("--states", words->states, "How many, or auto: by sequences held out")
      ->required()
      ->type_name("S");
  command->add_option("--components", options.components, "Gaussians of each state; default 1")->type_name("M");
  command->add_option("--covariance", words->covariance, "diag (default), full, spherical, lowrank:R, or auto")
      ->type_name("C");
  command
      ->add_option("--shrink", words->shrink,
                   "Draw covariances towards the mean one of all states and classes, as if each state had so many rows "
                   "more that have it; default 0; auto: by sequences held out")
      ->type_name("ROWS");
  command
      ->add_option("--slopes", words->slopes,
                   "Besides each input its slope along the sequence, over so many rows on both sides; default 0: none; "
                   "auto: by sequences held out, of classes")
      ->type_name("ROWS");
  command->add_option("--topology", words->topology, "free (default) or left-to-right: stay, or go to the next state")
      ->type_name("T");
  command
      ->add_option("--project", words->project,
                   "Learn in a random projection of K dimensions, auto: 10 ln(Gaussians), and map emissions back")
      ->type_name("K");
  command->add_option("--restarts", options.restarts, "Starts by k-means++; default 4")->type_name("N");
  command->add_option("--rounds", options.rounds, "Rounds of Baum-Welch, at most; default 100")->type_name("N");
  command->add_option("--tolerance", options.tolerance, "It ends where a round gains less a row; default 1e-4")
      ->type_name("T");
  command
      ->add_option("--floor", words->floor,
                   "Least variance as a share of an input's; default auto: by sequences held out")
      ->type_name("F");
  command->footer(
      "Examples:\n"
      "  bochner hmm speech.csv --sequence id --target speaker --states 5 -o speech.hmm\n"
      "  bochner predict speech.hmm new.csv                   one line for each sequence: its class\n"
      "  bochner eval speech.hmm test.csv --json              error of the sequences, log_likelihood of a row\n"
      "  bochner hmm speech.csv --sequence id --target speaker --states auto --covariance auto --shrink auto \\\n"
      "      --slopes auto -o s.hmm\n"
      "  bochner hmm log.csv --sequence day --states 3 -o log.hmm      predict: the state of each row\n"
      "Sequences lie in memory. The file is read in order: sort its rows by sequence and time.");
  command->callback([words, command, &job] { job = [words, command] { run_hmm(*command, *words); }; });
}

}  // namespace bochner
