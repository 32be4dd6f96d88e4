// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/mixture_fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/gaussians.h"
#include "base/lease.h"
#include "base/pieces.h"
#include "base/require.h"
#include "folds/binned_sums.h"
#include "maps/lower_factor.h"

namespace bochner {

namespace {

constexpr std::size_t kPieceRows = 192;       // that stay in the first cache
constexpr std::size_t kMostShares = 4 << 20;  // held at a time

// Sums about the means; where covariances are of low rank, with B = (F F^T + P)^-1 F of each.
std::shared_ptr<const GaussianCenters> centers_of(const Gaussians& g) {
  GaussianCenters centers(g.form, g.means);
  if (GaussianSums::independent(g.form)) centers.measure_in(g.variances);
  for (std::size_t k = 0; g.form.kind == CovarianceForm::Kind::lowrank && k < g.size(); ++k)
    centers.bases.push_back(low_rank_regression(g.matrices[k].view(), {&g.variances(k, 0), g.inputs()}));
  return std::make_shared<const GaussianCenters>(std::move(centers));
}

template <class T>
std::unique_ptr<const GaussianDensities<T>> ready(const Gaussians& g, std::span<const double> log_weights,
                                                  std::size_t components) {
  auto densities = std::make_unique<GaussianDensities<T>>(g);
  densities->expect_groups(components, log_weights);
  return densities;
}

}  // namespace

MixtureRound::MixtureRound(Gaussians given, std::vector<double> of_components, std::size_t groups,
                           bool double_precision, MapPtr map, std::shared_ptr<const GaussianCenters> centers)
    : gaussians(std::move(given)), weights(std::move(of_components)), groups(groups), through(std::move(map)) {
  require(groups > 0 && gaussians.size() % groups == 0 && weights.size() == gaussians.size(),
          "mixture: {} weights of {} components in {} groups", weights.size(), gaussians.size(), groups);
  for (const double weight : weights)
    log_weights.push_back(weight > 0 ? std::log(weight) : -std::numeric_limits<double>::infinity());
  if (double_precision)
    wide = ready<double>(gaussians, log_weights, components());
  else
    narrow = ready<float>(gaussians, log_weights, components());
  about = centers ? std::move(centers) : centers_of(gaussians);
}

template <>
const GaussianDensities<float>& MixtureRound::densities() const {
  require(bool(narrow), "mixture: made for rows of double, found float");
  return *narrow;
}
template <>
const GaussianDensities<double>& MixtureRound::densities() const {
  require(bool(wide), "mixture: made for rows of float, found double");
  return *wide;
}

double shares_of_joint(double* joint, std::size_t count) {
  double log_sum = 0;
  joint_to_shares<double>({joint, 1, count, count}, &log_sum);
  return log_sum;
}

namespace {

// What one block is on its way to the sums.
template <class T>
struct Shared {
  const MixtureRound& round;
  const Backend& on;
  const RowBlock<T>& block;
  Matrix<double> shares;             // rows x M, times the rows' weights
  std::vector<std::uint32_t> group;  // one per row; empty: one group
  std::vector<double> likelihoods;   // w log p(x)

  Shared(const MixtureRound& round, const Backend& on, const RowBlock<T>& block)
      : round(round), on(on), block(block), shares(block.rows, round.components()), likelihoods(block.rows) {
    if (round.groups == 1) return;
    require(block.targets && block.target_count > 0, "mixture: the rows have no class");
    group.resize(block.rows);
    for (std::size_t i = 0; i < block.rows; ++i) {
      group[i] = std::uint32_t(block.targets[i * block.target_count]);
      require(group[i] < round.groups, "mixture: a row of class {}, expected fewer than {}", group[i], round.groups);
    }
  }

  // Rows begin .. end: those of one group at a time, next to each other.
  void find(std::size_t begin, std::size_t end) {
    const Lease<T> mapped((end - begin) * round.gaussians.inputs());
    MatrixView<const T> x = block.slice(begin, end - begin).view();
    if (round.through) {
      const MatrixView<T> z{mapped.data(), x.rows, round.gaussians.inputs(), round.gaussians.inputs()};
      round.through->apply(on, block.slice(begin, end - begin), z);
      x = z;
    }
    if (round.groups == 1) return find_group(x, 0, nullptr, begin);
    const Lease<T> gathered(x.rows * x.cols);
    const Lease<std::size_t> rows(x.rows);
    for (std::size_t g = 0; g < round.groups; ++g) {
      std::size_t count = 0;
      for (std::size_t i = begin; i < end; ++i) {
        if (group[i] != g) continue;
        std::copy_n(x.row(i - begin), x.cols, gathered.data() + count * x.cols);
        rows.data()[count++] = i;
      }
      if (count > 0) find_group({gathered.data(), count, x.cols, x.cols}, g, rows.data(), begin);
    }
  }

