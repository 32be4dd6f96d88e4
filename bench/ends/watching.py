# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Streams that are watched, beside river and boosted trees that are trained again.

    watching.py window    a window of exact sums at random times beside trainings on its rows: bytes, memory, seconds
    watching.py streams   prequential error: the first 20,000 rows of Forest Cover, and a concept that changes (needs river, scikit-learn)
    watching.py alarms    false alarms while nothing changes, and the delay after a change (needs river, SciPy)

usage: watching.py window|streams|alarms [--rows N] [--window N] [--features D] [--runs N]
"""
import argparse
import json
import lzma
import os
import resource
import subprocess
import tempfile
import time

import numpy as np

import data

LOOK = 1000


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("window", "streams", "alarms"))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--window", type=int, default=100000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--runs", type=int, default=500)
    return parser.parse_args()


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def rows_of(begin, end):
    """Rows of the stream, each a function of its number's block of 1,000."""
    parts = []
    for block in range(begin // LOOK, -(-end // LOOK)):
        draws = np.random.default_rng(block)
        x = draws.standard_normal((LOOK, 10))
        parts.append(np.column_stack([x, np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * draws.standard_normal(LOOK)]))
    table = np.concatenate(parts)[begin % LOOK:][:end - begin]
    return np.ascontiguousarray(table[:, :10]), np.ascontiguousarray(table[:, 10])


def window(options):
    import bochner
    from bochner import _core, _data

    rows = options.rows or 10_000_000
    words = dict(keep_sum=True, n_components=options.features, bandwidth=3.0, alpha=1.0)
    machine = bochner.KernelRidge(**words).fit(*rows_of(0, 5000))
    watcher = bochner.watch(machine, window=options.window, solve_every=100 * LOOK)
    at = set(np.random.default_rng(1).choice(np.arange(options.window // LOOK, rows // LOOK), 50, replace=False).tolist())
    same, seconds, begun, early = 0, 0.0, time.process_time(), None
    for block in range(rows // LOOK):
        watcher.see(*rows_of(block * LOOK, (block + 1) * LOOK))
        if (block + 1) * LOOK == 3 * options.window:
            early = megabytes()
        if block not in at:
            continue
        watcher.settle()
        start, end = time.process_time(), (block + 1) * LOOK
        x, y = rows_of(end - options.window, end)
        trained = _core.train_as(machine.online_, _data.rows_of(x, machine.model_.schema, y), machine._execution())
        with tempfile.TemporaryDirectory() as folder:
            trained.save(os.path.join(folder, "a"))
            machine.online_.save(os.path.join(folder, "b"))
            same += open(os.path.join(folder, "a"), "rb").read() == open(os.path.join(folder, "b"), "rb").read()
        seconds += time.process_time() - start
    total = time.process_time() - begun - seconds
    print(f"{rows} rows, window {options.window}, {options.features} features: the same bytes at {same} of {len(at)} times; "
          f"at most {early:.0f} MB after {3 * options.window} rows, {megabytes():.0f} MB at the end (with the rows of the trainings); "
          f"{total:.0f} s of the processor, {1e6 * total / rows:.1f} us a row")


def cover(rows):
    path = os.path.join(data.packed(), "covtype", "covtype.first20k.data.xz")
    with lzma.open(path, "rt") as file:
        table = np.array([[float(cell) for cell in line.split(",")] for line, _ in zip(file, range(rows))])
    return table[:, :-1], table[:, -1].astype(int)


def concept(rows):
    """Two classes by a curved boundary, which is another one from the middle on."""
    draws = np.random.default_rng(0)
    x = draws.standard_normal((rows, 8))
    first = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] > 0
    second = np.sin(2 * x[:, 3]) - x[:, 1] * x[:, 4] > 0
    return x, np.where(np.arange(rows) < rows // 2, first, second).astype(int)


def write(path, x, y):
    with open(path, "w") as file:
        file.write(",".join([*(f"x{j}" for j in range(x.shape[1])), "y"]) + "\n")
        for row, target in zip(x, y):
            file.write(",".join([*(f"{value:g}" for value in row), f"c{target}"]) + "\n")


def watched(folder, first, train, watch):
    """The prequential error of `bochner watch`, and seconds of the processor of training and watching."""
    model = os.path.join(folder, "m")
    before = os.times()
    data.run("bochner", "train", os.path.join(folder, "first.csv"), "-t", "y", *train, "-o", model, "--quiet")
    out, _ = data.run("bochner", "watch", model, "--stream", os.path.join(folder, "stream.csv"), "--every", "20", "--quiet",
                      *watch)
    after = os.times()
    lines = [json.loads(line) for line in out.splitlines()]
    return lines[-1]["mean_loss"], (after.children_user + after.children_system - before.children_user -
                                    before.children_system), sum(line["alarm"] is not None for line in lines)


def of_river(model, x, y, first):
    from river import stream

    wrong, begun = 0, time.process_time()
    for k, (row, target) in enumerate(stream.iter_array(x, y)):
        if k >= first:
            wrong += model.predict_one(row) != target
        model.learn_one(row, target)
    return wrong / (len(y) - first), time.process_time() - begun


def boosted(x, y, first, newest, every):
    from sklearn.ensemble import HistGradientBoostingClassifier

    wrong, begun = 0, time.process_time()
    for k in range(first, len(y), every):
        model = HistGradientBoostingClassifier().fit(x[max(0, k - newest):k], y[max(0, k - newest):k])
        wrong += (model.predict(x[k:k + every]) != y[k:k + every]).sum()
    return wrong / (len(y) - first), time.process_time() - begun


def streams(options):
    from river import forest, linear_model, multiclass, preprocessing, tree

    rows, first = options.rows or 20000, 1000
    print(f"| stream of {rows} rows | learner | prequential error | seconds of the processor |\n|---|---|---|---|")
    for name, make in (("Forest Cover, first rows of the file", cover), ("a concept that changes", concept)):
        x, y = make(rows)
        show = lambda who, error, seconds: print(f"| {name} | {who} | {100 * error:.2f} % | {seconds:.0f} |", flush=True)
        show("the class of the row before", (y[first:] != y[first - 1:-1]).mean(), 0)
        with tempfile.TemporaryDirectory() as folder:
            # The first file has a row of every class; those of classes that come later are in the stream too.
            late = [int(np.flatnonzero(y == c)[0]) for c in np.unique(y) if c not in y[:first]]
            chosen = np.r_[np.arange(first), late].astype(int)
            write(os.path.join(folder, "first.csv"), x[chosen], y[chosen])
            write(os.path.join(folder, "stream.csv"), x[first:], y[first:])
            for words in ("--window 500", "--window 2000", "--window 2000 --on-alarm forget", "--window 4000 --on-alarm forget",
                          "--half-life 250", ""):
                train = ("--keep-sum", "--features", "500")
                error, seconds, alarms = watched(folder, first, train, words.split())
                show(f"bochner, 500 features {words} ({alarms} alarms)", error, seconds)
            words = ("--window", "4000", "--solve-every", "2000", "--on-alarm", "forget", "--retrain", "--effort fast")
            error, seconds, alarms = watched(folder, first, ("--effort", "fast"), words)
            show(f"bochner, automatic, each 2,000 rows by the newest 4000 ({alarms} alarms)", error, seconds)
        scaled = lambda model: preprocessing.StandardScaler() | model
        for who, model in (("river, adaptive random forest", forest.ARFClassifier(n_models=10, seed=1)),
                           ("river, Hoeffding adaptive tree", tree.HoeffdingAdaptiveTreeClassifier(seed=1)),
                           ("river, logistic regression", scaled(multiclass.OneVsRestClassifier(linear_model.LogisticRegression())))):
            show(who, *of_river(model, x, y, first))
        for newest in (4000, rows):
            show(f"boosted trees, each 2,000 rows by the newest {newest}", *boosted(x, y, first, newest, 2000))


def alarms(options):
    """A linear model watches 10,000 rows, whose noise grows at the middle of some; ADWIN and a test at each 200 rows
    see the same squared errors."""
    from river import drift
    from scipy import stats

    rows = options.rows or 10000
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        draws = np.random.default_rng(0)

        def make(count, growth, middle):
            x = draws.standard_normal((count, 3))
            scale = np.where(np.arange(count) < middle, 1.0, growth)
            return np.column_stack([x, x.sum(axis=1) + scale * draws.standard_normal(count)])

        np.save(path("first.npy"), make(1000, 1, 1000))
        data.run("bochner", "train", path("first.npy"), "-t", "3", "--task", "regression", "--map", "none", "--keep-sum", "-o",
                 path("m"), "--quiet")

        def first_alarms(table):
            np.save(path("stream.npy"), table)
            out = subprocess.run(["bochner", "watch", path("m"), "--stream", path("stream.npy"), "--every", "500", "--solve-every",
                                  "alarm", "--quiet", "--threads", "1"], check=True, capture_output=True, text=True).stdout
            ours = next((line["alarm"] for line in map(json.loads, out.splitlines()) if line["alarm"] is not None), None)
            errors = (table[:, 3] - table[:, :3].sum(axis=1)) ** 2
            detector, adwin = drift.ADWIN(), None
            for k, error in enumerate(errors):
                detector.update(error)
                if detector.drift_detected and detector.estimation > errors[:k].mean():
                    adwin = k
                    break
            fixed = next((k - 1 for k in range(400, rows + 1, 200)
                          if stats.mannwhitneyu(errors[k - 200:k], errors[:k - 200], alternative="greater").pvalue < 0.05), None)
            return ours, adwin, fixed

        def row(name, found, after):
            cells = []
            for who in zip(*found):
                early = sum(k is not None and k < after for k in who)
                delays = [k - after for k in who if k is not None and k >= after]
                cells.append(f"{100 * early / len(who):.1f} %, {np.median(delays):.0f}" if delays else f"{100 * early / len(who):.1f} %")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)

        print("| alarms before a change, median delay in rows | bochner watch | ADWIN | Mann-Whitney each 200 rows |\n|---|---|---|---|")
        row(f"nothing changes, {options.runs} runs of {rows} rows", [first_alarms(make(rows, 1, rows)) for _ in range(options.runs)], rows)
        for growth in (1.2, 1.5, 2.0):
            row(f"noise times {growth} from row {rows // 2}", [first_alarms(make(rows, growth, rows // 2)) for _ in range(20)], rows // 2)


if __name__ == "__main__":
    chosen = parse()
    globals()[chosen.what](chosen)
