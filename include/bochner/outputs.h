// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Schema schema;
//   schema.inputs = 3;
//   Matrix<double> directions(3, 2);
//   const Outputs axes{Outputs::Kind::components, {"pc1", "pc2"}};
//   const Model model(schema, {}, linear(directions, {}), {}, false, axes);

#include <string>
#include <vector>

namespace bochner {

// What the numbers are that a model puts out.
struct Outputs {
  enum class Kind {
    values,         // one per target, in its units
    scores,         // one per class, the largest wins; two classes have one, that of the second: it wins above 0
    probabilities,  // one per class
    components,     // coordinates: of a projection or an embedding
    clusters,       // one per cluster: the largest wins
    density,        // log density of the row
    variance,       // variance of a prediction
    neighbours,     // row numbers, nearest first
    quantiles,      // quantiles of the target, ascending: as many rows as each says lie at or below it
  };

  Kind kind = Kind::values;
  std::vector<std::string> names = {};  // one for each output; none: they are numbered

  bool of_classes() const { return kind == Kind::scores || kind == Kind::probabilities; }
  // Whether they may be held against the targets of rows.
  bool of_targets() const { return kind == Kind::values || of_classes(); }
  bool operator==(const Outputs&) const = default;
};

// "values", "components", ... and back; std::invalid_argument for another word.
std::string outputs_name(Outputs::Kind kind);
Outputs::Kind parse_outputs_name(const std::string& text);

}  // namespace bochner