 private:
  // rows: their places in the block; null: from `begin` on.
  void find_group(MatrixView<const T> x, std::size_t g, const std::size_t* rows, std::size_t begin) {
    const std::size_t M = round.components();
    const Lease<double> memory(x.rows * M), found(x.rows);
    const MatrixView<double> joint{memory.data(), x.rows, M, M};
    round.densities<T>().likely_log_densities(on, x, g * M, {&round.log_weights[g * M], M}, joint);
    joint_to_shares<T>(joint, found.data());
    for (std::size_t i = 0; i < x.rows; ++i) {
      const std::size_t row = rows ? rows[i] : begin + i;
      const double weight = block.weights ? block.weights[row] : 1;
      likelihoods[row] = weight > 0 ? weight * found.data()[i] : 0;
      for (std::size_t m = 0; m < M; ++m) shares(row, m) = weight * joint(i, m);
    }
  }
};

}  // namespace

template <class T>
void MixtureFold::add(const Workers& on, const RowBlock<T>& block) {
  require(!block.sparse(), "mixture: the rows are sparse, expected dense ones");
  const std::size_t chunks = std::max<std::size_t>(1, kMostShares / round_->components() / kChunkRows);
  const std::vector<std::size_t> edges = chunk_edges(block.first, block.rows);
  for (std::size_t c = 0; c + 1 < edges.size(); c += chunks) {
    const std::size_t end = edges[std::min(edges.size() - 1, c + chunks)];
    add_part(on, block.slice(edges[c], end - edges[c]));
  }
}

template <class T>
void MixtureFold::add_part(const Workers& on, const RowBlock<T>& block) {
  Shared<T> shared(*round_, on.ops, block);
  Responsibilities shares{.r = std::as_const(shared.shares).view(),
                          .group = shared.group.empty() ? nullptr : shared.group.data()};
  if (GaussianSums::independent(sums_.about().form))
    shares.find = [&](std::size_t begin, std::size_t end) { shared.find(begin, end); };
  else
    in_pieces(on.threads, block.rows, kPieceRows,
              [&](std::size_t begin, std::size_t count) { shared.find(begin, begin + count); });
  const std::vector<std::size_t> edges = chunk_edges(block.first, block.rows);
  sums_.add(on, block.view(), shares, edges);
  for (std::size_t c = 0; c + 1 < edges.size(); ++c) {
    std::vector<double> sum(round_->groups);
    for (std::size_t i = edges[c]; i < edges[c + 1]; ++i) {
      const std::size_t g = shared.group.empty() ? 0 : shared.group[i];
      sum[g] += shared.likelihoods[i];
      if (!block.weights || block.weights[i] > 0) ++rows_[g];
    }
    for (std::size_t g = 0; g < sum.size(); ++g) likelihoods_[g].add(sum[g]);
  }
}

template void MixtureFold::add(const Workers&, const RowBlock<float>&);
template void MixtureFold::add(const Workers&, const RowBlock<double>&);

void MixtureFold::merge(const MixtureFold& other) {
  sums_.merge(other.sums_);
  for (std::size_t g = 0; g < rows_.size(); ++g) {
    likelihoods_[g].merge(other.likelihoods_[g]);
    rows_[g] += other.rows_[g];
  }
}

void MixtureFold::save(Archive& archive) const {
  sums_.save(archive);
  put_sums(archive, "likelihoods", likelihoods_);
  archive.put<std::uint64_t>("rows", rows_, {rows_.size()});
}

void MixtureFold::load(const Archive& archive) {
  sums_.load(archive);
  likelihoods_ = get_sums(archive, "likelihoods", likelihoods_.size());
  rows_ = archive.get<std::uint64_t>("rows", {rows_.size()});
}

double MixtureFold::weight(std::size_t group) const {
  const std::size_t M = round_->components();
  double sum = 0;
  for (std::size_t m = 0; m < M; ++m) sum += sums_.weight(group * M + m);
  return sum;
}

}  // namespace bochner
