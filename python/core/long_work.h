// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <type_traits>

#include "bochner/execution.h"

namespace bochner::python {

// work(cancel) on a thread of its own, without the interpreter's lock. The calling thread waits and lets Python see
// signals meanwhile: after Ctrl-C cancel() says true, and what the handler raised is raised here.
template <class Work>
auto run_long(Work work) {
  using Result = std::invoke_result_t<Work, const CancelFunction&>;
  std::atomic<bool> stop = false;
  const CancelFunction cancel = [&stop] { return stop.load(std::memory_order_relaxed); };
  std::packaged_task<Result()> task([&] { return work(cancel); });
  std::future<Result> result = task.get_future();
  std::optional<nanobind::python_error> raised;
  {
    const nanobind::gil_scoped_release released;
    std::thread worker(std::move(task));
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      const nanobind::gil_scoped_acquire held;
      if (raised || PyErr_CheckSignals() == 0) continue;
      raised.emplace();
      stop = true;
    }
    worker.join();
  }
  if (raised) throw std::move(*raised);
  return result.get();
}

}  // namespace bochner::python
