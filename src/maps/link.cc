// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/link.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/archive.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "random/elementary.h"

namespace bochner {

namespace {

constexpr std::size_t kMostLevels = 100, kMostScores = std::size_t(1) << 22;

// Insertion: the numbers are few and nearly sorted, and what is no number stays where it is.
template <class T>
void put_in_order(T* values, std::size_t count) {
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t j = k; j > 0 && values[j] < values[j - 1]; --j) std::swap(values[j], values[j - 1]);
}

class LinkMap final : public MapOf<LinkMap> {
 public:
  LinkMap(std::size_t scores, Link link) : scores_(scores), link_(std::move(link)) {
    require(scores >= 1 && scores <= kMostScores, "link: of {} scores", scores);
    if (link_.kind == Link::Kind::exponential) {
      require(link_.power >= 1 && link_.power <= 2, "link: power is {}, expected 1 to 2", link_.power);
      return;
    }
    require(link_.levels.size() == scores && scores <= kMostLevels,
            "link: found {} levels for {} scores, expected as many, at most {}", link_.levels.size(), scores,
            kMostLevels);
    double last = 0;
    for (const double level : link_.levels) {
      require(level > last && level < 1, "link: found the level {}, expected growing ones between 0 and 1", level);
      last = level;
    }
  }

  std::size_t inputs() const override { return scores_; }
  std::size_t outputs() const override { return scores_; }
  std::optional<Outputs> puts_out() const override {
    if (link_.kind == Link::Kind::exponential) return std::nullopt;
    Outputs quantiles{Outputs::Kind::quantiles};
    for (const double level : link_.levels) quantiles.names.push_back(fmt::format("quantile{}", level));
    return quantiles;
  }

  template <class T>
  void apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
    for (std::size_t i = 0; i < block.rows; ++i) {
      T* const row = out.row(i);
      if (block.sparse()) {
        std::fill_n(row, scores_, T(0));
        for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p) row[block.columns[p]] = block.values[p];
      } else {
        std::copy_n(block.values + i * block.stride, scores_, row);
      }
      if (link_.kind == Link::Kind::ascending)
        put_in_order(row, scores_);
      else
        for (std::size_t k = 0; k < scores_; ++k) row[k] = T(portable_exp(double(row[k])));
    }
  }

  std::string spec() const override {
    return link_.kind == Link::Kind::exponential
               ? fmt::format("link:exp,power={}", link_.power)
               : fmt::format("link:ascending,levels={}", fmt::join(link_.levels, "/"));
  }
  void save(Archive& archive) const override {
    archive.tree["type"] = "link";
    archive.tree["scores"] = scores_;
    if (link_.kind == Link::Kind::exponential)
      archive.tree["power"] = link_.power;
    else
      archive.tree["levels"] = link_.levels;
  }

 private:
  std::size_t scores_;
  Link link_;
};

Link link_from(const Archive& archive) {
  if (!archive.tree.contains("levels")) return {.power = get_number(archive.tree, "power")};
  return {.kind = Link::Kind::ascending, .levels = get_numbers(archive.tree, "levels")};
}

}  // namespace

MapPtr linked(MapPtr head, Link link) {
  const std::size_t scores = head->outputs();
  return chain({std::move(head), std::make_shared<LinkMap>(scores, std::move(link))});
}

std::optional<Link> link_of(const Map& head) {
  const MapParts parts = head.parts();
  if (parts.how != MapParts::How::chain || !parts.maps.back()->spec().starts_with("link:")) return std::nullopt;
  Archive archive;
  parts.maps.back()->save(archive);
  return get_text(archive.tree, "type") == "link" ? std::optional(link_from(archive)) : std::nullopt;
}

MapPtr unlinked(const MapPtr& head) {
  if (!link_of(*head)) return head;
  const MapParts parts = head->parts();
  return chain({parts.maps.begin(), parts.maps.end() - 1});
}

MapPtr load_link(const Archive& archive) {
  return build_from_model(
      [&] { return std::make_shared<LinkMap>(get_count(archive.tree, "scores", kMostScores), link_from(archive)); });
}

}  // namespace bochner
