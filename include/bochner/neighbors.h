// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.target_required = false});
//   const NeighborIndex index(*rows, {.metric = Metric::euclidean, .recall = 0.95});
//   index.save("cars.index");
//   rows->rewind();
//   const Neighbors found = index.query(*rows, 10);  // ten for each row: itself, and nine others
//   std::printf("%lld %g", static_cast<long long>(found.rows[0]), found.distances[0]);
//   rows->rewind();
//   const Neighbors graph = neighbor_graph(*rows, 5);  // five others for each row

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bochner/archive.h"
#include "bochner/execution.h"
#include "bochner/hashes.h"
#include "bochner/map.h"
#include "bochner/rows.h"
#include "bochner/schema.h"

namespace bochner {

// What near means: a small Euclidean distance, a small angle, a large inner product, few inputs that differ (rows of 0
// and 1), or sets that have much in common (Jaccard; a row is the set of its inputs that are not 0).
enum class Metric { euclidean, cosine, inner, hamming, jaccard };
std::string metric_name(Metric metric);
Metric parse_metric(const std::string& text);  // std::invalid_argument for another word

// The rows that were found near each query, nearest first.
struct Neighbors {
  std::size_t k = 0;                    // places of a query
  std::vector<std::int64_t> rows = {};  // queries x k: numbers of rows; -1: there are no more
  // queries x k: the Euclidean distance, 1 - cosine, the inner product, largest first, the inputs that differ, or 1 -
  // Jaccard's similarity; 0 where there is no row
  std::vector<double> distances = {};

  std::size_t queries() const { return k ? rows.size() / k : 0; }
};

struct IndexOptions {
  // automatic: exact where rows are few, sparse or compared by inner product or as sets, otherwise a forest
  //   exact     every row is compared with every query
  //   project   the same in fewer coordinates, the leading components of dense rows or hashed inputs of sparse ones,
  //   and
  //             the best candidates in all inputs
  //   lsh       rows that share a key with the query in one of several tables: see bochner/hashes.h
  //   forest    random trees over the leading components of the rows; rows of the leaves that a query falls into are
  //             compared there, and the best of them in all inputs
  enum class Method { automatic, exact, project, lsh, forest };

  Metric metric = Metric::euclidean;
  Method method = Method::automatic;
  std::optional<HashFamily> hash = {};  // lsh; none: the first of the metric's own
  double recall = 0.95;     // not exact: share of the true k neighbours to be found, measured on a sample of the rows
  std::size_t k = 10;       // for which the recall is measured
  std::uint64_t seed = 0;   // seed of all that is random
  std::uint64_t first = 0;  // the number of the first row: parts that shall merge have numbers of their own
  // forest: cuts at the median; with a spill queries go to both sides of a cut where this share of a node's rows, on
  // either side, lies nearer to it. Fewer trees find as many, each costs a query more. At most 0.25.
  double spill = 0;
  // Dense rows are kept as a byte for each input, rounded to 256 steps of one size for all inputs: a quarter of the
  // file. Such an index takes no more rows.
  bool bytes = false;
  // Rows and queries go through this map first, in double: a scaling of the inputs, for columns of different units
  // (column_scaling() of bochner/feature_options.h chooses one). It is kept in the index. Of euclidean, cosine and
  // inner.
  MapPtr scaling = nullptr;
  Execution execution = {};
};

// How an index searches, and what its sample showed.
struct IndexReport {
  std::string method = {};  // "exact", "project", "lsh", "forest"
  std::size_t rows = 0, inputs = 0;
  std::size_t dims = 0, trees = 0, leaf = 0;  // forest and project: coordinates; trees, rows of a leaf
  std::size_t cells = 0, nearest = 0;         // graph: cells, and how many of them each row's neighbours come from
  std::size_t candidates = 0;                 // compared in all inputs; lsh: about as many on average
  double recall = 1;                          // measured on the sample
  std::string hash = {};                      // lsh: family, tables, functions of a key, keys that are looked up
  std::size_t tables = 0, hashes = 0, probes = 0;
};

// Which rows of an index may be found, by their numbers. Asked once for each row and query(), on the calling thread.
using RowFilter = std::function<bool(std::uint64_t row)>;

// Rows to be searched. A function of the rows, their numbers, the options and the seed alone: the same bytes for any
// threads, and for parts that were merged in any order. Queries are const and may come from several threads at once;
// changes may not.
class NeighborIndex {
 public:
  NeighborIndex(Rows& rows, const IndexOptions& options = {});
  NeighborIndex(NeighborIndex&&) noexcept;
  NeighborIndex& operator=(NeighborIndex&&) noexcept;
  ~NeighborIndex();

  std::size_t size() const;
  const Schema& schema() const;
  Metric metric() const;
  const IndexReport& report() const;

  // The k nearest rows of each query. Fewer places are filled where there are fewer rows.
  Neighbors query(Rows& queries, std::size_t k, const Execution& execution = {}) const;
  // The same among the rows that `allowed` is true for. Where they are few they are all compared; otherwise the index
  // is searched for more than k, and what still has too few is compared with all that are allowed.
  Neighbors query(Rows& queries, std::size_t k, const RowFilter& allowed, const Execution& execution = {}) const;

  // Rows are added behind the others; removed by their numbers, which stay unused; taken over from another index of the
  // same columns and options, whose numbers must be others. The index is then as one built from all its rows at once.
  void add(Rows& rows, const Execution& execution = {});
  void remove(std::span<const std::uint64_t> numbers, const Execution& execution = {});
  void merge(const NeighborIndex& other, const Execution& execution = {});

  // A file like a model's, mapped into memory: dense rows stay in it until the index changes. It is read through once
  // and checked. Error::Kind::model for one that is no index or is damaged.
  void save(const std::string& path) const;
  void save(Archive& archive) const;  // views of this index, which must outlive the archive
  static NeighborIndex load(const std::string& path);

 private:
  struct Parts;
  explicit NeighborIndex(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The k nearest other rows of each row: rows themselves are left out, equal ones are not. With method forest (or
// automatic and many rows) the leaves of a random tree become cells, and each row is compared with those of as many
// near cells as reach the recall on a sample.
Neighbors neighbor_graph(Rows& rows, std::size_t k, const IndexOptions& options = {}, IndexReport* report = nullptr);

// The k nearest of `rows` to each query, every pair compared, without an index: rows that need not fit into memory are
// read in blocks, once for each block of queries that does. Both have the same columns. options: metric, scaling, first
// and execution.
Neighbors streamed_neighbors(Rows& rows, Rows& queries, std::size_t k, const IndexOptions& options = {});
// The same of every row among the others; neighbor_graph does so where the method is exact and the rows do not fit.
Neighbors streamed_graph(Rows& rows, std::size_t k, const IndexOptions& options = {});

}  // namespace bochner
