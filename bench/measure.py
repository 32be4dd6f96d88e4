#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Runs the benchmarks of the results page and keeps what they found, with the commit, the machine and the command.

usage: bench/measure.py [PART ...] [--python PYTHON]      with build/release built; default: every part
       PYTHON runs the scripts of bench/ends, and has the peers; tools/make_results.py then writes docs/results.md

A part is a file of bench/results. Those that take long can be stopped and run again: what a log has already stays.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "bench" / "results"

# Tables of all kinds up to 10,000 training rows: numbers and classes, real and made, with levels and without.
TABLES = ("cpu census boston concrete wage saratoga wages airfare births storms baseball weather rodents check-times loans "
          "computers diamonds friedman1 friedman2 steps heavy hours categories irrelevant four-of-32 "
          "attrition churn credit german email taxi titanic contraceptive tic-tac-toe vehicle segment vowel banana ring "
          "twonorm phoneme magic spambase telecom lending remote xor imbalanced").split()
MAPS = "digits ads cpu census usps adult-raw covtype2".split()

# part: its script, the words behind it; LOG stands for a file that the script adds its findings to. Without LOG what the
# script prints is kept.
PARTS = {
    "tables": ("automatic.py", [*TABLES, "--seeds", "1", "--threads", "1", "--limit", "120", "--log", "LOG"]),
    "fast": ("automatic.py", [*TABLES, "--seeds", "1", "--threads", "1", "--effort", "fast", "--peers", "--log", "LOG"]),
    "maps": ("maps.py", [*MAPS, "--most-seconds", "15", "--json", "LOG"]),
    "ridge": ("ridge.py", []),
    "neighbors": ("neighbors.py", ["graph-few"]),
    "mixtures": ("mixtures.py", ["rounds"]),
    "svd": ("svd.py", ["dense", "sparse"]),
    "text": ("text.py", []),
    "samples": ("rbfsampler.py", []),
}


def processor():
    found = subprocess.run(["lscpu"], capture_output=True, text=True).stdout
    name = re.search(r"^Model name: *(.*)$", found, re.M)
    return name[1] if name else platform.processor()


def findings(log, printed):
    if not os.path.exists(log):
        return {"printed": printed.rstrip().split("\n")}
    text = pathlib.Path(log).read_text()
    runs = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines()]
    return {"runs": [{k: v for k, v in run.items() if not isinstance(v, (list, dict))} for run in runs]}


def measure(part, python, command):
    """`command` is the folder of a copy of ours: a build meanwhile changes nothing."""
    script, words = PARTS[part]
    # A log is taken up again as long as the sources are those of the commit that it began with.
    commit = subprocess.run(["git", "log", "-1", "--format=%h", "--", "src", "cli"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.strip()
    folder = ROOT / "build" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{part}-{commit}.log"
    environment = {**os.environ, "PATH": f"{command}:{os.environ['PATH']}", "OPENBLAS_NUM_THREADS": "1",
                   "PYTHONWARNINGS": "ignore"}
    print(f"== {part}", flush=True)
    run = subprocess.Popen([python, str(ROOT / "bench" / "ends" / script), *(w.replace("LOG", str(log)) for w in words)],
                           stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT)
    printed = ""
    for line in run.stdout:
        print(line, end="", flush=True)
        printed += line
    if run.wait():
        sys.exit(f"measure: {script} failed")
    kept = {"part": part, "commit": commit, "date": datetime.date.today().isoformat(),
            "machine": {"processor": processor(), "architecture": platform.machine(), "cores": os.cpu_count()},
            "command": " ".join(["bench/ends/" + script, *(w for w in words if w not in ("--log", "--json", "LOG"))]),
            **findings(log, printed)}
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{part}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part is named {unknown[0]}; there are {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "build" / "release" / "bochner", folder)
        for part in options.parts or PARTS:
            measure(part, options.python, folder)


if __name__ == "__main__":
    main()
