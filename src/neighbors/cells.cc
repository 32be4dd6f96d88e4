// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "neighbors/cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/backend.h"
#include "neighbors/forest.h"

namespace bochner {

namespace {

constexpr std::size_t kCellRows = 64, kMostCells = 4096;
constexpr std::size_t kFewPoints = 4;  // one of so many moves the centres first
constexpr std::size_t kLargeCell = 8;  // times the mean
constexpr std::size_t kRowsOfPiece = 256;
constexpr std::size_t kScaleRows = 8192;

// What one step of a byte is: nearly all rows fit, with room, and the few that lie far outside are cut off.
float step_of(MatrixView<const float> coords, std::span<const float> centre, int largest) {
  const std::size_t stride = std::max<std::size_t>(1, coords.rows / kScaleRows);
  std::vector<float> most;
  for (std::size_t i = 0; i < coords.rows; i += stride) {
    float widest = 0;
    for (std::size_t j = 0; j < coords.cols; ++j) widest = std::max(widest, std::abs(coords(i, j) - centre[j]));
    most.push_back(widest);
  }
  const auto at = most.begin() + std::ptrdiff_t(double(most.size() - 1) * 0.99);
  std::nth_element(most.begin(), at, most.end());
  return 1.25f * *at / float(largest);
}

std::vector<float> means(MatrixView<const float> x) {
  std::vector<double> sum(x.cols);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) sum[j] += double(x(i, j));
  std::vector<float> mean(x.cols);
  for (std::size_t j = 0; j < x.cols; ++j) mean[j] = float(sum[j] / double(x.rows));
  return mean;
}

template <class Visit>
void each_piece(const Workers& on, std::size_t rows, const Visit& visit) {
  on.threads.run((rows + kRowsOfPiece - 1) / kRowsOfPiece, [&](std::size_t piece, int) {
    const std::size_t begin = piece * kRowsOfPiece;
    visit(begin, std::min(kRowsOfPiece, rows - begin));
  });
}

}  // namespace

Cells::Cells(const Workers& on, const Field& coords, std::uint64_t seed)
    : coords_(coords), depth_(SignedCodes::depth_of(coords.rows.cols)) {
  const MatrixView<const float> x = coords.rows;
  const Tree tree = Tree::grow(on, x, spreads(x), seed, 0, std::max(kCellRows, x.rows / kMostCells));
  make_codes(on);
  std::vector<std::uint32_t> cell_of(x.rows);
  for (std::size_t cell = 0; cell < tree.leaves(); ++cell)
    for (const std::uint32_t place : tree.leaf(cell)) cell_of[place] = std::uint32_t(cell);
  centres_.resize(tree.leaves() * depth_);
  find_centres(cell_of, 1);
  for (const std::size_t step : {kFewPoints, std::size_t(1)}) {
    move_points(on, cell_of, step);
    find_centres(cell_of, step);
  }
  split_large(cell_of);
  sort_points(on, cell_of);
}

void Cells::make_codes(const Workers& on) {
  const MatrixView<const float> x = coords_.rows;
  const int largest = SignedCodes::largest(x.cols);
  const std::vector<float> centre = means(x);
  const float step = step_of(x, centre, largest), per_step = step > 0 ? 1 / step : 0;
  codes_.resize(x.rows * depth_);
  each_piece(on, x.rows, [&](std::size_t begin, std::size_t rows) {
    for (std::size_t i = begin; i < begin + rows; ++i) {
      std::int8_t* to = codes_.data() + i * depth_;
      for (std::size_t j = 0; j < x.cols; ++j)
        to[j] =
            std::int8_t(std::nearbyint(std::clamp((x(i, j) - centre[j]) * per_step, float(-largest), float(largest))));
      std::fill(to + x.cols, to + depth_, std::int8_t(0));
    }
  });
}

// The means of the bytes of the cells' points, of one of `step` of them, to the nearest; of a cell without any what it
// was.
void Cells::find_centres(std::span<const std::uint32_t> cell_of, std::size_t step) {
  const std::size_t cells = centres_.size() / depth_;
  std::vector<std::int32_t> sums(centres_.size());
  std::vector<std::int32_t> count(cells);
  for (std::size_t i = 0; i < cell_of.size(); i += step) {
    std::int32_t* to = sums.data() + cell_of[i] * depth_;
    for (std::size_t j = 0; j < depth_; ++j) to[j] += codes_[i * depth_ + j];
    ++count[cell_of[i]];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int64_t n = count[i / depth_];
    // Rounded down from the half up, of either sign.
    if (n > 0) centres_[i] = std::int8_t((2 * (sums[i] + 128 * n) + n) / (2 * n) - 128);
  }
}

