// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "base/archive.h"
#include "maps/projection.h"

namespace bochner {

// A random projection as a map. See bochner/project.h.
class ProjectMap final : public Map {
 public:
  ProjectMap(std::size_t inputs, const ProjectOptions& options);

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return options_.dims; }
  void apply(const Backend& on, const RowBlock<float>& block, MatrixView<float> out) const override;
  void apply(const Backend& on, const RowBlock<double>& block, MatrixView<double> out) const override;
  std::size_t rows_at_once() const override { return projection_->rows_at_once(); }
  std::optional<Outputs> puts_out() const override { return Outputs{Outputs::Kind::components}; }
  std::size_t held_bytes() const override { return std::size_t(projection_->held_bytes()); }
  MapPtr inverse(const MapPtr& self) const override;
  std::unique_ptr<CheckSubject> check_subject(const MapPtr& self, bool double_precision) const override;
  std::string spec() const override;
  void save(Archive& archive) const override;

  const ProjectOptions& options() const { return options_; }

 private:
  std::size_t inputs_;
  ProjectOptions options_;
  std::unique_ptr<Projection> projection_;
};

MapPtr load_project(const Archive& archive);
MapPtr load_project_inverse(const Archive& archive);

}  // namespace bochner
