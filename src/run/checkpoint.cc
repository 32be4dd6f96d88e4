// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "backend/machine.h"
#include "base/archive.h"
#include "base/option.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "bochner/open_checkpoint.h"

namespace bochner {

namespace {

using Steady = std::chrono::steady_clock;

constexpr const char* kLog = "log";
constexpr double kGuessedBytesPerSecond = 200e6;  // assumed speed of a save until one was timed
constexpr double kRetrySeconds = 30;

std::atomic<int> saves{0};  // that are being written
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch what needs no lock");

class Saving {
 public:
  Saving() { ++saves; }
  ~Saving() { --saves; }
  Saving(const Saving&) = delete;
  Saving& operator=(const Saving&) = delete;
};

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

double seconds_between(Steady::time_point a, Steady::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

std::shared_ptr<CheckpointPlace> make_place(const CheckpointOptions& options) {
  if (options.resume) check_resumable(options.path);
  return std::make_shared<CheckpointPlace>(options.path);
}

bool may_save(Steady::time_point last, double wait) { return seconds_between(last, Steady::now()) >= wait; }

}  // namespace

Checkpoint::Checkpoint(const CheckpointOptions& options, Say say)
    : options_(options),
      place_(options.place ? options.place : make_place(options)),
      say_(std::move(say)),
      log_file_{place_->log(), Steady::now(), options.first_seconds},
      state_file_{place_->state(), Steady::now(), options.first_seconds} {
  require(options_.share > 0, "checkpoint: the share of time is {}, expected a positive number", options_.share);
  if (!place_->holds_checkpoint()) return;
  place_->claim_or_fail();  // it will be read or replaced, and removed in the end
  if (!options_.resume) return;
  read(log_file_.path);
  if (std::filesystem::exists(state_file_.path)) read(state_file_.path);
  if (const auto log = take(kLog)) read_log(*log);
  resumed_ = !found_.empty() || !log_.empty();
  own_ = true;
}

bool checkpoint_is_saving() noexcept { return saves > 0; }

const nlohmann::json& Checkpoint::identity() {
  if (identity_) return *identity_;
  nlohmann::json tree = nlohmann::json::object();
  for (const auto& [name, value] : options_.identity) tree[name] = value;
  if (options_.late_identity)
    for (const auto& [name, value] : options_.late_identity()) tree[name] = value;
  identity_ = std::make_shared<nlohmann::json>(std::move(tree));
  return *identity_;
}

void Checkpoint::read(const std::string& path) {
  Archive file = read_archive(path);
  if (get_text(file.tree, "type") != kType)
    fail(Error::Kind::data, "{}: is no checkpoint; name the one to resume from", path);
  const std::string found = differences(get_node(file.tree, "identity"), identity());
  if (!found.empty())
    fail(Error::Kind::data, "{}: belongs to another training: {}; use the same options, or leave {} out", path, found,
         Option::resume);
  const std::string machine = get_text(file.tree, "machine"), here = machine_name();
  if (machine != here && path == log_file_.path && say_)
    say_(
        fmt::format("{} was saved on another kind of processor ({} there, {} here): the last bits of the model may "
                    "differ from a training on one of them",
                    path, machine, here));
  Archive steps;
  steps.tree = get_node(file.tree, "steps");
  steps.arrays = std::move(file.arrays);
  if (!steps.tree.is_object()) fail(Error::Kind::model, "{}: is damaged; leave {} out", path, Option::resume);
  std::vector<std::string> names;
  for (const auto& [step, tree] : steps.tree.items()) names.push_back(step);
  for (const std::string& step : names) found_.emplace(step, steps.take_child(step));
}

void Checkpoint::read_log(const Archive& log) {
  const auto damaged = [&] { fail(Error::Kind::model, "{}: is damaged; leave {} out", options_.path, Option::resume); };
  if (!log.tree.is_object() || !log.tree.contains("results")) damaged();
  const nlohmann::json& names = get_node(log.tree, "results");
  if (!names.is_array()) damaged();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string array = std::to_string(i);
    if (!names[i].is_string()) damaged();
    log_.push_back({names[i].get<std::string>(), log.get<double>(array, {log.length(array)})});
  }
}

std::optional<Archive> Checkpoint::take(const std::string& step) {
  const auto found = found_.find(step);
  if (found == found_.end()) return std::nullopt;
  Archive state = std::move(found->second);
  found_.erase(found);
  return state;
}

void Checkpoint::keep(const std::string& step, Archive result) {
  kept_.insert_or_assign(step, std::move(result));
  log_file_.current = false;
  offer_log();
}

Checkpoint::Numbers Checkpoint::logged(const std::string& what, std::size_t size,
                                       const std::function<Numbers()>& make) {
  const std::size_t here = next_;
  if (here < log_.size() && log_[here].what == what && log_[here].numbers.size() == size) return log_[next_++].numbers;
  Numbers numbers = make();
  log_.resize(here);
  log_.push_back({what, numbers});
  next_ = here + 1;
  log_file_.current = false;
  offer_log();
  return numbers;
}

bool Checkpoint::offer(const std::string& step, const Save& save) {
  if (!may_save(state_file_.last, state_file_.wait)) return false;
  Archive state, archive;
  save(state);
  put_views(archive, step, state);
  if (!due(state_file_, archive)) return false;
  if (!log_file_.saved) save_log();  // a state is looked for only if there is a log
  return write(state_file_, archive);
}

void Checkpoint::save_now(const std::string& step, const Save& save) {
  save_log();
  Archive state, archive;
  save(state);
  put_views(archive, step, state);
  write(state_file_, archive);
}

bool Checkpoint::save_log() { return log_file_.current || write(log_file_, log_archive()); }

void Checkpoint::offer_log() {
  if (!may_save(log_file_.last, log_file_.wait)) return;
  const Archive archive = log_archive();
  if (due(log_file_, archive)) write(log_file_, archive);
}

Archive Checkpoint::log_archive() const {
  Archive archive, log;
  for (const auto& [name, result] : kept_) put_views(archive, name, result);
  log.tree["results"] = nlohmann::json::array();
  for (std::size_t i = 0; i < log_.size(); ++i) {
    log.tree["results"].push_back(log_[i].what);
    log.put_view(std::to_string(i), std::span<const double>(log_[i].numbers), {log_[i].numbers.size()});
  }
  put_views(archive, kLog, log);
  return archive;
}

// Before the first save its cost is a guess.
bool Checkpoint::due(File& file, const Archive& archive) const {
  if (file.saved) return true;
  double bytes = 0;
  for (const auto& [name, array] : archive.arrays) bytes += double(array.content().size());
  file.wait = std::max(options_.first_seconds, bytes / kGuessedBytesPerSecond / (options_.share / 2));
  return may_save(file.last, file.wait);
}

// Each of the two files may take half of the share.
bool Checkpoint::write(File& file, Archive archive) {
  const Saving now;
  Steady::time_point begin = Steady::now();
  try {
    archive.tree["type"] = kType;
    archive.tree["identity"] = identity();
    archive.tree["machine"] = machine_name();
    begin = Steady::now();  // what is done once is not the cost of a save
    if (!place_->claim())
      fail(Error::Kind::io, "another training that still runs has its checkpoint at {}", place_->log());
    if (!own_) std::filesystem::remove(state_file_.path);  // another training left it and was never resumed
    own_ = true;
    write_archive(file.path, archive, {.follow_links = false});
  } catch (const std::exception& error) {
    file.last = Steady::now();
    file.wait = std::max(kRetrySeconds, seconds_between(begin, file.last) / options_.share * 2);
    if (say_) say_(fmt::format("checkpoint not saved, the training goes on: {}", error.what()));
    return false;
  }
  file.last = Steady::now();
  const double cost = seconds_between(begin, file.last);
  file.wait = std::max(std::min(options_.first_seconds, 10.0), cost / options_.share * 2);
  if (!file.saved && say_)
    say_(fmt::format("checkpoint: {}, {:.2f} s to save, every {:.0f} s", file.path, cost, file.wait));
  file.saved = file.current = true;
  return true;
}

std::vector<double> logged(Checkpoint* checkpoint, const std::string& what, std::size_t size,
                           const std::function<std::vector<double>()>& make) {
  return checkpoint ? checkpoint->logged(what, size, make) : make();
}

std::uint64_t kept_count(double number, double least, double most) {
  if (!(number >= least && number <= most))
    fail(Error::Kind::data, "a kept result counts {}, expected {} to {}; the file was altered: start again without it",
         number, least, most);
  return std::uint64_t(number);
}

}  // namespace bochner
