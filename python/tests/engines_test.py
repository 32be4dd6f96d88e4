# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every engine finds the bytes of one process. Engines whose packages are not installed are skipped."""

import importlib
import os
import subprocess
import sys

import bochner
import engine_cases as cases
import pytest

pytest.importorskip("pyarrow")
NAMES = list(cases.ESTIMATORS)


def engine(name, package):
    pytest.importorskip(package, reason=f"the package {package} is not installed, which bochner.{name} drives")
    return importlib.import_module(f"bochner.{name}")


def fitted_parts(fit, name, parts, **named):
    fitted = fit(cases.ESTIMATORS[name], parts, y="y", **named)
    return cases.digest(fitted)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    import pyarrow.parquet

    folder = tmp_path_factory.mktemp("parts")
    paths = [str(folder / f"part{k}.parquet") for k in range(len(cases.CUTS))]
    for k, path in enumerate(paths):
        pyarrow.parquet.write_table(cases.table(k), path)
    return paths


@pytest.mark.parametrize("name", NAMES)
def test_dask_in_threads(name, files):
    import dask

    with dask.config.set(scheduler="threads"):
        assert fitted_parts(engine("dask", "dask").fit, name, files) == cases.expected(name)


@pytest.mark.parametrize("name", NAMES)
def test_duckdb_streams_record_batches(name, files):
    fit = engine("duckdb", "duckdb").fit
    import duckdb

    relation = duckdb.connect().read_parquet(files)
    for workers in (1, 2):
        assert fitted_parts(fit, name, relation, rows=cases.CUT, workers=workers) == cases.expected(name)


def test_duckdb_refuses_what_has_no_order():
    fit = engine("duckdb", "duckdb").fit
    import duckdb

    connection = duckdb.connect()
    random = connection.sql("select random() as a, random() as b, random() as y from range(3000)")
    with pytest.raises((RuntimeError, ValueError), match="other rows"):
        fit(cases.ESTIMATORS["ridge"], random, y="y", rows=1024)
    with pytest.raises(ValueError, match="rows.*1024"):
        fit(cases.ESTIMATORS["ridge"], random, y="y", rows=1000)


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="the package ray is not installed, which bochner.ray drives")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize("name", NAMES)
def test_ray(name, ray, files):
    fit = engine("ray", "ray").fit
    assert fitted_parts(fit, name, files) == cases.expected(name)
    if name == NAMES[0]:
        blocks = ray.data.from_arrow([cases.table(k) for k in range(len(cases.CUTS))])
        assert fitted_parts(fit, name, blocks) == cases.expected(name)


def test_ray_hangs_are_ended(ray, tmp_path):
    fit = engine("ray", "ray").fit
    marker, tables = tmp_path / "hang", [cases.table(k) for k in range(len(cases.CUTS))]
    marker.touch()

    def rows(k):
        import time

        if k == 1 and marker.exists():
            marker.unlink()
            time.sleep(600)
        return tables[k]

    parts = [lambda k=k: rows(k) for k in range(len(tables))]
    fitted = fit(cases.ESTIMATORS["ridge"], parts, y="y", time_limit=20)
    assert cases.digest(fitted) == cases.expected("ridge")
    assert sum(fitted.rounds_.again) >= 1


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql", reason="the package pyspark is not installed, which bochner.spark drives")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", False).getOrCreate()
    except Exception as missing:
        pytest.skip(f"Spark does not start, which needs Java 17: {missing}")
    yield session
    session.stop()


@pytest.mark.parametrize("name", NAMES)
def test_spark(name, spark, files):
    fit = engine("spark", "pyspark").fit
    frame = spark.read.parquet(files[0]).coalesce(1)  # a partition for each file
    for path in files[1:]:
        frame = frame.union(spark.read.parquet(path).coalesce(1))
    assert fitted_parts(fit, name, frame, time_limit=120) == cases.expected(name)


MPI = """
import sys
import bochner.mpi, engine_cases as cases
from mpi4py import MPI
for name in cases.ESTIMATORS:
    fitted = bochner.mpi.fit(cases.ESTIMATORS[name], sys.argv[1:], y="y")
    assert cases.digest(fitted) == cases.expected(name), name
try:
    bochner.mpi.fit(cases.ESTIMATORS["ridge"], sys.argv[1:], y="nothing")
except ValueError as error:
    assert "nothing" in str(error)
try:
    bochner.mpi.fit(cases.ESTIMATORS["ridge"], sys.argv[1 : 2 + MPI.COMM_WORLD.rank], y="y")
    raise SystemExit("lists of other lengths were taken")
except ValueError as error:
    assert "the same list" in str(error)
print("same", MPI.COMM_WORLD.rank)
"""


def test_mpi(files):
    pytest.importorskip("mpi4py", reason="the package mpi4py is not installed, which bochner.mpi drives")
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    command = [beside if os.path.exists(beside) else "mpiexec", "-n", "3", sys.executable, "-c", MPI, *files]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    except FileNotFoundError:
        pytest.skip("mpiexec is not installed")
    assert done.stdout.count("same") == 3, done.stdout + done.stderr
