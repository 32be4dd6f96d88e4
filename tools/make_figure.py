#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Draws docs/figures/first.svg, the picture of README.md, from what the command answers.

    tools/make_figure.py COMMAND            writes the picture
    tools/make_figure.py COMMAND --check    fails if the picture that is kept is another one

A rising wave whose noise grows with it is sampled at 400 places. `bochner train` sees these rows and nothing else; the picture shows its
prediction and its 90 % interval, and counts how many of 2,000 new rows lie inside.
"""

import csv
import math
import pathlib
import random
import subprocess
import sys
import tempfile

KEPT = pathlib.Path(__file__).resolve().parent.parent / "docs/figures/first.svg"
ROWS, NEW_ROWS, GRID = 400, 2000, 160
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 330, 44, 14, 40, 36
LOW, HIGH = 0.0, 4.5  # the range of the vertical axis
STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #444 }
    .band { fill: #7aa6d8; opacity: .38 }
    .line { fill: none; stroke: #1f5fa8; stroke-width: 2.4 }
    .truth { fill: none; stroke: #c4571a; stroke-width: 1.6; stroke-dasharray: 5 4 }
    .row { fill: #555; opacity: .5 }
    .axis { stroke: #999; stroke-width: 1 }
    @media (prefers-color-scheme: dark) {
      text { fill: #ccc }
      .band { fill: #4f7fb5; opacity: .45 }
      .line { stroke: #8fc1ff }
      .truth { stroke: #f0a060 }
      .row { fill: #ccc; opacity: .45 }
    }
"""


def wave(x):
    """The mean at x."""
    return 0.4 + 3 * x + 0.5 * math.sin(12 * x)


def row(draws, x):
    """A row at x: its noise grows with its mean."""
    return x, wave(x) * (1 + draws.gauss(0, 0.16))


def across(x):
    return LEFT + (WIDTH - LEFT - RIGHT) * x


def up(y):
    return TOP + (HEIGHT - TOP - BOTTOM) * (HIGH - min(max(y, LOW), HIGH)) / (HIGH - LOW)


def path(points):
    return " ".join(f"{'L' if i else 'M'}{across(x):.1f} {up(y):.1f}" for i, (x, y) in enumerate(points))


def write(file, rows):
    with open(file, "w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["x", "y"])
        writer.writerows([f"{x:.6f}", f"{y:.6f}"] for x, y in rows)


def answers(command, folder, rows):
    """(prediction, lower, upper) of each row."""
    write(folder / "asked.csv", rows)
    done = subprocess.run(
        [command, "predict", folder / "wave.model", folder / "asked.csv", "--interval", "0.9", "--quiet"],
        check=True, capture_output=True, text=True)
    return [tuple(map(float, line.split(","))) for line in done.stdout.splitlines()]


def axis():
    """Lines and ticks of both axes."""
    parts = [f'<line class="axis" x1="{LEFT}" y1="{up(LOW):.1f}" x2="{WIDTH - RIGHT}" y2="{up(LOW):.1f}"/>']
    for x in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<text x="{across(x):.1f}" y="{up(LOW) + 18:.1f}" text-anchor="middle">{x:g}</text>')
    for y in range(5):
        parts.append(f'<text x="{LEFT - 8}" y="{up(y) + 4:.1f}" text-anchor="end">{y}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 4}" text-anchor="middle">input x</text>')
    return parts


def draw(command):
    """The whole picture."""
    draws = random.Random(3)
    rows = [row(draws, draws.random()) for _ in range(ROWS)]
    new = [row(draws, draws.random()) for _ in range(NEW_ROWS)]
    grid = [(i / GRID, 0.0) for i in range(GRID + 1)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write(folder / "wave.csv", rows)
        subprocess.run([command, "train", folder / "wave.csv", "--target", "y", "-o", folder / "wave.model", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        found = answers(command, folder, grid)
        inside = sum(low <= y <= high for (_, y), (_, low, high) in zip(new, answers(command, folder, new)))
    lower = [(x, low) for (x, _), (_, low, _) in zip(grid, found)]
    upper = [(x, high) for (x, _), (_, _, high) in zip(grid, found)]
    share = f"{100 * inside / NEW_ROWS:.1f} %"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
        f"<title>{ROWS} rows, what bochner train learnt from them, and its 90 % interval</title>",
        f"<style>{STYLE}</style>",
        f'<path class="band" d="{path(upper + lower[::-1])} Z"/>',
        *(f'<circle class="row" cx="{across(x):.1f}" cy="{up(y):.1f}" r="2"/>' for x, y in rows),
        f'<path class="truth" d="{path([(x, wave(x)) for x, _ in grid])}"/>',
        f'<path class="line" d="{path([(x, value) for (x, _), (value, _, _) in zip(grid, found)])}"/>',
        *axis(),
        f'<path class="line" d="M{LEFT + 6} 18 h26"/><text x="{LEFT + 38}" y="22">prediction</text>',
        f'<rect class="band" x="{LEFT + 122}" y="11" width="26" height="14"/>',
        f'<text x="{LEFT + 152}" y="22">90 % interval, holds {share} of {NEW_ROWS:,} new rows</text>',
        f'<path class="truth" d="M{LEFT + 470} 18 h26"/><text x="{LEFT + 500}" y="22">true mean</text>',
        f'<circle class="row" cx="{LEFT + 584}" cy="18" r="2"/><text x="{LEFT + 592}" y="22">{ROWS} training rows</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    picture = draw(sys.argv[1])
    if sys.argv[2:]:
        if picture != KEPT.read_text(encoding="utf-8"):
            sys.exit(f"make_figure: {KEPT.name} is not what {sys.argv[1]} answers; run tools/make_figure.py {sys.argv[1]}")
    else:
        KEPT.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
