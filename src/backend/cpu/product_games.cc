// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/product_games.h"

#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/product_games.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Complex numbers of some games, or real ones; two vectors of them, so that a product need not wait for the one before.
template <bool kComplex>
struct Numbers {
  using V = hn::Vec<Tag<double>>;
  static constexpr std::size_t kLanes = hn::MaxLanes(Tag<double>()), kVectors = 2, kWidth = kLanes * kVectors;
  V re[kVectors], im[kVectors];

  HWY_INLINE Numbers() {}  // an implicit one would be compiled for no target, and could not call those of the vectors

  static HWY_INLINE Numbers of(double value) {
    Numbers n;
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      n.re[v] = hn::Set(Tag<double>(), value);
      n.im[v] = hn::Zero(Tag<double>());
    });
    return n;
  }
  static HWY_INLINE Numbers load(const double* HWY_RESTRICT real, const double* HWY_RESTRICT imaginary) {
    Numbers n;
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      n.re[v] = hn::LoadU(Tag<double>(), real + v * kLanes);
      if constexpr (kComplex) n.im[v] = hn::LoadU(Tag<double>(), imaginary + v * kLanes);
    });
    return n;
  }
  HWY_INLINE void store(double* HWY_RESTRICT real, double* HWY_RESTRICT imaginary) const {
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      hn::StoreU(re[v], Tag<double>(), real + v * kLanes);
      if constexpr (kComplex) hn::StoreU(im[v], Tag<double>(), imaginary + v * kLanes);
    });
  }
  HWY_INLINE Numbers operator*(const Numbers& b) const {
    Numbers n;
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      n.re[v] = hn::Mul(re[v], b.re[v]);
      if constexpr (kComplex) {
        n.re[v] = hn::Sub(n.re[v], hn::Mul(im[v], b.im[v]));
        n.im[v] = hn::Add(hn::Mul(re[v], b.im[v]), hn::Mul(im[v], b.re[v]));
      }
    });
    return n;
  }
  HWY_INLINE Numbers operator+(const Numbers& b) const {
    Numbers n;
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      n.re[v] = hn::Add(re[v], b.re[v]);
      if constexpr (kComplex) n.im[v] = hn::Add(im[v], b.im[v]);
    });
    return n;
  }
  HWY_INLINE Numbers operator-(const Numbers& b) const {
    Numbers n;
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      n.re[v] = hn::Sub(re[v], b.re[v]);
      if constexpr (kComplex) n.im[v] = hn::Sub(im[v], b.im[v]);
    });
    return n;
  }
  HWY_INLINE Numbers times(double factor) const {
    Numbers n;
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      n.re[v] = hn::Mul(re[v], hn::Set(Tag<double>(), factor));
      if constexpr (kComplex) n.im[v] = hn::Mul(im[v], hn::Set(Tag<double>(), factor));
    });
    return n;
  }
};

// A row of numbers for each player: real parts of all, then imaginary ones. `at`: the first game.
template <bool kComplex>
struct PlayerRows {
  double* re;
  double* im;

  PlayerRows(double* memory, std::size_t players, std::size_t at)
      : re(memory + at), im(memory + players * ProductGames::kTogether + at) {}
  HWY_INLINE Numbers<kComplex> get(std::size_t j) const {
    return Numbers<kComplex>::load(re + j * ProductGames::kTogether, im + j * ProductGames::kTogether);
  }
  HWY_INLINE void put(std::size_t j, const Numbers<kComplex>& n) const {
    n.store(re + j * ProductGames::kTogether, im + j * ProductGames::kTogether);
  }
};

template <bool kComplex>
struct GamesAt {
  using N = Numbers<kComplex>;
  const ProductGames& games;
  std::size_t at, players;
  PlayerRows<kComplex> gain, factor, before;  // e - o; t e + (1 - t) o; products of the factors of players before

