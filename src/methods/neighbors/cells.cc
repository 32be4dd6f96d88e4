// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/backend.h"
#include "base/pieces.h"
#include "methods/neighbors/forest.h"

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

}  // namespace

Cells::Cells(const Workers& on, const Field& coords, std::uint64_t seed)
    : coords_(coords), depth_(SignedCodes::depth_of(coords.rows.cols)) {
  const MatrixView<const float> x = coords.rows;
  const Tree tree = Tree::grow(on, x, spreads(x), seed, 0, {.leaf = std::max(kCellRows, x.rows / kMostCells)});
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
  in_pieces(on.threads, x.rows, kRowsOfPiece, [&](std::size_t begin, std::size_t rows) {
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
  in_pieces(on.threads, (cell_of.size() + step - 1) / step, kRowsOfPiece, [&](std::size_t begin, std::size_t rows) {
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
  half_centres_.resize(count());
  for (std::size_t cell = 0; cell < count(); ++cell) half_centres_[cell] = -centres.start(cell / kPanel)[cell % kPanel];
  in_pieces(on.threads, count(), kRows, [&](std::size_t first, std::size_t rows) {
    const std::int8_t* x[kRows];
    for (std::size_t r = 0; r < kRows; ++r) x[r] = &centres_[std::min(first + r, count() - 1) * depth_];
    // The values of the other cells for each row, with their numbers in the lower bits: sorted by both.
    std::vector<std::uint64_t> all(kRows * centres.panels() * kPanel);
    alignas(64) std::int32_t tile[kRows * kPanel];
    for (std::size_t p = 0; p < centres.panels(); ++p) {
      centres.unit().multiply(x, centres.panel(p), centres.start(p), depth_, tile);
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t c = 0; c < kPanel; ++c) {
          const std::size_t other = p * kPanel + c;
          const std::int32_t value = first + r == other ? CodeUnit::kFar : -tile[r * kPanel + c];
          all[(r * centres.panels() + p) * kPanel + c] = std::uint64_t(value - 4 * CodeUnit::kFar) << 32 | other;
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const auto begin = all.begin() + std::ptrdiff_t(r * centres.panels() * kPanel);
      const auto middle = begin + std::ptrdiff_t(known_), end = begin + std::ptrdiff_t(count());
      if (known_ < count()) std::nth_element(begin, middle, end);
      std::sort(begin, middle);
      for (std::size_t c = 0; c < known_; ++c)
        near_[(first + r) * known_ + c] = std::uint32_t(begin[std::ptrdiff_t(c)]);
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

// How far the centres that a cell knows are from the points of one of its panels, up to what all centres have in
// common: known x kPanel.
void Cells::measure_centres(std::size_t cell, std::size_t panel, std::int32_t* far) const {
  constexpr std::size_t kRows = CodeUnit::kRows, kPanel = CodeUnit::kPanel;
  const CodePanels& points = panels_[cell];
  const std::uint32_t* near = near_.data() + cell * known_;
  alignas(64) std::int32_t tile[kRows * kPanel];
  for (std::size_t c = 0; c < known_; c += kRows) {
    const std::int8_t* x[kRows];
    for (std::size_t r = 0; r < kRows; ++r) x[r] = &centres_[near[std::min(c + r, known_ - 1)] * depth_];
    points.unit().multiply(x, points.panel(panel), points.start(panel), depth_, tile);
    for (std::size_t r = 0; r < kRows && c + r < known_; ++r)
      for (std::size_t i = 0; i < kPanel; ++i)
        far[(c + r) * kPanel + i] = half_centres_[near[c + r]] - tile[r * kPanel + i];
  }
}

namespace {

// What the `nearest` of the centres are not beyond, of each point of a panel. far: as measure_centres has it; centres
// as far as the last that is wanted, and behind it in the list, become farther.
void find_limits(std::int32_t* far, std::size_t known, std::size_t nearest, std::int32_t* limit) {
  constexpr std::size_t kPanel = CodeUnit::kPanel;
  std::int32_t low[kPanel], high[kPanel], count[kPanel];
  std::copy_n(far, kPanel, low);
  std::copy_n(far, kPanel, high);
  for (std::size_t c = 1; c < known; ++c)
    for (std::size_t i = 0; i < kPanel; ++i) {
      low[i] = std::min(low[i], far[c * kPanel + i]);
      // The first are as many as are wanted: none of these is beyond all of them.
      if (c < nearest) high[i] = std::max(high[i], far[c * kPanel + i]);
    }
  for (bool open = true; open;) {
    for (std::size_t i = 0; i < kPanel; ++i) limit[i] = low[i] + (high[i] - low[i]) / 2;
    std::fill_n(count, kPanel, 0);
    for (std::size_t c = 0; c < known; ++c)
      for (std::size_t i = 0; i < kPanel; ++i) count[i] += far[c * kPanel + i] <= limit[i];
    open = false;
    for (std::size_t i = 0; i < kPanel; ++i) {
      if (count[i] >= std::int32_t(nearest)) high[i] = limit[i];
      low[i] = count[i] == std::int32_t(nearest) ? high[i] : count[i] < std::int32_t(nearest) ? limit[i] + 1 : low[i];
      open = open || low[i] < high[i];
    }
  }
  std::copy_n(high, kPanel, limit);
  std::fill_n(count, kPanel, 0);
  for (std::size_t c = 0; c < known; ++c)
    for (std::size_t i = 0; i < kPanel; ++i) count[i] += far[c * kPanel + i] <= limit[i];
  for (std::size_t i = 0; i < kPanel; ++i)
    for (std::size_t c = known; count[i] > std::int32_t(nearest); --c)
      if (far[(c - 1) * kPanel + i] == limit[i]) {
        far[(c - 1) * kPanel + i] = limit[i] + 1;
        --count[i];
      }
}

}  // namespace

std::vector<std::uint32_t> Cells::near(const Workers& on, std::span<const std::uint32_t> places) const {
  constexpr std::size_t kPanel = CodeUnit::kPanel;
  std::vector<std::uint32_t> near(places.size() * known_);
  on.threads.run(places.size(), [&](std::size_t i, int) {
    const std::size_t row = rank_[places[i]], cell = cell_[row];
    std::uint32_t* to = near.data() + i * known_;
    std::copy_n(near_.data() + cell * known_, known_, to);
    if (!by_bytes()) return;
    std::vector<std::int32_t> far(known_ * kPanel);
    measure_centres(cell, (row - first_[cell]) / kPanel, far.data());
    std::vector<std::pair<std::int32_t, std::uint32_t>> order(known_);
    for (std::size_t c = 0; c < known_; ++c)
      order[c] = {far[c * kPanel + (row - first_[cell]) % kPanel], std::uint32_t(c)};
    std::sort(order.begin(), order.end());
    for (std::size_t c = 0; c < known_; ++c) to[c] = near_[cell * known_ + order[c].second];
  });
  return near;
}

void Cells::meet(const Workers& on, std::span<const std::uint32_t> places, std::span<const std::uint32_t> near,
                 std::size_t begin, std::size_t end, Best& best) const {
  on.threads.run(places.size(), [&](std::size_t i, int) {
    for (std::size_t c = begin; c < end; ++c) meet_cell(on, rank_[places[i]], 1, near[i * known_ + c], best.view(i));
  });
}

void Cells::meet_every(const Workers& on, std::span<const std::uint32_t> places, Best& best) const {
  constexpr std::size_t kTogether = 32;
  in_pieces(on.threads, places.size(), kTogether, [&](std::size_t begin, std::size_t rows) {
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

// The points of a cell, some panels of them at a time, meet each known cell that is near to them.
void Cells::meet_near(std::size_t cell, std::size_t nearest, NearCodes& near) const {
  constexpr std::size_t kPanel = CodeUnit::kPanel, kPanels = 8;
  const std::size_t panels = panels_[cell].panels(), rows = first_[cell + 1] - first_[cell];
  const SignedCodes x{codes_.data() + first_[cell] * depth_, rows, depth_};
  thread_local std::vector<std::int32_t> far;
  far.resize(kPanels * known_ * kPanel);
  std::int32_t limits[kPanels * kPanel];
  std::uint32_t which[kPanels * kPanel];
  for (std::size_t begin = 0; begin < panels; begin += kPanels) {
    const std::size_t some = std::min(kPanels, panels - begin);
    for (std::size_t p = 0; p < some; ++p) {
      measure_centres(cell, begin + p, far.data() + p * known_ * kPanel);
      find_limits(far.data() + p * known_ * kPanel, known_, nearest, limits + p * kPanel);
    }
    for (std::size_t c = 0; c < known_; ++c) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < std::min(some * kPanel, rows - begin * kPanel); ++i) {
        which[count] = std::uint32_t(begin * kPanel + i);
        count += far[(i / kPanel * known_ + c) * kPanel + i % kPanel] <= limits[i];
      }
      const std::size_t other = near_[cell * known_ + c];
      near.meet(x, {which, count}, panels_[other], std::uint32_t(first_[other]), self_.data() + first_[cell]);
    }
  }
}

Best Cells::meet_all(const Workers& on, std::size_t nearest, std::size_t keep) const {
  Best best(order_.size(), keep);
  on.threads.run(count(), [&](std::size_t cell, int) {
    const std::size_t rows = first_[cell + 1] - first_[cell];
    if (rows == 0) return;
    const auto place = [&](std::size_t i) { return best.view(order_[first_[cell] + i]); };
    if (by_bytes()) {
      NearCodes near(rows, keep);
      meet_near(cell, nearest, near);
      for (std::size_t i = 0; i < rows; ++i) near.best_of(i, place(i).values, place(i).numbers);
    } else {
      Best some(rows, keep);
      for (std::size_t c = 0; c < nearest; ++c)
        meet_cell(on, first_[cell], rows, near_[cell * known_ + c], some.view());
      for (std::size_t i = 0; i < rows; ++i) {
        std::copy_n(some.values(i), keep, place(i).values);
        std::copy_n(some.numbers(i), keep, place(i).numbers);
      }
    }
    for (std::size_t i = 0; i < rows; ++i) name(place(i).numbers, keep);
  });
  return best;
}

void Cells::name(std::uint32_t* numbers, std::size_t count) const {
  for (std::size_t c = 0; c < count && numbers[c] != kNoPoint; ++c) numbers[c] = order_[numbers[c]];
}

}  // namespace bochner
