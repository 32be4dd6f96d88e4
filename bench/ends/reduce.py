# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Reduced sets beside the methods that were there before.

    python bench/ends/reduce.py mixture [--sets 20] [--most 20]   three gaussians in 2-D, N = 1000, n = 1 ... 20: mean
                                                                 exact RKHS distance and seconds of each method
    python bench/ends/reduce.py large                            d = 50, N = 100,000, n = 200
    python bench/ends/reduce.py usps [--share 0.05] [--seed 0]   one-against-rest SVMs of LIBSVM (C by cross-validation
                                                                 of training rows) reduced together to a share of
                                                                 the support vectors of all ten: test errors before and after
    python bench/ends/reduce.py figures [--most 20]              docs/figures/reduced-sets.svg: contours of the mean
                                                                 embedding and of its reduced sets, distance and seconds
                                                                 against n, of one set of rows

BOCHNER_COMMAND names the command, on one thread for the small sets. Needs numpy; usps scikit-learn and BOCHNER_DATA.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

COMMAND = os.environ.get("BOCHNER_COMMAND", "build/release/bochner")
METHODS = ("joint", "fixed-point", "rsrf", "herding", "thinning", "kmeans")


def reduce(file, folder, *words):
    output = subprocess.run([COMMAND, "reduce", file, "--json", "--quiet", "-o", folder / "points.csv", *map(str, words)],
                            check=True, capture_output=True).stdout
    return json.loads(output)


def mixture_rows(seed, rows=1000):
    """A mixture of three gaussians: means, deviations and weights are random, covariances diagonal."""
    rng = np.random.default_rng(seed)
    means, deviations, weights = 2 * rng.normal(size=(3, 2)), np.abs(0.7 * rng.normal(size=(3, 2))) + 0.1, rng.random(3)
    which = rng.choice(3, size=rows, p=weights / weights.sum())
    return means[which] + deviations[which] * rng.normal(size=(rows, 2))


def mixture(sets, most, folder):
    distance, seconds = {}, {}
    numbers = [n for n in range(1, most + 1)]
    for seed in range(sets):
        file = folder / "rows.npy"
        np.save(file, mixture_rows(seed))
        for n in numbers:
            for method in METHODS[:3]:
                found = reduce(file, folder, "--points", n, "--method", method, "--seed", seed, "--threads", 1)
                distance.setdefault((method, n), []).append(found["rkhs_distance"])
                seconds.setdefault((method, n), []).append(found["seconds"])
    print(f"{'n':>3} " + " ".join(f"{m:>24}" for m in METHODS[:3]) + "   mean distance, median seconds")
    for n in numbers:
        print(f"{n:>3} " + " ".join(f"{np.mean(distance[m, n]):12.3e} {np.median(seconds[m, n]):10.2e} s"
                                    for m in METHODS[:3]), flush=True)
    nearest = all(np.mean(distance["joint", n]) < min(np.mean(distance[m, n]) for m in METHODS[1:3]) for n in numbers)
    faster = [n for n in numbers if np.median(seconds["joint", n]) < min(np.median(seconds[m, n]) for m in METHODS[1:3])]
    print(f"joint is nearest at every n: {nearest}; fastest at n = {faster}; at n = {most} its distance is "
          f"{np.mean(distance['joint', most]) / np.mean(distance['fixed-point', most]):.4f} of the fixed point's; "
          f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def contours(points, weights, sigma, frame):
    """Line segments of eight levels of sum_j w_j k(x_j, .), by marching squares, in the unit square."""
    (left, right), (low, high), cells = *frame, 70
    xs, ys = np.linspace(left, right, cells), np.linspace(low, high, cells)
    grid = np.stack(np.meshgrid(xs, ys), -1).reshape(-1, 2)
    f = (np.exp(-((grid[:, None] - points[None]) ** 2).sum(-1) / (2 * sigma**2)) @ weights).reshape(cells, cells)
    lines = []
    for level in np.linspace(0.1, 0.94, 8) * f.max():
        above = f > level
        for i in range(cells - 1):
            for j in np.flatnonzero((above[i, :-1] != above[i, 1:]) | (above[i + 1, :-1] != above[i + 1, 1:])
                                    | (above[i, :-1] != above[i + 1, :-1]) | (above[i, 1:] != above[i + 1, 1:])):
                ends = []
                corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)]
                for a, b in zip(corners, corners[1:] + corners[:1]):
                    if above[a] != above[b]:
                        t = (level - f[a]) / (f[b] - f[a])
                        ends.append(((a[1] + t * (b[1] - a[1])) / (cells - 1), (a[0] + t * (b[0] - a[0])) / (cells - 1)))
                lines += [ends[k:k + 2] for k in range(0, len(ends) - 1, 2)]
    return lines


