// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "base/require.h"
#include "folds/gram.h"
#include "rows/class_target.h"

namespace bochner {

// Refuses targets the code was not made for: they would cost digits, or overflow.
struct TargetCheck {
  const TargetCode& code;
  const std::string& part;
  double most;

  template <class T>
  void check(const RowBlock<T>& block) const {
    if (code.task == Task::classification) {
      for (std::size_t i = 0; i < block.rows; ++i)
        check_class_target(block.targets[i * block.target_count], code.classes, block.first + i);
      return;
    }
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t k = 0; k < code.columns(); ++k)
        if (!(std::abs(code.encode(block.targets + i * block.target_count, k)) <= most))
          fail(Error::Kind::data,
               "{}: row {} has the target {}, far outside of the range {:g} to {:g} of the spec; survey this part too "
               "and merge the surveys again",
               part, block.first + i, block.targets[i * block.target_count + k], code.center[k] - code.unit[k],
               code.center[k] + code.unit[k]);
  }
};

// The sums of a part. Adds blocks in double whatever their type, unless sums are of whole numbers: products of floats
// are exact there, so a sum hardly depends on where one part ends and the next begins.
struct PartGram {
  GramFold gram;
  TargetCheck targets;
  AlignedVector<double> wide = {};

  void add(const Workers& on, const RowBlock<double>& z) {
    targets.check(z);
    gram.add(on, z);
  }
  void add(const Workers& on, const RowBlock<float>& z) {
    targets.check(z);
    if (gram.products() == GramFold::Products::whole) return gram.add(on, z);
    wide.resize(z.rows * z.cols);
    on.threads.run(z.rows,
                   [&](std::size_t i, int) { std::copy_n(z.values + i * z.stride, z.cols, wide.data() + i * z.cols); });
    gram.add(on, z.with_values(MatrixView<const double>{wide.data(), z.rows, z.cols, z.cols}));
  }
  bool adds_unmapped() const { return gram.adds_unmapped(); }
  void add_unmapped(const Workers& on, const Map& map, const RowBlock<float>& x) {
    targets.check(x);
    gram.add_unmapped(on, map, x);
  }
  void merge(const PartGram& other) { gram.merge(other.gram); }
  void save(Archive& archive) const { gram.save(archive); }
  void load(const Archive& archive) { gram.load(archive); }
};

}  // namespace bochner
