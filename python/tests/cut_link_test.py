# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Dask workers in network namespaces, one of which loses its link in the middle of a fit: the bytes are those of one process.

Needs root, `ip` and dask.distributed; otherwise it is skipped.
"""

import os
import subprocess
import sys
import time

import engine_cases as cases
import pytest

pytest.importorskip("distributed", reason="the package distributed is not installed, whose workers lose their link")
WORKERS = 2
# Those of Dask are minutes. A lost worker is noticed by unacknowledged bytes, or by heartbeats that do not come.
SOON = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s", "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s",
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s"}

# The first task of round 1 tells where it runs, and works on while the link of its worker is cut.
DRIVER = """
import functools, os, sys, time
import bochner.dask, distributed
import engine_cases as cases
folder, workers = sys.argv[1], int(sys.argv[2])

def rows(k):
    from distributed import get_worker

    place = get_worker().address.split("/")[-1].split(":")[0]
    with open(folder + "/log", "a") as log:
        log.write(f"{k} {place}\\n")
    tasks = open(folder + "/log").read().split("\\n")
    if len(tasks) > len(cases.CUTS) + 1 and not os.path.exists(folder + "/cut"):
        with open(folder + "/cut", "w") as cut:
            cut.write(f"{k} {place}")
        time.sleep(4)
    return cases.table(k)

client = distributed.Client("tcp://10.38.0.1:8786", timeout=20)
client.wait_for_workers(workers, timeout=20)
parts = [functools.partial(rows, k) for k in range(len(cases.CUTS))]
fitted = bochner.dask.fit(cases.ESTIMATORS["ridge"], parts, "y", client=client)
print("DIGEST", cases.digest(fitted), flush=True)
os._exit(0)
"""


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        missing = any(word in done.stderr for word in ("not permitted", "Permission", "not supported", "Unknown device type"))
        raise (PermissionError if missing else RuntimeError)(f"ip {' '.join(words)}: {done.stderr.strip()}")


@pytest.fixture
def spaces():
    """Namespaces on one bridge: that of the scheduler and the driver, 10.38.0.1, and those of the workers."""
    names = [f"bochner{os.getpid()}n{k}" for k in range(WORKERS + 1)]
    made = []
    try:
        for name in names:
            ip("netns", "add", name)
            made.append(name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", names[0], "link", "add", "hub", "type", "bridge")
        ip("-n", names[0], "addr", "add", "10.38.0.1/24", "dev", "hub")
        ip("-n", names[0], "link", "set", "hub", "up")
        for k, name in enumerate(names[1:], 1):
            ip("-n", names[0], "link", "add", f"to{k}", "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("-n", names[0], "link", "set", f"to{k}", "master", "hub", "up")
            ip("-n", name, "addr", "add", f"10.38.0.{k + 1}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
        yield names
    except (PermissionError, FileNotFoundError) as missing:
        pytest.skip(f"network namespaces are not permitted here: {missing}")
    finally:
        for name in made:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def test_a_link_that_is_cut_costs_its_partitions(spaces, tmp_path):
    here = os.path.dirname(os.path.abspath(__file__))
    environment = {**os.environ, **SOON, "PYTHONPATH": os.pathsep.join([here, *filter(None, sys.path)])}
    running = []

    def begin(space, *words, **named):
        command = ["ip", "netns", "exec", space, sys.executable, *words]
        with open(tmp_path / "errors", "a") as errors:
            running.append(subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=errors, **named))
        return running[-1]

    quiet = {"stdout": subprocess.DEVNULL}
    dask = ("-m", "distributed.cli.dask_scheduler", "--host", "10.38.0.1", "--port", "8786", "--no-dashboard")
    try:
        begin(spaces[0], *dask, **quiet)
        for k, space in enumerate(spaces[1:], 2):
            begin(space, "-m", "distributed.cli.dask_worker", "tcp://10.38.0.1:8786", "--host", f"10.38.0.{k}", "--no-nanny",
                  "--nthreads", "1", "--memory-limit", "0", "--no-dashboard", **quiet)
        driver = begin(spaces[0], "-c", DRIVER, str(tmp_path), str(WORKERS), stdout=subprocess.PIPE, text=True)
        cut, last = tmp_path / "cut", time.monotonic() + 120
        while not (cut.exists() and len(cut.read_text().split()) == 2):
            assert driver.poll() is None and time.monotonic() < last, (tmp_path / "errors").read_text()
            time.sleep(0.05)
        partition, place = cut.read_text().split()
        ip("-n", spaces[int(place.rsplit(".", 1)[1]) - 1], "link", "set", "eth0", "down")
        told = driver.communicate(timeout=90)[0]
    finally:
        for process in running:
            process.kill()
            process.wait()
    assert told.split() == ["DIGEST", cases.expected("ridge")], (tmp_path / "errors").read_text()
    made = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert [p for p, where in made if where != place].count(partition) >= 2  # it was summed again elsewhere, in that round too
