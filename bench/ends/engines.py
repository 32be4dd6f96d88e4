# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Fits of files and on Dask, Ray, Spark, DuckDB and MPI: the same bytes, what kills cost, what engines cost, what memory they take.

usage: engines.py bytes [ENGINE ...]     one SHA-256 of every engine for ridge, logistic, k-means, mixtures and the automatic machine
       engines.py kills [ENGINE ...]     kill -9 of one of four workers, and of the driver, at half of the usual time
       engines.py workers [ENGINE ...]   processor time with 1, 2 and 4 workers of one thread over that of one process
       engines.py parquet                resident memory while DuckDB streams Parquet of growing size
       engine_peers.py has what other learners do when a worker is killed

options: --parts N --rows N --columns N --features N (partitions, rows of each, inputs, features of ridge)
         --most N (rows of the largest Parquet)
"""
import argparse
import atexit
import functools
import hashlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pyarrow

ENGINES = ["one", "files", "dask", "ray", "spark", "duckdb", "mpi"]
WORKERS = 4


def estimators(features):
    import bochner

    return {"ridge": bochner.KernelRidge(n_components=features, bandwidth=4.0),
            "logistic": bochner.KernelLogistic(n_components=min(features, 128), bandwidth=4.0, C=1.0),
            "kmeans": bochner.KernelKMeans(8, n_map_features=64, max_iter=10),
            "gmm": bochner.GaussianMixture(4, max_iter=10), "automatic": bochner.KernelRegressor("fast")}


def made(o, part, labels=False):
    """The rows of a partition: a function of its number. The log counts how often each was made, and by whom."""
    with open(o.log, "a") as log:
        log.write(f"{part} {os.getpid()}\n")
    draws = np.random.default_rng(part)
    X = draws.normal(size=(o.rows, o.columns)).astype(np.float32)
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * draws.normal(size=o.rows)
    y = (y > 0).astype(np.int64) if labels else y
    return pyarrow.table({**{f"x{j}": X[:, j] for j in range(o.columns)}, "y": y})


def parts_of(o):
    return [functools.partial(made, o, part, o.estimator == "logistic") for part in range(o.parts)]


def digest(fitted):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model")
        fitted.save(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()


def fit_one(o, named):
    from bochner import _driver

    return lambda estimator: _driver.drive(_driver.here(parts_of(o).__getitem__), estimator, o.parts, **named)


def written(o):
    """Paths of the partitions as Parquet files."""
    import pyarrow.parquet

    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    paths = [f"{folder}/{part:04}.parquet" for part in range(o.parts)]
    for path, part in zip(paths, parts_of(o)):
        pyarrow.parquet.write_table(part(), path)
    return paths


def fit_files(o, named):
    """Files that are summed and merged in another order in every round."""
    from bochner import _driver

    paths = written(o)
    return lambda estimator: _driver.drive(
        lambda plan, parts: (_driver.summed(plan, k, paths[k]) for k in random.sample(parts, len(parts))), estimator, o.parts,
        **named)


def fit_dask(o, named):
    import bochner.dask
    import distributed

    cluster = distributed.LocalCluster(n_workers=o.workers, threads_per_worker=1, dashboard_address=None, memory_limit=0)
    client = distributed.Client(cluster)
    return lambda estimator: bochner.dask.fit(estimator, parts_of(o), client=client, **named)


def fit_ray(o, named):
    import bochner.ray
    import ray

    ray.init(num_cpus=o.workers, include_dashboard=False, log_to_driver=False)
    return lambda estimator: bochner.ray.fit(estimator, parts_of(o), **named)


def fit_spark(o, named):
    import bochner.spark
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master(f"local-cluster[{o.workers},1,1024]").config("spark.ui.enabled", False)
    session = session.config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", "")).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    labels = o.estimator == "logistic"

    def rows(batches):
        for batch in batches:
            for part in batch.column(0).to_pylist():
                yield from made(o, part, labels).to_batches()

    columns = ", ".join(f"x{j} float" for j in range(o.columns)) + (", y bigint" if labels else ", y double")
    frame = session.range(o.parts, numPartitions=o.parts).mapInArrow(rows, columns)
    return lambda estimator: bochner.spark.fit(estimator, frame, **named)


def fit_duckdb(o, named):
    import bochner.duckdb
    import duckdb

    relation = duckdb.connect().read_parquet(written(o))
    return lambda estimator: bochner.duckdb.fit(estimator.set_params(n_jobs=1), relation, rows=o.rows, **named)


def fit_mpi(o, named):
    import bochner.mpi

    return lambda estimator: bochner.mpi.fit(estimator, parts_of(o), **named)


def victim_of(o):
    """The worker that began the last task: for Spark the executor, two processes above."""
    pid = int(open(o.log).read().split()[-1])
    for _ in range(2 if o.engine == "spark" else 0):
        pid = int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])
    return pid


def child(o):
    """One fit in this process, told as a line of JSON; with --kill also one whose worker is killed at half of its time."""
    named = {"y": "y", "state": o.state}
    fit, estimator = globals()[f"fit_{o.engine}"](o, named), estimators(o.features)[o.estimator]
    found = []
    for kill in ([False, False, True] if o.kill else [False]):
        open(o.log, "w").close()
        begin = time.perf_counter()
        if kill:
            threading.Timer(found[-1]["seconds"] / 2, lambda: os.kill(victim_of(o), signal.SIGKILL)).start()
        fitted = fit(estimator)
        tally = fitted.rounds_
        found.append({"sha": digest(fitted), "seconds": time.perf_counter() - begin,
                      "made": len(open(o.log).read().splitlines()), "tasks": sum(tally.tasks), "rounds": len(tally.tasks),
                      "plans": tally.plan_bytes, "sums": tally.sum_bytes, "again": sum(tally.again)})
    if o.engine != "mpi" or fitted.rounds_ and os.environ.get("PMI_RANK", "0") == "0":
        print("FOUND", json.dumps(found), flush=True)
    os._exit(0) if o.engine in ("ray", "spark") else None


def command(o, engine, estimator, log, *more, workers=None):
    workers = str(workers or o.workers)
    words = [sys.executable, __file__, "child", "--engine", engine, "--estimator", estimator, "--log", str(log), "--workers",
             workers, *more]
    words += [word for name in ("parts", "rows", "columns", "features") for word in (f"--{name}", str(getattr(o, name)))]
    mpiexec = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    return [mpiexec if os.path.exists(mpiexec) else "mpiexec", "-n", workers, *words] if engine == "mpi" else words


def fits(o, engine, estimator, *more, workers=None):
    """What the fits of a process of its own told, and the processor time of all that it started."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command(o, engine, estimator, pathlib.Path(folder, "log"), *more, workers=workers),
                              capture_output=True, text=True, timeout=o.limit)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        told = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
        if not told:
            return [{"sha": f"failed: {(done.stderr.strip().splitlines() or ['?'])[-1][:200]}"}], 0
        return json.loads(told[0][6:]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show_bytes(o):
    print(f"{o.parts} partitions of {o.rows} x {o.columns}, {o.features} features")
    for estimator in o.estimators.split(","):
        for engine in o.engines or ENGINES:
            found = fits(o, engine, estimator)[0][0]
            moved = f"{found['rounds']} rounds, plans {max(found['plans'])} bytes, sums {max(found['sums'])} bytes at most" \
                if "rounds" in found else ""
            print(f"{estimator:9} {engine:7} {found['sha'][:16] if moved else found['sha']}  {moved}", flush=True)


def killed_driver(o, engine, usual):
    """A driver that is killed at half of its time, and called again: (digest, partitions made in all)."""
    with tempfile.TemporaryDirectory() as folder:
        log, state = pathlib.Path(folder, "log"), pathlib.Path(folder, "state")
        words = command(o, engine, "ridge", log, "--state", str(state))
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not log.exists() or not log.read_text():
            time.sleep(0.05)
        time.sleep(usual / 2)
        process.kill()
        process.wait()
        time.sleep(2)  # workers that lost their driver end
        before, kept = len(log.read_text().splitlines()), state.exists()
        told = subprocess.run(words, capture_output=True, text=True, timeout=o.limit).stdout
        found = json.loads(told[told.index("FOUND") + 6 :])[0]
        return found["sha"], before + found["made"], kept


def show_kills(o):
    whole = fits(o, "one", "ridge")[0][0]
    print(f"{o.parts} partitions of {o.rows} x {o.columns}, {o.features} features; undisturbed: {whole['made']} sums")
    for engine in o.engines or ["dask", "ray", "spark"]:
        found = fits(o, engine, "ridge", "--kill")[0]
        if len(found) < 3:
            print(engine, found[0]["sha"])
            continue
        usual, last = found[1], found[2]
        print(f"{engine:7} worker killed: {'the same' if last['sha'] == whole['sha'] else 'OTHER'} bytes, "
              f"{last['made'] - usual['made']:+} sums, {usual['seconds']:.1f} s became {last['seconds']:.1f} s", flush=True)
        sha, tasks, kept = killed_driver(o, engine, usual["seconds"])
        print(f"{engine:7} driver killed: {'the same' if sha == whole['sha'] else 'OTHER'} bytes, {tasks - usual['made']:+} "
              f"sums{'' if kept else ', before any was kept'}", flush=True)


def show_workers(o):
    """Ratios of processor time; what an engine takes to start is measured by a fit of almost no rows and taken away."""
    small = argparse.Namespace(**{**vars(o), "rows": 1024, "parts": 4, "features": 16})
    one = fits(o, "one", "ridge")[1] - fits(small, "one", "ridge")[1]
    print(f"{o.parts * o.rows} rows x {o.columns}, {o.features} features: one process {one:.1f} s of a processor")
    for engine in o.engines or ["dask", "mpi"]:  # workers of Ray and Spark are children of daemons, which nobody counts
        for workers in (1, 2, 4):
            used = fits(o, engine, "ridge", workers=workers)[1] - fits(small, engine, "ridge", workers=workers)[1]
            print(f"{engine:7} {workers} workers: {used:.1f} s, {100 * (used / one - 1):+.0f} %", flush=True)


def streamed(o):
    """Ridge over the Parquet files of a folder: the largest resident memory of this process."""
    import bochner
    import bochner.duckdb
    import duckdb

    connection = duckdb.connect(config={"memory_limit": "400MB", "threads": 1})
    rows = connection.read_parquet(o.state + "/*.parquet")
    begin = time.process_time()
    fitted = bochner.duckdb.fit(bochner.KernelRidge(n_components=256, bandwidth=4.0, n_jobs=1), rows, y="y", rows=1 << 16)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("FOUND", json.dumps([peak, time.process_time() - begin, fitted.report_.rows]))


def show_parquet(o):
    import pyarrow.parquet

    print(f"Parquet of {o.columns} columns, ridge on 256 features")
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        o.log, o.estimator, written = os.devnull, "ridge", 0
        for rows in (o.most // 10, 3 * o.most // 10, o.most):
            while written * o.rows < rows:
                pyarrow.parquet.write_table(made(o, written), f"{folder}/{written:05}.parquet")
                written += 1
            size = sum(path.stat().st_size for path in pathlib.Path(folder).iterdir()) / 2**20
            told = subprocess.run([sys.executable, __file__, "streamed", "--state", folder], capture_output=True, text=True)
            if "FOUND" not in told.stdout:
                sys.exit(told.stderr)
            peak, seconds, total = json.loads(told.stdout[told.stdout.index("FOUND") + 6 :])
            measured.append((total, peak))
            print(f"{total:9} rows, {size:5.0f} MiB of Parquet: {peak:4.0f} MiB resident at most, {seconds:.0f} s of a "
                  "processor", flush=True)
    slope = np.polyfit(*zip(*measured), 1)[0]
    print(f"slope: {slope * 2**20:.1f} bytes of memory a row")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["bytes", "kills", "workers", "parquet", "child", "streamed"])
    parser.add_argument("engines", nargs="*")
    for name, value in {"parts": 16, "rows": 12288, "columns": 20, "features": 256, "workers": WORKERS}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--estimators", default="ridge,logistic,kmeans,gmm,automatic")
    parser.add_argument("--limit", type=float, default=900)
    for name in ("engine", "estimator", "log", "state"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--most", type=int, default=10**7)
    parser.add_argument("--kill", action="store_true")
    o = parser.parse_args()
    {"bytes": show_bytes, "kills": show_kills, "workers": show_workers, "parquet": show_parquet, "child": child,
     "streamed": streamed}[o.what](o)


if __name__ == "__main__":
    main()
