// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "bochner/groups.h"
#include "bochner/stream.h"
#include "bochner/text.h"
#include "commands.h"
#include "csv_line.h"
#include "encode_documents.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct TransformWords {
  std::string model, file, output, group;
  bool inverse = false;
  RunOptions run;
  FileOptions format;
};

MapPtr inverse_of(const Model& model) {
  const MapPtr map = model.transform_map(), back = map ? map->inverse(map) : nullptr;
  if (!back)
    for (const MapPtr& part : model.maps())
      require(
          part->inverse(part) != nullptr,
          "--inverse: {} has no way back to the inputs, expected components of the inputs, a projection or a factor",
          part->spec().substr(0, part->spec().find(':')));
  require(back != nullptr, "--inverse: the model has no way back, expected a projection or a factor");
  return back;
}

// The value of every input that never varied and was left out: the way back does not know it.
std::vector<std::optional<double>> constants_of(const Model& model) {
  std::vector<std::optional<double>> values;
  for (const auto& [low, high] : model.report().input_ranges)
    values.push_back(low == high ? std::optional(low) : std::nullopt);
  return values;
}

void transform_documents(const TransformWords& words) {
  require(!words.output.empty(), "-o: found none, expected a file for the rows of the documents, such as rows.svm");
  require(!words.inverse, "--inverse: documents cannot be told from their rows, expected a projection or a factor");
  encode_documents(words.file, words.model, words.output, words.run);
}

// Features of which few are not 0, such as bins, are for .svm; a table of them would be zeros almost alone.
void check_width(const MapPtr& map, const std::string& output) {
  constexpr std::size_t kWidestTable = 16384;
  require(!map || map->nonzeros() == 0 || map->outputs() <= kWidestTable,
          "{}: a table of {} columns, of which about {} of a row are not 0, expected at most {} columns; write them as "
          ".svm or .svm.gz",
          is_stdout(output) ? "-o" : output, map ? map->outputs() : 0, map ? map->nonzeros() : 0, kWidestTable);
}

// A line for each group: its name, its targets, the means.
void transform_groups(const TransformWords& words) {
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  require(!words.inverse, "--group: found with --inverse, expected one of them");
  check_text_name(words.output);
  const Model model = load_model(words.model);
  check_output(words.output, {words.model, words.file});
  check_width(model.transform_map(), words.output);
  const GroupMeans found = group_means(model, words.file, words.group, words.format.rows(words.run), execution);
  const Schema& schema = model.schema();
  std::string line;
  append_cell(line, words.group);
  for (std::size_t t = 0; t < found.targets.cols(); ++t) append_cell(line += ',', schema.target_names()[t]);
  for (std::size_t j = 0; j < found.means.cols(); ++j) line += fmt::format(",mean{}", j);
  Output output(words.output);
  output.write(line + '\n');
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    line = found.groups[g];
    for (std::size_t t = 0; t < found.targets.cols(); ++t) {
      line += ',';
      if (schema.task == Task::classification)
        append_cell(line, schema.labels[std::size_t(found.targets(g, t))]);
      else
        append_number(line, found.targets(g, t));
    }
    for (std::size_t j = 0; j < found.means.cols(); ++j) append_number(line += ',', double(float(found.means(g, j))));
    output.write(line + '\n');
  }
  output.finish();
  if (!is_stdout(words.output))
    messages.say(fmt::format("{} of {} in {}", counted(found.groups.size(), "group"),
                             counted(found.means.cols(), "mean"), words.output));
}

// One row as a file of that name has it.
class FeatureLine {
 public:
  explicit FeatureLine(const std::string& name)
      : npy(name.ends_with(".npy")), sparse(name.ends_with(".svm") || name.ends_with(".svm.gz")) {
    require(
        npy || sparse || is_stdout(name) || name.ends_with(".csv") || name.ends_with(".csv.gz"),
        "{}: the name ends in neither .npy, .csv, .csv.gz, .svm nor .svm.gz, expected one of them, or - for text on "
        "stdout",
        name);
  }

  // The row with every number through change(column, number).
  template <class Change>
  const std::string& of(const RowBlock<double>& block, std::size_t i, const Change& change) {
    text_ = sparse ? "0" : "";
    row_ = block.first + i;
    if (!block.sparse()) {
      for (std::size_t j = 0; j < block.cols; ++j) add(j, change(j, block.values[i * block.stride + j]));
    } else {
      std::size_t p = block.offsets[i];
      const std::size_t end = block.offsets[i + 1];
      for (std::size_t j = 0; j < (sparse ? 0 : block.cols); ++j)
        add(j, p < end && block.columns[p] == j ? block.values[p++] : 0);
      for (; p < end; ++p) add(block.columns[p], block.values[p]);
    }
    if (!npy) text_ += '\n';
    return text_;
  }

