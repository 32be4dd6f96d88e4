# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A fit of 10^9 rows on 500 workers, of which some are killed: simulated with task times that are measured here.

usage: simulated_cluster.py [--rows N] [--workers N] [--partition ROWS] [--killed SHARE] [--features N] [--columns N]

Every round of ridge is measured on a few partitions of one process: processor time of a task, of adding a result and of
planning, and the bytes of plans and results. The simulation draws times from those, times a lognormal factor (--spread).
A killed task has worked for a uniform share of its time; its worker is away for --restart seconds. Bytes cross the network
of the driver one after another (--network). The page has the same fit without kills beside it, and a gang that begins a
round anew when one of its workers is killed.
"""
import argparse
import functools
import heapq
import resource
import time

import numpy as np


def measured(o):
    """(seconds of tasks, seconds of an addition, seconds of planning, plan bytes, result bytes) of each round."""
    import bochner
    import pyarrow
    from bochner.rounds import Rounds, run_task

    @functools.cache
    def table(part):
        draws = np.random.default_rng(part)
        X = draws.normal(size=(o.sample, o.columns)).astype(np.float32)
        y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
        return pyarrow.table({**{f"x{j}": X[:, j] for j in range(o.columns)}, "y": y})

    job = Rounds(bochner.KernelRidge(n_components=o.features, bandwidth=4.0), o.samples, y="y")
    rounds = []
    while not job.done:
        begin = time.process_time()
        plan, tasks, adding, sizes = job.plan, [], [], []
        planning = time.process_time() - begin
        for part in job.missing:
            table(part)
            begin = time.process_time()
            result = run_task(plan, table(part), part)
            tasks.append(time.process_time() - begin)
            sizes.append(len(result))
            begin = time.process_time()
            job.add(result)
            adding.append(time.process_time() - begin)
        rounds.append((np.array(tasks[1:]), float(np.median(adding)), planning + max(adding) - np.median(adding), len(plan),
                       max(sizes)))
    return rounds


def simulated(o, tasks, killed, seed):
    """(seconds, work lost) of a round: workers take the next partition as soon as they are free."""
    draws = np.random.default_rng(seed)
    count = -(-o.rows // o.partition)
    free = [0.0] * o.workers
    heapq.heapify(free)
    left, lost, end = count, 0.0, 0.0
    while left:
        begin = heapq.heappop(free)
        seconds = draws.choice(tasks) * o.partition / o.sample * draws.lognormal(0, o.spread)
        if draws.random() < killed:
            worked = draws.random() * seconds
            lost += worked
            heapq.heappush(free, begin + worked + o.restart)
            continue
        left -= 1
        end = max(end, begin + seconds)
        heapq.heappush(free, begin + seconds)
    return end, lost


def gang(o, seconds, killed, seed):
    """Seconds of a round that all workers begin anew when one is killed; infinite after 1000 attempts."""
    draws = np.random.default_rng(seed)
    tasks = -(-o.rows // o.partition)
    total = 0.0
    for _ in range(1000):
        first = draws.random(draws.binomial(tasks, killed))
        if not len(first):
            return total + seconds
        total += first.min() * seconds + o.restart
    return np.inf


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in {"rows": 10**9, "workers": 500, "partition": 1 << 18, "features": 1000, "columns": 20,
                        "sample": 1 << 14, "samples": 4}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    for name, value in {"killed": 0.05, "spread": 0.3, "restart": 60.0, "network": 1.25e9}.items():
        parser.add_argument(f"--{name}", type=float, default=value)
    o = parser.parse_args()
    rounds, count = measured(o), -(-o.rows // o.partition)
    print(f"# {o.rows:.0e} rows on {o.workers} workers, simulated\n\n"
          f"Ridge on {o.features} features of {o.columns} inputs; {count} partitions of {o.partition} rows; a task is killed "
          f"with probability {o.killed:g}, its worker is back after {o.restart:g} s; the driver's network has "
          f"{o.network / 1e9:g} GB/s.\n")
    print("| round | task, s | plan, MB | result, MB | moved, GB | driver, s | no kills, s | kills, s | work lost | a gang, s |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    totals = np.zeros(5)
    for number, (tasks, adding, planning, plan, result) in enumerate(rounds):
        moved = plan * o.workers + result * count
        driver = max(adding * count, moved / o.network) + planning  # results are added while they come
        calm, _ = simulated(o, tasks, 0, number)
        kills, lost = simulated(o, tasks, o.killed, number)
        together = gang(o, calm, o.killed, number)
        row = np.array([moved / 1e9, driver, max(calm, driver), max(kills, driver), together])
        totals += row
        share = lost / (float(np.mean(tasks)) * o.partition / o.sample * count)
        print(f"| {number} | {np.mean(tasks) * o.partition / o.sample:.1f} | {plan / 1e6:.2f} | {result / 1e6:.2f} | {row[0]:.2f} | "
              f"{driver:.1f} | {row[2]:.0f} | {row[3]:.0f} | {100 * share:.1f} % | {'never' if np.isinf(together) else f'{together:.0f}'} |")
    together = "never" if np.isinf(totals[4]) else f"{totals[4]:.0f}"
    print(f"| all | | | | {totals[0]:.2f} | {totals[1]:.1f} | {totals[2]:.0f} | {totals[3]:.0f} | | {together} |\n")
    cells = o.partition * (4 * o.columns + 8)
    print(f"Memory of a worker: {(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024):.0f} MiB was the most of the process that "
          f"measured, and {cells / 2**20:.0f} MiB of rows.")


if __name__ == "__main__":
    main()
