# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Mixtures and hidden Markov models beside scikit-learn and hmmlearn, and the figures of docs/mixtures.md.

usage: mixtures.py [rounds] [chains] [usps] [vowels] [figures]
  rounds   processor seconds of a round of EM, 10^6 x 50 (ROWS sets another number), 10 components that lie apart and 10
           that overlap, diag and full, two threads (COVARIANCES=full: of those alone), rows in float, as `gmm` takes
           them (its sums are double), and in double: scikit-learn, in double, goes on from the mixture that ours has
           after one round, both for 5 rounds more, or ours until it gains nothing. Set
           OPENBLAS_NUM_THREADS=1 where others use the machine: threads of BLAS that wait are counted as well.
           CLOCK=3: seconds by the clock instead, the least of 3, two threads for both (OPENBLAS_NUM_THREADS=2)
  chains   the same of Baum-Welch beside hmmlearn, where it is installed: 400 sequences of 250 rows, 5 states
  usps     accuracy and seconds of five components a class against the dimensions k they are learnt in, 3 seeds
  vowels   error of `hmm --states auto --covariance auto --shrink auto --slopes auto`, five seeds
  figures  docs/figures/mixtures.svg: the thin shell, separation and eccentricity against k (numpy alone)
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

import data

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def bochner(*words):
    start = time.perf_counter()
    done = subprocess.run(["bochner", *map(str, words)], check=True, capture_output=True, text=True)
    return done.stdout, done.stderr, time.perf_counter() - start


def seconds_of(work):
    """Processor seconds of all threads, of this process and those it waited for; CLOCK=N: the least of N by the clock."""
    clock = int(os.environ.get("CLOCK", 0))
    spent = []
    for _ in range(max(1, clock)):
        before, start = os.times(), time.perf_counter()
        result = work()
        after = os.times()
        spent.append(time.perf_counter() - start if clock else sum(after[:4]) - sum(before[:4]))
    return result, min(spent)


