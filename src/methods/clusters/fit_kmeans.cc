// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/clusters/fit_kmeans.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "learn/ridge/ridge.h"
#include "methods/clusters/bounds.h"
#include "methods/clusters/lloyd_steps.h"
#include "methods/clusters/silhouette.h"
#include "methods/clusters/start.h"
#include "random/draw.h"
#include "run/feature_store.h"
#include "run/memory_plan.h"
#include "run/state_keeper.h"

namespace bochner {

namespace {

constexpr std::size_t kSampleRows = 4096, kSamplePerCluster = 32;
constexpr std::size_t kSampleBytes = std::size_t(256) << 20;
constexpr std::size_t kCentresPerGroup = 10, kMostGroups = 32;
constexpr std::size_t kMostState = std::size_t(1) << 30;  // bytes: more is not copied after every pass
constexpr std::size_t kManyRows = std::size_t(1) << 24;   // for more rows, only one bound each is kept

// Rows of a store in memory, as numbers of features.
template <class C>
struct Sample {
  std::vector<C> z = {};
  std::vector<double> weights = {};
  std::size_t width = 0;

  RowBlock<C> rows() const {
    auto block = RowBlock<C>::dense({z.data(), z.size() / width, width, width});
    if (!weights.empty()) block.weights = weights.data();
    return block;
  }
};

template <class C>
class Clustering {
 public:
  Clustering(const Stream& stream, const Survey& survey, const KMeansOptions& options)
      : stream_(stream),
        threads_(stream.threads()),
        options_(options),
        n_(survey.rows()),
        store_(stream, n_, memory_limit(stream.execution()) / 2) {
    store_.fill();
    // Kept 16-bit numbers have the unit they are kept in; others are the features themselves.
    const bool fixed = store_.unit() != 1;
    units_ = {.unit = store_.unit(),
              .bound = fixed ? 32767 : feature_bound(stream),
              .weight_bound = store_.weights().empty() ? 1 : survey.largest_weight(),
              .whole = fixed && store_.weights().empty()};
  }

  Clustered run() {
    sample_ = sampled();
    const StateKeeper keeper = keeper_of(stream_.execution().checkpoint, "k-means");
    const std::optional<Archive> saved = keeper.take ? keeper.take() : std::nullopt;
    if (saved)
      load_centres(*saved);
    else
      start();
    LloydFold sums(centres_, units_);
    if (saved) load_sums(*saved, sums);
    for (int pass = 1 + int(found_.inertia.size()); pass <= options_.most_passes; ++pass) {
      const std::size_t moved = look_again(sums, pass);
      found_.inertia.push_back(sums.inertia(*centres_));
      Matrix<double> next = next_centres(sums, centres_->points);
      const bool mended = mend(sums, next);
      if (mended) next = next_centres(sums, centres_->points);
      found_.converged = !mended && (moved == 0 || squared_step(next, centres_->points) <=
                                                       settled_step(sums, options_.tolerance, store_.features()));
      if (moved == 0 && !mended) break;
      use(std::move(next));
      if (found_.converged) break;
      if (keeper.keep && state_bytes() <= kMostState) keeper.keep(state(sums));
    }
    found_.inertia.push_back(sums.inertia(*centres_));
    finish(sums);
    return std::move(found_);
  }

 private:
  Workers workers() const { return stream_.workers(); }

  // The rows drawn, of all where that is little more.
  Sample<C> sampled() {
    const std::size_t k = options_.clusters, width = store_.width();
    std::size_t wanted = std::max(kSampleRows, kSamplePerCluster * k);
    wanted = std::max(std::min(wanted, kSampleBytes / (width * sizeof(C))), 2 * k);
    const double share = double(wanted) / double(n_);
    Sample<C> sample{.width = width};
    store_.each_batch(
        [&](std::size_t row) { return share >= 0.8 || uniform(options_.features.seed, Draw::candidate, row) < share; },
        store_.parts(), "",
        [&](const auto& chunks) {
          for (const auto& rows : chunks)
            for (std::size_t i = 0; i < rows.z.size(); ++i) {
              sample.z.resize(sample.z.size() + width);
              widen(rows.z[i], width, store_.unit(), &sample.z[sample.z.size() - width]);
              if (!store_.weights().empty()) sample.weights.push_back(store_.weights()[rows.number[i]]);
            }
        });
    return sample;
  }

