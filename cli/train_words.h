// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bochner/train.h"
#include "command_checkpoint.h"
#include "feature_words.h"
#include "options.h"

namespace bochner {

// The words of `bochner train`, as typed.
struct TrainWords : FeatureWords {
  TrainWords() { map = "fourier"; }

  std::string file, output, validation, solver = "auto", task, missing, weights, select, learner = "ridge", loss,
                                        tolerance, effort, budget, optimize, weighting, group, time, test;
  std::map<std::string, std::string> loss_parameters;  // name, such as epsilon, to what was given
  std::vector<std::string> targets, lambdas, C, class_weights, neighbors;
  ColumnWords columns;
  std::size_t folds = 0;
  Word* folds_given = nullptr;
  const Command* command = nullptr;
  bool no_intercept = false, json = false, automatic = false, calibrate = false, deviation = false, verbose = false;
  bool keep_background = false;
  // What stays with the model so that rows can join it and leave it, and whose choices it repeats.
  bool keep_sum = false;
  std::string ids, choices_of, choose_on;
  CheckpointWords checkpoint;
  RunOptions run;
  FileOptions format;

  void add(Command& app);
  // Parts of it, for other commands: how the rows are read, and what is chosen from them.
  void add_reading(Command& app);
  void add_choices(Command& app);
  void add_map(Command& app);       // the part of the choices that makes the features
  void add_for_sums(Command& app);  // all that learners by sums over several files heed
  RowsOptions rows() const;
  // Everything but the validation rows and what is said on the way.
  TrainOptions options() const;

 private:
  void add_automatic(Command& app);
  void add_learner(Command& app);
  void add_online(Command& app);
  std::string machine_word() const;
  std::string automatic_word() const;  // that asks for the automatic machine
  std::optional<Effort> automatic_effort() const;
};

}  // namespace bochner