def arrays(model):
    """What the model file holds (docs/model-format.md: a safetensors file), by the last word of its name."""
    with open(model, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        head = json.loads(file.read(size))
        data_of = file.read()
    found = {}
    for name, entry in head.items():
        if entry.get("dtype") == "F64":
            begin, end = entry["data_offsets"]
            found[name.split(".")[-1]] = np.frombuffer(data_of[begin:end], "<f8").reshape(entry["shape"])
    return found


def ours(words, file, work, precision="double"):
    """EM from one start: seconds of a round, the arrays after the first, the log-likelihood after the sixth.

    EM may end before, where it gains nothing; its rounds are those that were made.
    """
    seconds, made = {}, {}
    for count in (1, 6):
        _, seconds[count] = seconds_of(
            lambda: bochner(words[0], file, *words[1:], "--rounds", count, "--tolerance", 0, "--restarts", 1, "--floor",
                            1e-6, "--threads", 2, "--precision", precision, "-o", os.path.join(work, f"after{count}")))
        made[count] = facts(os.path.join(work, f"after{count}"))["rounds"]
    return ((seconds[6] - seconds[1]) / (made[6] - made[1]), arrays(os.path.join(work, "after1")),
            facts(os.path.join(work, "after6"))["log_likelihood"])


def facts(model):
    with open(model, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        return json.loads(json.loads(file.read(size))["__metadata__"]["bochner"])["head"]["facts"]


def told(what, mine, peer, gap):
    print(f"{what}: a round {mine:.3f} s, peer {peer:.3f} s, {peer / mine:.1f} times; log-likelihood a row "
          f"after 5 rounds {gap:+.1e} from the peer's", flush=True)


def rounds(work):
    from sklearn.mixture import GaussianMixture

    n, d, m = int(os.environ.get("ROWS", 10**6)), 50, 10
    for spread, what in ((2, "apart"), (0.6, "that overlap")):
        draw = np.random.default_rng(1)
        centers = draw.normal(0, spread, (m, d))
        deviations = draw.uniform(0.5, 2, d)
        x = (centers[draw.integers(0, m, n)] + draw.normal(0, 1, (n, d)) * deviations).astype(np.float32)
        file = os.path.join(work, "x.npy")
        np.save(file, x)
        x = x.astype(np.float64)
        for covariance in os.environ.get("COVARIANCES", "diag,full").split(","):
            for precision in ("float", "double"):
                mine, begin, reached = ours(["gmm", "--components", m, "--covariance", covariance], file, work,
                                            precision)
                inverse = 1 / begin["variances"] if covariance == "diag" else np.linalg.inv(begin["matrices"])
                peer = GaussianMixture(m, covariance_type=covariance, tol=0, reg_covar=0, weights_init=begin["weights"],
                                       means_init=begin["means"], precisions_init=inverse)
                peer.max_iter = 1
                _, first = seconds_of(lambda: peer.fit(x))
                peer.max_iter = 5
                _, more = seconds_of(lambda: peer.fit(x))
                told(f"gmm {covariance} of {n} x {d}, {m} {what}, rows in {precision}", mine, (more - first) / 4,
                     reached - peer.score(x))


def chains(work):
    from hmmlearn.hmm import GaussianHMM

    draw = np.random.default_rng(2)
    sequences, length, states, d = 400, 250, 5, 12
    centers = draw.normal(0, 1, (states, d))
    x = np.empty((sequences * length, d))
    for i in range(len(x)):
        state = draw.integers(states) if i % length == 0 or draw.random() < 0.2 else state
        x[i] = centers[state] + draw.normal(size=d)
    file = os.path.join(work, "x.csv")
    ids = np.repeat(np.arange(sequences), length)
    names = ",".join(["id"] + [f"x{j}" for j in range(d)])
    np.savetxt(file, np.column_stack([ids, x]), delimiter=",", header=names, comments="", fmt=["%d"] + ["%.17g"] * d)
    for covariance in ("diag", "full"):
        mine, begin, reached = ours(["hmm", "--sequence", "id", "--states", states, "--covariance", covariance], file,
                                    work)
        for way in ("log", "scaling"):
            peer = GaussianHMM(states, covariance, n_iter=5, tol=-np.inf, init_params="", min_covar=0, covars_prior=0,
                               implementation=way)
            peer.startprob_, peer.transmat_, peer.means_ = begin["start"], begin["transitions"], begin["means"]
            peer.covars_ = begin["variances"] if covariance == "diag" else begin["matrices"]
            _, spent = seconds_of(lambda: peer.fit(x, [length] * sequences))
            told(f"hmm {covariance} of {sequences} x {length} x {d}, hmmlearn by {way}", mine, spent / 5,
                 reached - peer.score(x, [length] * sequences) / len(x))


def usps(work):
    folder = data.folder()
    train, test = os.path.join(folder, "usps.train.csv"), os.path.join(folder, "usps.test.csv")
    for covariance in ("full", "diag"):
        for k in (5, 10, 20, 40, 80, 160, 256):
            errors, times = [], []
            for seed in range(3):
                words = [] if k == 256 else ["--project", k, "--projections", 1]
                _, _, seconds = bochner("gmm", train, "--target", "digit", "--components", 5, "--covariance", covariance,
                                        *words, "--seed", seed, "-o", os.path.join(work, "m"), "--quiet")
                errors.append(data.bochner_error(os.path.join(work, "m"), test))
                times.append(seconds)
            print(f"{covariance} k {k}: error {100 * np.mean(errors):.2f} %, {np.median(times):.1f} s", flush=True)


def vowels(work):
    folder = data.folder()
    train, test = os.path.join(folder, "vowels.train.csv"), os.path.join(folder, "vowels.test.csv")
    errors = []
    for seed in range(5):
        model = os.path.join(work, "m")
        _, said, seconds = bochner("hmm", train, "--sequence", "sequence", "--target", "class", "--ignore", "time",
                                   "--states", "auto", "--covariance", "auto", "--shrink", "auto", "--slopes", "auto",
                                   "--seed", seed, "-o", model)
        score = json.loads(bochner("eval", model, test, "--json")[0])
        errors.append(score["error"])
        print(f"seed {seed}: error {100 * score['error']:.2f} %, {seconds:.1f} s", said.split("(")[0], flush=True)
    print(f"mean accuracy {100 * (1 - np.mean(errors)):.2f} %")


def chart(title, x_name, x, series, left, top, log=False):
    """Lines in a box of 300 x 220: SVG text."""
    width, height, pad = 240, 150, 40
    xs = np.log(x) if log else np.asarray(x, float)
    low, high = 0.0, max(max(y) for _, y in series) * 1.05
    place = lambda i, y: (left + pad + width * (xs[i] - xs[0]) / (xs[-1] - xs[0]), top + pad + height * (1 - (y - low) / (high - low)))
    out = [f'<text x="{left + pad}" y="{top + 20}" font-size="13">{title}</text>',
           f'<rect x="{left + pad}" y="{top + pad}" width="{width}" height="{height}" fill="none" stroke="#888"/>',
           f'<text x="{left + pad + width / 2}" y="{top + pad + height + 32}" font-size="11" text-anchor="middle">{x_name}</text>',
           f'<text x="{left + pad - 4}" y="{top + pad + 8}" font-size="10" text-anchor="end">{high:.3g}</text>',
           f'<text x="{left + pad - 4}" y="{top + pad + height}" font-size="10" text-anchor="end">0</text>']
    for i in (0, len(x) // 2, len(x) - 1):
        out.append(f'<text x="{place(i, low)[0]:.1f}" y="{top + pad + height + 14}" font-size="10" text-anchor="middle">{x[i]:g}</text>')
    for n, (name, y) in enumerate(series):
        color = ("#0b62a4", "#c0392b", "#2e8b57")[n % 3]
        points = " ".join("{:.1f},{:.1f}".format(*place(i, y[i])) for i in range(len(x)))
        out.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        out.append(f'<text x="{left + pad + width - 4}" y="{top + pad + 14 + 13 * n}" font-size="11" fill="{color}" text-anchor="end">{name}</text>')
    return "\n".join(out)


def figures(_):
    draw = np.random.default_rng(3)
    # The thin shell: |x| / sqrt(d) of standard Gaussians, its deviation against d.
    ds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    spread = [float(np.std(np.linalg.norm(draw.normal(size=(4000, d)), axis=1) / np.sqrt(d))) for d in ds]
    # Two Gaussians of eccentricity (largest by least eigenvalue) 10^4 in 500 dimensions, 1-separated, projected to k.
    d, e = 500, 1e4
    values = np.geomspace(1, e, d)
    gap = draw.normal(size=d)
    gap *= np.sqrt(values.sum()) / np.linalg.norm(gap)
    ks = [5, 10, 20, 40, 80, 160, 320]
    separation, eccentricity = [], []
    for k in ks:
        found = []
        for _ in range(5):
            r = draw.normal(size=(d, k)) / np.sqrt(k)
            s = r.T @ (values[:, None] * r)
            eigen = np.linalg.eigvalsh(s)
            found.append((np.linalg.norm(r.T @ gap) / np.sqrt(np.trace(s)), eigen[-1] / eigen[0]))
        separation.append(float(np.mean([f[0] for f in found])))
        eccentricity.append(float(np.log10(np.median([f[1] for f in found]))))
    parts = [chart("Thin shell: deviation of |x| / √d", "dimensions d", ds, [("N(0, I)", spread)], 0, 0, log=True),
             chart("c-separation, 1 in 500 dimensions", "dimensions k", ks, [("projected", separation)], 300, 0, log=True),
             chart("log₁₀ eccentricity, 4 in 500 dimensions", "dimensions k", ks, [("projected", eccentricity)], 600, 0, log=True)]
    measured = os.environ.get("ACCURACY")  # "5:80.1,10:88.0,...": what `usps` printed
    if measured:
        pairs = [tuple(map(float, item.split(":"))) for item in measured.split(",")]
        parts.append(chart("USPS accuracy, % (mapped back)", "dimensions k", [p[0] for p in pairs], [("five a class", [p[1] for p in pairs])], 900, 0, log=True))
    width = 300 * len(parts)
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="240" viewBox="0 0 {width} 240" '
           f'font-family="sans-serif"><rect width="{width}" height="240" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")
    with open(os.path.join(ROOT, "docs", "figures", "mixtures.svg"), "w", encoding="utf-8") as file:
        file.write(svg)


def main():
    with tempfile.TemporaryDirectory() as work:
        for name in sys.argv[1:] or ("rounds", "usps", "vowels"):
            {"rounds": rounds, "chains": chains, "usps": usps, "vowels": vowels, "figures": figures}[name](work)


main()
