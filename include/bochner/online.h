// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   OnlineModel model = train_online(*open_rows("cars.csv", {.targets = {"price"}}), {.features = 500});
//   const Schema& schema = model.model().schema();
//   update(model, *open_rows("more.csv", schema));                    // learns rows on
//   const Receipt receipt = forget(model, *open_rows("gone.csv", schema));  // takes rows out again, to the bit
//   std::puts(receipt.json().c_str());
//   model.save("cars.model");                                         // also a model for Model::load()

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/execution.h"
#include "bochner/model.h"
#include "bochner/rows.h"
#include "bochner/train.h"

namespace bochner {

// Something that was chosen when the first model was trained, and that no later row changes.
struct Choice {
  std::string name;  // "scaling", "lambda", ...
  std::string from;  // "rows" (of the training), "options", or the name of other rows that it was chosen on
  bool operator==(const Choice&) const = default;
};

// Ridge with the exact sums it was solved from. Rows are added to the sums or taken out of them without a trace: the
// result has the bytes of a training on the remaining rows with the same choices. The sums take 4 D^2 bytes for D
// features, in the file too.
//
// Not thread-safe while it changes.
class OnlineModel {
 public:
  static OnlineModel load(const std::string& path);  // Error::Kind::model if the file is no whole model with its sums
  static OnlineModel of_bytes(std::string_view bytes, const std::string& name);
  static bool is_file(const std::string& path);  // whether a model file has sums; false if it cannot be read
  void save(const std::string& path) const;      // whole or not at all; Model::load() reads it too
  std::string bytes() const;                     // what save() writes

  const Model& model() const;
  std::uint64_t rows() const;  // how many the sums are over
  const std::vector<Choice>& choices() const;
  const std::string& ids() const;      // the column whose cells tell rows apart; empty: none is kept
  std::string digest() const;          // SHA-256 of the sums, in hexadecimal digits
  std::string choices_digest() const;  // and of what was chosen; equal ones merge
  std::string description() const;     // several lines for people

  // The words of the command line that the choices were made by, so that it can make them anew. Empty: made otherwise.
  const std::vector<std::string>& words() const;
  void set_words(std::vector<std::string> words);

  struct State;
  explicit OnlineModel(std::unique_ptr<State> state);
  OnlineModel(OnlineModel&&) noexcept;
  OnlineModel& operator=(OnlineModel&&) noexcept;
  ~OnlineModel();
  State& state() { return *state_; }
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// What was done to the sums. Digests are SHA-256 of exact integers: whoever has the sums of the rows can check that
// before and after differ by them.
struct Receipt {
  std::string action = {};  // "update" or "forget"
  std::uint64_t rows_before = 0, rows = 0, rows_after = 0;
  // Digests of the sums before, of the rows' own sums, of the sums after, and of what was chosen.
  std::string before = {}, part = {}, after = {}, choices = {};
  std::string anew = {};                // digest of the sums after, by choices that were made anew; empty: choices stay
  std::vector<Choice> frozen = {};      // choices that stay as they are
  bool checked = false;                 // each row was found by its mark; otherwise only counts were checked
  std::vector<std::string> notes = {};  // cells that were missing or unknown, and what the choices still know

  std::string json() const;
};

// Trains ridge as train() does, by Cholesky, and keeps the sums. std::invalid_argument for what is no sum: another
// learner, the automatic machine, random bins, a calibration.
// chosen_on: if these rows only choose, their name for receipts; train_as() then learns from others.
OnlineModel train_online(Rows& rows, const TrainOptions& options, const std::string& chosen_on = "");
void check_online(const TrainOptions& options);  // whether train_online() takes them, before anyone reads rows

// A model of these rows alone, by the choices of another: schema, scaling, bandwidth, landmarks, features, lambda, the
// unit of the targets. rows: as open_rows(path, choices.model().schema()) gives them.
// ids: if the other keeps marks: the cells that the rows carry along, as open_rows() fills them.
OnlineModel train_as(const OnlineModel& choices, Rows& rows, const Execution& execution = {}, KeptCells* ids = nullptr);

// Keeps a mark of each row from now on: a salted hash of its cell in `column` and of its numbers. Rows that were never
// added are then refused by forget(). rows, ids: those of the training again, read by the model's schema, with the
// column as the one of ids.columns.
void keep_ids(OnlineModel& model, Rows& rows, const std::string& column, KeptCells& ids,
              const Execution& execution = {});

// Adds rows to the sums, or takes them out, and solves again. Where something is wrong the model stays as it was.
// forget() without marks refuses more rows than there are, in all or of a class, and sums that no rows could have;
// other rows that were never added it cannot know.
Receipt update(OnlineModel& model, Rows& rows, const Execution& execution = {}, KeptCells* ids = nullptr);
Receipt forget(OnlineModel& model, Rows& rows, const Execution& execution = {}, KeptCells* ids = nullptr);
// A receipt of rows after which all choices were made anew, by a training on the rows that remain.
Receipt rechosen(Receipt receipt, const OnlineModel& anew);
// Adds the sums of another model with the same choices, over other rows.
void merge(OnlineModel& model, const OnlineModel& other, const Execution& execution = {});

}  // namespace bochner
