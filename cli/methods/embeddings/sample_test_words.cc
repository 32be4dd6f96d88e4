// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "sample_test_words.h"

namespace bochner {

void SampleTestWords::add(Command& app, const std::string& bandwidth_help) {
  app.add_option("--kernel", kernel, "Default gaussian")->type_name("K");
  add_repeatable(app, "--bandwidths", bandwidths, bandwidth_help)->type_name("LIST");
  app.add_option("--missing", missing,
                 "Missing cells: mark (a level of their own), mean (of numbers) or error; default " + missing)
      ->type_name("M")
      ->group(kColumns);
  columns.add(app);
  format.add(app);
  run.add(app);
}

void SampleTestWords::read_bandwidths(std::vector<double>& factors) const {
  if (bandwidths.empty()) return;
  factors.clear();
  for (const std::string& word : split_lists(bandwidths)) factors.push_back(parse_number("--bandwidths", word));
}

RowsOptions SampleTestWords::reading() const {
  RowsOptions options = format.rows(run);
  options.missing = parse_word<Missing>("--missing", missing,
                                        {{"mark", Missing::mark}, {"mean", Missing::mean}, {"error", Missing::error}});
  columns.apply(options);
  return options;
}

}  // namespace bochner
