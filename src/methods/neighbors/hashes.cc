// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/hashes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <queue>

#include "base/pieces.h"
#include "bochner/project.h"
#include "maps/map_rows.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kHashedRows = 64;
constexpr std::size_t kNextCorners = 3;  // corners of a polytope beside the nearest

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 32)) * 0x9E3779B97F4A7C15u;
  word = (word ^ (word >> 29)) * 0xBF58476D1CE4E5B9u;
  return word ^ (word >> 32);
}

// Random signs and a Hadamard transform, twice: a turn that spreads even rows of few inputs over all coordinates. Where
// more are asked for than it has, normal directions.
MapPtr turn(std::size_t inputs, std::size_t outputs, std::uint64_t seed) {
  const std::size_t padded = std::bit_ceil(inputs);
  if (outputs > padded) return project(inputs, {.kind = ProjectOptions::Kind::gaussian, .dims = outputs, .seed = seed});
  return chain({project(inputs, {.kind = ProjectOptions::Kind::srht, .dims = padded, .seed = seed}),
                project(padded, {.kind = ProjectOptions::Kind::srht, .dims = outputs, .seed = seed + 1})});
}

}  // namespace

// The values of one row in one table.
struct HashGroup::Hashed {
  struct Other {
    std::size_t function;
    std::uint32_t value;
    float penalty;
  };
  std::vector<std::uint32_t> values;
  std::vector<Other> others;  // what a near row may have instead

  std::uint64_t key() const {
    std::uint64_t key = 0;
    for (const std::uint32_t value : values) key = mixed(key + value + 1);
    return key;
  }

  // The keys of the likeliest sets of changes, least sum of penalties first.
  void probe(std::size_t count, std::uint64_t* keys) {
    keys[0] = key();
    std::fill(keys + 1, keys + count, keys[0]);
    if (count == 1 || others.empty()) return;
    std::sort(others.begin(), others.end(), [](const Other& a, const Other& b) {
      if (a.penalty != b.penalty) return a.penalty < b.penalty;
      return a.function != b.function ? a.function < b.function : a.value < b.value;
    });
    struct Set {
      float penalty;
      std::vector<std::size_t> members;  // ascending
      bool operator>(const Set& other) const {
        return penalty != other.penalty ? penalty > other.penalty : members > other.members;
      }
    };
    std::priority_queue<Set, std::vector<Set>, std::greater<>> sets;
    sets.push({others[0].penalty, {0}});
    for (std::size_t made = 1; made < count && !sets.empty();) {
      Set least = sets.top();
      sets.pop();
      const std::size_t last = least.members.back();
      if (last + 1 < others.size()) {  // shift the last, or take one more: every set comes once
        Set more = least;
        more.members.push_back(last + 1);
        more.penalty += others[last + 1].penalty;
        sets.push(std::move(more));
        Set shifted = least;
        shifted.members.back() = last + 1;
        shifted.penalty += others[last + 1].penalty - others[last].penalty;
        sets.push(std::move(shifted));
      }
      if (const auto changed = key_with(least.members)) keys[made++] = *changed;
    }
  }

 private:
  std::optional<std::uint64_t> key_with(const std::vector<std::size_t>& members) {
    const std::vector<std::uint32_t> before = values;
    std::uint64_t seen = 0;
    bool twice = false;
    for (const std::size_t member : members) {
      const Other& other = others[member];
      twice = twice || (seen >> other.function & 1);
      seen |= std::uint64_t(1) << other.function;
      values[other.function] = other.value;
    }
    const std::uint64_t found = key();
    values = before;
    if (twice) return {};
    return found;
  }
};

HashGroup::HashGroup(const HashPlan& plan, std::size_t inputs, std::size_t number)
    : plan_(plan), seed_(bits(plan.seed, Draw::candidate, number, std::uint64_t(plan.family), 14)) {
  const std::size_t functions = kTables * plan.hashes;
  switch (plan.family) {
    case HashFamily::stable:
    case HashFamily::hyperplane:
      map_ = project(inputs, {.kind = ProjectOptions::Kind::gaussian, .dims = functions, .seed = seed_});
      factor_ = std::sqrt(float(functions));
      break;
    case HashFamily::crosspolytope:
      map_ = turn(inputs, functions * kPolytope, seed_);
      break;
    case HashFamily::cauchy:
      directions_ = Matrix<float>(inputs, functions);
      for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t j = 0; j < functions; ++j) directions_(i, j) = float(cauchy_draw(seed_, Draw::entry, i, j));
      break;
    case HashFamily::minhash:
      break;
  }
}