void Cells::move_points(const Workers& on, std::vector<std::uint32_t>& cell_of, std::size_t step) const {
  const CodePanels centres({centres_.data(), centres_.size() / depth_, depth_});
  each_piece(on, (cell_of.size() + step - 1) / step, [&](std::size_t begin, std::size_t rows) {
    AlignedVector<std::int8_t> some(rows * depth_);
    for (std::size_t i = 0; i < rows; ++i)
      std::copy_n(codes_.data() + (begin + i) * step * depth_, depth_, some.data() + i * depth_);
    Best nearest(rows, 1);
    nearest_codes({some.data(), rows, depth_}, centres, 0, nullptr, nearest.view());
    for (std::size_t i = 0; i < rows; ++i) cell_of[(begin + i) * step] = *nearest.numbers(i);
  });
}

// Cells of very many points, which may all be equal, become several of the same centre.
void Cells::split_large(std::vector<std::uint32_t>& cell_of) {
  const std::size_t cells = centres_.size() / depth_,
                    most = kLargeCell * std::max<std::size_t>(1, cell_of.size() / cells);
  std::vector<std::size_t> count(cells);
  std::vector<std::uint32_t> now(cells);  // where the cell's next point goes
  std::iota(now.begin(), now.end(), 0u);
  for (std::uint32_t& cell : cell_of) {
    const std::uint32_t from = cell;
    cell = now[from];
    if (++count[from] % most != 0) continue;
    now[from] = std::uint32_t(centres_.size() / depth_);
    centres_.resize(centres_.size() + depth_);
    std::copy_n(centres_.data() + from * depth_, depth_, centres_.data() + now[from] * depth_);
  }
}

void Cells::sort_points(const Workers& on, std::span<const std::uint32_t> cell_of) {
  const std::size_t rows = cell_of.size(), cells = centres_.size() / depth_;
  first_.assign(cells + 1, 0);
  for (const std::uint32_t cell : cell_of) ++first_[cell + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  order_.resize(rows);
  rank_.resize(rows);
  cell_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    rank_[i] = std::uint32_t(next[cell_of[i]]++);
    order_[rank_[i]] = std::uint32_t(i);
    cell_[rank_[i]] = cell_of[i];
  }
  AlignedVector<std::int8_t> sorted(codes_.size());
  panels_.resize(cells);
  on.threads.run(cells, [&](std::size_t cell, int) {
    for (std::size_t i = first_[cell]; i < first_[cell + 1]; ++i)
      std::copy_n(codes_.data() + order_[i] * depth_, depth_, sorted.data() + i * depth_);
    panels_[cell] = CodePanels({sorted.data() + first_[cell] * depth_, first_[cell + 1] - first_[cell], depth_});
  });
  codes_ = std::move(sorted);
  self_.resize(rows);
  std::iota(self_.begin(), self_.end(), 0u);
}

void Cells::leave_bytes(const Workers& on) {
  rows_ = Matrix<float>(order_.size(), coords_.rows.cols);
  half_.resize(order_.size());
  float_panels_.resize(count());
  on.threads.run(count(), [&](std::size_t cell, int) {
    if (first_[cell] == first_[cell + 1]) return;
    for (std::size_t i = first_[cell]; i < first_[cell + 1]; ++i) {
      std::copy_n(coords_.rows.row(order_[i]), rows_.cols(), rows_.data() + i * rows_.cols());
      half_[i] = coords_.half[order_[i]];
    }
    float_panels_[cell] =
        pack_points(MatrixView<const float>(rows_.view()).slice(first_[cell], first_[cell + 1] - first_[cell]));
  });
  codes_.clear();
  panels_.clear();
}

