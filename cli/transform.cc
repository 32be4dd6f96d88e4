// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "commands.h"
#include "csv_line.h"
#include "options.h"
#include "output.h"
#include "run/stream.h"

namespace bochner {

namespace {

struct TransformWords {
  std::string model, file, output;
  RunOptions run;
  FileOptions format;
};

// The header of a .npy file, format version 1.0: padded so that the numbers begin at a multiple of 64.
std::string npy_header(std::size_t rows, std::size_t cols) {
  std::string text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  const std::size_t before = 10;  // magic, version, length
  text += std::string(63 - (before + text.size()) % 64, ' ') + '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += char(text.size() & 0xff);
  header += char(text.size() >> 8);
  return header + text;
}

// The shape stands before the rows, so they are counted first where the file does not say.
std::size_t count_rows(Rows& rows) {
  if (rows.size()) return *rows.size();
  std::size_t count = 0;
  RowBlock<float> block;
  for (rows.rewind(); rows.next(4096, block);) count += block.rows;
  return count;
}

void run_transform(const TransformWords& words) {
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  const bool npy = words.output.ends_with(".npy");
  require(npy || words.output.ends_with(".csv"), "{}: the name ends in neither .npy nor .csv, expected one of them",
          words.output);
  RowsOptions reading = words.format.rows(words.run);
  reading.target_required = false;
  const Model model = load_model(words.model);
  check_output(words.output, {words.model, words.file});
  const std::unique_ptr<Rows> rows = open_rows(words.file, model.schema(), reading);

  Threads threads(execution.threads);
  const Stream stream(*rows, model.feature_map(), threads, execution,
                      model.double_precision() ? Precision::float64 : Precision::float32);
  Output output(words.output);
  if (npy) output.write(npy_header(count_rows(*rows), stream.features()));
  std::size_t count = 0;
  std::string line;
  stream.each("transform", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      line.clear();
      for (std::size_t j = 0; j < block.cols; ++j) {
        const float value = float(block.values[i * block.stride + j]);
        if (npy) {
          line.append(reinterpret_cast<const char*>(&value), sizeof(value));
        } else {
          if (j > 0) line += ',';
          append_number(line, value);
        }
      }
      if (!npy) line += '\n';
      output.write(line);
    }
    count += block.rows;
  });
  output.finish();
  messages.say(fmt::format("{} rows of {} features in {}", count, stream.features(), words.output));
}

}  // namespace

void add_transform(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("transform", "Write the features a model makes of the rows of a file");
  auto words = std::make_shared<TransformWords>();
  command->add_option("MODEL", words->model, "A file that `bochner train` saved")->required()->type_name("");
  command->add_option("FILE", words->file, "Rows; its target column may be absent")->required()->type_name("");
  command->add_option("-o,--output", words->output, "Where to write: .npy (float32) or .csv (no heading)")
      ->required()
      ->type_name("OUT");
  words->format.add(*command);
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner transform cars.model new.csv -o features.npy\n"
      "The features' inner products approximate the model's kernel, for use with any linear method.");
  command->callback([words, &job] { job = [words] { run_transform(*words); }; });
}

}  // namespace bochner
