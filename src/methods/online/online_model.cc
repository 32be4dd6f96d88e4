// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/archive.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/sha256.h"
#include "bochner/online.h"
#include "bochner/visible_text.h"
#include "methods/online/state.h"
#include "model/model_file.h"
#include "rows/schema_json.h"

namespace bochner {

namespace {

constexpr const char* kChild = "kept_sum";

Archive archive_of(const OnlineModel::State& state) {
  Archive archive = model_archive(state.model), sum;
  state.sum.save(sum);
  archive.put_child(kChild, std::move(sum));
  return archive;
}

OnlineModel online_of(const Archive& archive, const std::string& name) {
  Model model = model_of_archive(archive, name);
  if (!archive.tree.contains(kChild))
    fail(Error::Kind::data, "{}: keeps no sums, expected a model that was trained to keep them; train it so", name);
  try {
    KeptSum sum = KeptSum::load(archive.child(kChild), model);
    return OnlineModel(std::make_unique<OnlineModel::State>(OnlineModel::State{std::move(model), std::move(sum)}));
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "{}: {}; train it again", name, e.what());
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", name, e.what());
  }
}

}  // namespace

OnlineModel::OnlineModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
OnlineModel::OnlineModel(OnlineModel&&) noexcept = default;
OnlineModel& OnlineModel::operator=(OnlineModel&&) noexcept = default;
OnlineModel::~OnlineModel() = default;

OnlineModel OnlineModel::load(const std::string& path) { return online_of(read_archive(path), path); }
OnlineModel OnlineModel::of_bytes(std::string_view bytes, const std::string& name) {
  return online_of(archive_of_bytes(bytes, name), name);
}

bool OnlineModel::is_file(const std::string& path) {
  try {
    return read_archive_tree(path).contains(kChild);
  } catch (const std::exception&) {
    return false;
  }
}

void OnlineModel::save(const std::string& path) const { write_archive(path, archive_of(*state_)); }
std::string OnlineModel::bytes() const { return archive_bytes(archive_of(*state_)); }

const Model& OnlineModel::model() const { return state_->model; }
std::uint64_t OnlineModel::rows() const { return state_->sum.gram.rows(); }
const std::vector<Choice>& OnlineModel::choices() const { return state_->sum.choices; }
const std::string& OnlineModel::ids() const {
  static const std::string none;
  return state_->sum.marks ? state_->sum.marks->column() : none;
}
const std::vector<std::string>& OnlineModel::words() const { return state_->sum.words; }
void OnlineModel::set_words(std::vector<std::string> words) { state_->sum.words = std::move(words); }
std::string OnlineModel::digest() const { return state_->sum.digest(); }

std::string OnlineModel::choices_digest() const {
  const Model& model = state_->model;
  const KeptSum nothing = state_->sum.like();
  Archive archive, gram;
  nothing.save_choices(archive);
  nothing.gram.save(gram);
  archive.tree["gram"] = gram.tree;
  archive.tree["schema"] = schema_to_json(model.schema());
  archive.tree["precision"] = model.double_precision();
  archive.tree["ids"] = {ids(), nothing.marks ? nothing.marks->salt() : ""};
  for (std::size_t i = 0; i < model.maps().size(); ++i) {
    Archive map;
    model.maps()[i]->save(map);
    archive.put_child(fmt::format("map{}", i), std::move(map));
  }
  Sha256 hash;
  hash.add(dump_of_any(archive.tree));
  for (const auto& [name, array] : archive.arrays) {
    hash.add(name);
    hash.add(array.content());
  }
  return hash.hex();
}

std::string OnlineModel::description() const {
  std::string text =
      fmt::format("sums      of {} rows are kept: `bochner update` and `bochner forget` change them\n", rows());
  text += ids().empty() ? "marks     of rows are not kept: forget checks counts alone\n"
                        : fmt::format("marks     of rows are kept, by the column {}\n", one_line(ids()));
  for (const Choice& choice : choices())
    text += fmt::format("frozen    {}, from {}\n", choice.name, one_line(choice.from));
  return text;
}

std::string Receipt::json() const {
  nlohmann::ordered_json tree = {
      {"action", action},
      {"rows", {{"before", rows_before}, {"changed", rows}, {"after", rows_after}}},
      {"sha256", {{"before", before}, {"rows", part}, {"after", after}, {"choices", choices}}},
      {"rows_checked", checked},
      {"frozen", nlohmann::ordered_json::array()},
      {"notes", notes}};
  if (!anew.empty()) tree["sha256"]["anew"] = anew;
  for (const Choice& choice : frozen) tree["frozen"].push_back({{"choice", choice.name}, {"from", choice.from}});
  return dump_of_any(tree, 2);
}

}  // namespace bochner
