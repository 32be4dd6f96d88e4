// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/searcher.h"

#include <fmt/format.h>

#include "base/archive.h"
#include "base/require.h"
#include "bochner/transform.h"
#include "maps/load.h"

namespace bochner {

namespace {

using Method = IndexOptions::Method;

constexpr std::size_t kMostCoordinates = 4096;  // as many hashes as are ever tried
constexpr std::size_t kFewRows = 5000;          // every pair is compared sooner than a forest is grown

void save_map(const MapPtr& map, Archive& archive) {
  if (!map) return;
  Archive saved;
  map->save(saved);
  archive.put_child("coordinates", std::move(saved));
}

MapPtr saved_map(const Archive& archive, const Points& points) {
  MapPtr map;
  if (archive.tree.contains("coordinates")) map = load_map(archive.child("coordinates"));
  if (map && map->inputs() != points.inputs)
    fail(Error::Kind::model, "coordinates: of {} inputs, expected {}; the file is damaged", map->inputs(),
         points.inputs);
  if (map && map->outputs() > kMostCoordinates)
    fail(Error::Kind::model, "coordinates: {} of a row, expected at most {}; the file is damaged", map->outputs(),
         kMostCoordinates);
  check_map_memory(map, {});
  if (!map && points.sparse) fail(Error::Kind::model, "coordinates: none of sparse rows; the file is damaged");
  return map;
}

Coordinates saved_coordinates(const Workers& on, const Archive& archive, const Points& points) {
  return coordinates_by(on, saved_map(archive, points), points,
                        archive.get_count("candidates", std::uint64_t(1) << 24));
}

void save_forest(const Forest& forest, Archive& archive) {
  archive.put_count("leaf", forest.leaf);
  archive.put_count("candidates", forest.coordinates.candidates);
  archive.put_number("recall", forest.recall);
  archive.put_count("trees", forest.trees.size());
  save_map(forest.coordinates.map, archive);
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    Archive tree;
    forest.trees[t].save(tree);
    archive.put_child(fmt::format("tree{}", t), std::move(tree));
  }
}

Forest load_forest(const Workers& on, const Archive& archive, const Points& points) {
  if (points.sparse) fail(Error::Kind::model, "forest: of sparse rows; the file is damaged");
  Forest forest;
  forest.leaf = archive.get_count("leaf", 1 << 24);
  forest.recall = archive.get_number("recall");
  forest.coordinates = saved_coordinates(on, archive, points);
  const std::size_t trees = archive.get_count("trees", 4096);
  for (std::size_t t = 0; t < trees; ++t)
    forest.trees.push_back(Tree::load(archive.child(fmt::format("tree{}", t)), points.size(), forest.coordinates.dims));
  return forest;
}

void save_tables(const HashTables& tables, Archive& archive) {
  const HashPlan& plan = tables.plan();
  archive.put_text("family", hash_name(plan.family));
  archive.put_number("width", plan.width);
  archive.put_count("hashes", plan.hashes);
  archive.put_count("tables", plan.tables);
  archive.put_count("probes", plan.probes);
  archive.put_number("recall", tables.recall);
  archive.put_number("candidates", tables.candidates);
}

HashTables load_tables(const Workers& on, const Archive& archive, const Points& points, const IndexOptions& options) {
  HashPlan plan{.family = parse_hash_name(archive.get_text("family")),
                .width = archive.get_number("width"),
                .hashes = archive.get_count("hashes", kMostHashes),
                .tables = archive.get_count("tables", kMostTables),
                .probes = archive.get_count("probes", 2 * kMostHashes),
                .seed = options.seed};
  IndexOptions asked = options;
  asked.hash = plan.family;
  hash_family(asked);  // refuses one that the metric does not have
  if (plan.width <= 0 || plan.hashes < 1 || plan.tables < 1 || plan.probes < 1 || points.inputs > kMostHashedInputs)
    fail(Error::Kind::model, "tables: of no width, functions or probes; the file is damaged");
  HashTables tables(plan, points.inputs);
  tables.grow(on, points, plan.tables);
  tables.recall = archive.get_number("recall");
  tables.candidates = archive.get_number("candidates");
  return tables;
}

template <class Save, class Part>
void put_part(Archive& archive, const char* name, const Part& part, const Save& save) {
  Archive child;
  save(part, child);
  archive.put_child(name, std::move(child));
}

}  // namespace

