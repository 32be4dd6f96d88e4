# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The plain command beside XGBoost, LightGBM, CatBoost and scikit-learn's boosted histograms and forest: test error,
log-loss, area under the ROC curve and time on the same rows and threads.

The peers run with their defaults, up to 2,000 rounds at rate 0.05 stopped early on 10 % of the training rows (100 rounds
without gain), categories as such; those of them that are not installed are left out. Errors: the fraction wrong, or the
root mean squared error over the deviation of the test targets. Times are processor seconds of all threads: of `bochner
train`, from the file to the model; of fit() on arrays in memory. Medians over seeds. Nothing sees test rows.

With --log each run is appended to a file of JSON lines, and what it has already is not run again.

usage: automatic.py [NAME ...] [--threads 2] [--seeds 3] [--effort normal] [--peers NAME ...] [--limit SECONDS]
                    [--log FILE]
"""
import argparse
import json
import math
import multiprocessing
import os
import resource
import signal
import statistics
import sys
import tempfile
import time

import numpy as np
import pandas as pd
import threadpoolctl

import boosters
import data
import sets


def peer_run(peer, table, classes, threads, seed):
    """None where the peer is not installed."""
    x, y, tx, ty = table
    order = np.random.default_rng(seed).permutation(len(x))
    held, fitted = order[:len(x) // 10], order[len(x) // 10:]
    fitted = np.union1d(fitted, np.unique(y, return_index=True)[1]) if classes else fitted  # each class is seen
    categories = [name for name in x.columns if isinstance(x[name].dtype, pd.CategoricalDtype)]
    for name, model, words in boosters.stopped_early(classes, threads, seed, categories):
        if name != peer:
            continue
        x = boosters.as_it_takes(name, x)
        with threadpoolctl.threadpool_limits(threads):  # scikit-learn's boosting has no word for it
            start = time.process_time()
            model.fit(x.iloc[fitted], y[fitted], **words((x.iloc[held], y[held])))
            seconds = time.process_time() - start
        return {**boosters.scores_of(model, name, tx, ty, classes), "seconds": seconds}
    return None


def peer_run_within(limit, *words):
    """The same in a process of its own, which ends after so many processor seconds: its run counts as having taken
    these, and has no error."""
    def run(end):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 10))
        end.send(peer_run(*words))

    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=run, args=(theirs,))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:  # it has ended without an answer
        process.join()
        if process.exitcode not in (-signal.SIGXCPU, -signal.SIGKILL):
            raise SystemExit(f"{words[0]} ended with {process.exitcode}") from None
        return {"error": math.nan, "seconds": limit, "stopped": True}
    finally:
        process.join()


def our_run(paths, table, effort, threads, seed):
    train, test, target, classes = paths
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        words = ["--task", "classification"] if classes else ["--task", "regression"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = json.loads(data.run("bochner", "train", train, "--target", target, "--effort", effort, *words, "--threads",
                                     str(threads), "--seed", str(seed), "-o", model, "--json", "--quiet")[0])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        score = json.loads(data.run("bochner", "eval", model, test, "--json", "--quiet", "--threads", str(threads))[0])
    score = score.get("score", score)
    return {"error": score["error"] if classes else score["rmse"] / float(np.std(table[3])),
            **{name: score[name] for name in ("log_loss", "auc") if classes and name in score},
            "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            "candidates": report.get("candidates"), "steps": report.get("seconds"), "score": score}


class Log:
    """Runs by set, method and seed: those of the file, and those added to it."""

    def __init__(self, path):
        self.path, self.runs = path, {}
        if path and os.path.exists(path):
            with open(path) as lines:
                for run in map(json.loads, lines):
                    self.runs[run["set"], run["method"], run["seed"]] = run

    def add(self, run):
        self.runs[run["set"], run["method"], run["seed"]] = run
        if self.path:
            with open(self.path, "a") as lines:
                lines.write(json.dumps(run) + "\n")

    def of(self, name, method):
        return [run for key, run in self.runs.items() if key[:2] == (name, method)]


PEERS = ("XGBoost", "LightGBM", "CatBoost", "HistGradientBoosting", "RandomForest")


def measure(name, options, log, folder):
    method = f"bochner {options.effort}{options.label}"
    missing = [seed for seed in range(options.seeds) if (name, method, seed) not in log.runs]
    missing_peers = [(peer, seed) for seed in range(options.seeds) for peer in options.peers
                     if (name, peer, seed) not in log.runs]
    if not missing and not missing_peers:
        return
    paths = sets.files(name, folder)
    table = boosters.tables(*paths)
    for seed in missing:
        log.add({"set": name, "rows": len(table[0]), "method": method, "seed": seed,
                 **our_run(paths, table, options.effort, options.threads, seed)})
    for peer, seed in missing_peers:
        run = peer_run_within(options.limit, peer, table, paths[3], options.threads, seed)
        if run:
            log.add({"set": name, "rows": len(table[0]), "method": peer, "seed": seed, **run})


def print_line(name, method, log):
    """Ours and the peers; our error over the best of theirs."""
    def median(label, key):
        runs = log.of(name, label)
        return statistics.median(run[key] for run in runs) if runs else math.nan
    ours = median(method, "error")
    theirs = [median(peer, "error") for peer in PEERS]
    best = min((e for e in theirs if e == e), default=math.nan)
    ratio = ours / best if best > 0 else (1.0 if ours == best else math.nan)
    rows = next((run["rows"] for key, run in log.runs.items() if key[0] == name), 0)
    print(f"| {name} | {rows} | {ours:.4f} | " + " | ".join(f"{e:.4f}" for e in theirs) + f" | {ratio:.3f} | " +
          " | ".join(f"{median(label, 'seconds'):.0f}" for label in (method, *PEERS)) + " |", flush=True)
    return ratio


def print_together(names, method, log):
    """The time of all sets that every method has, those that were stopped counted until then."""
    labels = (method, *(peer for peer in PEERS if any(key[1] == peer for key in log.runs)))
    shared = [name for name in names if all(log.of(name, label) for label in labels)]
    sums = (sum(statistics.median(run["seconds"] for run in log.of(name, label)) for name in shared) for label in labels)
    print(f"{len(shared)} sets together, processor seconds: " +
          ", ".join(f"{label} {seconds:.0f}" for label, seconds in zip(labels, sums)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(sets.NAMES)}; default: all but whole big sets")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--label", default="", help="behind the method's name in the log: another version, say")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS, help="those that run; none: ours alone")
    parser.add_argument("--limit", type=int, default=3600, help="processor seconds after which a peer is stopped; its "
                        "time then counts as these, and its error is not known")
    parser.add_argument("--log", help="JSON lines that runs are added to")
    options = parser.parse_args()
    log = Log(options.log)
    print("| set | rows | bochner | " + " | ".join(PEERS) + " | ours over the best | s bochner | " +
          " | ".join("s " + peer for peer in PEERS) + " |\n|" + "---|" * (5 + 2 * len(PEERS)))
    names = options.names or [n for n in sets.NAMES if n not in ("covtype", "covtype2", "kdd99", "mnist")]
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            try:
                measure(name, options, log, folder)
            except ImportError as e:
                print(f"{name} left out: {e}", file=sys.stderr)
                continue
            ratios.append(print_line(name, f"bochner {options.effort}{options.label}", log))
    ratios = [r for r in ratios if r == r and r > 0]
    if ratios:
        print(f"\n{len(ratios)} sets: geometric mean {math.exp(statistics.mean(map(math.log, ratios))):.3f} of the best "
              f"peer, within 2 % of it on {sum(r <= 1.02 for r in ratios)}")
    print_together(names, f"bochner {options.effort}{options.label}", log)


if __name__ == "__main__":
    main()
