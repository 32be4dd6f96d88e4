// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/hmm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/option.h"
#include "base/require.h"
#include "bochner/transform.h"
#include "choose/plan_memory.h"
#include "learn/evaluation_text.h"
#include "learn/evaluator.h"
#include "methods/mixtures/forward_backward.h"
#include "methods/mixtures/hmm_fit.h"
#include "methods/mixtures/hmm_map.h"
#include "methods/mixtures/hmm_on_ranks.h"
#include "methods/mixtures/hmm_slopes.h"
#include "methods/mixtures/sequence_rows.h"
#include "model/gathered_rows.h"
#include "model/mapped_rows.h"
#include "rows/shifted.h"
#include "run/stoppable.h"

namespace bochner {

namespace {

constexpr double kLeastLog = -1e30;  // a log density that a score may be

void check_options(const HmmOptions& options, std::size_t inputs) {
  require(options.components >= 1, "components: found 0, expected 1 or more");
  require(options.states <= 10000, "states: found {}, expected at most 10000", options.states);
  require(options.tolerance >= 0, "tolerance: found {}, expected 0 or more", options.tolerance);
  require(!options.floor || (*options.floor > 0 && *options.floor < 1),
          "floor: found {}, expected a share of the variance above 0 and below 1", options.floor.value_or(0));
  require(!options.shrink || (*options.shrink >= 0 && std::isfinite(*options.shrink)),
          "shrink: found {}, expected 0 or more rows", options.shrink.value_or(0));
  require(options.slopes.value_or(0) <= kMostSlopes, "slopes: found {}, expected at most {} rows",
          options.slopes.value_or(0), kMostSlopes);
  if (!options.covariance) return;
  require(options.shrink == 0.0 || options.covariance->kind != CovarianceForm::Kind::lowrank,
          "shrink: covariances are {}, expected full, diag or spherical", covariance_name(*options.covariance));
  require(options.covariance->kind != CovarianceForm::Kind::tied,
          "covariance: found tied, expected full, diag, spherical or lowrank:R for states");
  require(options.covariance->kind != CovarianceForm::Kind::lowrank || options.covariance->rank <= inputs,
          "covariance: found rank {}, expected at most {}, the number of inputs", options.covariance->rank, inputs);
}

std::vector<double> priors_of(const Sequences& sequences) {
  std::vector<double> priors(sequences.groups, 1e-12);
  for (std::size_t i = 0; i < sequences.size(); ++i) priors[sequences.classes[i]] += sequences.weight(i);
  double all = 0;
  for (const double prior : priors) all += prior;
  for (double& prior : priors) prior /= all;
  return priors;
}

// What a model tells of sequences, ready for many of them.
struct Told {
  HmmParts parts;
  HmmStates states;
  std::size_t classes;
};

Told told_by(const Model& model) {
  std::optional<HmmParts> parts = hmm_parts(*model.head());
  require(parts.has_value(), "hmm: the model is {}, expected a hidden Markov model", model.head()->spec());
  HmmStates states(parts->hmms);
  const std::size_t classes = parts->hmms.size();
  return {std::move(*parts), std::move(states), classes};
}

SequenceAnswer answer_of(const Workers& on, const Told& told, const Model& model, MatrixView<const double> x) {
  SequenceAnswer answer{.rows = x.rows};
  if (told.classes == 1) {
    const Hmm& hmm = told.parts.hmms[0];
    Matrix<double> log_b(x.rows, told.states.states());
    told.states.log_densities(on.ops, x, 0, log_b.view(), {});
    answer.log_density = std::max(kLeastLog, log_evidence({hmm.start, hmm.transitions}, std::as_const(log_b).view()));
    answer.states = viterbi({hmm.start, hmm.transitions}, std::as_const(log_b).view());
    return answer;
  }
  answer.scores = class_evidences(on, told.states, told.parts.hmms, x);
  for (std::size_t c = 0; c < told.classes; ++c)
    answer.scores[c] = std::max(kLeastLog, answer.scores[c] + std::log(told.parts.priors[c]));
  const double most = *std::max_element(answer.scores.begin(), answer.scores.end());
  double sum = 0;
  for (const double score : answer.scores) sum += std::exp(score - most);
  answer.log_density = most + std::log(sum);
  for (double& score : answer.scores) score -= answer.log_density;
  const auto best = std::max_element(answer.scores.begin(), answer.scores.end());
  answer.label = model.schema().labels[std::size_t(best - answer.scores.begin())];
  return answer;
}

std::vector<SequenceAnswer> answers(const Model& model, Threads& threads, const Sequences& sequences) {
  const Told told = told_by(model);
  const Workers on = workers_on(threads);
  std::vector<SequenceAnswer> found(sequences.size());
  threads.run(sequences.size(), [&](std::size_t i, int) { found[i] = answer_of(on, told, model, sequences.rows(i)); });
  return found;
}

Sequences read(const Model& model, Rows& rows, const std::vector<std::size_t>& starts, Threads& threads,
               const Execution& execution, std::size_t groups) {
  check_map_memory(model.feature_map(), execution);
  std::unique_ptr<Rows> shifted;
  const Stream stream(with_offsets(rows, model.schema().offsets, shifted), model.feature_map(), threads, execution,
                      model.double_precision() ? Precision::float64 : Precision::float32);
  return with_slopes(sequences_in(stream, starts, groups, rows.size().value_or(0), SequenceWeights::none),
                     hmm_facts(*model.head())->slopes);
}

}  // namespace

namespace {

// The names of sequences, and where they begin.
std::pair<std::vector<std::string>, std::vector<std::size_t>> sequences_of(const std::string& path,
                                                                           const Schema& schema,
                                                                           const std::string& column,
                                                                           const RowsOptions& reading) {
  KeptCells kept{.columns = {column}};
  RowsOptions options = reading;
  options.kept = &kept;
  options.target_required = false;
  const std::unique_ptr<Rows> rows = open_rows(path, schema, options);
  std::vector<std::string> names;
  std::vector<std::size_t> starts;
  std::unordered_set<std::string> seen;
  RowBlock<float> block;
  std::size_t row = 0;
  while (rows->next(4096, block))
    for (std::size_t i = 0; i < block.rows; ++i, ++row) {
      std::string id = std::move(kept.lines.front());
      kept.lines.pop_front();
      if (row > 0 && id == names.back()) continue;
      if (!seen.insert(id).second)
        fail(Error::Kind::data,
             "{}: row {}: the sequence {} begins again after another, expected its rows next to each other; sort the "
             "file by '{}'",
             path, row, id, column);
      starts.push_back(row);
      names.push_back(std::move(id));
    }
  if (row == 0) fail(Error::Kind::data, "{}: has no rows, expected at least one", path);
  return {std::move(names), std::move(starts)};
}

}  // namespace

std::vector<std::size_t> sequence_starts(const std::string& path, const Schema& schema, const std::string& column,
                                         const RowsOptions& reading) {
  return sequences_of(path, schema, column, reading).second;
}

Partition sequence_partition(const std::string& path, const std::string& column, const RowsOptions& options) {
  RowsOptions reading = options;
  if (std::find(reading.ignore.begin(), reading.ignore.end(), column) == reading.ignore.end())
    reading.ignore.push_back(column);
  Partition file = file_partition(path, reading);
  file.sequences = [path, column, reading](const Schema& schema) {
    const auto [names, starts] = sequences_of(path, schema, column, reading);
    return named_sequences(starts, names);
  };
  return file;
}

namespace {

Model fitted_hmm(Rows& rows, const std::vector<std::size_t>& starts, const HmmOptions& given, double most_bytes) {
  check_options(given, rows.schema().inputs);
  MappedRows mapped(rows, given.features, "hmm");
  const Schema& schema = mapped.schema();
  const bool classes = schema.targets > 0;
  require(!classes || (schema.task == Task::classification && schema.targets == 1),
          "hmm: the target is a number, expected classes: one model is learnt for each");
  const std::size_t groups = classes ? schema.labels.size() : 1;
  const Workers on = workers_on(mapped.threads());
  std::optional<SequencesOnRanks> apart;
  if (given.features.execution.ranks) apart.emplace(rows, mapped, groups, given.features.seed, most_bytes);
  MemoryPlan plan = program_memory(mapped.threads().count(), 1);
  const std::size_t n = apart ? apart->met().x.rows() : mapped.survey().rows();
  // Held besides the rows: the rows of a class that states start from, and with slopes rows of twice the width.
  const double widths = given.slopes == 0 ? 2 : 4;
  plan.add("rows", widths * double(n) * double(mapped.stream().features()) * sizeof(double));
  say_or_refuse(plan, double(memory_limit(given.features.execution)), "hmm", fmt::format("raise {}", Option::memory),
                {});
  Sequences sequences = apart ? apart->met() : sequences_in(mapped.stream(), starts, groups, n);
  require(given.states <= sequences.x.rows(), "states: found {}, expected at most {}, the number of rows", given.states,
          sequences.x.rows());
  weigh(sequences);
  const HmmOptions options = choose_hmm(on, sequences, given, [&](const std::string& text) { mapped.note(text); });
  sequences = with_slopes(std::move(sequences), *options.slopes);
  const bool drawn = apart && apart->are_drawn();
  if (drawn) mapped.note(apart->note());
  const HmmRun run =
      drawn ? fit_hmms(on, sequences, options, apart->pass(on, *options.slopes)) : fit_hmms(on, sequences, options);
  if (run.falls > 0)
    mapped.note(fmt::format("the likelihood fell by more than rounding {} time{} and the model before was kept",
                            run.falls, run.falls == 1 ? "" : "s"));
  if (!run.converged)
    mapped.note(fmt::format("not converged: {} rounds of Baum-Welch, the last gained more than {} a row",
                            options.rounds, options.tolerance));
  Report report;
  report.learner = "hmm";
  report.solver = fmt::format("Baum-Welch, {} rounds", run.rounds);
  report.termination = run.converged ? Termination::converged : Termination::step_limit;
  const MapPtr head = hmm_map(run.hmms, drawn ? apart->priors() : priors_of(sequences),
                              {.log_likelihood = run.mean_log_likelihood(),
                               .rounds = run.rounds,
                               .falls = run.falls,
                               .converged = run.converged,
                               .floor = run.floor,
                               .sequence = options.sequence,
                               .slopes = *options.slopes});
  return std::move(mapped).model(head, std::move(report), {},
                                 classes ? MappedRows::Targets::kept : MappedRows::Targets::forgotten);
}

}  // namespace

Model hmm(Rows& rows, const std::vector<std::size_t>& starts, const HmmOptions& options) {
  return stoppable(options.features.execution, [&] { return fitted_hmm(rows, starts, options, kMostGatheredBytes); });
}

Model hmm_on_ranks(Rows& rows, const HmmOptions& options, double most_bytes) {
  return stoppable(options.features.execution, [&] { return fitted_hmm(rows, {}, options, most_bytes); });
}

std::vector<SequenceAnswer> predict_sequences(const Model& model, Rows& rows, const std::vector<std::size_t>& starts,
                                              const Execution& execution) {
  Threads threads(execution);
  return answers(model, threads, read(model, rows, starts, threads, execution, 1));
}

Evaluation examine_sequences(const Model& model, Rows& rows, const std::vector<std::size_t>& starts,
                             const Execution& execution) {
  Threads threads(execution);
  const std::size_t groups = std::max<std::size_t>(1, model.schema().labels.size());
  require(groups == 1 || rows.schema().targets > 0, "evaluate: the rows have no target");
  const Sequences sequences = read(model, rows, starts, threads, execution, groups);
  const std::vector<SequenceAnswer> found = answers(model, threads, sequences);
  Evaluation evaluation;
  if (groups > 1) {
    Evaluator evaluator(Task::classification, groups == 2 ? 1 : groups, model.schema().labels);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double target = double(sequences.classes[i]), odds = found[i].scores[1] - found[i].scores[0];
      std::vector<double> chances;
      for (const double score : found[i].scores) chances.push_back(std::exp(score));
      evaluator.add(groups == 2 ? &odds : found[i].scores.data(), &target, 1, chances.data());
    }
    evaluation = evaluator.evaluation();
  } else {
    evaluation.score.rows = found.size();
  }
  double likelihood = 0;
  for (const SequenceAnswer& answer : found) likelihood += answer.log_density;
  evaluation.log_likelihood = likelihood / double(sequences.x.rows());
  return evaluation;
}

std::string sequences_text(const Evaluation& evaluation, std::uint64_t rows, bool with_matrix) {
  return evaluation_text(evaluation, {.unit = "sequence", .rows = rows}, with_matrix);
}

}  // namespace bochner