  // Centres of the best start, those of a group side by side.
  void start() {
    const std::size_t k = options_.clusters;
    const Refined found = best_start(workers(), sample_.rows(), k, options_.features.seed, options_.restarts);
    const std::size_t groups = n_ > kManyRows ? 1 : std::clamp<std::size_t>(k / kCentresPerGroup, 1, kMostGroups);
    std::vector<std::size_t> edges = {0};
    Matrix<double> sorted(k, found.centres.cols());
    const Matrix<double>& centres = found.centres;
    const auto block = RowBlock<double>::dense(centres.view());
    const Refined middles = best_start(workers(), block, groups, options_.features.seed + 1, groups > 1 ? 2 : 1);
    const std::vector<std::uint32_t> group = nearest_centres(workers(), block, middles.centres);
    for (std::size_t g = 0; g < groups; ++g) {
      std::size_t at = edges.back();
      for (std::size_t c = 0; c < k; ++c)
        if (group[c] == g) std::copy_n(&centres(c, 0), centres.cols(), &sorted(at++, 0));
      if (at > edges.back()) edges.push_back(at);
    }
    edges_ = edges;
    assignments_.emplace(n_, std::move(edges));
    use(std::move(sorted));
  }

  std::size_t state_bytes() const { return n_ * (20 + 4 * edges_.size()); }

  // Where this stands between two passes.
  Archive state(const LloydFold& sums) const {
    Archive archive, of_rows, of_sums;
    const Matrix<double>& points = centres_->points;
    archive.put<double>("centres", {points.data(), points.rows() * points.cols()}, {points.rows(), points.cols()});
    archive.put<std::uint64_t>("edges", std::vector<std::uint64_t>(edges_.begin(), edges_.end()), {edges_.size()});
    archive.put<double>("inertia", found_.inertia, {found_.inertia.size()});
    archive.put_count("mended", found_.mended);
    archive.put_count("unmendable", unmendable_ ? 1 : 0);
    assignments_->save(of_rows);
    sums.save(of_sums);
    archive.put_child("rows", std::move(of_rows));
    archive.put_child("sums", std::move(of_sums));
    return archive;
  }

  void load_centres(const Archive& archive) {
    const auto edges = archive.get<std::uint64_t>("edges", {archive.length("edges")});
    edges_.assign(edges.begin(), edges.end());
    if (edges_.size() < 2 || edges_[0] != 0 || edges_.back() != options_.clusters ||
        !std::is_sorted(edges_.begin(), edges_.end()))
      fail(Error::Kind::model, "clusters: the checkpoint has other groups than of {} clusters; it is damaged",
           options_.clusters);
    Matrix<double> points(options_.clusters, store_.width());
    archive.get_into("centres", {points.rows(), points.cols()},
                     std::span(points.data(), points.rows() * points.cols()));
    centres_ = std::make_shared<const Centres>(std::move(points));
    assignments_.emplace(n_, edges_);
    assignments_->load(archive.child("rows"), centres_);
  }

  void load_sums(const Archive& archive, LloydFold& sums) {
    found_.inertia = archive.get<double>("inertia", {archive.length("inertia")});
    found_.mended = archive.get_count("mended");
    unmendable_ = archive.get_count("unmendable", 1) == 1;
    sums.load(archive.child("sums"));
  }

  void use(Matrix<double> centres) {
    centres_ = std::make_shared<const Centres>(std::move(centres));
    assignments_->set_centres(centres_, threads_);
  }

  // One pass over the rows that may have to move; how many did.
  std::size_t look_again(LloydFold& sums, int pass) {
    std::size_t moved = 0;
    Assignments& rows = *assignments_;
    store_.each_batch([&](std::size_t row) { return rows.open(row); }, store_.parts(), fmt::format("pass {}", pass),
                      [&](const auto& chunks) { moved += look_at(chunks, sums); });
    rows.settle();
    return moved;
  }

  template <class T>
  std::size_t look_at(std::span<const StoredRows<T>> chunks, LloydFold& sums) {
    const std::size_t piece = assignments_->piece_rows(store_.width());
    std::vector<StoredRows<T>> pieces;
    for (const StoredRows<T>& rows : chunks)
      for (std::size_t begin = 0; begin < rows.z.size(); begin += piece) {
        const std::size_t count = std::min(piece, rows.z.size() - begin);
        pieces.push_back({rows.number.subspan(begin, count), rows.z.subspan(begin, count)});
      }
    std::vector<std::vector<Move<T>>> moves(pieces.size());
    std::vector<std::vector<double>> squares(pieces.size());
    const Workers on = workers();
    threads_.run(pieces.size(), [&](std::size_t p, int) {
      assignments_->look(on.ops, pieces[p], store_.unit(), store_.weights(), moves[p], squares[p]);
    });
    std::vector<Move<T>> all;
    for (const std::vector<Move<T>>& some : moves) all.insert(all.end(), some.begin(), some.end());
    for (const std::vector<double>& some : squares)
      for (const double square : some) sums.add_square(square);
    sums.move<T>(threads_, all);
    return all.size();
  }
  template <class T>
  std::size_t look_at(const std::vector<StoredRows<T>>& chunks, LloydFold& sums) {
    return look_at(std::span<const StoredRows<T>>(chunks), sums);
  }

