// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/svd.h"

#include "clock.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct SvdWords {
  std::size_t rank = 0;
  bool center = false;
  std::size_t passes = 0;
  CLI::Option* passes_given = nullptr;
  RowsWords rows;
};

void say_factor(const SvdWords& words, const Model& model, double seconds, Messages& messages) {
  const Report& report = model.report();
  const Factor factor = *factor_of(*model.map());
  messages.say(fmt::format("{} of {} of {} in {}: {}, {}, {:.2f} s", counted(words.rank, "component"),
                           counted(report.rows, "row"), counted(report.inputs, "input"), words.rows.output,
                           factor.method, counted(factor.passes, "pass"), seconds));
  std::string line = fmt::format(
      "|A - A V V'| is {}{:.4g} of |A| (Frobenius)",
      words.passes_given->count() && words.passes == 1 && !factor.above_best ? "at most " : "", factor.error);
  if (factor.above_best)
    line += *factor.above_best < 5e-5
                ? ", the least of this rank"
                : fmt::format(", about {:.2g} % above the least of this rank", 100 * *factor.above_best);
  messages.say(line);
  messages.say(
      fmt::format("singular values {:.4g} to {:.4g}", factor.singular_values.front(), factor.singular_values.back()));
}

void run_svd(const SvdWords& words) {
  Clock clock;
  Messages messages(words.rows.run.quiet);
  SvdOptions options{.rank = words.rank,
                     .center = words.center,
                     .seed = words.rows.seed,
                     .double_precision = words.rows.double_precision(),
                     .execution = words.rows.run.execution(messages)};
  require(words.rank >= 1, "--rank: found 0, expected 1 or more");
  if (words.passes_given->count()) {
    require(words.passes >= 1 && words.passes <= 1000, "--passes: found {}, expected 1 to 1000", words.passes);
    options.passes = words.passes;
  }
  const std::unique_ptr<Rows> rows = words.rows.open();
  for (const std::string& note : rows->notes()) messages.say(note);
  const Model model = svd(*rows, options);
  model.save(words.rows.output);
  say_factor(words, model, clock.lap(), messages);
}

}  // namespace

void add_svd(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("svd", "Find the leading singular vectors or principal components of rows");
  auto words = std::make_shared<SvdWords>();
  words->rows.add(*command);
  command->add_option("--rank", words->rank, "How many")->required()->type_name("R");
  command->add_flag("--center", words->center, "Take the mean away first: principal components");
  words->passes_given =
      command
          ->add_option("--passes", words->passes,
                       "Passes over the rows: 1 a sketch, more come nearer; default: until they bring little")
          ->type_name("Q");
  command->footer(
      "Examples:\n"
      "  bochner svd images.npy --rank 50 --center -o images.pca\n"
      "  bochner transform images.pca images.npy -o small.npy       50 numbers for each row\n"
      "  bochner inspect images.pca --json                          singular_values\n"
      "  bochner svd docs.svm --rank 100 -o topics.model            sparse rows stay sparse\n"
      "Rows stream from the file: memory grows with their width and the rank, not with their number.");
  command->callback([words, &job] { job = [words] { run_svd(*words); }; });
}

}  // namespace bochner