def panel(number, title, lines=(), points=(), curves=None):
    """One picture of 260 x 260 with its title; curves: name -> values over n, on a logarithmic scale."""
    x0, y0, size = 30 + number % 3 * 300, 40 + number // 3 * 320, 260
    out = [f'<text x="{x0}" y="{y0 - 10}">{title}</text>',
           f'<rect x="{x0}" y="{y0}" width="{size}" height="{size}" fill="none" stroke="#999"/>']
    at = lambda p: (x0 + size * p[0], y0 + size * (1 - p[1]))
    if lines:
        path = "".join("M{:.1f} {:.1f}L{:.1f} {:.1f}".format(*at(a), *at(b)) for a, b in lines)
        out.append(f'<path d="{path}" fill="none" stroke="#2f6fde"/>')
    out += ['<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}"/>'.format(*at(p[:2]), *p[2:]) for p in points]
    if curves:
        values = np.log10(np.array(list(curves.values())))
        low, high = np.floor(values.min()), np.ceil(values.max())
        for k in np.arange(low, high + 1):
            y = at((0, (k - low) / (high - low)))[1]
            out.append(f'<line x1="{x0}" x2="{x0 + size}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                       f'<text x="{x0 + 3}" y="{y - 2:.1f}" fill="#777">1e{k:.0f}</text>')
        for (name, _), row, colour in zip(curves.items(), values, ("#2f6fde", "#e08a1e", "#1f9d6b")):
            path = "L".join("{:.1f} {:.1f}".format(*at((i / (len(row) - 1), (v - low) / (high - low)))) for i, v in enumerate(row))
            y = at((1, (row[-1] - low) / (high - low)))[1]
            out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
                       f'<text x="{x0 + size - 4}" y="{y - 5:.1f}" text-anchor="end" fill="{colour}">{name}</text>')
    return "\n".join(out)


