// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto first = open_rows("a.csv", {.targets = {"y"}}), second = open_rows("b.csv", {.targets = {"y"}});
//   Sum survey = survey_part(*first, part_of_file("a.csv"));
//   survey.merge(survey_part(*second, part_of_file("b.csv")));
//   Sum sum = sum_part(*open_rows("a.csv", survey.schema()), survey, part_of_file("a.csv"));
//   sum.merge(sum_part(*open_rows("b.csv", survey.schema()), survey, part_of_file("b.csv")));
//   const Model model = solve(sum);

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/model.h"
#include "bochner/rows.h"
#include "bochner/train.h"

namespace bochner {

// Training from parts of the rows that never meet, on several machines or one after another, in two rounds:
//   1. A survey of each part: ranges, levels of text columns, class labels, a sample of rows. Merged, it says how all
//      rows are to be read, scaled and mapped.
//   2. With the merged survey as the spec, the sums of least squares over each part. Merged and solved, a model.
// Sums are exact: parts merge to the same bytes in any order and by any tree.
//
// Threads may call the const members of one sum at the same time; merge() is alone.
class Sum {
 public:
  enum class Kind { survey, gram };

  static Sum load(const std::string& path);  // Error::Kind::model unless the file is whole and valid
  static Sum of_bytes(std::string_view bytes, const std::string& name);  // as load(); name: for messages
  static bool is_file(const std::string& path);  // whether it is a sum; false where it cannot be read
  void save(const std::string& path) const;      // whole or not at all
  std::string bytes() const;                     // what save() writes

  // Adds the other's parts. Sums of another kind, of other columns, made by another spec or that share a part with
  // this one are refused with Error::Kind::data; the message says what differs.
  void merge(const Sum& other);

  Kind kind() const;
  std::uint64_t rows() const;
  std::size_t parts() const;
  // The kinds of processor that summed the parts, ascending. More than one: the last bits of the sums depend on which
  // part was summed where. None: a survey, or sums of whole numbers, whose bits do not.
  const std::vector<std::string>& machines() const;
  // How every part is read in the second round: open_rows(path, sum.schema()). Of a survey: the most frequent levels
  // of each text column (RowsOptions::max_levels), and for missing numbers the mean of the sampled rows.
  Schema schema() const;
  std::string description() const;  // several lines for people

  struct State;
  explicit Sum(std::unique_ptr<State> state);
  Sum(Sum&&) noexcept;
  Sum& operator=(Sum&&) noexcept;
  ~Sum();
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Which rows a sum is over. Equal numbers mean the same rows, which must not count twice.
struct PartName {
  std::string name;  // for messages
  std::uint64_t number = 0;
  std::uint64_t source =
      0;  // decides with their numbers which rows are sampled; 0: number. Shards of one file share it
};
// The file's name; its number is a hash of what it holds, the same for copies that are packed, have other line ends or
// more empty lines.
PartName part_of_file(const std::string& path);

// Refuses what cannot be summed over parts and merged, by the rows of the learner and of the maps in their tables:
// std::invalid_argument says why. sum_part() does so too.
void check_parts(const TrainOptions& options);

// The first round: rows as open_rows(path, options) gives them.
Sum survey_part(Rows& rows, const PartName& part, std::uint64_t seed = 0, const Execution& execution = {});

// The second: what train() would choose is chosen from the survey and the options alone, so that every worker makes
// the same maps. Features as in train(), their products summed in double: equal to one run over the joined rows to
// 1e-12 of the sums, and to the bit where parts begin at multiples of 1024 rows.
// spec: a survey, or a sum of the second round, whose choices are then repeated.
Sum sum_part(Rows& rows, const Sum& spec, const PartName& part, const TrainOptions& options = {});
// The same with the schema, the scaling and the map of a model trained on a sample of the rows.
Sum sum_part(Rows& rows, const Model& spec, const PartName& part, const TrainOptions& options = {});

// Ridge from the sums. Lambda is the best by generalized cross-validation, since there are no rows to hold out.
// say: what it does, in lines for people.
Model solve(const Sum& sum, const std::vector<double>& lambdas = {}, const Execution& execution = {},
            const std::function<void(const std::string&)>& say = {});

}  // namespace bochner
