// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "expansion_words.h"

#include "bochner/rows.h"
#include "require.h"

namespace bochner {

void ExpansionWords::add_file(Command& app) {
  app.add_option("FILE", file, "Rows: csv or npy, plain or .gz, .xz, .zst")->required()->type_name("");
}

void ExpansionWords::add(Command& app) {
  app.add_option("--kernel", kernel, "Default gaussian")->type_name("K");
  app.add_option(
         "--bandwidth", bandwidth,
         "Length scale in units of the unscaled columns: median (default), scale, or numbers, one or one per input")
      ->type_name("S");
  add_repeatable(app, "-t,--target", targets, "Column that is no input, by name or index from 0; several: a,b or again")
      ->type_name("NAME|INDEX")
      ->group(kColumns);
  app.add_option("--weights", weights, "Column of row weights")->type_name("COLUMN")->group(kColumns);
  add_repeatable(app, "--coefficients", coefficients,
                 "Column of coefficients of either sign: their expansion, not the mean of the rows")
      ->type_name("COLUMN")
      ->group(kColumns);
  app.add_option("--missing", missing, "Missing cells: mean (of numbers) or error")->type_name("M")->group(kColumns);
  columns.add(app);
  format.add(app);
  run.add(app);
}

Kernel ExpansionWords::parsed_kernel() const { return parse_kernel(kernel); }

Bandwidth ExpansionWords::parsed_bandwidth() const {
  const bool own = kernel.find("sigma=") != kernel.npos || kernel.find("gamma=") != kernel.npos;
  require(!own || bandwidth.empty(), "--bandwidth: given twice, expected --bandwidth or sigma= or gamma= in --kernel");
  if (own) return parsed_kernel().length_scales;
  return bandwidth.empty() ? Bandwidth(Bandwidth::Rule::median) : parse_bandwidth(bandwidth);
}

std::unique_ptr<Rows> ExpansionWords::open() const {
  RowsOptions reading = format.rows(run);
  reading.targets = split_lists(targets);
  reading.weights = weights;
  reading.inputs_only = coefficients.empty();
  if (!coefficients.empty()) {
    require(weights.empty(), "--coefficients: found with --weights, expected one of them");
    reading.ignore = reading.targets;
    reading.targets = split_lists(coefficients);
    reading.task = Task::regression;
  }
  reading.missing = parse_word<Missing>("--missing", missing, {{"mean", Missing::mean}, {"error", Missing::error}});
  columns.apply(reading);
  return open_rows(file, reading);
}

}  // namespace bochner