Method chosen_method(const IndexOptions& options, const Points& points) {
  const bool dense = !points.sparse;
  switch (options.method) {
    case Method::automatic:
      return dense && points.size() > kFewRows && by_distance(options.metric) && options.recall < 1 ? Method::forest
                                                                                                    : Method::exact;
    case Method::forest:
      require(by_distance(options.metric), "method: forest compares distances, expected exact{} for {}",
              options.metric == Metric::jaccard ? " or lsh" : "", metric_name(options.metric));
      require(dense, "method: forest takes dense rows, expected exact, project or lsh for sparse ones");
      break;
    case Method::project:
      require(by_distance(options.metric), "method: project compares distances, expected exact{} for {}",
              options.metric == Metric::jaccard ? " or lsh" : "", metric_name(options.metric));
      break;
    case Method::lsh:
      hash_family(options);
      require(points.inputs <= kMostHashedInputs, "method: lsh takes up to {} inputs, found {}", kMostHashedInputs,
              points.inputs);
      break;
    case Method::exact:
      break;
  }
  return options.method;
}

Searcher prepare(const Workers& on, const Points& scaled, const IndexOptions& options, Method method,
                 const SearchProgress& progress) {
  Searcher searcher;
  if (method == Method::exact || scaled.size() < 2) return searcher;
  const RecallSample sample =
      recall_sample(on, options.metric, scaled, std::min(options.k, scaled.size() - 1), options.seed);
  if (method == Method::forest) {
    Forest grown = grow_forest(on, scaled, sample, options, progress);
    if (!grown.trees.empty()) searcher.forest = std::move(grown);
  } else if (method == Method::project) {
    Coordinates chosen = choose_coordinates(on, scaled, sample, sample.with_error(options.recall), options);
    const PointSearch search{options.metric, sample.queries, sample.places, scaled, sample.k};
    if (chosen.map) {
      searcher.recall = sample.recall(chosen.search(on, search));
      searcher.projected = std::move(chosen);
    }
  } else {
    searcher.tables = choose_tables(on, scaled, sample, options, progress);
  }
  return searcher;
}

void Searcher::look_at(const Points& points) {
  if (forest) forest->coordinates.look_at(points);
  if (projected) projected->look_at(points);
}

Neighbors Searcher::query(const Workers& on, const PointSearch& search, const SearchProgress& progress) const {
  if (forest) return forest->query(on, search);
  if (projected) return projected->search(on, search);
  if (tables) return tables->query(on, search);
  if (!progress) return search_exact(on, search);
  return search_exact(on, search, [&](double done) { progress("comparing", done); });
}

IndexReport Searcher::report(const Points& points) const {
  IndexReport report{.method = "exact", .rows = points.size(), .inputs = points.inputs};
  if (forest) {
    report.method = "forest";
    report.dims = forest->coordinates.dims;
    report.trees = forest->trees.size();
    report.leaf = forest->leaf;
    report.candidates = forest->coordinates.candidates;
    report.recall = forest->recall;
  } else if (projected) {
    report.method = "project";
    report.dims = projected->dims;
    report.candidates = projected->candidates;
    report.recall = recall;
  } else if (tables) {
    report.method = "lsh";
    report.hash = hash_name(tables->plan().family);
    report.tables = tables->plan().tables;
    report.hashes = tables->plan().hashes;
    report.probes = tables->plan().probes;
    report.candidates = std::size_t(tables->candidates);
    report.recall = tables->recall;
  }
  return report;
}

void Searcher::save(Archive& archive) const {
  if (forest) put_part(archive, "forest", *forest, save_forest);
  if (projected)
    put_part(archive, "projected", *projected, [&](const Coordinates& coordinates, Archive& child) {
      child.put_count("candidates", coordinates.candidates);
      child.put_number("recall", recall);
      save_map(coordinates.map, child);
    });
  if (tables) put_part(archive, "tables", *tables, save_tables);
}

Searcher Searcher::load(const Workers& on, const Archive& archive, const Points& points, const IndexOptions& options) {
  Searcher searcher;
  if (!by_distance(options.metric) && (archive.tree.contains("forest") || archive.tree.contains("projected")))
    fail(Error::Kind::model, "forest: of a metric that has none; the file is damaged");
  if (archive.tree.contains("forest")) searcher.forest = load_forest(on, archive.child("forest"), points);
  if (archive.tree.contains("projected")) {
    const Archive child = archive.child("projected");
    searcher.projected = saved_coordinates(on, child, points);
    searcher.recall = child.get_number("recall");
  }
  if (archive.tree.contains("tables")) searcher.tables = load_tables(on, archive.child("tables"), points, options);
  return searcher;
}

}  // namespace bochner
