// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/project.h"

#include "bochner/transform.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct ProjectWords {
  std::string kind = "sign", store = "automatic";
  std::size_t dims = 0, signs = 1, points = 0;
  double density = 0;
  int norm = 2;
  Word* density_given = nullptr;
  RowsWords rows;

  ProjectOptions options() const {
    ProjectOptions options{.kind = parse_projection_name(kind),
                           .dims = dims,
                           .seed = rows.seed,
                           .density = density,
                           .signs = signs,
                           .points = points,
                           .norm = norm,
                           .store = parse_store_name(store)};
    require(density_given->count() == 0 || density > 0, "--density: found {}, expected above 0 and at most 1", density);
    require(dims > 0, "--dims: found 0, expected 1 or more");
    return options;
  }
};

void run_project(const ProjectWords& words) {
  Messages messages(words.rows.run.quiet);
  const Execution execution = words.rows.run.execution(messages);
  ProjectOptions options = words.options();
  const std::unique_ptr<Rows> rows = words.rows.open();
  const std::size_t inputs = rows->schema().inputs;
  RowBlock<float> block;  // what float cannot hold is refused here rather than by each use of the model
  while (rows->next(kChunkRows, block)) {
  }
  if (options.points == 0 && rows->size().value_or(0) > 1) options.points = *rows->size();
  const MapPtr map = project(inputs, options);
  const double bits = projection_bytes(inputs, {.kind = ProjectOptions::Kind::sign, .dims = options.dims});
  check_map_memory(
      map, execution,
      fmt::format("--store seed keeps none and draws the same numbers anew; --kind sign takes {:.3g} GB as "
                  "bits, or none with --store seed",
                  bits / 1e9));
  for (const std::string& note : rows->notes()) messages.say(note);
  save_map_model(words.rows, *rows, map, {}, messages);
  if (options.dims >= inputs)
    messages.warn(fmt::format("{} outputs of {}: nothing is saved by that", options.dims, counted(inputs, "input")));
}

}  // namespace

void add_project(Command& app, Job& job) {
  Command* command = app.add_subcommand("project", "Make a random projection that keeps distances, for `transform`");
  auto words = std::make_shared<ProjectWords>();
  words->rows.add(*command);
  command
      ->add_option("--kind", words->kind,
                   "gaussian, sign (default), sparse, verysparse, fastjl, srht or hash: see docs/projections.md")
      ->type_name("K");
  command->add_option("--dims", words->dims, "Outputs; `bochner dims --points N --epsilon E` says how many")
      ->required()
      ->type_name("K");
  words->density_given =
      command
          ->add_option("--density", words->density,
                       "Share of entries that are not 0; default: sparse 1/3, verysparse 1/sqrt(inputs), fastjl by the "
                       "rows")
          ->type_name("P");
  command->add_option("--signs", words->signs, "hash: non-zeros of each input; default 1")->type_name("S");
  command->add_option("--points", words->points, "fastjl: rows whose distances count; default: those of FILE")
      ->type_name("N");
  command
      ->add_option(
          "--norm", words->norm,
          "fastjl: norm that outputs are read by, 1 or 2 (the default); with 1, |x - y|_2 is about sqrt(pi / 2k) "
          "|f(x) - f(y)|_1")
      ->type_name("L");
  command
      ->add_option("--store", words->store,
                   "matrix: keep it in memory while it is used; seed: draw it again for every block of rows; the "
                   "numbers are the same")
      ->type_name("S");
  command->footer(
      "Examples:\n"
      "  bochner project texts.svm --kind sign --dims 1000 -o texts.model\n"
      "  bochner transform texts.model texts.svm -o small.npy\n"
      "The model holds the seed and no matrix.");
  command->callback([words, &job] { job = [words] { run_project(*words); }; });
}

}  // namespace bochner
