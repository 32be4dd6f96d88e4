// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("cars.model");
//   const auto rows = open_rows("test.csv", model.schema());  // has targets; best rows that training did not see
//   const Insight insight = look_into(model, *rows);
//   std::puts(json_text(insight).c_str());
//   const std::string page = html_page(model, insight, "cars.model on test.csv");  // one file, with pictures

#include <cstdint>
#include <string>
#include <vector>

#include "bochner/evaluation.h"
#include "bochner/execution.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct InsightOptions {
  std::size_t sample = 2000;   // rows at most that columns are shuffled among and pictures show
  std::size_t most_shown = 6;  // columns whose dependence is found, the most important first
  std::size_t repeats = 3;     // shuffles of a column
  std::uint64_t seed = 0;      // seed of the sample and the shuffles
  bool by_weight = true;       // rows count by their weights in the score, where they have some
};

// What a model does with rows whose targets are known.
struct Insight {
  // How much worse the predictions become where the values of a column are shuffled among the rows (Breiman 2001;
  // Fisher, Rudin & Dominici 2019). The levels of a text column are shuffled together.
  struct Importance {
    std::string column;
    double rise = 0, standard_error = 0;  // rise of `measure`
  };
  // The mean prediction where every row has the same value of a column (Friedman 2001): of targets, or probabilities
  // of classes (of two the second), or scores where the model has no probabilities.
  struct Dependence {
    std::string column;
    std::vector<std::string> levels;         // the texts of a text column; otherwise empty
    std::vector<double> at;                  // values of a number, less what stands for missing cells
    bool dates = false;                      // `at` are days since 1970-01-01
    std::vector<std::string> names;          // names of the curves
    std::vector<std::vector<double>> means;  // [curve][place]
    std::vector<double> missing;             // [curve] where the cell is missing; empty: the model does not tell
  };
  struct Pair {
    double prediction = 0, target = 0;
  };

  Evaluation evaluation;
  std::string measure;  // measure of importance: "log-loss", "error" or "share of the variance left over"
  double measured = 0;  // measure of the sample as it is
  std::size_t sample_rows = 0;
  std::size_t shuffled_rows = 0;       // rows of the sample that are shuffled: fewer if columns are many
  std::vector<Importance> importance;  // the largest first; empty where there are too many columns: a note says so
  std::vector<Dependence> dependence;
  std::vector<std::vector<Pair>> pairs;  // regression: of the sample, a list for each target
  std::vector<std::string> notes;
};

// Two passes over the rows and some hundred predictions of the sample. execution.cancel ends it with Stopped.
Insight look_into(const Model& model, Rows& rows, const InsightOptions& options = {}, const Execution& execution = {});

// All of it without the pairs.
std::string json_text(const Insight& insight);

// One page of HTML with its pictures inside, without scripts or anything from outside. Names are escaped.
std::string html_page(const Model& model, const Insight& insight, const std::string& title);

}  // namespace bochner
