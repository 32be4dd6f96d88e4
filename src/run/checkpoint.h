// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bochner/archive.h"
#include "bochner/checkpoint.h"
#include "bochner/checkpoint_place.h"
#include "bochner/execution.h"
#include "run/logged.h"

namespace bochner {

// The state of a long run in files, each whole or not at all. A run is a sequence of named steps; a resumed run takes
// the same steps and asks for each whether the files know its result or state. What they do not know is simply done
// again: every step is a pure function of what came before, so both ways end in the same bytes.
//
// Results of finished pieces of work are small (a product with the Gram matrix, the loss of a trial) and go to the log,
// path; the state of a long piece is large (half a Gram matrix) and goes, more seldom, to path + ".state".
//
//   if (auto saved = checkpoint.take("gram")) load(*saved);
//   for (...) { work(); checkpoint.offer("gram", [&](Archive& a) { save(a); }); }
class Checkpoint {
 public:
  using Save = std::function<void(Archive&)>;
  using Say = std::function<void(const std::string&)>;
  using Numbers = std::vector<double>;

  // Reads the files when options.resume; refuses one of another run (Error::Kind::data) with what differs.
  Checkpoint(const CheckpointOptions& options, Say say);

  // The state an earlier run saved for this step.
  std::optional<Archive> take(const std::string& step);

  // Where the step stands now, between two pieces of work. Saved when that is due: so seldom that saving takes at most
  // the share of the time it may. `save` may put views. A save that fails is said, and tried again later.
  // Returns whether it was saved.
  bool offer(const std::string& step, const Save& save);

  // work(), whose step stands where `save` says whenever it throws Stopped: saved then.
  template <class Work>
  void saved_when_stopped(const std::string& step, const Save& save, const Work& work) {
    try {
      work();
    } catch (const Stopped&) {
      save_now(step, save);
      throw;
    }
  }

  // The result of the next piece of work: what an earlier run found here, or make(), which may ask for the results it
  // is made of in the same way: once it is done the log forgets those. A result of another name or size is not taken.
  Numbers logged(const std::string& what, std::size_t size, const std::function<Numbers()>& make);

  // The result of a step that is done, or where one stands between two rounds: part of every save from now on, of which
  // one may be due. For what is small.
  void keep(const std::string& step, Archive result);

  // Saves the log now: the run was asked to stop. Returns whether a log is there.
  bool save_log();

  // Whether anything of an earlier run was found.
  bool resumed() const { return resumed_; }

  static constexpr const char* kType = "bochner checkpoint";  // the type that its archives name

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Entry {
    std::string what;
    Numbers numbers;
  };
  // One file and when it may be written next.
  struct File {
    std::string path;
    Time last;
    double wait;                          // seconds from `last` until the next save
    bool saved = false, current = false;  // ever by this run; with nothing new since
  };

  void read(const std::string& path);
  void read_log(const Archive& log);
  void save_now(const std::string& step, const Save& save);
  void offer_log();
  const nlohmann::json& identity();
  Archive log_archive() const;
  bool due(File& file, const Archive& archive) const;
  bool write(File& file, Archive archive);

  CheckpointOptions options_;
  std::shared_ptr<CheckpointPlace> place_;
  Say say_;
  std::shared_ptr<const nlohmann::json> identity_;
  bool resumed_ = false, own_ = false;  // own: what lies at the paths is of this training
  std::map<std::string, Archive> kept_, found_;
  std::vector<Entry> log_;
  std::size_t next_ = 0;  // position in log_
  File log_file_, state_file_;
};

}  // namespace bochner
