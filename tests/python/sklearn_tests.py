#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""scikit-learn's own test modules against bochner.compat, whose classes take the place of its own before they are imported.

usage: sklearn_tests.py [--list] [PYTEST OPTIONS]

Each test that does not pass has its reason in sklearn_tests.txt; any other failure, and any of those that passes, is an
error. --list prints what fails, in the form of that file.
"""
import collections
import functools
import importlib
import pathlib
import re
import sys

import pytest

LISTED = pathlib.Path(__file__).with_name("sklearn_tests.txt")
# Test module: the modules whose names are replaced, and by which of ours.
MODULES = {
    "sklearn.tests.test_kernel_approximation": {"sklearn.kernel_approximation": ["RBFSampler", "Nystroem"]},
    "sklearn.tests.test_random_projection": {
        "sklearn.random_projection": [
            "GaussianRandomProjection", "SparseRandomProjection", "johnson_lindenstrauss_min_dim"]},
    "sklearn.decomposition.tests.test_truncated_svd": {"sklearn.decomposition": ["TruncatedSVD"]},
    "sklearn.tests.test_kernel_ridge": {"sklearn.kernel_ridge": ["KernelRidge"]},
    "sklearn.mixture.tests.test_gaussian_mixture": {
        "sklearn.mixture": ["GaussianMixture"], "sklearn.mixture._gaussian_mixture": ["GaussianMixture"]},
    "sklearn.mixture.tests.test_mixture": {"sklearn.mixture": ["GaussianMixture"]},
    "sklearn.neighbors.tests.test_neighbors": {"sklearn.neighbors": ["NearestNeighbors"]},
    "sklearn.datasets.tests.test_svmlight_format": {
        "sklearn.datasets": ["load_svmlight_file", "dump_svmlight_file"]},
    "sklearn.utils.tests.test_extmath": {"sklearn.utils.extmath": ["randomized_svd"]},
}


# What of scikit-learn our classes hand over to.
PEERS = {
    "sklearn.kernel_approximation.Nystroem": ["fit"], "sklearn.decomposition.TruncatedSVD": ["fit_transform"],
    "sklearn.kernel_ridge.KernelRidge": ["fit"], "sklearn.mixture.GaussianMixture": ["fit_predict"],
    "sklearn.neighbors.NearestNeighbors": ["fit", "kneighbors", "radius_neighbors"]}
handed_over = []  # the calls of the test that runs


def watch_peers():
    """Notes each call that reaches scikit-learn's own code."""
    for place, methods in PEERS.items():
        module, _, name = place.rpartition(".")
        theirs = getattr(importlib.import_module(module), name)
        for method in methods:
            def noted(self, *arguments, _own=getattr(theirs, method), **named):
                handed_over.append(_own.__qualname__)
                return _own(self, *arguments, **named)
            setattr(theirs, method, functools.wraps(getattr(theirs, method))(noted))
    files = importlib.import_module("bochner.compat._files")
    own = files._theirs

    def noted_load(*arguments, **named):
        handed_over.append("load_svmlight_file")
        return own(*arguments, **named)
    files._theirs = functools.wraps(own)(noted_load)


def replace_classes():
    compat = importlib.import_module("bochner.compat")
    for places in MODULES.values():
        for place, names in places.items():
            module = importlib.import_module(place)
            for name in names:
                setattr(module, name, getattr(compat, name))


def concerns_us(item):
    """Whether a test names one of the replaced classes or functions: the others test scikit-learn alone."""
    import inspect

    names = [name for group in MODULES[item.module.__name__].values() for name in group]
    source = inspect.getsource(item.function)
    helpers = [value for key, value in vars(item.module).items()
               if inspect.isfunction(value) and value.__module__ == item.module.__name__ and f"{key}(" in source]
    source += "".join(inspect.getsource(helper) for helper in helpers)
    source += str(sorted(map(str, getattr(getattr(item, "callspec", None), "params", {}).values())))
    module_level = [key for key, value in vars(item.module).items()
                    if isinstance(value, list) and any(getattr(v, "__module__", "").startswith("bochner") for v in value)]
    return any(re.search(rf"\b{name}\b", source) for name in names + module_level)


class Recorder:
    """What passed, failed and was skipped, by module::test without its parameters."""

    def __init__(self):
        self.failed, self.passed, self.skipped = collections.defaultdict(list), collections.Counter(), 0
        self.handed = 0

    def pytest_runtest_logstart(self, nodeid, location):
        handed_over.clear()

    def pytest_collection_modifyitems(self, config, items):
        items[:] = [item for item in items if concerns_us(item)]

    def pytest_runtest_logreport(self, report):
        module, _, name = report.nodeid.partition("::")
        key = f"{pathlib.Path(module).stem}::{name.partition('[')[0]}"
        if report.failed:
            last = [line for line in str(report.longrepr).splitlines() if line.startswith("E ")]
            self.failed[key].append(last[0][4:].strip() if last else "?")
        elif report.skipped:
            self.skipped += report.when == "setup" or report.when == "call"
        elif report.when == "call":
            self.passed[key] += 1
            self.handed += bool(handed_over)


def listed():
    known = {}
    for line in LISTED.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            known[name] = reason.strip()
    return known


def main():
    watch_peers()
    replace_classes()
    options = [word for word in sys.argv[1:] if word != "--list"]
    files = [importlib.import_module(name).__file__ for name in MODULES]
    recorder = Recorder()
    pytest.main(["-q", "-p", "no:cacheprovider", "--tb=line" if "--list" in sys.argv else "--tb=no", "--no-header",
                 "-W", "ignore", "--import-mode=importlib", *options, *files], plugins=[recorder])
    if "--list" in sys.argv:
        for name, reasons in sorted(recorder.failed.items()):
            print(f"{name} ({len(reasons)} of {len(reasons) + recorder.passed[name]}) {reasons[0]}")
        return 0
    known = listed() if LISTED.exists() else {}
    problems = [f"{name} fails: {reasons[0]}" for name, reasons in sorted(recorder.failed.items()) if name not in known]
    problems += [f"{name} is listed and passes now" for name in known
                 if recorder.passed[name] and name not in recorder.failed]
    whole = len([name for name in recorder.passed if name not in recorder.failed])
    print(f"{sum(recorder.passed.values())} cases pass ({recorder.handed} of them call scikit-learn's own code), "
          f"{sum(map(len, recorder.failed.values()))} fail; of the tests "
          f"{whole} pass whole, {len(recorder.failed)} do not, each with its reason in {LISTED.name}")
    for problem in problems:
        print("error:", problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