void HashGroup::hash(const float* z, std::size_t table, Hashed& hashed) const {
  hashed.values.resize(plan_.hashes);
  hashed.others.clear();
  for (std::size_t j = 0; j < plan_.hashes; ++j) {
    if (plan_.family == HashFamily::hyperplane) {
      const float value = z[j] * factor_;
      hashed.values[j] = value < 0;
      hashed.others.push_back({j, std::uint32_t(value >= 0), value * value});
    } else if (plan_.family == HashFamily::crosspolytope) {
      const float* corner = z + j * kPolytope;
      std::array<std::uint32_t, kPolytope> order;
      for (std::uint32_t c = 0; c < kPolytope; ++c) order[c] = c;
      std::partial_sort(order.begin(), order.begin() + 1 + kNextCorners, order.end(), [&](auto a, auto b) {
        const float left = std::abs(corner[a]), right = std::abs(corner[b]);
        return left > right || (left == right && a < b);
      });
      const auto signed_corner = [&](std::uint32_t c) { return 2 * c + (corner[c] < 0); };
      hashed.values[j] = signed_corner(order[0]);
      double squares = 0;
      for (std::size_t c = 0; c < kPolytope; ++c) squares += double(corner[c]) * double(corner[c]);
      for (std::size_t next = 1; next <= kNextCorners && squares > 0; ++next) {
        const float gap = std::abs(corner[order[0]]) - std::abs(corner[order[next]]);
        hashed.others.push_back({j, signed_corner(order[next]), float(double(gap) * double(gap) / squares)});
      }
    } else {
      const double shift = uniform(seed_, Draw::phase, table * plan_.hashes + j);
      const double at = std::clamp(double(z[j]) * double(factor_) / plan_.width + shift, -0x1p30, 0x1p30);
      const double cell = std::floor(at), inside = at - cell;
      hashed.values[j] = std::uint32_t(std::int32_t(cell));
      hashed.others.push_back({j, hashed.values[j] - 1, float(inside * inside)});
      hashed.others.push_back({j, hashed.values[j] + 1, float((1 - inside) * (1 - inside))});
    }
  }
}

void HashGroup::add_directions(const RowBlock<float>& rows, std::size_t row, std::vector<float>& sums) const {
  sums.assign(directions_.cols(), 0.0f);
  const auto add = [&](std::size_t input, float value) {
    for (std::size_t j = 0; value != 0 && j < sums.size(); ++j) sums[j] += value * directions_(input, j);
  };
  if (rows.sparse())
    for (std::size_t p = rows.offsets[row]; p < rows.offsets[row + 1]; ++p) add(rows.columns[p], rows.values[p]);
  else
    for (std::size_t j = 0; j < rows.cols; ++j) add(j, rows.values[row * rows.stride + j]);
}

// The least of random numbers of the members. An empty set has a value of its own.
void HashGroup::hash_set(const RowBlock<float>& rows, std::size_t row, std::size_t table, Hashed& hashed) const {
  hashed.values.assign(plan_.hashes, 0);
  hashed.others.clear();
  for (std::size_t j = 0; j < plan_.hashes; ++j) {
    const std::uint64_t salt = mixed(seed_ + table * plan_.hashes + j);
    std::uint64_t least = ~std::uint64_t(0);
    for (std::size_t p = rows.offsets[row]; p < rows.offsets[row + 1]; ++p)
      least = std::min(least, mixed((rows.columns[p] + 1) * 0xD6E8FEB86659FD93u ^ salt));
    hashed.values[j] = std::uint32_t(least >> 32) ^ std::uint32_t(least);
  }
}

void HashGroup::each(const Workers& on, const RowBlock<float>& rows,
                     const std::function<void(std::size_t, std::size_t, Hashed&)>& use) const {
  if (map_) {
    const std::size_t width = map_->outputs() / kTables;
    map_pieces<float>(on, map_.get(), rows, [&](std::size_t begin, MatrixView<const float> z) {
      Hashed hashed;
      for (std::size_t i = 0; i < z.rows; ++i)
        for (std::size_t t = 0; t < kTables; ++t) {
          hash(z.row(i) + t * width, t, hashed);
          use(begin + i, t, hashed);
        }
    });
    return;
  }
  in_pieces(on.threads, rows.rows, kHashedRows, [&](std::size_t begin, std::size_t count) {
    Hashed hashed;
    std::vector<float> sums;
    for (std::size_t i = begin; i < begin + count; ++i) {
      if (plan_.family == HashFamily::cauchy) add_directions(rows, i, sums);
      for (std::size_t t = 0; t < kTables; ++t) {
        if (plan_.family == HashFamily::cauchy)
          hash(sums.data() + t * plan_.hashes, t, hashed);
        else
          hash_set(rows, i, t, hashed);
        use(i, t, hashed);
      }
    }
  });
}

std::vector<std::uint64_t> HashGroup::keys(const Workers& on, const RowBlock<float>& rows, std::size_t probes) const {
  std::vector<std::uint64_t> all(rows.rows * kTables * probes);
  each(on, rows, [&](std::size_t row, std::size_t table, Hashed& hashed) {
    hashed.probe(probes, all.data() + (row * kTables + table) * probes);
  });
  return all;
}

std::vector<std::uint32_t> HashGroup::values(const Workers& on, const RowBlock<float>& rows) const {
  std::vector<std::uint32_t> all(rows.rows * kTables * plan_.hashes);
  each(on, rows, [&](std::size_t row, std::size_t table, Hashed& hashed) {
    std::copy(hashed.values.begin(), hashed.values.end(), all.data() + (row * kTables + table) * plan_.hashes);
  });
  return all;
}

}  // namespace bochner