  GamesAt(const ProductGames& all, double* scratch, std::size_t first)
      : games(all),
        at(first),
        players(all.players),
        gain(scratch, players, first),
        factor(scratch + 2 * players * ProductGames::kTogether, players, first),
        before(scratch + 4 * players * ProductGames::kTogether, players + 1, first) {
    for (std::size_t j = 0; j < players; ++j) gain.put(j, inside(j) - outside(j));
  }
  HWY_INLINE N inside(std::size_t j) const {
    const std::size_t row = j * ProductGames::kTogether + at;
    return N::load(games.in_re + row, games.in_im + row);
  }
  HWY_INLINE N outside(std::size_t j) const {
    const std::size_t row = j * ProductGames::kTogether + at;
    return N::load(games.out_re + row, games.out_im + row);
  }
  HWY_INLINE void set_node(double t) const {
    N product = N::of(1);
    before.put(0, product);
    for (std::size_t j = 0; j < players; ++j) {
      const N u = outside(j) + gain.get(j).times(t);
      factor.put(j, u);
      product = product * u;
      before.put(j + 1, product);
    }
  }
};

template <bool kComplex>
HWY_NOINLINE void shares_at(const ProductGames& games, double* scratch, std::size_t at, double* shares) {
  using N = Numbers<kComplex>;
  const GamesAt<kComplex> g(games, scratch, at);
  const PlayerRows<kComplex> sum(shares, g.players, at);
  for (std::size_t j = 0; j < g.players; ++j) sum.put(j, N::of(0));
  for (std::size_t i = 0; i < games.nodes.size(); ++i) {
    g.set_node(games.nodes[i]);
    N behind = N::of(games.weights[i]);
    for (std::size_t j = g.players; j-- > 0;) {
      sum.put(j, sum.get(j) + g.before.get(j) * behind);
      behind = behind * g.factor.get(j);
    }
  }
  for (std::size_t j = 0; j < g.players; ++j) sum.put(j, sum.get(j) * g.gain.get(j));
}

template <bool kComplex>
HWY_NOINLINE void pair_shares_at(const ProductGames& games, double* scratch, std::size_t at, double* shares) {
  using N = Numbers<kComplex>;
  const GamesAt<kComplex> g(games, scratch, at);
  const std::size_t p = g.players, pairs = p * (p - 1) / 2;
  const PlayerRows<kComplex> sum(shares, pairs, at);
  for (std::size_t k = 0; k < pairs; ++k) sum.put(k, N::of(0));
  for (std::size_t node = 0; node < games.nodes.size(); ++node) {
    g.set_node(games.nodes[node]);
    N behind = N::of(games.weights[node]);  // product of players behind j
    for (std::size_t j = p; j-- > 1;) {
      N between = behind;  // and of those between i and j
      for (std::size_t i = j; i-- > 0;) {
        const std::size_t pair = i * (2 * p - i - 1) / 2 + (j - i - 1);
        sum.put(pair, sum.get(pair) + g.before.get(i) * between);
        between = between * g.factor.get(i);
      }
      behind = behind * g.factor.get(j);
    }
  }
  for (std::size_t i = 0, pair = 0; i < p; ++i)
    for (std::size_t j = i + 1; j < p; ++j, ++pair) sum.put(pair, sum.get(pair) * (g.gain.get(i) * g.gain.get(j)));
}

void product_shares_in(const ProductGames& games, double* scratch, double* shares) {
  for (std::size_t at = 0; at < ProductGames::kTogether; at += Numbers<true>::kWidth)
    games.in_im ? shares_at<true>(games, scratch, at, shares) : shares_at<false>(games, scratch, at, shares);
}

void product_pair_shares_in(const ProductGames& games, double* scratch, double* shares) {
  for (std::size_t at = 0; at < ProductGames::kTogether; at += Numbers<true>::kWidth)
    games.in_im ? pair_shares_at<true>(games, scratch, at, shares) : pair_shares_at<false>(games, scratch, at, shares);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(product_shares_in);
HWY_EXPORT(product_pair_shares_in);
}  // namespace cpu

void product_shares(const ProductGames& games, double* scratch, double* shares) {
  using namespace cpu;
  HWY_DYNAMIC_DISPATCH(product_shares_in)(games, scratch, shares);
}

void product_pair_shares(const ProductGames& games, double* scratch, double* shares) {
  using namespace cpu;
  HWY_DYNAMIC_DISPATCH(product_pair_shares_in)(games, scratch, shares);
}

}  // namespace bochner
#endif
