// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bochner/hmm.h"
#include "bochner/json.h"
#include "bochner/new_rows.h"
#include "bochner/ranking.h"
#include "bochner/split.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "require.h"
#include "score_words.h"
#include "sequences.h"

namespace bochner {

namespace {

constexpr std::size_t kFewClasses = 10;

struct EvalWords {
  std::string model, file, group;
  bool json = false, details = false, unweighted = false;
  RunOptions run;
  FileOptions format;
};

// Which weights the score is by, where the model knows of any.
std::string weights_line(const EvalWords& words, const Schema& schema, const Score& score) {
  const auto column = std::find_if(schema.columns.begin(), schema.columns.end(),
                                   [](const Column& c) { return c.kind == Column::Kind::weight; });
  if (column == schema.columns.end()) return "";
  if (words.unweighted) return fmt::format("unweighted: the column '{}' is left aside", column->name);
  if (score.weighted)
    return fmt::format("weighted by the column '{}'; --unweighted counts every row once", column->name);
  return fmt::format("unweighted: {} has no weights that differ in a column '{}'", words.file, column->name);
}

Evaluation evaluate_rows(const EvalWords& words, const Model& model, const RowsOptions& reading,
                         const Execution& execution, Messages& messages) {
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);
  NewRows watched(*rows, model);
  Evaluation found = model.examine(watched, execution, !words.unweighted);
  for (const std::string& warning : watched.warnings()) messages.say(warning);
  return found;
}

// How well a model puts the rows of each group in order.
void eval_groups(const EvalWords& words, const Model& model, const RowsOptions& reading, const Execution& execution) {
  require(words.file != "-", "--group: found standard input, which can be read once, expected a file");
  const std::vector<std::uint64_t> groups = row_groups(words.file, model.schema(), words.group, reading);
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);
  const RankingScore found = evaluate_ranking(model, *rows, groups, execution);
  if (found.groups == 0)
    fail(Error::Kind::data, "{}: the rows of every group have one grade, expected pairs of different ones", words.file);
  if (words.json)
    print_json({{"ndcg@10", found.ndcg}, {"pairs", found.pairs}, {"groups", found.groups}, {"without", found.without}});
  else
    print(fmt::format("NDCG@10 {:.4f} of {}, {:.2f} % of pairs in order{}\n", found.ndcg,
                      counted(found.groups, "group"), 100 * found.pairs,
                      found.without ? fmt::format("; {} of one grade left out", counted(found.without, "group")) : ""));
}

void run_eval(const EvalWords& words) {
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  const RowsOptions reading = words.format.rows(words.run);
  const Model model = load_model(words.model);
  if (!words.group.empty()) return eval_groups(words, model, reading, execution);
  const bool sequences = is_of_sequences(model);
  std::uint64_t rows = 0;  // rows of all sequences
  const Evaluation found = sequences ? evaluate_sequences(model, words.file, reading, execution, rows)
                                     : evaluate_rows(words, model, reading, execution, messages);
  if (found.score.rows == 0) fail(Error::Kind::data, "{}: has no rows, expected at least one", words.file);
  const bool matrix = words.details || found.labels.size() <= kFewClasses;
  if (words.json) {
    nlohmann::json tree = nlohmann::json::parse(json_text(found));
    if (sequences) {
      tree["sequences"] = found.score.rows;
      tree["rows"] = rows;
    }
    print_json(tree);
  } else {
    print(sequences ? sequences_text(found, rows, matrix) : found.text(matrix));
  }
  if (const std::string line = weights_line(words, model.schema(), found.score); !line.empty()) messages.say(line);
  if (const std::string hint = found.score.hint(); !hint.empty() && model.puts_out().of_targets())
    messages.say(with_class_words(hint));
  if (const std::string warning = model.report().warning(found.score); !warning.empty()) messages.warn(warning);
}

}  // namespace

void add_eval(Command& app, Job& job) {
  Command* command = app.add_subcommand("eval", "Score a model on rows whose targets are known");
  auto words = std::make_shared<EvalWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` saved")->required()->type_name("");
  command->add_option("FILE", words->file, "Rows with their targets; - is standard input")->required()->type_name("");
  command->add_flag("--details", words->details, "The confusion matrix of more than 10 classes too");
  command->add_flag("--unweighted", words->unweighted, "Every row counts once, though the file has weights");
  command->add_flag(
      "--json", words->json,
      "One object: error, auc, f1, confusion, recall, ... or r2, rmse, mae, ...; log_likelihood of mixtures");
  command
      ->add_option("--group", words->group,
                   "Column of queries: NDCG@10 and the share of pairs in order, as `bochner rank` learns them")
      ->type_name("COLUMN");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner eval cars.model test.csv\n"
      "  bochner eval cars.model test.csv --json\n"
      "  bochner eval answers.model test.csv --group query\n"
      "error is the fraction of rows with the wrong class, R2 the share of the variance explained: 0 is no better "
      "than\n"
      "the mean. After ± stands the standard error: how far chance moves the figure with as many rows. The relative\n"
      "error |yhat-y|/|y| is that of the papers; it depends on where the target has its zero.");
  command->callback([words, &job] { job = [words] { run_eval(*words); }; });
}

}  // namespace bochner
