// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/project.h"

#include <algorithm>
#include <limits>

#include "bochner/check.h"
#include "bochner/transform.h"
#include "commands.h"
#include "output.h"
#include "require.h"
#include "rows_words.h"

namespace bochner {

namespace {

struct ProjectWords {
  std::string kind = "sign", store = "automatic";
  std::size_t dims = 0, signs = 1, points = 0, tries = 100;
  double density = 0, until = 0;
  int norm = 2;
  Word *density_given = nullptr, *until_given = nullptr, *tries_given = nullptr;
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

constexpr std::size_t kMostCompared = 4000;  // rows whose pairs are all looked at

Matrix<float> dense_rows(Rows& rows) {
  const std::size_t count = count_rows(rows);
  require(count >= 2 && count <= kMostCompared,
          "--until: found {} rows, expected 2 to {}, whose pairs are all compared", count, kMostCompared);
  Matrix<float> all(count, rows.schema().inputs);
  rows.rewind();
  RowBlock<float> block;
  for (std::size_t at = 0; rows.next(kChunkRows, block); at += block.rows)
    for (std::size_t i = 0; i < block.rows; ++i) {
      if (!block.sparse()) std::copy_n(block.values + i * block.stride, block.cols, &all(at + i, 0));
      for (std::size_t p = block.sparse() ? block.offsets[i] : 1; block.sparse() && p < block.offsets[i + 1]; ++p)
        all(at + i, block.columns[p]) = block.values[p];
    }
  return all;
}

// The first draw, from the seed on, that keeps the squared distances of all pairs of rows within --until.
MapPtr draw_until(const ProjectWords& words, Rows& rows, ProjectOptions options, const Execution& execution,
                  Messages& messages) {
  const Matrix<float> all = dense_rows(rows);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t tried = 1; tried <= words.tries; ++tried, ++options.seed) {
    const MapPtr map = project(rows.schema().inputs, options);
    const double worst = check(map, all.view(), {.sample = all.rows(), .draws = 1}, execution).distortion->worst;
    best = std::min(best, worst);
    if (worst > words.until) continue;
    messages.say(fmt::format("seed {}, the {} of {} tried, keeps all pairs within {:.3g}", options.seed,
                             tried == 1 ? "first" : "last", counted(tried, "draw"), worst));
    return map;
  }
  throw std::invalid_argument(
      fmt::format("--until: none of {} keeps all pairs within {}, the best has {:.3g}; raise --dims, or --tries",
                  counted(words.tries, "draw"), words.until, best));
}

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
  require(words.until_given->count() == 0 || (words.until > 0 && words.until < 1),
          "--until: found {}, expected above 0 and below 1", words.until);
  require(words.tries_given->count() == 0 || (words.until > 0 && words.tries > 0),
          "--tries: found {} without --until, or 0; expected 1 or more draws", words.tries);
  const MapPtr map =
      words.until > 0 ? draw_until(words, *rows, options, execution, messages) : project(inputs, options);
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
  words->until_given =
      command
          ->add_option("--until", words->until,
                       "Draw again, from --seed on, until the squared distances of all pairs of rows are kept within "
                       "this share; up to 4000 rows")
          ->type_name("E");
  words->tries_given =
      command->add_option("--tries", words->tries, "How many draws --until looks at; default 100")->type_name("N");
  command->footer(
      "Examples:\n"
      "  bochner project texts.svm --kind sign --dims 1000 -o texts.model\n"
      "  bochner transform texts.model texts.svm -o small.npy\n"
      "The model holds the seed and no matrix.");
  command->callback([words, &job] { job = [words] { run_project(*words); }; });
}

}  // namespace bochner
