// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/threshold.h"

#include <cmath>

#include "base/archive.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "maps/saved_map.h"

namespace bochner {

namespace {

class ThresholdMap final : public MapOf<ThresholdMap> {
 public:
  ThresholdMap(double value, std::string normal) : value_(value), normal_(std::move(normal)) {
    require(std::isfinite(value), "threshold: found {}, expected a finite number", value);
  }

  std::size_t inputs() const override { return 1; }
  std::size_t outputs() const override { return 2; }
  std::optional<Outputs> puts_out() const override { return Outputs{Outputs::Kind::density, {"score", "anomaly"}}; }

  template <class T>
  void apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const std::size_t at = block.sparse() ? block.offsets[i] : i * block.stride;
      const T score = block.sparse() && at == block.offsets[i + 1] ? T(0) : block.values[at];
      out(i, 0) = score;
      out(i, 1) = double(score) > value_ ? T(1) : T(0);
    }
  }

  std::string spec() const override { return fmt::format("threshold:above={:g}", value_); }
  void save(Archive& archive) const override {
    archive.tree["type"] = "threshold";
    archive.tree["above"] = value_;
    if (!normal_.empty()) archive.tree["normal"] = normal_;
  }

 private:
  double value_;
  std::string normal_;
};

}  // namespace

MapPtr threshold(double value, std::string normal) { return std::make_shared<ThresholdMap>(value, std::move(normal)); }

namespace {

Threshold threshold_from(const Archive& archive) {
  return {get_number(archive.tree, "above"),
          archive.tree.contains("normal") ? get_text(archive.tree, "normal") : std::string()};
}

}  // namespace

std::optional<Threshold> threshold_of(const Map& map) {
  if (!map.spec().starts_with("threshold:")) return std::nullopt;
  const Archive archive = saved_map(map);
  if (get_text(archive.tree, "type") != "threshold") return std::nullopt;
  return threshold_from(archive);
}

MapPtr load_threshold(const Archive& archive) {
  return build_from_model([&] {
    Threshold found = threshold_from(archive);
    return threshold(found.value, std::move(found.normal));
  });
}

}  // namespace bochner
