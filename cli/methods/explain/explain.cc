// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/explain.h"

#include <fmt/compile.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "bochner/csv_text.h"
#include "bochner/new_rows.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

constexpr std::size_t kDrawnRows = 2000;  // points of a picture
constexpr std::size_t kToldColumns = 5, kToldOutputs = 5;

struct ExplainWords {
  std::string model, file, background, output, page;
  std::string unknown = "auto";
  std::size_t row = 0;
  bool json = false;
  ExplainOptions options;
  RunOptions run;
  FileOptions format;
};

// A line for each row and output if there are more outputs than one.
bool has_outputs(const Explainer& explainer) { return explainer.outputs().size() > 1; }

// The names of what a line holds; of pairs each column's own effect, then those of two together as "a:b".
std::string heading(const Model& model, const Explainer& explainer, bool pairs) {
  const std::vector<std::string>& columns = explainer.columns();
  std::string line;
  if (has_outputs(explainer)) line = model.puts_out().of_classes() ? "class," : "output,";
  for (const std::string& column : columns) append_cell(line, column), line += ',';
  for (std::size_t i = 0; i < columns.size() && pairs; ++i)
    for (std::size_t j = i + 1; j < columns.size(); ++j) append_cell(line, columns[i] + ":" + columns[j]), line += ',';
  return line + "base_value,score\n";
}

// Values of output k of a row, as heading() names them, then base and score.
std::vector<double> numbers_of(const Explanation& some, std::size_t row, std::size_t k) {
  const std::size_t p = some.columns.size(), line = row * some.outputs.size() + k;
  std::vector<double> numbers;
  const bool pairs = some.pairs.rows() > 0;
  for (std::size_t j = 0; j < p; ++j) numbers.push_back(pairs ? some.pairs(line, j * p + j) : some.values(line, j));
  for (std::size_t i = 0; i < p && pairs; ++i)
    for (std::size_t j = i + 1; j < p; ++j) numbers.push_back(2 * some.pairs(line, i * p + j));
  numbers.push_back(some.base[k]);
  numbers.push_back(some.scores(row, k));
  return numbers;
}

void write_lines(const Explanation& some, Output& output) {
  std::string text;
  for (std::size_t i = 0; i < some.rows(); ++i)
    for (std::size_t k = 0; k < some.outputs.size(); ++k) {
      if (some.outputs.size() > 1) append_cell(text, some.outputs[k]), text += ',';
      bool first = true;
      for (const double number : numbers_of(some, i, k)) {
        if (!std::exchange(first, false)) text += ',';
        fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), number);  // all digits, so that they add up
      }
      text += '\n';
    }
  output.write(text);
}

void write_numbers(const Explanation& some, Output& output) {
  for (std::size_t i = 0; i < some.rows(); ++i)
    for (std::size_t k = 0; k < some.outputs.size(); ++k) {
      const std::vector<double> numbers = numbers_of(some, i, k);
      output.write({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
    }
}

nlohmann::json rows_json(const Explanation& some) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < some.rows(); ++i)
    for (std::size_t k = 0; k < some.outputs.size(); ++k) {
      const std::size_t line = i * some.outputs.size() + k, p = some.columns.size();
      const auto list = [&](const Matrix<double>& of) {
        return std::vector<double>(&of(line, 0), &of(line, 0) + of.cols());
      };
      nlohmann::json row{{"row", some.first + i},
                         {"output", some.outputs[k]},
                         {"values", list(some.values)},
                         {"base_value", some.base[k]},
                         {"score", some.scores(i, k)}};
      if (some.errors.rows() > 0) row["standard_errors"] = list(some.errors);
      for (std::size_t j = 0; j < p && some.pairs.rows() > 0; ++j)
        row["pairs"].push_back(std::vector<double>(&some.pairs(line, j * p), &some.pairs(line, j * p) + p));
      rows.push_back(std::move(row));
    }
  return rows;
}

nlohmann::json summary_json(const Explainer& explainer, const ImportanceSum& sum) {
  nlohmann::json importance = nlohmann::json::array();
  for (const ColumnImportance& one : sum.importance())
    importance.push_back({{"column", one.column},
                          {"output", one.output},
                          {"mean_size", one.mean},
                          {"standard_error", one.standard_error}});
  return {{"columns", explainer.columns()},
          {"outputs", explainer.outputs()},
          {"base_values", explainer.base()},
          {"rows", sum.rows()},
          {"background_rows", explainer.background_rows()},
          {"unknown", explainer.unknown() == ExplainOptions::Unknown::rows ? "rows" : "columns"},
          {"exact", explainer.exact()},
          {"largest_standard_error", sum.largest_error()},
          {"notes", explainer.notes()},
          {"importance", std::move(importance)}};
}