  const bool npy, sparse;  // sparse: zeros are not written

 private:
  void add(std::size_t j, double wide) {
    const float value = float(wide);
    if (!std::isfinite(value))
      fail(Error::Kind::data,
           "row {}: number {} of its transform is {}, expected one in the range of float; correct its inputs, or scale "
           "the columns",
           row_, j, wide);
    if (npy) {
      text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
      return;
    }
    if (sparse && value == 0) return;
    if (sparse)
      text_ += fmt::format(" {}:", j + 1);
    else if (j > 0)
      text_ += ',';
    append_number(text_, value);
  }

  std::string text_;
  std::size_t row_ = 0;
};

void transform_rows(const TransformWords& words) {
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  FeatureLine line(words.output);
  require(
      !line.npy || !is_pipe(words.file),
      "{}: the shape stands first in a .npy file and a pipe can be read only once; write .csv, or store the rows in "
      "a file",
      words.output);
  RowsOptions reading = words.format.rows(words.run);
  reading.target_required = false;
  const Model model = load_model(words.model);
  require(model.transform_map() || model.head()->parts().how == MapParts::How::none,
          "{}: is a blend of machines, which has no features of its own; train with --map for a model that has",
          words.model);
  check_output(words.output, {words.model, words.file});
  const MapPtr map = model.transform_map(), back = words.inverse ? inverse_of(model) : nullptr;
  Schema outputs;  // unnamed numbers
  outputs.inputs = back ? back->inputs() : 0;
  const std::unique_ptr<Rows> rows = open_rows(words.file, back ? outputs : model.schema(), reading);

  if (!line.sparse && !back) check_width(map, words.output);
  const std::size_t features = back ? back->outputs() : map ? map->outputs() : model.schema().inputs;
  const auto constants = words.inverse ? constants_of(model) : std::vector<std::optional<double>>();
  Output output(words.output);
  if (line.npy) output.write(npy_header("<f4", count_rows(*rows), features));
  std::size_t count = 0;
  const auto write = [&](const RowBlock<double>& block) {
    for (std::size_t i = 0; i < block.rows; ++i)
      output.write(line.of(block, i, [&](std::size_t j, double value) {
        const double offset = back && j < model.schema().offsets.size() ? model.schema().offsets[j] : 0;
        return offset + (j < constants.size() ? constants[j].value_or(value) : value);
      }));
    count += block.rows;
  };
  if (back)
    each<double>(*rows, back, write, execution, "transform");
  else
    model.transform(*rows, execution, write);
  output.finish();
  if (!is_stdout(words.output))
    messages.say(
        fmt::format("{} of {} {} in {}", counted(count, "row"), features, back ? "inputs" : "features", words.output));
}

}  // namespace

void add_transform(Command& app, Job& job) {
  Command* command = app.add_subcommand("transform", "Write the features a model makes of the rows of a file");
  auto words = std::make_shared<TransformWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` saved")->required()->type_name("");
  command->add_option("FILE", words->file, kRowsHelp)->required()->type_name("");
  command
      ->add_option(
          "-o,--output", words->output,
          "Where to write: .npy (float32), .csv or .csv.gz (no heading), .svm or .svm.gz (without zeros); default, and "
          "-: text on stdout")
      ->type_name("OUT");
  command->add_flag("--inverse", words->inverse,
                    "FILE holds what `transform` wrote of a projection or a factor: back to the inputs, least squares");
  command
      ->add_option("--group", words->group,
                   "One row for each group of rows with the same cell in this column: the means of their features")
      ->type_name("COLUMN");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner transform cars.model new.csv -o features.npy\n"
      "  bochner transform projected.model rows.csv -o small.npy\n"
      "  bochner transform hashed.model texts.svm -o small.svm   features that are mostly 0, as of `project --kind "
      "hash`\n"
      "  bochner transform mails.text new/ -o new.svm       documents, by what `bochner text --save` wrote\n"
      "  bochner transform visits.embed visits.csv --group patient -o patients.csv    distributions, see `embed`\n"
      "The features' inner products approximate the model's kernel, for use with any linear method. Bins are sparse: "
      "write .svm.");
  command->callback([words, &job] {
    job = [words] {
      if (TextModel::is_file(words->model)) return transform_documents(*words);
      words->group.empty() ? transform_rows(*words) : transform_groups(*words);
    };
  });
}

}  // namespace bochner