void Cells::know(const Workers& on, std::size_t nearest) {
  constexpr std::size_t kRows = CodeUnit::kRows, kPanel = CodeUnit::kPanel;
  known_ = std::min(nearest, count());
  near_.resize(count() * known_);
  const CodePanels centres({centres_.data(), count(), depth_});
  on.threads.run((count() + kRows - 1) / kRows, [&](std::size_t piece, int) {
    const std::int8_t* x[kRows];
    for (std::size_t r = 0; r < kRows; ++r) x[r] = &centres_[std::min(piece * kRows + r, count() - 1) * depth_];
    // Of each row, the values of the others with their numbers behind: ordered by both.
    std::vector<std::uint64_t> all(kRows * centres.panels() * kPanel);
    alignas(64) std::int32_t tile[kRows * kPanel];
    for (std::size_t p = 0; p < centres.panels(); ++p) {
      centres.unit().multiply(x, centres.panel(p), centres.start(p), depth_, tile);
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t c = 0; c < kPanel; ++c) {
          const std::size_t other = p * kPanel + c;
          const std::int32_t value = piece * kRows + r == other ? CodeUnit::kFar : -tile[r * kPanel + c];
          all[(r * centres.panels() + p) * kPanel + c] = std::uint64_t(value - 4 * CodeUnit::kFar) << 32 | other;
        }
    }
    for (std::size_t r = 0; r < kRows && piece * kRows + r < count(); ++r) {
      const auto begin = all.begin() + std::ptrdiff_t(r * centres.panels() * kPanel);
      const auto middle = begin + std::ptrdiff_t(known_), end = begin + std::ptrdiff_t(count());
      if (known_ < count()) std::nth_element(begin, middle, end);
      std::sort(begin, middle);
      for (std::size_t c = 0; c < known_; ++c)
        near_[(piece * kRows + r) * known_ + c] = std::uint32_t(begin[std::ptrdiff_t(c)]);
    }
  });
}

// Rows from one in order_ on meet the points of a cell.
void Cells::meet_cell(const Workers& on, std::size_t row, std::size_t rows, std::size_t cell,
                      const NearestView& best) const {
  if (first_[cell] == first_[cell + 1]) return;
  if (by_bytes())
    nearest_codes({codes_.data() + row * depth_, rows, depth_}, panels_[cell], std::uint32_t(first_[cell]),
                  self_.data() + row, best);
  else
    on.ops.nearest(MatrixView<const float>(rows_.view()).slice(row, rows), float_panels_[cell],
                   {half_.data() + first_[cell], self_.data() + first_[cell], self_.data() + row}, best);
}

void Cells::meet(const Workers& on, std::span<const std::uint32_t> places, std::size_t begin, std::size_t end,
                 Best& best) const {
  on.threads.run(places.size(), [&](std::size_t i, int) {
    const std::size_t row = rank_[places[i]];
    for (std::size_t c = begin; c < end; ++c) meet_cell(on, row, 1, near_[cell_[row] * known_ + c], best.view(i));
  });
}

void Cells::meet_every(const Workers& on, std::span<const std::uint32_t> places, Best& best) const {
  constexpr std::size_t kTogether = 32;
  on.threads.run((places.size() + kTogether - 1) / kTogether, [&](std::size_t piece, int) {
    const std::size_t begin = piece * kTogether, rows = std::min(kTogether, places.size() - begin);
    AlignedVector<std::int8_t> x(rows * depth_);
    std::uint32_t self[kTogether];
    for (std::size_t i = 0; i < rows; ++i) {
      self[i] = rank_[places[begin + i]];
      std::copy_n(codes_.data() + self[i] * depth_, depth_, x.data() + i * depth_);
    }
    for (std::size_t cell = 0; cell < count(); ++cell)
      nearest_codes({x.data(), rows, depth_}, panels_[cell], std::uint32_t(first_[cell]), self, best.view(begin));
  });
}

Best Cells::meet_all(const Workers& on, std::size_t nearest, std::size_t keep) const {
  Best best(order_.size(), keep);
  on.threads.run(count(), [&](std::size_t cell, int) {
    const std::size_t rows = first_[cell + 1] - first_[cell];
    if (rows == 0) return;
    Best some(rows, keep);
    for (std::size_t c = 0; c < nearest; ++c) meet_cell(on, first_[cell], rows, near_[cell * known_ + c], some.view());
    for (std::size_t i = 0; i < rows; ++i) {
      const NearestView from = some.view(i), to = best.view(order_[first_[cell] + i]);
      std::copy_n(from.values, keep, to.values);
      std::copy_n(from.numbers, keep, to.numbers);
      name(to.numbers, keep);
    }
  });
  return best;
}

void Cells::name(std::uint32_t* numbers, std::size_t count) const {
  for (std::size_t c = 0; c < count && numbers[c] != kNoPoint; ++c) numbers[c] = order_[numbers[c]];
}

}  // namespace bochner
