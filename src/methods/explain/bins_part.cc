// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/archive.h"
#include "base/lease.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/grid_linear.h"
#include "methods/explain/background.h"
#include "methods/explain/coalitions.h"
#include "methods/explain/terms.h"

namespace bochner {

namespace {

// A head on bins: [bin][output], times what stands behind it.
struct BinTable {
  std::shared_ptr<const BinningMap> bins;
  std::vector<double> values, constant;
};

BinTable table_of(const ExplainTerm& term) {
  const Archive archive = saved_map(*term.map);
  const Matrix<double>& weights = term.head.weights;
  const std::size_t K = weights.cols();
  BinTable table{nullptr, {}, term.head.constant};
  if (get_text(archive.tree, "type") == "binning") {
    table.bins = load_binning(archive);
    for (std::size_t bin = 0; bin < table.bins->outputs(); ++bin)
      for (std::size_t k = 0; k < K; ++k) table.values.push_back(table.bins->bound() * weights(bin, k));
    return table;
  }
  const MapPtr loaded = load_grid_linear(archive);
  const auto& head = static_cast<const GridLinear&>(*loaded);
  table.bins = head.bins_pointer();
  table.values.assign(table.bins->outputs() * K, 0.0);
  for (std::size_t o = 0; o < head.outputs(); ++o)
    for (std::size_t k = 0; k < K; ++k) {
      table.constant[k] += head.intercept()[o] * weights(o, k);
      for (std::size_t bin = 0; bin < table.bins->outputs(); ++bin)
        table.values[bin * K + k] += double(head.values()[bin * head.outputs() + o]) * weights(o, k);
    }
  return table;
}

// What an unknown column takes: the summands of a bin's hash, and how often.
struct Cell {
  std::uint64_t term;
  double share;
};

// A column of a grid: its inputs, and the terms of the background's rows.
struct Player {
  std::uint32_t column = 0;
  std::vector<std::uint32_t> inputs = {};
  std::vector<std::uint64_t> rows = {};
  std::vector<Cell> cells = {};  // the different ones of them
};

// Each grid is a game of the few columns that it looks at: a bin's hash is a sum over them, so that a coalition is
// looked up by the terms of x and those of the background. T: what the model runs in.
template <class T>
class BinsPart final : public ExplainPart {
 public:
  BinsPart(const Workers& on, const ExplainTerm& term, const ExplainBackground& background)
      : table_(table_of(term)), encoding_(term.encoding), whole_(background.whole), base_(table_.constant) {
    const Matrix<double> x = encoding_.encode(on.ops, background.x.view());
    grids_.resize(table_.bins->grids());
    players_.resize(grids_.size());
    in_turn(on, grids_.size(), 1, [&](std::size_t g, std::size_t) { find_players(g, x); });
  }

  std::size_t grids() const { return grids_.size(); }
  // Lookups that a row takes.
  double cost() const {
    double all = 0;
    for (const std::vector<Player>& players : players_) {
      double mixes = whole_ && !players.empty() ? double(players[0].rows.size()) : 1;
      for (const Player& player : players) mixes *= whole_ ? 2 : 1 + double(player.cells.size());
      all += mixes;
    }
    return all;
  }

  void find_base(const Workers& on) {
    std::vector<double> of_grids(grids_.size() * base_.size());
    in_turn(on, grids_.size(), 1, [&](std::size_t g, std::size_t) {
      Game game;
      const auto add = [&](double share) {
        look_up(g, 0, game);
        for (std::size_t k = 0; k < base_.size(); ++k) of_grids[g * base_.size() + k] += share * game.worth[k];
      };
      game.begin(base_.size());
      if (!whole_) {
        for (const Player& player : players_[g]) game.unknown(player.cells);
        return add(1);
      }
      const std::size_t B = rows_of(g);
      for (std::size_t b = 0; b < B; ++b) {
        game.begin(base_.size());
        for (const Player& player : players_[g]) game.fixed(player.rows[b]);
        add(1 / double(B));
      }
    });
    for (std::size_t i = 0; i < of_grids.size(); ++i) base_[i % base_.size()] += of_grids[i];
  }

  const std::vector<double>& base() const override { return base_; }
  std::string text() const override { return fmt::format("{} grids of bins, exact", grids_.size()); }

  void add(const Backend& on, const ExplainedRows& rows) const override {
    const Lease<double> room(encoding_.numbers(rows.x.rows));
    const MatrixView<const double> x = encoding_.encode(on, rows.x, room.data());
    const Leased<Game> game;
    for (std::size_t g = 0; g < grids_.size(); ++g) {
      for (std::size_t i = 0; i < x.rows; ++i)
        whole_ ? add_rows(g, x.row(i), rows, i, *game) : add_columns(g, x.row(i), rows, i, *game);
    }
  }

 private:
  // The mixes of what is known and what is not, of a few columns.
  struct Game {
    std::vector<std::uint64_t> hashes = {}, next = {};
    std::vector<double> shares = {}, next_shares = {}, worth = {};
    std::vector<std::uint32_t> sets = {}, next_sets = {}, numbers = {}, columns = {};
    std::vector<std::uint64_t> of_x = {};  // terms of a row

