// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/online.h"

#include "base/archive.h"
#include "base/option.h"
#include "base/require.h"
#include "base/sha256.h"
#include "bochner/learner.h"
#include "choose/map_parts.h"
#include "methods/online/state.h"
#include "rows/schema_json.h"
#include "rows/shifted.h"
#include "rows/weighted.h"
#include "run/part_sum.h"
#include "run/stream.h"

namespace bochner {

namespace {

using State = OnlineModel::State;

}  // namespace

void check_schema(const Rows& rows, const Schema& schema) {
  const Schema& own = rows.schema();
  require(own.inputs == schema.inputs && own.labels == schema.labels && own.targets == schema.targets &&
              own.task == schema.task,
          "rows: they were not read by the schema of the model; open them with open_rows(path, model.schema())");
}

Part part_of(const State& state, Rows& rows, const Execution& execution, KeptCells* ids, const char* step) {
  const KeptSum& kept = state.sum;
  const Schema& schema = state.model.schema();
  check_schema(rows, schema);
  require(!kept.marks || ids, "ids: found none, expected the cells of '{}': the model keeps marks of rows by them",
          kept.marks ? kept.marks->column() : "");
  require(kept.marks || !ids, "ids: the model keeps no marks of rows, expected no cells");
  Threads threads(execution);
  std::unique_ptr<MarkedRows> marked;
  if (kept.marks) marked = std::make_unique<MarkedRows>(rows, *ids, kept.marks->salt());
  std::unique_ptr<Rows> shifted, less_targets, by_class, in_unit;
  Rows* read = &with_offsets(marked ? *marked : rows, schema.offsets, shifted);
  read = &with_target_offsets(*read, kept.target_offsets, less_targets);
  if (!kept.class_weights.empty()) read = (by_class = class_weighted_rows(*read, kept.class_weights)).get();
  // Rows without weights weigh 1, and not as much as the heaviest.
  if (kept.weight_unit != 1 || kept.gram.weight_bound() != 1)
    read = (in_unit = rows_weighed_in(*read, kept.weight_unit)).get();
  const Stream stream(*read, state.model.feature_map(), threads, execution,
                      state.model.double_precision() ? Precision::float64 : Precision::float32);
  Part part{stream.fold(RowSums{GramFold::like(kept.gram), std::vector<std::uint64_t>(kept.class_rows.size())}, step),
            {},
            {}};
  if (part.sums.gram.rows() == 0) fail(Error::Kind::data, "{}: there are no rows", step);
  if (!marked) return part;
  part.in_order = marked->marks();
  part.marks = kept.marks->like();
  part.marks->add(part.in_order);
  return part;
}

void add(KeptSum& kept, const Part& part) {
  merge_in_order<GramFold>(kept.gram, {&part.sums.gram, 1});
  for (std::size_t c = 0; c < kept.class_rows.size(); ++c) kept.class_rows[c] += part.sums.class_rows[c];
}

void subtract(KeptSum& kept, const Part& part) {
  kept.gram.subtract(part.sums.gram);
  for (std::size_t c = 0; c < kept.class_rows.size(); ++c) kept.class_rows[c] -= part.sums.class_rows[c];
}

namespace {

// What can be known of rows that leave before they do.
void check_removal(const State& state, const Part& part) {
  const KeptSum& kept = state.sum;
  const std::uint64_t all = kept.gram.rows(), gone = part.sums.gram.rows();
  if (gone > all) fail(Error::Kind::data, "forget: found {} rows, expected fewer than the {} of the sums", gone, all);
  if (gone == all)
    fail(Error::Kind::data,
         "forget: these are as many rows as the sums have, {}; nothing would be left, delete the model", all);
  for (std::size_t c = 0; c < kept.class_rows.size(); ++c)
    if (part.sums.class_rows[c] > kept.class_rows[c])
      fail(Error::Kind::data, "forget: found {} rows of the class '{}', expected at most the {} of the sums",
           part.sums.class_rows[c], state.model.schema().labels[c], kept.class_rows[c]);
}

void check_left(const KeptSum& kept) {
  bool sound = kept.gram.range_of_squares().first >= 0;
  for (std::size_t k = 0; k <= kept.gram.code().columns(); ++k) sound = sound && kept.gram.square_of_target(k) >= 0;
  if (!sound)
    fail(Error::Kind::data,
         "forget: a sum of squares would be negative: not all of these rows are among those of the sums; forget only "
         "rows that were learnt");
}

}  // namespace

Model solved_or_said(const State& state, const Execution& execution, const char* step) {
  check_classes(state.model.schema(), state.sum.class_rows, step);
  try {
    return solved_again(state.model, state.sum, execution);
  } catch (const Error& e) {
    fail(e.kind(), "{}: {}; were all of these rows among those of the sums?", step, e.what());
  }
}

namespace {

const std::string kInfluenced =
    "choices from the rows of the first training stay as they are, which forgotten rows may have influenced: ";

// What the cells of the rows were like, and what stays of rows that go.
std::vector<std::string> notes_of(const CellCounts& counts, const std::vector<Choice>& choices, bool forgets) {
  std::vector<std::string> notes;
  if (counts.missing > 0)
    notes.push_back(fmt::format("{} of {} cells are missing: they count as the fills of the first training",
                                counts.missing, counts.cells));
  if (counts.unknown_rows > 0)
    notes.push_back(fmt::format("{} rows have a text that is no level of its column, such as {}: it counts as none",
                                counts.unknown_rows, counts.unknown));
  std::string names;
  for (const Choice& choice : choices)
    if (choice.from == "rows") names += (names.empty() ? "" : "; ") + choice.name;
  if (forgets && !names.empty()) notes.push_back(kInfluenced + names);
  return notes;
}

Receipt change(OnlineModel& model, Rows& rows, const Execution& execution, KeptCells* ids, bool forgets) {
  State& state = model.state();
  const char* const step = forgets ? "forget" : "update";
  const Part part = part_of(state, rows, execution, ids, step);
  Receipt receipt{step, model.rows(), part.sums.gram.rows()};
  if (forgets) check_removal(state, part);
  std::optional<RowMarks> marks = state.sum.marks;
  if (marks && !forgets) marks->add(part.in_order);
  if (marks && forgets)
    if (const std::optional<std::size_t> strange = marks->remove(part.in_order))
      fail(Error::Kind::data,
           "forget: row {} is not among the rows of the sums, by its '{}' and its cells; leave it out", *strange,
           marks->column());
  KeptSum of_part = state.sum.like();
  receipt.before = state.sum.digest();
  of_part.gram = part.sums.gram;
  of_part.class_rows = part.sums.class_rows;
  of_part.marks = part.marks;
  receipt.part = of_part.digest();
  std::swap(marks, state.sum.marks);
  forgets ? subtract(state.sum, part) : add(state.sum, part);
  try {
    forgets ? check_left(state.sum) : check_room(state.sum.gram);
    state.model = solved_or_said(state, execution, step);
  } catch (...) {
    forgets ? add(state.sum, part) : subtract(state.sum, part);
    std::swap(marks, state.sum.marks);
    throw;
  }
  receipt.rows_after = model.rows();
  receipt.after = model.digest();
  receipt.choices = model.choices_digest();
  receipt.frozen = model.choices();
  receipt.checked = state.sum.marks.has_value();
  receipt.notes = notes_of(rows.counts(), model.choices(), forgets);
  return receipt;
}

}  // namespace

void check_online(const TrainOptions& options) {
  using Solver = RidgeOptions::Solver;
  require(!options.automatic, "keep_sum: the automatic machine is no sum over rows; name a map or a learner");
  require(options.learner.learner == Learner::ridge, "keep_sum: {} is no sum over rows, expected ridge",
          learner_row(options.learner.learner).name);
  require(!has_mixed_bins(options.map), "keep_sum: found random bins beside other features, expected them alone");
  require(!options.calibrate, "keep_sum: found calibrate, which is learnt on rows held out; leave it out");
  require(!options.keep_background,
          "keep_sum: found {}, whose rows would stay when they are forgotten; leave it out, and explain against a file",
          Option::keep_background);
  require(!options.execution.ranks, "keep_sum: found several ranks, expected one");
  require(options.ridge.solver == Solver::automatic || options.ridge.solver == Solver::cholesky,
          "keep_sum: only the solver cholesky has the sums; leave the solver out");
}

OnlineModel train_online(Rows& rows, const TrainOptions& given, const std::string& chosen_on) {
  check_online(given);
  TrainOptions options = given;
  if (!has_bins(options.map)) options.ridge.solver = RidgeOptions::Solver::cholesky;
  require(rows.schema().missing != Missing::drop,
          "keep_sum: rows with missing cells are left out ({} drop), which a model that reads rows to forget does not "
          "do; expected mean, mark or error",
          Option::missing);
  KeptFit fit;
  Model model = train_keeping(rows, options, &fit);
  const bool numbers = model.schema().task == Task::regression;
  KeptSum sum{options.ridge.intercept,
              options.ridge.deviation && numbers,
              model.report().lambda,
              fit.class_weights,
              fit.weight_unit,
              model.target_offsets(),
              choices_made(options, model, fit, chosen_on.empty() ? "rows" : chosen_on),
              {},
              std::move(*fit.gram),
              fit.class_rows,
              {}};
  return OnlineModel(std::make_unique<State>(State{std::move(model), std::move(sum)}));
}

OnlineModel train_as(const OnlineModel& choices, Rows& rows, const Execution& execution, KeptCells* ids) {
  const State& like = choices.state();
  auto state = std::make_unique<State>(State{like.model, like.sum.like()});
  Part part = part_of(*state, rows, execution, ids, "train");
  state->sum.gram = std::move(part.sums.gram);
  state->sum.class_rows = std::move(part.sums.class_rows);
  state->sum.marks = std::move(part.marks);
  check_room(state->sum.gram);
  state->model = solved_or_said(*state, execution, "train");
  return OnlineModel(std::move(state));
}

void keep_ids(OnlineModel& model, Rows& rows, const std::string& column, KeptCells& ids, const Execution& execution) {
  State& state = model.state();
  require(!column.empty(), "ids: the column has no name, expected one");
  Sha256 salt;
  salt.add("bochner marks of rows ");
  salt.add(dump_of_any(schema_to_json(state.model.schema())));
  State marking{state.model, state.sum.like()};
  marking.sum.marks = RowMarks(column, salt.hex());
  Part part = part_of(marking, rows, execution, &ids, "ids");
  if (!(part.sums.gram == state.sum.gram))
    fail(Error::Kind::data, "ids: these are not the rows of the training, expected them again; train anew");
  state.sum.marks = std::move(part.marks);
}

Receipt update(OnlineModel& model, Rows& rows, const Execution& execution, KeptCells* ids) {
  return change(model, rows, execution, ids, false);
}

Receipt forget(OnlineModel& model, Rows& rows, const Execution& execution, KeptCells* ids) {
  return change(model, rows, execution, ids, true);
}

Receipt rechosen(Receipt receipt, const OnlineModel& anew) {
  receipt.anew = anew.digest();
  receipt.choices = anew.choices_digest();
  receipt.frozen = anew.choices();
  std::erase_if(receipt.notes, [](const std::string& note) { return note.starts_with(kInfluenced); });
  return receipt;
}

void merge(OnlineModel& model, const OnlineModel& other, const Execution& execution) {
  State& state = model.state();
  if (model.choices_digest() != other.choices_digest())
    fail(Error::Kind::data,
         "merge: the two models were made by other choices; train one by the choices of the other, then merge");
  KeptSum before = state.sum;
  merge_in_order<GramFold>(state.sum.gram, {&other.state().sum.gram, 1});
  for (std::size_t c = 0; c < before.class_rows.size(); ++c) state.sum.class_rows[c] += other.state().sum.class_rows[c];
  if (state.sum.marks) state.sum.marks->add(other.state().sum.marks->marks());
  try {
    check_room(state.sum.gram);
    state.model = solved_or_said(state, execution, "merge");
  } catch (...) {
    state.sum = std::move(before);
    throw;
  }
}

}  // namespace bochner