def figures(most, folder):
    rows = mixture_rows(0)
    np.save(folder / "rows.npy", rows)
    found = {(m, n): reduce(folder / "rows.npy", folder, "--points", n, "--method", m, "--threads", 1)
             for m in METHODS[:3] for n in range(1, most + 1)}
    sigma = found["joint", most]["length_scales"][0]
    frame = [(rows[:, c].min() - 0.5, rows[:, c].max() + 0.5) for c in (0, 1)]
    place = lambda p: [(p[c] - frame[c][0]) / (frame[c][1] - frame[c][0]) for c in (0, 1)]
    panels = [panel(0, "the mean embedding of 1,000 rows", contours(rows, np.full(len(rows), 1 / len(rows)), sigma, frame),
                    [(*place(p), 1, "#bbb") for p in rows])]
    for number, method in ((1, "rsrf"), (2, "fixed-point"), (3, "joint")):
        reduce(folder / "rows.npy", folder, "--points", most, "--method", method)
        set_of = np.loadtxt(folder / "points.csv", delimiter=",", skiprows=1, ndmin=2)
        panels.append(panel(number, f"{most} points by {method}", contours(set_of[:, :2], set_of[:, 2], sigma, frame),
                            [(*place(p), 3, "#e08a1e") for p in set_of if all(0 <= v <= 1 for v in place(p))]))
    for number, word, title in ((4, "rkhs_distance", "exact RKHS distance against n"), (5, "seconds", "seconds against n, one thread")):
        panels.append(panel(number, title, curves={m: [found[m, n][word] for n in range(1, most + 1)] for m in METHODS[:3]}))
    target = pathlib.Path(__file__).parent.parent.parent / "docs" / "figures" / "reduced-sets.svg"
    target.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 920 640" font-family="sans-serif" font-size="13">\n'
                      '<rect width="920" height="640" fill="#fff"/>\n' + "\n".join(panels) + "\n</svg>\n")
    print(f"{target}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def large(folder):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(30, 50))
    rows = centres[rng.integers(0, 30, 100000)] + 0.7 * rng.normal(size=(100000, 50))
    np.save(folder / "rows.npy", rows.astype(np.float32))
    for method in ("joint", "kmeans", "herding", "thinning"):
        found = reduce(folder / "rows.npy", folder, "--points", 200, "--method", method)
        print(f"{method}: distance {found['rkhs_distance']:.5f} of {found['rkhs_norm']:.4f}, {found['seconds']:.1f} s, "
              f"{found['seconds_total']:.1f} s with the distance; load average {os.getloadavg()[0]:.1f} on "
              f"{os.cpu_count()} cores", flush=True)


def usps(share, seed, folder):
    import data
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import SVC

    train, test = (np.loadtxt(pathlib.Path(data.folder(), f"usps.{part}.csv"), delimiter=",", skiprows=1) for part in ("train", "test"))
    (x, y), (tx, ty) = ((t[:, :-1], t[:, -1]) for t in (train, test))
    settings = [(c, g) for c in (10, 100) for g in ("scale", 0.5 / (x.shape[1] * x.var()))]
    some = np.random.default_rng(0).permutation(len(x))[:2000]
    score = [cross_val_score(SVC(C=c, gamma=g), x[some], y[some], cv=3).mean() for c, g in settings]
    cost, gamma = settings[int(np.argmax(score))]
    gamma = 1 / (x.shape[1] * x.var()) if gamma == "scale" else gamma
    kernel = lambda a, b: np.exp(-gamma * np.maximum((a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T, 0))
    digits = np.unique(y)
    machines = [SVC(C=cost, gamma=gamma).fit(x, y == digit) for digit in digits]
    support = np.unique(np.concatenate([machine.support_ for machine in machines]))
    alpha = np.zeros((len(support), len(digits)))
    for k, machine in enumerate(machines):
        alpha[np.searchsorted(support, machine.support_), k] = machine.dual_coef_[0]
    names = [f"a{int(digit)}" for digit in digits]
    np.savetxt(folder / "support.csv", np.column_stack([x[support], alpha]), delimiter=",", comments="",
               header=",".join([f"x{j}" for j in range(x.shape[1])] + names))
    keep = max(1, int(share * sum(len(machine.support_) for machine in machines)))
    found = reduce(folder / "support.csv", folder, "--coefficients", ",".join(names), "--bandwidth", (2 * gamma) ** -0.5,
                   "--points", keep, "--largest", "--seed", seed)
    few = np.loadtxt(folder / "points.csv", delimiter=",", skiprows=1, ndmin=2)
    bias = np.array([machine.intercept_[0] for machine in machines])
    answers = [kernel(tx, x[support]) @ alpha + bias, kernel(tx, few[:, :x.shape[1]]) @ few[:, x.shape[1]:] + bias]
    error = [100 * np.mean(digits[np.argmax(scores, 1)] != ty) for scores in answers]
    print(f"C {cost}, gamma {gamma:.4g}: test error {error[0]:.2f} % with {len(support)} support vectors "
          f"({sum(len(m.support_) for m in machines)} of ten machines), {error[1]:.2f} % with {len(few)} points for all ten; "
          f"RKHS distance {found['rkhs_distance']:.4g} of {found['rkhs_norm']:.4g}, {found['seconds']:.1f} s; load average "
          f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("mixture", "large", "usps", "figures"))
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of the points of usps")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if words.what == "mixture":
            mixture(words.sets, words.most, folder)
        elif words.what == "large":
            large(folder)
        elif words.what == "usps":
            usps(words.share, words.seed, folder)
        else:
            figures(words.most, folder)
