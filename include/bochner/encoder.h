// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Schema schema;
//   schema.columns = {{.name = "age"}, {.name = "job", .kind = Column::Kind::category, .levels = {"clerk"}}};
//   schema.inputs = 2;
//   const std::vector<double> inputs = encode(schema, {{"age", "31"}, {"job", "clerk"}});  // 31, 1

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bochner/schema.h"

namespace bochner {

// The cells of one row: name of the column, text as a CSV file would hold it.
using NamedCells = std::vector<std::pair<std::string, std::string>>;

// Turns rows of named cells into inputs, just as a CSV file with these columns would be read by the schema: the same
// spellings of missing cells, dates, levels and decimals. Columns that the schema does not use may be there, or not.
//
// Thread-safe: any number of threads may call one Encoder at the same time.
class Encoder {
 public:
  explicit Encoder(const Schema& schema);
  Encoder(const Encoder&);
  Encoder& operator=(const Encoder&);
  ~Encoder();

  // Writes schema.inputs numbers; Schema::offsets are not subtracted. A column that is absent or named twice, and a
  // cell that cannot be read, throws Error::Kind::data, whose message names the column.
  void encode(const NamedCells& cells, std::span<float> inputs) const;
  void encode(const NamedCells& cells, std::span<double> inputs) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// One row by an Encoder of its own.
std::vector<double> encode(const Schema& schema, const NamedCells& cells);

}  // namespace bochner