  struct Far {
    double distance;
    std::size_t row;
    bool operator<(const Far& other) const {  // the farthest first, the first of equals
      return distance > other.distance || (distance == other.distance && row < other.row);
    }
  };

  // Gives clusters that lost all rows the rows farthest from their centres, one each. False: none was empty, or no row
  // is away from its centre.
  bool mend(LloydFold& sums, const Matrix<double>& next) {
    const std::vector<double> weights = sums.weights();
    std::vector<std::uint32_t> empty;
    for (std::size_t c = 0; c < weights.size(); ++c)
      if (!(weights[c] > 0)) empty.push_back(std::uint32_t(c));
    if (empty.empty() || unmendable_) return false;
    const std::vector<Far> far = farthest(next, empty.size());
    unmendable_ = far.empty();
    for (std::size_t e = 0; e < far.size(); ++e)
      store_.each_batch([&](std::size_t row) { return row == far[e].row; }, 1, "",
                        [&](const auto& chunks) { move_row(chunks[0], empty[e], sums); });
    found_.mended += far.size();
    return !far.empty();
  }

  template <class T>
  void move_row(const StoredRows<T>& rows, std::uint32_t to, LloydFold& sums) {
    const std::size_t row = rows.number[0];
    const Move<T> move{rows.z[0], store_.weights().empty() ? 1 : store_.weights()[row], assignments_->label(row), to};
    sums.move<T>(threads_, std::span(&move, 1));
    assignments_->take(row, to);
  }

  std::vector<Far> farthest(const Matrix<double>& centres, std::size_t count) {
    std::vector<Far> far;
    const std::size_t width = store_.width();
    std::vector<C> z(width);
    store_.each_batch({}, store_.parts(), "", [&](const auto& chunks) {
      for (const auto& rows : chunks)
        for (std::size_t i = 0; i < rows.z.size(); ++i) {
          const std::size_t row = rows.number[i];
          if (!store_.weights().empty() && !(store_.weights()[row] > 0)) continue;
          const double square = widen(rows.z[i], width, store_.unit(), z.data());
          double d = 0;
          for (std::size_t j = 0; j < width; ++j) {
            const double diff = double(z[j]) - centres(assignments_->label(row), j);
            d += diff * diff;
          }
          if (d > 1e-9 * square) far.push_back({d, row});
        }
      const auto kept = std::min(far.size(), count);
      std::partial_sort(far.begin(), far.begin() + std::ptrdiff_t(kept), far.end());
      far.resize(kept);
    });
    return far;
  }

  void finish(const LloydFold& sums) {
    end_lloyd(found_, sums, centres_->points, store_.features());
    found_.silhouette = silhouette(workers(), sample_.rows(), Centres(padded()));
  }

  Matrix<double> padded() const {
    Matrix<double> wide(found_.centres.rows(), store_.width());
    for (std::size_t c = 0; c < wide.rows(); ++c) std::copy_n(&found_.centres(c, 0), store_.features(), &wide(c, 0));
    return wide;
  }

  const Stream& stream_;
  Threads& threads_;
  const KMeansOptions& options_;
  std::size_t n_;
  FeatureStore store_;
  RowUnits units_;
  Sample<C> sample_;
  std::shared_ptr<const Centres> centres_;
  std::vector<std::size_t> edges_;  // where the groups of centres begin, and the end
  std::optional<Assignments> assignments_;
  bool unmendable_ = false;
  Clustered found_;
};

}  // namespace

Clustered kmeans(const Stream& stream, const Survey& survey, const KMeansOptions& options) {
  require(options.clusters >= 1 && options.clusters <= 1000000, "clusters: found {}, expected 1 to 1000000",
          options.clusters);
  require(options.restarts >= 1 && options.restarts <= 1000, "restarts: found {}, expected 1 to 1000",
          options.restarts);
  require(options.most_passes >= 1, "passes: found {}, expected 1 or more", options.most_passes);
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance: found {}, expected 0 or more",
          options.tolerance);
  if (survey.rows() < options.clusters)
    fail(Error::Kind::data, "kmeans: found {} rows for {} clusters, expected at least as many rows; ask for fewer",
         survey.rows(), options.clusters);
  if (stream.execution().ranks) return kmeans_on_ranks(stream, survey, options);
  return stream.precision() == Precision::float32 ? Clustering<float>(stream, survey, options).run()
                                                  : Clustering<double>(stream, survey, options).run();
}

}  // namespace bochner
