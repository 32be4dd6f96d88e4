// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_kernels.h"

#include <fmt/format.h>

#include "methods/automatic/learn_metrics.h"

namespace bochner {

namespace {

using Machines = std::vector<std::shared_ptr<MetricMachine>>;  // one per fold

Candidate candidate(const char* name, const RaceRows& rows, const MapPtr& inputs, const Machines& machines) {
  std::vector<Matrix<double>> predictions;
  for (const auto& machine : machines) predictions.push_back(machine->held_predictions());
  Candidate c;
  c.held = rows.together(predictions);
  c.error = machines.size() == 1 ? machines[0]->error() : rows.error(c.held);
  c.name = fmt::format("kernel of {} ({}{})", name, machines[0]->text(),
                       machines.size() > 1 ? fmt::format(", {} metrics", machines.size()) : "");
  c.refit = [inputs, machines] {
    std::vector<MapPtr> maps;
    for (const auto& machine : machines) maps.push_back(machine->refit());
    return chain({inputs, mean_of(std::move(maps))});
  };
  return c;
}

}  // namespace

RacedKernels race_kernels(const Workers& on, const RaceRows& rows, const MapPtr& inputs, const MachineEffort& effort,
                          std::uint64_t seed, const MachineTalk& talk) {
  RacedKernels out;
  Machines diagonal, full, gaussian;
  for (std::size_t f = 0; f < rows.folds(); ++f) {
    MachineTalk of_fold = talk;
    if (f > 0) of_fold.tell = {};
    if (talk.progress)
      of_fold.progress = [&, f](const std::string& step, double fraction) {
        talk.progress(step, (double(f) + fraction) / double(rows.folds()));
      };
    const MachineRows& machine_rows = rows.fold(f).machine;
    const std::vector<Metric> metrics = learn_metrics(on, machine_rows, effort, seed, of_fold);
    if (f == 0) out.diagonal = metrics[0];
    const auto machine = [&](const Metric& metric, bool learns = true) {
      MachineEffort of_machine = effort;
      if (!learns) of_machine.inside.steps = 0;
      auto made = std::make_shared<MetricMachine>(on, machine_rows, metric, of_machine, seed, talk.checkpoint);
      if (rows.folds() > 1) made->release();
      return made;
    };
    diagonal.push_back(machine(metrics[0]));
    full.push_back(machine(metrics[1]));
    if (effort.gaussian) gaussian.push_back(machine(gaussian_of_median_distance(machine_rows.rows.x, seed), false));
  }
  out.candidates = {candidate("scaled inputs", rows, inputs, diagonal),
                    candidate("learnt directions", rows, inputs, full)};
  if (effort.gaussian) out.candidates.push_back(candidate("inputs all alike", rows, inputs, gaussian));
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
