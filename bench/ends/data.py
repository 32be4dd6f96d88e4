# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Where the benchmarks find the prepared data sets, and how they run a command."""
import json
import os
import subprocess
import sys
import tempfile
import time


ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def packed():
    """The sets as they come: $BOCHNER_DATA, by default ../shared/data."""
    source = os.environ.get("BOCHNER_DATA", os.path.join(ROOT, "..", "shared", "data"))
    if not os.path.exists(os.path.join(source, "prepare.py")):
        print(f"skipped: no data sets in {source}; set BOCHNER_DATA to the folder with prepare.py")
        sys.exit(0)
    return source


def folder():
    """The unpacked sets: $BOCHNER_PREPARED, or made once from those of packed() into build/data."""
    prepared = os.environ.get("BOCHNER_PREPARED")
    if prepared:
        return prepared
    source, out = packed(), os.path.join(ROOT, "build", "data")
    if not os.path.exists(os.path.join(out, "complete")):
        subprocess.run([sys.executable, os.path.join(source, "prepare.py"), out, "adult", "cpu", "census", "covtype",
                        "usps", "mnist", "digits", "kdd99", "news20"], check=True, stdout=subprocess.DEVNULL)
        open(os.path.join(out, "complete"), "w").close()
    return out


def newsgroups(part):
    """The messages of 20 Newsgroups, "train" or "test": a folder of folders."""
    return os.path.join(folder(), "news20", f"20news-bydate-{part}")


def run_chosen(usage, **runs):
    """The runs that the command line names (`_` as `-`), each with a folder of its own; without a name the first."""
    chosen = [name.replace("-", "_") for name in sys.argv[1:]] or list(runs)[:1]
    if not all(name in runs for name in chosen):
        sys.exit(usage)
    for name in chosen:
        with tempfile.TemporaryDirectory() as scratch:
            runs[name](scratch)


def run(*command):
    """Standard output and wall-clock seconds of a command that must succeed."""
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout, time.perf_counter() - start


class Watch:
    """Seconds by the clock and of the processors, of this process and of commands that ended."""

    def __init__(self):
        self.start = time.time(), self.used()

    @staticmethod
    def used():
        t = os.times()
        return t.user + t.system + t.children_user + t.children_system

    def seconds(self):
        return time.time() - self.start[0], self.used() - self.start[1]


def bochner_error(model, test):
    """Error of a saved model: fraction wrong, or |yhat - y| / |y|."""
    score = json.loads(run("bochner", "eval", model, test, "--json", "--quiet")[0])
    return score.get("error", score.get("relative_error"))