// What was found, in few lines: the columns that matter most.
void tell(const Explainer& explainer, const ImportanceSum& sum, Messages& messages) {
  for (const std::string& note : explainer.notes()) messages.say(note);
  if (!explainer.exact()) messages.say(fmt::format("largest standard error of a value: {:.3g}", sum.largest_error()));
  const std::vector<ColumnImportance> importance = sum.importance();
  const std::size_t p = explainer.columns().size();
  for (std::size_t k = 0; k < std::min(explainer.outputs().size(), kToldOutputs) && sum.rows() > 0; ++k) {
    std::string line;
    for (std::size_t j = 0; j < std::min(p, kToldColumns); ++j) {
      const ColumnImportance& one = importance[k * p + j];
      line += fmt::format("{}{} {:.3g} ± {:.1g}", j ? ", " : "", one.column, one.mean, one.standard_error);
    }
    messages.say(
        fmt::format("mean |value|{}: {}", has_outputs(explainer) ? " of " + explainer.outputs()[k] : "", line));
  }
}

// The cells of a row as text, one for each column that the model reads.
std::vector<std::string> cells_of(const Schema& schema, const double* x) {
  std::vector<std::string> cells;
  std::size_t at = 0;
  const auto number = [&](std::size_t j) { return x[j] + (schema.offsets.empty() ? 0 : schema.offsets[j]); };
  for (const Column& column : schema.columns) {
    if (column.inputs() == 0) continue;
    std::string cell = "another";
    for (std::size_t l = 0; l < column.levels.size(); ++l)
      if (x[at + l] != 0) cell = column.levels[l].empty() ? "missing" : column.levels[l];
    if (column.kind == Column::Kind::numeric)
      cell = column.marked && x[at + 1] != 0       ? "missing"
             : column.dates != Column::Dates::none ? date_text(number(at))
                                                   : fmt::format("{:.6g}", number(at));
    cells.push_back(cell);
    at += column.inputs();
  }
  for (std::size_t j = 0; j < schema.inputs && schema.columns.empty(); ++j)
    cells.push_back(fmt::format("{:.6g}", number(j)));
  return cells;
}

// One row of an explanation of several.
Explanation one_row(const Explanation& some, std::size_t row) {
  const std::size_t K = some.outputs.size(), p = some.columns.size();
  Explanation one{some.columns,         some.outputs,         some.base, some.first + row,
                  Matrix<double>(K, p), Matrix<double>(1, K), {},        {}};
  std::copy_n(&some.values(row * K, 0), K * p, one.values.data());
  std::copy_n(&some.scores(row, 0), K, one.scores.data());
  return one;
}

// The cells of row `number`: read again, since explanations do not hold them.
std::vector<std::string> cells_of_row(const ExplainWords& words, const Model& model, const RowsOptions& reading) {
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);
  RowBlock<double> block;
  for (std::size_t seen = 0; rows->next(kChunkRows, block); seen += block.rows)
    if (words.row < seen + block.rows && !block.sparse()) {
      const double* const x = block.values + (words.row - seen) * block.stride;
      Schema schema = model.schema();
      schema.offsets = rows->schema().offsets;  // what these rows have lost
      return cells_of(schema, x);
    }
  return {};
}

void check_words(const ExplainWords& words) {
  require(words.json || !words.output.empty() || words.page.empty(),
          "--page: the values go to stdout beside it; give -o OUT.csv or --json as well");
  require(words.page.empty() || !is_pipe(words.file),
          "{}: is a pipe, which can be read only once, and --page reads a row again; store the rows in a file",
          words.file);
  require(words.page.empty() || words.page != words.output, "--page: found the file of -o, expected another one");
  if (!words.output.ends_with(".npy")) return check_text_name(words.output);
  require(
      !is_pipe(words.file),
      "{}: the shape stands first in a .npy file and a pipe can be read only once; write .csv, or store the rows in "
      "a file",
      words.output);
}

// The background: a file's, the model's own, or the rows of FILE themselves.
Explainer explainer_of(const ExplainWords& words, const Model& model, const RowsOptions& reading,
                       const Execution& execution) {
  if (words.background.empty() && model.background()) return Explainer(model, words.options, execution);
  require(!words.background.empty() || !is_pipe(words.file),
          "--background: found none, {} keeps none, and {} is a pipe, which can be read only once; expected a file of "
          "rows such as those of training, or a model of `bochner train --keep-background`",
          words.model, words.file);
  const std::string& file = words.background.empty() ? words.file : words.background;
  return Explainer(model, *open_rows(file, model.schema(), reading), words.options, execution);
}