    void begin(std::size_t outputs) {
      hashes.assign(1, 0);
      shares.assign(1, 1.0);
      sets.assign(1, 0);
      columns.clear();
      worth.assign(outputs, 0.0);
    }
    // A column that is the same whether it is known or not.
    void fixed(std::uint64_t term) {
      for (std::uint64_t& hash : hashes) hash = add_halves(hash, term);
    }
    void unknown(std::span<const Cell> cells) { mix(nullptr, cells); }
    // A player: in coalitions it has the term of x, otherwise one of the cells.
    void player(std::uint32_t column, std::uint64_t of_x, std::span<const Cell> cells) {
      mix(&of_x, cells);
      columns.push_back(column);
    }

   private:
    void mix(const std::uint64_t* of_x, std::span<const Cell> cells) {
      next.clear(), next_shares.clear(), next_sets.clear();
      const std::uint32_t bit = std::uint32_t(1) << columns.size();
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        for (const Cell& cell : cells) put(add_halves(hashes[i], cell.term), shares[i] * cell.share, sets[i]);
        if (of_x) put(add_halves(hashes[i], *of_x), shares[i], sets[i] | bit);
      }
      hashes.swap(next), shares.swap(next_shares), sets.swap(next_sets);
    }
    void put(std::uint64_t hash, double share, std::uint32_t set) {
      next.push_back(hash);
      next_shares.push_back(share);
      next_sets.push_back(set);
    }
  };

  std::size_t rows_of(std::size_t g) const { return players_[g].empty() ? 1 : players_[g][0].rows.size(); }

  std::uint64_t term_of(std::size_t g, const Player& player, const double* x) const {
    std::uint64_t sum = 0;
    for (const std::uint32_t j : player.inputs) sum = add_halves(sum, grids_[g].term(j, grids_[g].bin(j, T(x[j]))));
    return sum;
  }

  void find_players(std::size_t g, const Matrix<double>& x) {
    grids_[g] = draw_grid<T>(table_.bins->inputs(), table_.bins->options(), table_.bins->draws()[g]);
    std::map<std::uint32_t, Player> players;
    for (const std::uint32_t j : grids_[g].inputs) players[encoding_.owner()[j]].inputs.push_back(j);
    for (auto& [column, player] : players) {
      player.column = column;
      std::map<std::uint64_t, double> counts;
      for (std::size_t b = 0; b < x.rows(); ++b) ++counts[player.rows.emplace_back(term_of(g, player, &x(b, 0)))];
      for (const auto& [term, count] : counts) player.cells.push_back({term, count / double(x.rows())});
      players_[g].push_back(std::move(player));
    }
  }

  // The worth of 2^players coalitions.
  void look_up(std::size_t g, std::size_t players, Game& game) const {
    const std::size_t K = base_.size();
    game.worth.assign(K << players, 0.0);
    game.numbers.resize(game.hashes.size());
    table_.bins->table(g).find(game.hashes, game.numbers.data());
    const double* const values = table_.values.data() + table_.bins->offset(g) * K;
    for (std::size_t m = 0; m < game.hashes.size(); ++m)
      if (game.numbers[m] != HashIndex::kNone)
        for (std::size_t k = 0; k < K; ++k)
          game.worth[game.sets[m] * K + k] += game.shares[m] * values[game.numbers[m] * K + k];
  }

  void add_columns(std::size_t g, const double* x, const ExplainedRows& rows, std::size_t row, Game& game) const {
    game.begin(base_.size());
    for (const Player& player : players_[g]) game.player(player.column, term_of(g, player, x), player.cells);
    look_up(g, game.columns.size(), game);
    add_coalitions(game.worth, game.columns, 1, rows, row);
  }

  // A column whose bin is the same in x and in the background row is no player.
  void add_rows(std::size_t g, const double* x, const ExplainedRows& rows, std::size_t row, Game& game) const {
    std::vector<std::uint64_t>& of_x = game.of_x;
    of_x.clear();
    for (const Player& player : players_[g]) of_x.push_back(term_of(g, player, x));
    const std::size_t B = rows_of(g);
    for (std::size_t b = 0; b < B; ++b) {
      game.begin(base_.size());
      for (std::size_t j = 0; j < of_x.size(); ++j) {
        const Player& player = players_[g][j];
        if (const Cell cell{player.rows[b], 1}; cell.term == of_x[j])
          game.fixed(cell.term);
        else
          game.player(player.column, of_x[j], {&cell, 1});
      }
      if (game.columns.empty()) continue;
      look_up(g, game.columns.size(), game);
      add_coalitions(game.worth, game.columns, 1 / double(B), rows, row);
    }
  }

  BinTable table_;
  ColumnEncoding encoding_;
  bool whole_;
  std::vector<double> base_;
  std::vector<Grid<T>> grids_;
  std::vector<std::vector<Player>> players_;  // [grid][player]
};

template <class T>
ExplainPartPtr part_as(const Workers& on, const ExplainTerm& term, const ExplainBackground& background) {
  auto part = std::make_unique<BinsPart<T>>(on, term, background);
  if (part->cost() > double(kMostEvaluations) * double(part->grids())) return nullptr;
  part->find_base(on);
  return part;
}

}  // namespace

ExplainPartPtr bins_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background) {
  return term.encoding.wide() ? part_as<double>(on, term, background) : part_as<float>(on, term, background);
}

}  // namespace bochner
