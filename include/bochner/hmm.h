// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   RowsOptions reading{.targets = {"class"}, .ignore = {"id"}};
//   const auto rows = open_rows("speech.csv", reading);
//   const std::vector<std::size_t> starts = sequence_starts("speech.csv", rows->schema(), "id");
//   const Model model = hmm(*rows, starts, {.states = 3, .sequence = "id"});
//   const auto fresh = open_rows("new.csv", model.schema());
//   const std::vector<std::size_t> of_new = sequence_starts("new.csv", model.schema(), "id");
//   for (const SequenceAnswer& answer : predict_sequences(model, *fresh, of_new)) std::puts(answer.label.c_str());

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bochner/evaluation.h"
#include "bochner/feature_options.h"
#include "bochner/gaussians.h"
#include "bochner/mixture.h"
#include "bochner/model.h"
#include "bochner/rounds.h"
#include "bochner/rows.h"

namespace bochner {

// A hidden Markov model: a chain of states, each of which puts out rows by a mixture of Gaussians.
struct Hmm {
  std::vector<double> start = {};   // probability of each state at first
  Matrix<double> transitions = {};  // S x S: from a state (row) to the next
  Matrix<double> weights = {};      // S x M: of the state's components
  Gaussians gaussians = {};         // component m of state s is s M + m

  std::size_t states() const { return start.size(); }
  std::size_t components() const { return weights.cols(); }
  bool operator==(const Hmm&) const = default;
};

struct HmmOptions {
  std::size_t states = 0;      // 0: chosen by cross-validation over the sequences, among 1, 2, 3, 4, 5 and 7
  std::size_t components = 1;  // Gaussians of each state
  std::optional<CovarianceForm> covariance = CovarianceForm{.kind = CovarianceForm::Kind::diag};  // none: likewise
  // left_to_right: chains begin in the first state, stay or go to the next. free: any.
  enum class Topology { free, left_to_right };
  Topology topology = Topology::free;
  std::size_t restarts = 4;  // starts by k-means++, of which the likeliest is kept; left to right by equal parts
  double tolerance = 1e-4;   // Baum-Welch ends where a round gains less, in log-likelihood of a row
  std::size_t rounds = 100;
  std::optional<double> floor = {};         // least variance, as a share of an input's; none: chosen on rows held out
  std::optional<std::size_t> project = {};  // dimensions to learn in before emissions are mapped back; 0: as gmm
  // Covariances are drawn towards the mean one of all states of all classes, as if each state had so many rows more
  // that have it; none: chosen with the states.
  std::optional<double> shrink = 0.0;
  // Each input gets its slope along the sequence beside it, over so many rows on both sides; none: chosen with the
  // states, by classes.
  std::optional<std::size_t> slopes = 0;
  std::string sequence = {};    // the column's name, which the model keeps for `predict`
  std::vector<Hmm> begin = {};  // what Baum-Welch starts from, one for each class, instead of clusters
  FeatureOptions features = {.scale = ColumnScaling::Method::none};
};

// Where sequences begin among the rows of a file: consecutive rows of the same id are one. An id that comes again
// after another is refused: the rows are not in order. The column must be of a CSV file.
std::vector<std::size_t> sequence_starts(const std::string& path, const Schema& schema, const std::string& column,
                                         const RowsOptions& reading = {});

// The rows of a file, for rounds, with its sequences: those of such a column. One that lies in two partitions is
// refused by hmm().
Partition sequence_partition(const std::string& path, const std::string& column, const RowsOptions& options = {});

// Hidden Markov models learnt by Baum-Welch (Rabiner 1989), one for each class where the rows have classes: the class
// of a sequence is that of its first row. The sequences lie in memory. The same bytes for any threads.
// With Execution::ranks the rows are those of rounds, and their partitions know the sequences, not `starts`: up to
// 256 MiB of them meet and are learnt from as by one process; of more a draw gives choices and starts, and each round
// of Baum-Welch is a sum.
Model hmm(Rows& rows, const std::vector<std::size_t>& starts, const HmmOptions& options = {});

// Facts about the head of such a model.
struct HmmFacts {
  double log_likelihood = 0;  // mean of a row, of sequences given their class
  std::size_t rounds = 0, falls = 0;
  bool converged = true;
  double floor = 0;
  std::string sequence = {};  // the column
  std::size_t slopes = 0;     // rows on both sides that slopes are taken over; 0: none
  std::optional<MixtureShape> projected = {};
};
std::optional<HmmFacts> hmm_facts(const Map& head);
std::vector<Hmm> hmms_of(const Map& head);  // one, or one of each class; empty: no such model

struct SequenceAnswer {
  std::size_t rows = 0;
  double log_density = 0;                // log p(sequence), over the classes by their priors
  std::string label = {};                // models of classes only
  std::vector<double> scores = {};       // log p(class | sequence)
  std::vector<std::size_t> states = {};  // the likeliest path (Viterbi), of models without classes
};
std::vector<SequenceAnswer> predict_sequences(const Model& model, Rows& rows, const std::vector<std::size_t>& starts,
                                              const Execution& execution = {});
// Score of the sequences' classes, each of which counts once as a row does elsewhere, and the mean log-likelihood of a
// row.
Evaluation examine_sequences(const Model& model, Rows& rows, const std::vector<std::size_t>& starts,
                             const Execution& execution = {});
// The same in words that say sequences. rows: how many they have.
std::string sequences_text(const Evaluation& evaluation, std::uint64_t rows, bool with_matrix);

}  // namespace bochner
