# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What XGBoost and LightGBM do when one of four workers is killed (kill -9) at half of their usual time.

usage: engine_peers.py NAME [--rows N] [--limit SECONDS] [--retries N]   NAME: xgboost-dask, lightgbm-dask, xgboost-ray, xgboost-spark

Prints one line: what became of the training (a result, an error, or nothing within the limit), and whether its model is
the one of a training that nobody disturbed.
"""
import argparse
import glob
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

WORKERS = 4
ROUNDS = 60


def made(rows, columns=20, seed=1):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns)).astype(np.float32)
    return X, (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * draws.normal(size=rows)).astype(np.float32)


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def dask_rows(rows):
    import dask.array as da
    import distributed

    cluster = distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, memory_limit=0)
    client = distributed.Client(cluster)
    data = [client.persist(da.from_array(a, chunks=(rows // 16, *a.shape[1:]))) for a in made(rows)]
    distributed.wait(data)
    return client, data


def xgboost_dask(o):
    import xgboost
    import xgboost.dask

    client, data = dask_rows(o.rows)

    def train():
        matrix = xgboost.dask.DaskDMatrix(client, *data)
        found = xgboost.dask.train(client, {"tree_method": "hist", "max_depth": 8, "nthread": 1}, matrix, num_boost_round=ROUNDS)
        return digest(bytes(found["booster"].save_raw()))

    return train, lambda: list(client.run(os.getpid).values())


def lightgbm_dask(o):
    import lightgbm

    client, data = dask_rows(o.rows)

    def train():
        machine = lightgbm.DaskLGBMRegressor(client=client, n_estimators=4 * ROUNDS, num_leaves=255, n_jobs=1, verbose=-1)
        machine.fit(*data)
        return digest(machine.booster_.model_to_string().encode())

    return train, lambda: list(client.run(os.getpid).values())


def processes_named(word):
    found = []
    for line in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            if word in pathlib.Path(line).read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                found.append(int(line.split("/")[2]))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def xgboost_ray(o):
    import ray
    import ray.train
    import xgboost
    from ray.train.xgboost import RayTrainReportCallback, XGBoostTrainer

    os.environ.setdefault("RAY_TRAIN_V2_ENABLED", "1")
    ray.init(num_cpus=WORKERS + 1, include_dashboard=False, log_to_driver=False)
    folder = tempfile.mkdtemp()

    def work(config):
        X, y = made(o.rows)
        rank, count = ray.train.get_context().get_world_rank(), ray.train.get_context().get_world_size()
        matrix = xgboost.DMatrix(X[rank::count], y[rank::count])
        xgboost.train({"tree_method": "hist", "max_depth": 8, "nthread": 1}, matrix, num_boost_round=ROUNDS,
                      callbacks=[RayTrainReportCallback(frequency=0, checkpoint_at_end=True)])

    def train():
        trainer = XGBoostTrainer(
            work, scaling_config=ray.train.ScalingConfig(num_workers=WORKERS),
            run_config=ray.train.RunConfig(storage_path=folder, failure_config=ray.train.FailureConfig(max_failures=o.retries)))
        result = trainer.fit()
        with result.checkpoint.as_directory() as place:
            return digest(b"".join(p.read_bytes() for p in sorted(pathlib.Path(place).rglob("*")) if p.is_file()))

    return train, lambda: processes_named("RayTrainWorker")


def xgboost_spark(o):
    from pyspark.sql import SparkSession
    from xgboost.spark import SparkXGBRegressor
    import pandas

    session = SparkSession.builder.master(f"local-cluster[{WORKERS},1,1024]").config("spark.ui.enabled", False).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    X, y = made(o.rows)
    names = [f"x{j}" for j in range(X.shape[1])]
    folder = tempfile.mkdtemp()
    pandas.DataFrame(X, columns=names).assign(y=y).to_parquet(folder + "/rows.parquet")
    frame = session.read.parquet(folder + "/rows.parquet").repartition(16)

    def train():
        machine = SparkXGBRegressor(features_col=names, label_col="y", num_workers=WORKERS, n_estimators=ROUNDS, max_depth=8)
        return digest(bytes(machine.fit(frame).get_booster().save_raw()))

    return train, lambda: processes_named("CoarseGrainedExecutorBackend --driver")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("name")
    arguments.add_argument("--rows", type=int, default=200_000)
    arguments.add_argument("--limit", type=float, default=180)
    arguments.add_argument("--retries", type=int, default=0)
    o = arguments.parse_args()
    train, workers = globals()[o.name.replace("-", "_")](o)
    first = train()
    begin = time.perf_counter()
    expected = train()
    usual = time.perf_counter() - begin
    print(f"{o.name}: undisturbed {usual:.1f} s, {'the same' if expected == first else 'other'} bytes twice", flush=True)
    outcome = {}

    def run():
        begin = time.perf_counter()
        try:
            found = train()
            outcome["text"] = "a result, " + ("the same bytes" if found == expected else "other bytes")
        except BaseException as error:
            outcome["text"] = f"an error, {type(error).__name__}: " + " ".join(str(error).split())[:200]
        outcome["seconds"] = time.perf_counter() - begin

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    time.sleep(usual / 2)
    os.kill(workers()[0], signal.SIGKILL)
    thread.join(o.limit)
    after = f" after {outcome['seconds']:.1f} s" if outcome else ""
    print(f"{o.name}: {outcome.get('text', f'nothing within {o.limit:g} s')}{after}", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
