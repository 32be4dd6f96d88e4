// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/unite.h"

#include <algorithm>
#include <vector>

#include "base/option.h"
#include "base/require.h"
#include "rows/labels.h"
#include "rows/number.h"

namespace bochner {

namespace {

using Kind = Column::Kind;

// The levels of both, sorted by their bytes, as a scan lists them.
std::vector<std::string> united_levels(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

std::vector<std::string> united_labels(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> labels = united_levels(a, b);
  if (!LabelIndex(labels).numeric()) return labels;
  const auto value_of = [](const std::string& label) {
    double value = 0;
    classify(label, value);
    return value;
  };
  std::stable_sort(labels.begin(), labels.end(),
                   [&](const std::string& x, const std::string& y) { return value_of(x) < value_of(y); });
  return labels;
}

const char* kind_text(const Column& column) {
  if (column.identifier) return "ignored: nearly every row has a text of its own";
  switch (column.kind) {
    case Kind::numeric:
      return "an input of numbers";
    case Kind::category:
      return "an input of text";
    case Kind::target:
      return "a target";
    case Kind::weight:
      return "a weight";
    default:
      return "ignored";
  }
}

std::string same_to_all(Option option) { return fmt::format("give the same {} to all", option); }

class Uniting {
 public:
  Uniting(const Schema& a, const std::string& a_name, const Schema& b, const std::string& b_name)
      : a_(a), b_(b), a_name_(a_name), b_name_(b_name) {}

  Schema run() const {
    same(a_.sparse, b_.sparse, "sparse rows", "dense rows", "accumulate all parts in one format");
    same(a_.header, b_.header, "a header line", "no header line", fmt::format("give {}", Option::header));
    same(a_.task == Task::classification, b_.task == Task::classification, "classes as the target",
         "numbers as the target",
         fmt::format("give {} or {}", spelled(Option::task, "classification"), spelled(Option::task, "regression")));
    if (a_.sparse && a_.index_base != b_.index_base)
      differ(fmt::format("indices from {}", a_.index_base), fmt::format("indices from {}", b_.index_base),
             fmt::format("give {} to all", Option::index_base));
    if (a_.missing != b_.missing) differ("one rule for missing cells", "another", same_to_all(Option::missing));
    if (a_.missing_values != b_.missing_values || a_.usual_missing != b_.usual_missing)
      differ("its spellings of missing cells", "others", same_to_all(Option::missing_values));
    if (a_.max_levels != b_.max_levels)
      differ(fmt::format("at most {} levels", a_.max_levels), fmt::format("{}", b_.max_levels),
             same_to_all(Option::max_levels));
    if (a_.targets != b_.targets)
      differ(fmt::format("{} targets", a_.targets), fmt::format("{}", b_.targets), same_to_all(Option::targets));
    if (a_.columns.size() != b_.columns.size())
      differ(fmt::format("{} columns", a_.columns.size()), fmt::format("{}", b_.columns.size()),
             "parts have the same columns in the same order");
    if (a_.columns.empty() && !a_.sparse && a_.inputs != b_.inputs)
      differ(fmt::format("{} inputs", a_.inputs), fmt::format("{}", b_.inputs), "parts have the same inputs");

    Schema all = a_;
    // A part of whole numbers shows no decimal. Where points and commas do meet, the second round says so.
    if (b_.decimal == ',') all.decimal = ',';
    all.labels = united_labels(a_.labels, b_.labels);
    if (a_.sparse) all.inputs = std::max(a_.inputs, b_.inputs);
    if (!a_.columns.empty() && !a_.sparse) all.inputs = 0;
    for (std::size_t c = 0; c < all.columns.size(); ++c) {
      Column& column = all.columns[c];
      check_column(c);
      column.fill = 0;
      column.dates = std::max(a_.columns[c].dates, b_.columns[c].dates);  // year first goes with either order
      // Identifiers were not counted, so that text which is one in any part is one in all.
      if (b_.columns[c].identifier) column = b_.columns[c];
      if (!column.identifier) column.levels = united_levels(a_.columns[c].levels, b_.columns[c].levels);
      column.marked = a_.columns[c].marked || b_.columns[c].marked;
      column.mixed = a_.columns[c].mixed || b_.columns[c].mixed;
      if (!a_.sparse) all.inputs += column.inputs();
    }
    return all;
  }

 private:
  [[noreturn]] void differ(const std::string& first, const std::string& second, const std::string& remedy) const {
    fail(Error::Kind::data, "{} has {}, {} has {}; {}", a_name_, first, b_name_, second, remedy);
  }

  void same(bool a, bool b, const char* yes, const char* no, const std::string& remedy) const {
    if (a != b) differ(a ? yes : no, b ? yes : no, remedy);
  }

  void check_column(std::size_t c) const {
    const Column &a = a_.columns[c], &b = b_.columns[c];
    if (a.name != b.name)
      differ(fmt::format("'{}' as column {}", a.name, c), fmt::format("'{}'", b.name),
             "parts have the same columns in the same order");
    using Dates = Column::Dates;
    if (a.kind == b.kind) {
      if ((a.dates == Dates::none) != (b.dates == Dates::none))
        differ(fmt::format("column '{}' as {}", a.name, a.dates == Dates::none ? "numbers" : "dates"),
               fmt::format("it as {}", b.dates == Dates::none ? "numbers" : "dates"),
               fmt::format("accumulate all with {} or {}", spelled(Option::ignore, a.name),
                           spelled(Option::categories, a.name)));
      if (std::min(a.dates, b.dates) == Dates::day_first && std::max(a.dates, b.dates) == Dates::month_first)
        differ(fmt::format("the dates of '{}' with one of day and month first", a.name), "the other",
               "write them as 2024-03-31 in all");
      return;
    }
    if ((a.identifier && b.kind == Kind::category) || (b.identifier && a.kind == Kind::category)) return;
    const bool mixed = std::min(a.kind, b.kind) == Kind::numeric && std::max(a.kind, b.kind) == Kind::category;
    const std::string remedy =
        mixed ? fmt::format("accumulate {} again with {}, or mend the text in {}",
                            a.kind == Kind::numeric ? a_name_ : b_name_, spelled(Option::categories, a.name),
                            a.kind == Kind::numeric ? b_name_ : a_name_)
              : fmt::format("give the same {}, {} and {} to all", Option::targets, Option::weights, Option::ignore);
    differ(fmt::format("column '{}' as {}", a.name, kind_text(a)), fmt::format("it as {}", kind_text(b)), remedy);
  }

  const Schema &a_, &b_;
  const std::string &a_name_, &b_name_;
};

}  // namespace

Schema unite(const Schema& a, const std::string& a_name, const Schema& b, const std::string& b_name) {
  return Uniting(a, a_name, b, b_name).run();
}

}  // namespace bochner
