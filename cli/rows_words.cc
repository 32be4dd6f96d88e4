// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows_words.h"

#include "output.h"
#include "require.h"

namespace bochner {

void RowsWords::add(CLI::App& app) {
  app.add_option("FILE", file, "Rows: csv, svmlight or npy, plain or .gz, .xz, .zst")->required()->type_name("");
  app.add_option("-o,--output", output, "Where to save the model")->required()->type_name("MODEL");
  app.add_option("--seed", seed, "Of everything random; the same seed gives the same model")->type_name("N");
  app.add_option("--precision", precision, "Of the outputs: float or double")->type_name("P");
  add_repeatable(app, "-t,--target", targets, "Column that is no input, by name or index from 0; several: a,b or again")
      ->type_name("NAME|INDEX")
      ->group(kColumns);
  app.add_option("--missing", missing, "Missing cells: mean (of numbers) or error")->type_name("M")->group(kColumns);
  columns.add(app);
  format.add(app);
  run.add(app);
}

bool RowsWords::double_precision() const {
  return parse_word<bool>("--precision", precision, {{"float", false}, {"double", true}});
}

std::unique_ptr<Rows> RowsWords::open() const {
  require(output != "-", "-o: found -, expected a file for the model");
  RowsOptions reading = format.rows(run);
  reading.inputs_only = true;
  reading.targets = split_lists(targets);
  columns.apply(reading);
  reading.missing = parse_word<Missing>("--missing", missing, {{"mean", Missing::mean}, {"error", Missing::error}});
  double_precision();
  check_output(output, {file});
  return open_rows(file, reading);
}

void save_map_model(const RowsWords& words, const Rows& rows, const MapPtr& map, Report report, Messages& messages) {
  report.rows = rows.size().value_or(report.rows);
  report.inputs = map->inputs();
  report.features = map->outputs();
  report.map = map->spec();
  const std::vector<std::string> notes = rows.notes();
  report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
  const Model model(rows.schema(), {}, map, std::move(report), words.double_precision());
  model.save(words.output);
  messages.say(fmt::format("{} in {}: {} to {}", map->spec(), words.output, counted(map->inputs(), "input"),
                           counted(map->outputs(), "output")));
}

}  // namespace bochner
