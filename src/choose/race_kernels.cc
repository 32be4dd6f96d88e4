// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/race_kernels.h"

#include <fmt/format.h>

namespace bochner {

namespace {

using Machines = std::vector<std::shared_ptr<MetricMachine>>;  // of the folds

Candidate candidate(const char* name, const Workers& on, const RaceRows& rows, const MapPtr& inputs,
                    const Machines& machines) {
  std::vector<Matrix<double>> predictions;
  for (const auto& machine : machines) predictions.push_back(machine->held_predictions());
  Candidate c;
  c.held = rows.together(predictions);
  c.error = machines.size() == 1 ? machines[0]->error() : rows.error(c.held);
  c.name = fmt::format("kernel of {} ({}{})", name, machines[0]->text(),
                       machines.size() > 1 ? fmt::format(", {} metrics", machines.size()) : "");
  c.refit = [on, inputs, machines] {
    std::vector<MapPtr> maps(machines.size());
    on.threads.run(maps.size(), [&](std::size_t f, int) { maps[f] = machines[f]->refit(); });
    return chain({inputs, mean_of(std::move(maps))});
  };
  return c;
}

}  // namespace

RacedKernels race_kernels(const Workers& on, const RaceRows& rows, const MapPtr& inputs, const MachineEffort& effort,
                          std::uint64_t seed, const MachineTalk& talk) {
  RacedKernels out;
  const std::size_t folds = rows.folds();
  Machines diagonal(folds), full(folds);
  const auto race_fold = [&](std::size_t f, const MachineTalk& of_fold) {
    const MachineRows& machine_rows = rows.fold(f).machine;
    const std::vector<Metric> metrics = learn_metrics(on, machine_rows, effort, seed, of_fold);
    if (f == 0) out.diagonal = metrics[0];
    const auto machine = [&](const Metric& metric) {
      auto made = std::make_shared<MetricMachine>(on, machine_rows, metric, effort, seed, of_fold.checkpoint);
      if (folds > 1) made->release();
      return made;
    };
    diagonal[f] = machine(metrics[0]);
    full[f] = machine(metrics[1]);
  };
  // Of few rows a fold is too small to keep several threads busy: folds go on beside each other, unless threads are
  // many. Not with a checkpoint, whose log has an order.
  const bool beside = !talk.checkpoint && on.threads.count() <= int(2 * folds);
  const auto race = [&](std::size_t f, int thread) {
    MachineTalk of_fold = talk;
    if (f > 0) of_fold.tell = {};
    if (talk.progress)
      of_fold.progress = [&, f](const std::string& step, double fraction) {
        talk.progress(step, (double(f) + fraction) / double(folds));
      };
    if (thread > 0) of_fold.progress = {};  // only the thread that asked for the race tells how far it is
    race_fold(f, of_fold);
  };
  if (beside) on.threads.run(folds, race);
  for (std::size_t f = 0; f < folds && !beside; ++f) race(f, 0);
  out.candidates = {candidate("scaled inputs", on, rows, inputs, diagonal),
                    candidate("learnt directions", on, rows, inputs, full)};
  const Machines& better = out.candidates[0].error <= out.candidates[1].error ? diagonal : full;
  out.variance = [inputs, better] {
    KernelVariance found;
    for (const auto& machine : better) {
      const std::vector<double> held = machine->held_variances();
      found.held.insert(found.held.end(), held.begin(), held.end());
    }
    found.map = chain({inputs, better[0]->variance()});
    return found;
  };
  return out;
}

}  // namespace bochner