void tell_background(const ExplainWords& words, const Model& model, Messages& messages) {
  if (!words.background.empty()) return;
  messages.say(model.background() ? fmt::format("background: rows of the training, kept in {}", words.model)
                                  : fmt::format("background: the rows of {} themselves; name those of training with "
                                                "--background, or train with --keep-background",
                                                words.file));
}

// Explains all rows into the output; what was asked of them besides.
struct Explained {
  ImportanceSum sum;
  std::optional<Explanation> shown;  // the row of the page
  std::vector<double> values;        // those of the first output, of the page's first rows
  nlohmann::json rows = nlohmann::json::array();
};
Explained explain_rows(const ExplainWords& words, const Model& model, const Explainer& explainer, Rows& rows,
                       const Execution& execution) {
  const bool writes = !words.json || !words.output.empty(), npy = words.output.ends_with(".npy");
  std::optional<Output> output;
  if (writes) output.emplace(words.output);
  if (writes && !npy) output->write(heading(model, explainer, words.options.pairs));
  if (writes && npy) {
    const std::size_t p = explainer.columns().size();
    output->write(npy_header("<f8", count_rows(rows) * explainer.outputs().size(),
                             p + (words.options.pairs ? p * (p - 1) / 2 : 0) + 2));
  }
  Explained found;
  explainer.explain(rows, execution, [&](const Explanation& some) {
    if (writes) npy ? write_numbers(some, *output) : write_lines(some, *output);
    if (!writes)
      for (nlohmann::json& row : rows_json(some)) found.rows.push_back(std::move(row));
    const std::size_t before = found.sum.rows(), p = some.columns.size(), K = some.outputs.size();
    for (std::size_t i = 0; i < some.rows() && before + i < kDrawnRows && !words.page.empty(); ++i)
      found.values.insert(found.values.end(), &some.values(i * K, 0), &some.values(i * K, 0) + p);
    found.sum.add(some);
    if (words.row >= before && words.row < found.sum.rows()) found.shown = one_row(some, words.row - before);
  });
  require(words.page.empty() || found.shown, "--row: found {}, expected a row from 0 to {}", words.row,
          found.sum.rows() - 1);
  if (output) output->finish();
  return found;
}

// The cells of a row as numbers, one for each column that the model reads: of text the number of its level.
std::vector<double> numbers_of(const Schema& schema, const double* x) {
  std::vector<double> numbers;
  std::size_t at = 0;
  const auto number = [&](std::size_t j) { return x[j] + (schema.offsets.empty() ? 0 : schema.offsets[j]); };
  for (const Column& column : schema.columns) {
    if (column.inputs() == 0) continue;
    double cell = NAN;
    for (std::size_t l = 0; l < column.levels.size(); ++l)
      if (x[at + l] != 0) cell = double(l);
    if (column.kind == Column::Kind::numeric && !(column.marked && x[at + 1] != 0)) cell = number(at);
    numbers.push_back(cell);
    at += column.inputs();
  }
  for (std::size_t j = 0; j < schema.inputs && schema.columns.empty(); ++j) numbers.push_back(number(j));
  return numbers;
}

// Pictures of the columns that matter most, from as many rows as there are values.
std::vector<Dependence> pictures_of(const ExplainWords& words, const Model& model, const Explained& found,
                                    const RowsOptions& reading) {
  const std::size_t p = found.shown->columns.size(), n = found.values.size() / p;
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);
  Schema schema = model.schema();
  schema.offsets = rows->schema().offsets;  // what these rows have lost
  Matrix<double> cells(n, p), values(n, p);
  std::copy(found.values.begin(), found.values.end(), values.data());
  RowBlock<double> block;
  for (std::size_t seen = 0; seen < n && rows->next(kChunkRows, block); seen += block.rows) {
    if (block.sparse()) return {};
    for (std::size_t i = 0; i < block.rows && seen + i < n; ++i) {
      const std::vector<double> numbers = numbers_of(schema, block.values + i * block.stride);
      if (numbers.size() != p) return {};
      std::copy(numbers.begin(), numbers.end(), &cells(seen + i, 0));
    }
  }
  std::vector<Dependence> pictures = dependences(found.shown->columns, cells, values);
  std::vector<Column> read;
  std::copy_if(schema.columns.begin(), schema.columns.end(), std::back_inserter(read),
               [](const Column& column) { return column.inputs() > 0; });
  for (Dependence& picture : pictures)
    if (picture.column < read.size()) {
      picture.dates = read[picture.column].dates != Column::Dates::none;
      picture.levels = read[picture.column].levels;
      picture.partner_levels = read[picture.partner_column].levels;
    }
  return pictures;
}

