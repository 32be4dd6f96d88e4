// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/svd.h"

#include "clock.h"
#include "command_checkpoint.h"
#include "commands.h"
#include "load_as.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct SvdWords {
  std::size_t rank = 0;
  bool center = false, moments = false;
  std::string spec;
  std::uint64_t part = 0;
  Word *rank_given = nullptr, *part_given = nullptr, *missing_given = nullptr;
  std::size_t passes = 0;
  Word* passes_given = nullptr;
  RowsWords rows;
  CheckpointWords checkpoint;
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

// One part of the rows: its moments, or with those of all parts its sketch.
void run_part(const SvdWords& words, const SvdOptions& options, Messages& messages) {
  require(!words.moments || (words.spec.empty() && words.rank_given->count() == 0 && !words.center),
          "--moments: is the first round; leave --rank, --center and --spec for the second");
  require(!words.rows.json, "--json: a part gives a sum, not a model; leave it out and `inspect --json` the sum");
  require(words.passes_given->count() == 0, "--passes: parts are summed in one pass; leave it out");
  Clock clock;
  RowsWords reading = words.rows;
  if (words.missing_given->count() == 0) reading.missing = "error";
  PartName part = part_of_file(reading.file);
  if (words.part_given->count() > 0) part.number = words.part;
  const auto finish = [&](const FactorSum& sum, const char* what, const char* next) {
    sum.save(reading.output);
    messages.say(
        fmt::format("{} of {} in {}, {:.2f} s", what, counted(sum.rows(), "row"), reading.output, clock.lap()));
    messages.say(next);
  };
  if (words.moments) {
    const std::unique_ptr<Rows> rows = reading.open();
    return finish(moments_part(*rows, part, options.execution), "moments",
                  "next: `bochner merge` the moments of all parts, then `bochner svd PART --spec MERGED --rank R`");
  }
  const FactorSum spec = load_as<FactorSum>(words.spec);
  check_output(reading.output, {reading.file, words.spec});
  const std::unique_ptr<Rows> rows = open_rows(reading.file, spec.schema(), reading.format.rows(reading.run));
  finish(sketch_part(*rows, spec, part, options), "sketch",
         "next: `bochner merge` the sketches of all parts, then `bochner solve` the result");
}

void run_svd(const Command& command, const SvdWords& words) {
  Clock clock;
  Messages messages(words.rows.run.quiet);
  SvdOptions options{.rank = words.rank,
                     .center = words.center,
                     .seed = words.rows.seed,
                     .double_precision = words.rows.double_precision(),
                     .execution = words.rows.run.execution(messages)};
  require(words.moments || words.rank >= 1, "--rank: found {}, expected 1 or more",
          words.rank_given->count() ? "0" : "none");
  if (words.moments || !words.spec.empty()) return run_part(words, options, messages);
  if (words.passes_given->count()) {
    require(words.passes >= 1 && words.passes <= 1000, "--passes: found {}, expected 1 to 1000", words.passes);
    options.passes = words.passes;
  }
  const std::unique_ptr<Rows> rows = words.rows.open();
  for (const std::string& note : rows->notes()) messages.say(note);
  CommandCheckpoint checkpoint(
      command, words.checkpoint,
      {.inputs = {{"the data (by their hash)", words.rows.file}}, .output = words.rows.output});
  checkpoint.attach(options.execution, messages);
  const Model model = svd(*rows, options);
  words.rows.save(model);
  checkpoint.remove();
  say_factor(words, model, clock.lap(), messages);
}

}  // namespace

void add_svd(Command& app, Job& job) {
  Command* command = app.add_subcommand("svd", "Find the leading singular vectors or principal components of rows");
  auto words = std::make_shared<SvdWords>();
  words->rows.add(*command);
  words->checkpoint.add(*command, "run");
  words->missing_given = command->get_option("--missing");
  words->rank_given = command->add_option("--rank", words->rank, "How many")->type_name("R");
  command->add_flag("--center", words->center, "Take the mean away first: principal components");
  words->passes_given =
      command
          ->add_option("--passes", words->passes,
                       "Passes over the rows: 1 a sketch, more come nearer; default: until they bring little")
          ->type_name("Q");
  command->add_flag("--moments", words->moments, "Sum one part of the rows: how many, means and sizes");
  command->add_option("--spec", words->spec, "Sketch one part, as a sum, with the merged moments of all in this file")
      ->type_name("FILE");
  words->part_given =
      command->add_option("--part", words->part, "Number of this part, unlike all others; default: by its content")
          ->type_name("N");
  command->footer(
      "Examples:\n"
      "  bochner svd images.npy --rank 50 --center -o images.pca\n"
      "  bochner transform images.pca images.npy -o small.npy       50 numbers for each row\n"
      "  bochner inspect images.pca --json                          singular_values\n"
      "  bochner svd docs.svm --rank 100 -o topics.model            sparse rows stay sparse\n"
      "From parts that never meet:\n"
      "  bochner svd a.npy --moments -o a.sum                       and b.npy, ...\n"
      "  bochner merge a.sum b.sum -o all.sum\n"
      "  bochner svd a.npy --spec all.sum --rank 50 -o a.sketch     and b.npy, ...\n"
      "  bochner merge a.sketch b.sketch -o all.sketch\n"
      "  bochner solve all.sketch -o images.model\n"
      "Rows stream from the file: memory grows with their width and the rank, not with their number.");
  command->callback([words, command, &job] { job = [words, command] { run_svd(*command, *words); }; });
}

}  // namespace bochner
