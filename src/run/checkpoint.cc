// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "base/require.h"
#include "base/safetensors.h"

namespace bochner {

namespace {

constexpr const char* kType = "bochner checkpoint";
constexpr double kGuessedBytesPerSecond = 200e6;  // of a save, before one was timed
constexpr double kRetrySeconds = 30;

nlohmann::json identity_json(const CheckpointOptions& options) {
  nlohmann::json tree = nlohmann::json::object();
  for (const auto& [name, value] : options.identity) tree[name] = value;
  return tree;
}

// "--features is 64 there and 128 now, ..."
std::string differences(const nlohmann::json& there, const nlohmann::json& now) {
  std::vector<std::string> found;
  const auto text = [](const nlohmann::json& tree, const std::string& key) {
    return tree.contains(key) && tree[key].is_string() ? tree[key].get<std::string>() : "not given";
  };
  std::vector<std::string> names;
  for (const auto& [key, value] : there.items()) names.push_back(key);
  for (const auto& [key, value] : now.items())
    if (!there.contains(key)) names.push_back(key);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    if (text(there, name) != text(now, name))
      found.push_back(fmt::format("{} is {} there and {} now", name, text(there, name), text(now, name)));
  return fmt::format("{}", fmt::join(found, ", "));
}

// Views of another archive's arrays, "step.name".
void put_views(Archive& to, const std::string& step, const Archive& from) {
  to.tree["steps"][step] = from.tree;
  for (const auto& [name, array] : from.arrays)
    to.arrays.emplace(step + "." + name, Archive::Array{array.dtype, array.shape, {}, array.content()});
}

double seconds_between(std::chrono::steady_clock::time_point a, std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

Checkpoint::Checkpoint(const CheckpointOptions& options, Say say)
    : options_(options), say_(std::move(say)), last_(std::chrono::steady_clock::now()), wait_(options.first_seconds) {
  require(options_.share > 0, "checkpoint: the share of time is {}, expected a positive number", options_.share);
  if (!options_.resume || !std::filesystem::exists(options_.path)) return;
  Archive file = read_archive(options_.path);
  if (get_text(file.tree, "type") != kType)
    fail(Error::Kind::data, "{}: is no checkpoint; name the one to resume from", options_.path);
  const std::string found = differences(get_node(file.tree, "identity"), identity_json(options_));
  if (!found.empty())
    fail(Error::Kind::data, "{}: belongs to another training: {}; use the same words, or leave --resume out",
         options_.path, found);
  Archive steps;
  steps.tree = get_node(file.tree, "steps");
  steps.arrays = std::move(file.arrays);
  if (!steps.tree.is_object()) fail(Error::Kind::model, "{}: is damaged; leave --resume out", options_.path);
  std::vector<std::string> names;
  for (const auto& [step, tree] : steps.tree.items()) names.push_back(step);
  for (const std::string& step : names) found_.emplace(step, steps.take_child(step));
  resumed_ = !found_.empty();
  saved_ = true;
}

std::optional<Archive> Checkpoint::take(const std::string& step) {
  const auto found = found_.find(step);
  if (found == found_.end()) return std::nullopt;
  Archive state = std::move(found->second);
  found_.erase(found);
  return state;
}

void Checkpoint::keep(const std::string& step, Archive result) { kept_.insert_or_assign(step, std::move(result)); }

void Checkpoint::offer(const std::string& step, const Save& save) {
  const bool stop = options_.stop && options_.stop();
  if (!stop && seconds_between(last_, std::chrono::steady_clock::now()) < wait_) return;
  const Archive archive = file_of(step, save);
  if (stop) {
    write(archive);
    throw Stopped();
  }
  if (due(archive)) write(archive);
}

Archive Checkpoint::file_of(const std::string& step, const Save& save) const {
  Archive state, archive;
  save(state);
  archive.tree["type"] = kType;
  archive.tree["identity"] = identity_json(options_);
  archive.tree["steps"] = nlohmann::json::object();
  for (const auto& [name, result] : kept_) put_views(archive, name, result);
  archive.tree["steps"][step] = std::move(state.tree);
  for (auto& [name, array] : state.arrays) archive.arrays.emplace(step + "." + name, std::move(array));
  return archive;
}

// Before the first save its cost is a guess.
bool Checkpoint::due(const Archive& archive) {
  if (saved_) return true;
  double bytes = 0;
  for (const auto& [name, array] : archive.arrays) bytes += double(array.content().size());
  wait_ = std::max(options_.first_seconds, bytes / kGuessedBytesPerSecond / options_.share);
  return seconds_between(last_, std::chrono::steady_clock::now()) >= wait_;
}

bool Checkpoint::write(const Archive& archive) {
  const Time begin = std::chrono::steady_clock::now();
  try {
    // A name of its own: what a killed run leaves behind is overwritten, not piled up.
    write_archive(options_.path, archive, options_.path + ".new");
  } catch (const Error& error) {
    last_ = std::chrono::steady_clock::now();
    wait_ = std::max(kRetrySeconds, seconds_between(begin, last_) / options_.share);
    if (say_) say_(fmt::format("checkpoint not saved, the training goes on: {}", error.what()));
    return false;
  }
  last_ = std::chrono::steady_clock::now();
  const double cost = seconds_between(begin, last_);
  wait_ = std::max(std::min(options_.first_seconds, 10.0), cost / options_.share);
  if (!saved_ && say_)
    say_(fmt::format("checkpoint: {}, {:.2f} s to save, every {:.0f} s", options_.path, cost, wait_));
  saved_ = true;
  return true;
}

}  // namespace bochner
