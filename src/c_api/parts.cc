// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/parts.h"

#include <algorithm>

#include "bochner/processor.h"
#include "c_api/guard.h"

using namespace bochner;
using namespace bochner::c_api;

namespace {

void check_call(std::initializer_list<std::pair<const char*, const char*>> texts) {
  if (const char* fault = processor_fault()) mistake("{}", fault);
  for (const auto& [name, text] : texts) {
    require_given(text, name);
    require(*text != '\0', "{}: found an empty text, expected a value", name);
  }
}

// A later version of the interface has more behind what this one knows, which must then say nothing.
bochner_sum_options known(const bochner_sum_options* options) {
  if (!options) return {};
  require(options->size >= sizeof(bochner_sum_options),
          "options: found a size of {}, expected sizeof(bochner_sum_options), {}", options->size,
          sizeof(bochner_sum_options));
  require(options->size <= 4096, "options: found a size of {}, expected sizeof(bochner_sum_options)", options->size);
  const char* const bytes = reinterpret_cast<const char*>(options);
  require(std::all_of(bytes + sizeof(bochner_sum_options), bytes + options->size, [](char c) { return c == 0; }),
          "options: found some that are newer than this library; use a newer one");
  return *options;
}

TrainOptions train_options(const bochner_sum_options& given) {
  TrainOptions options;
  if (given.map) options.map = parse_map_options(given.map);
  if (given.kernel) options.kernel = parse_kernel(given.kernel);
  if (given.bandwidth) options.bandwidth = parse_bandwidth(given.bandwidth);
  options.features = std::size_t(given.features);
  options.seed = given.seed;
  require(given.threads >= 0, "threads: found {}, expected 0 or more", given.threads);
  options.execution.threads = given.threads;
  return options;
}

Sum load_sum(const std::string& path) {
  try {
    return Sum::load(path);
  } catch (const Error& error) {
    fail(Error::Kind::model, "{}", error.what());
  }
}

Sum survey(const std::string& file, const bochner_sum_options& given, const TrainOptions& options) {
  require(!given.map && !given.kernel && !given.bandwidth && given.features == 0,
          "options: map, kernel, bandwidth and features belong to the second round; give them together with a spec");
  require(given.target != nullptr, "options: found no target, expected a name or an index");
  require(given.task >= 0 && given.task <= 2, "task: found {}, expected 0, 1 or 2", given.task);
  RowsOptions reading{.targets = {given.target}, .missing = Missing::mark, .threads = given.threads};
  if (given.task) reading.task = given.task == 1 ? Task::regression : Task::classification;
  const std::unique_ptr<Rows> rows = open_rows(file, reading);
  return survey_part(*rows, part_of_file(file), given.seed, options.execution);
}

Sum sums(const std::string& file, const std::string& spec, const bochner_sum_options& given,
         const TrainOptions& options) {
  const RowsOptions reading{.threads = given.threads};
  if (Sum::is_file(spec)) {
    const Sum sum = load_sum(spec);
    const std::unique_ptr<Rows> rows = open_rows(file, sum.schema(), reading);
    return sum_part(*rows, sum, part_of_file(file), options);
  }
  const Model model = Model::load(spec);
  const std::unique_ptr<Rows> rows = open_rows(file, model.schema(), reading);
  return sum_part(*rows, model, part_of_file(file), options);
}

}  // namespace

std::int32_t bochner_train(const char* rows, const char* target, const char* output, bochner_error* error) {
  return guarded(error, [&] {
    check_call({{"rows", rows}, {"target", target}, {"output", output}});
    const std::unique_ptr<Rows> opened = open_rows(rows, {.targets = {target}});
    train(*opened).save(output);
  });
}

std::int32_t bochner_accumulate(const char* rows, const char* spec, const bochner_sum_options* options,
                                const char* output, bochner_error* error) {
  return guarded(error, [&] {
    check_call({{"rows", rows}, {"output", output}});
    const bochner_sum_options given = known(options);
    const TrainOptions training = train_options(given);
    check_parts(training);
    (spec ? sums(rows, spec, given, training) : survey(rows, given, training)).save(output);
  });
}

std::int32_t bochner_merge(const char* const* sums, std::size_t count, const char* output, bochner_error* error) {
  return guarded(error, [&] {
    check_call({{"output", output}});
    require_given(sums, "sums");
    require(count > 0, "sums: found none, expected one or more");
    for (std::size_t i = 0; i < count; ++i) check_call({{"sums", sums[i]}});
    Sum all = load_sum(sums[0]);
    for (std::size_t i = 1; i < count; ++i) all.merge(load_sum(sums[i]));
    all.save(output);
  });
}

std::int32_t bochner_solve(const char* sum, const double* lambdas, std::size_t count, const char* output,
                           bochner_error* error) {
  return guarded(error, [&] {
    check_call({{"sum", sum}, {"output", output}});
    if (count > 0) require_given(lambdas, "lambdas");
    for (std::size_t i = 0; i < count; ++i)
      require(lambdas[i] >= 0, "lambdas: found {}, expected 0 or more", lambdas[i]);
    solve(load_sum(sum), std::vector<double>(lambdas, lambdas + count)).save(output);
  });
}
