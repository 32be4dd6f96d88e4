// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "sequences.h"

#include "bochner/hmm.h"
#include "csv_line.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

std::vector<std::size_t> starts_of(const Model& model, const std::string& file, const RowsOptions& reading) {
  require(!is_pipe(file), "{}: is a pipe, and sequences are read twice; store the rows in a file", file);
  return sequence_starts(file, model.schema(), hmm_facts(*model.head())->sequence, reading);
}

}  // namespace

bool is_of_sequences(const Model& model) { return hmm_facts(*model.head()).has_value(); }

std::size_t write_sequences(const Model& model, const SequenceWords& words, const RowsOptions& reading,
                            const Execution& execution) {
  check_text_name(words.output);
  require(!words.output.ends_with(".npy"), "{}: .npy holds numbers only, expected .csv for sequences", words.output);
  const std::vector<std::size_t> starts = starts_of(model, words.file, reading);
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);
  const std::vector<SequenceAnswer> answers = predict_sequences(model, *rows, starts, execution);
  const Schema& schema = model.schema();
  const bool classes = !schema.labels.empty();
  Output output(words.output);
  std::string line;
  if (words.names) {
    append_cell(line, classes ? schema.target_names()[0] : "state");
    for (std::size_t c = 0; words.scores && c < schema.labels.size(); ++c)
      append_cell(line += ",", "score:" + schema.labels[c]);
    output.write(line + "\n");
  }
  std::size_t count = 0;
  for (const SequenceAnswer& answer : answers) {
    line.clear();
    if (classes) {
      append_cell(line, answer.label);
      for (std::size_t c = 0; words.scores && c < answer.scores.size(); ++c) {
        line += ',';
        append_number(line, answer.scores[c]);
      }
      line += '\n';
      ++count;
    }
    for (const std::size_t state : answer.states) line += std::to_string(state) + "\n", ++count;
    output.write(line);
  }
  output.finish();
  return count;
}

Evaluation evaluate_sequences(const Model& model, const std::string& file, const RowsOptions& reading,
                              const Execution& execution, std::uint64_t& count) {
  const std::vector<std::size_t> starts = starts_of(model, file, reading);
  const std::unique_ptr<Rows> rows = open_rows(file, model.schema(), reading);
  const Evaluation found = examine_sequences(model, *rows, starts, execution);
  count = 0;
  rows->rewind();
  RowBlock<float> block;
  while (rows->next(4096, block)) count += block.rows;
  return found;
}

}  // namespace bochner