void write_page(const ExplainWords& words, const Model& model, const Explained& found, const RowsOptions& reading) {
  const auto name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  Output page(words.page);
  page.write(html_page(*found.shown, found.sum.importance(), {cells_of_row(words, model, reading)},
                       fmt::format("{} explained on {}", name(words.model), name(words.file)),
                       pictures_of(words, model, found, reading)));
  page.finish();
}

void run_explain(ExplainWords words) {
  using Unknown = ExplainOptions::Unknown;
  words.options.unknown =
      parse_word<Unknown>("--unknown", words.unknown,
                          {{"auto", Unknown::automatic}, {"columns", Unknown::columns}, {"rows", Unknown::rows}});
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  check_words(words);
  RowsOptions reading = words.format.rows(words.run);
  reading.target_required = false;
  const Model model = load_model(words.model);
  check_output(words.output, {words.model, words.file, words.background});
  if (!words.page.empty()) check_output(words.page, {words.model, words.file, words.background});
  const Explainer explainer = explainer_of(words, model, reading, execution);
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);
  NewRows watched(*rows, model);
  const Explained found = explain_rows(words, model, explainer, watched, execution);
  if (!words.page.empty()) write_page(words, model, found, reading);
  for (const std::string& warning : watched.warnings()) messages.say(warning);
  tell_background(words, model, messages);
  tell(explainer, found.sum, messages);
  if (words.json) {
    nlohmann::json tree = summary_json(explainer, found.sum);
    if (words.output.empty()) tree["explained"] = found.rows;
    print_json(tree);
  }
  if (!is_stdout(words.output))
    messages.say(fmt::format("{} in {}", counted(found.sum.rows(), "explained row"), words.output));
}

}  // namespace

void add_explain(Command& app, Job& job) {
  Command* command = app.add_subcommand("explain", "What each column adds to the score of each row: Shapley values");
  auto words = std::make_shared<ExplainWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` saved")->required()->type_name("");
  command->add_option("FILE", words->file, kRowsHelp)->required()->type_name("");
  command
      ->add_option("--background", words->background,
                   "Rows such as those of training, which an unknown column takes its values from; default: those "
                   "that `train --keep-background` kept in the model, otherwise FILE")
      ->type_name("ROWS");
  command->add_option("-o,--output", words->output, "Where to write: text, .gz or .npy; default, and -: stdout")
      ->type_name("OUT");
  command->add_flag("--json", words->json, "Importance and how it was found on stdout; without -o the values as well");
  command->add_flag("--pairs", words->options.pairs,
                    "Each column's own effect, then the interaction of each pair of columns, as a:b");
  command->add_option("--page", words->page, "A page with pictures: importance, and one row")->type_name("OUT.html");
  command->add_option("--row", words->row, "The row of the page, from 0 on")->type_name("N");
  command
      ->add_option("--unknown", words->unknown,
                   "What an unknown column takes: `columns`, values of its own; `rows`, those of whole rows; `auto`, "
                   "columns if the model has a closed form for them")
      ->type_name("WORD");
  command
      ->add_option("--background-rows", words->options.background_rows,
                   "Rows drawn from the background; default 2000, or 100 whole rows")
      ->type_name("N")
      ->between(1, 1000000);
  command
      ->add_option("--evaluations", words->options.evaluations,
                   "Models without a closed form: predictions that each row takes; default: as many as bring standard "
                   "errors below 2.5 % of the score's spread, at most 20000")
      ->type_name("N")
      ->between(1, 1000000000);
  command->add_option("--seed", words->options.seed, "Seed of the background's draw and the permutations")
      ->type_name("N");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner explain cars.model new.csv --background cars.csv -o values.csv\n"
      "  bochner explain cars.model new.csv --background cars.csv -o values.csv --page row.html --row 3\n"
      "  bochner explain cars.model new.csv --background cars.csv --json > importance.json\n"
      "  bochner train cars.csv --target price --keep-background -o cars.model && bochner explain cars.model new.csv\n"
      "A line holds a value for each column that the model reads, the base value and the score, which is their sum. Of "
      "more\n"
      "than two classes each row has a line for each class. Probabilities are explained on the scale of the score.");
  command->callback([words, &job] { job = [words] { run_explain(*words); }; });
}

}  // namespace bochner
