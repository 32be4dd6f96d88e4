// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/link.h"

#include <fmt/ranges.h>

#include <utility>

#include "base/archive.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "random/elementary.h"

namespace bochner {

namespace {

constexpr std::size_t kMostLevels = 100;

// By insertion: they are few and nearly sorted, and numbers that are no numbers stay where they are.
template <class T>
void put_in_order(T* values, std::size_t count) {
  for (std::size_t k = 1; k < count; ++k)
    for (std::size_t j = k; j > 0 && values[j] < values[j - 1]; --j) std::swap(values[j], values[j - 1]);
}

class LinkMap final : public MapOf<LinkMap> {
 public:
  LinkMap(MapPtr head, Link link) : head_(std::move(head)), link_(std::move(link)) {
    require(head_ != nullptr, "link: found no head");
    if (link_.kind == Link::Kind::exponential) {
      require(link_.power >= 1 && link_.power <= 2, "link: power is {}, expected 1 to 2", link_.power);
      return;
    }
    require(link_.levels.size() <= kMostLevels, "link: found {} levels, expected at most {}", link_.levels.size(),
            kMostLevels);
    require(link_.levels.size() == head_->outputs(), "link: found {} levels for {} scores", link_.levels.size(),
            head_->outputs());
    double last = 0;
    for (const double level : link_.levels) {
      require(level > last && level < 1, "link: found the level {}, expected growing ones between 0 and 1", level);
      last = level;
    }
  }

  std::size_t inputs() const override { return head_->inputs(); }
  std::size_t outputs() const override { return head_->outputs(); }
  std::size_t rows_at_once() const override { return head_->rows_at_once(); }
  std::size_t held_bytes() const override { return head_->held_bytes(); }
  double largest_coefficient() const override { return head_->largest_coefficient(); }
  std::optional<Outputs> puts_out() const override {
    if (link_.kind == Link::Kind::exponential) return head_->puts_out();
    Outputs quantiles{Outputs::Kind::quantiles};
    for (const double level : link_.levels) quantiles.names.push_back(fmt::format("quantile{}", level));
    return quantiles;
  }

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    head_->apply(on, block, out);
    for (std::size_t i = 0; i < out.rows; ++i) {
      T* const row = out.row(i);
      if (link_.kind == Link::Kind::ascending)
        put_in_order(row, out.cols);
      else
        for (std::size_t k = 0; k < out.cols; ++k) row[k] = T(portable_exp(double(row[k])));
    }
  }

  std::string spec() const override {
    return link_.kind == Link::Kind::exponential
               ? fmt::format("exponential:power={} of {}", link_.power, head_->spec())
               : fmt::format("ascending:levels={} of {}", fmt::join(link_.levels, "/"), head_->spec());
  }
  void save(Archive& archive) const override {
    archive.tree["type"] = "link";
    if (link_.kind == Link::Kind::exponential)
      archive.tree["power"] = link_.power;
    else
      archive.tree["levels"] = link_.levels;
    Archive head;
    head_->save(head);
    archive.put_child("head", std::move(head));
  }

  const Link& link() const { return link_; }
  const MapPtr& head() const { return head_; }

 private:
  MapPtr head_;
  Link link_;
};

}  // namespace

MapPtr linked(MapPtr head, Link link) { return std::make_shared<LinkMap>(std::move(head), std::move(link)); }

const Link* link_of(const Map& head) {
  const auto* linked = dynamic_cast<const LinkMap*>(&head);
  return linked ? &linked->link() : nullptr;
}

const MapPtr& unlinked(const MapPtr& head) {
  const auto* linked = dynamic_cast<const LinkMap*>(head.get());
  return linked ? linked->head() : head;
}

MapPtr load_link(const Archive& archive) {
  return build_from_model([&] {
    Link link;
    if (archive.tree.contains("levels")) {
      link.kind = Link::Kind::ascending;
      link.levels = get_numbers(archive.tree, "levels");
    } else {
      link.power = get_number(archive.tree, "power");
    }
    return linked(load_map(archive.child("head")), std::move(link));
  });
}

}  // namespace bochner
