# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Test error against training time of every map, beside LIBSVM and gradient boosting, on the real data sets.

Each point of ours is one `bochner train` with nothing but the map and its size: bandwidth, lambda and scaling are
chosen by the command, on training rows, and their time counts. LIBSVM (scikit-learn's SVC and SVR) gets the scaled
inputs and the bandwidth our Fourier run chose, C = 10, and at most 20,000 rows; its fit alone is timed. XGBoost and
LightGBM: 300 rounds, two threads, categories as codes, fit alone.

Takes about half an hour.

usage: maps.py [--json FILE] [--plot FILE.svg] [--draw-only] [NAME ...]
       --json FILE   adds the points to those in FILE; --draw-only prints and plots what is there
       --maps a,b    of ours only these, such as binning
"""
import argparse
import json
import os
import sys
import tempfile
import time

import numpy as np

import data

# name: training file, test file (None: every fourth row), target
SETS = {
    "digits": ("digits.csv", None, "digit"),
    "ads": ("ads.csv", None, "class"),
    "cpu": ("cpu.train.csv", "cpu.test.csv", "usr"),
    "census": ("census.train.csv", "census.test.csv", "price"),
    "usps": ("usps.train.csv", "usps.test.csv", "digit"),
    "adult-raw": ("adult-raw.train.csv", "adult-raw.test.csv", "income"),
    "mnist": ("mnist.train.npy", "mnist.test.npy", "784"),
    "covtype2": ("covtype2.train.csv", "covtype2.test.csv", "class"),
    "covtype": ("covtype.train.csv", "covtype.test.csv", "class"),
    "kdd99": ("kdd99.train.csv", "kdd99.test.csv", "attack"),
}
MAPS = {  # name: words, sizes
    "fourier": ([], (250, 1000, 4000)),
    "orthogonal": (["--map", "fourier:draw=orthogonal"], (250, 1000, 4000)),
    "nystroem": (["--map", "nystroem:landmarks=rpcholesky"], (250, 1000, 2000)),
    "binning": (["--map", "binning", "--bandwidth", "auto"], (20, 50, 200)),
    "low-order binning": (["--map", "binning:order=1-2"], (100, 400)),
}
PEER_ROWS = 20000


def files(name, folder, work):
    train, test, target = SETS[name]
    if test:
        return os.path.join(folder, train), os.path.join(folder, test), target
    header, *lines = open(os.path.join(folder, train)).read().strip().split("\n")
    out = []
    for part in (0, 1):
        path = os.path.join(work, f"{name}.{part}.csv")
        kept = [line for i, line in enumerate(lines) if (i % 4 == 3) == bool(part)]
        open(path, "w").write("\n".join([header, *kept]) + "\n")
        out.append(path)
    return *out, target


def point(name, method, size, seconds, error):
    print(f"{name:10} {method:18} {size:>6} {seconds:9.2f} s {100 * error:7.2f} %", flush=True)
    return {"set": name, "method": method, "size": size, "seconds": round(seconds, 3), "error": error}


def ours(name, train, test, target, maps, most_seconds, work):
    model = os.path.join(work, "model")
    for method in maps:
        words, sizes = MAPS[method]
        for size in sizes:
            command = ["bochner", "train", train, "--target", target, "--features", str(size), *words, "-o", model,
                       "--quiet"]
            seconds = data.run(*command)[1]
            yield point(name, method, size, seconds, data.bochner_error(model, test))
            if seconds > most_seconds:
                break


def frame(path, target):
    import pandas

    if path.endswith(".npy"):
        values = np.load(path)
        return pandas.DataFrame(values[:, :-1].astype(np.float32)), values[:, -1]
    table = pandas.read_csv(path, na_values=["?"], skipinitialspace=True)
    return table.drop(columns=target), table[target].to_numpy()


def numbers(train, test):
    """Both tables with categories as codes of the training table."""
    for column in train.columns:
        if train[column].dtype.kind not in "biuf":
            levels = sorted(train[column].dropna().astype(str).unique())
            code = {level: i for i, level in enumerate(levels)}
            for table in (train, test):
                table[column] = table[column].map(lambda v: code.get(str(v), np.nan))
    return train.to_numpy(np.float32), test.to_numpy(np.float32)


def relative_error(yhat, y):
    return float(np.linalg.norm(yhat - y) / np.linalg.norm(y))


def boosting(name, train, test, target):
    try:
        import lightgbm
        import xgboost
    except ImportError:
        print("skipped: xgboost and lightgbm are not installed")
        return
    (x, y), (x_test, y_test) = frame(train, target), frame(test, target)
    x, x_test = numbers(x, x_test)
    regression = name in ("cpu", "census")
    if not regression:
        labels = sorted(set(y))
        code = {label: i for i, label in enumerate(labels)}
        y, y_test = (np.array([code.get(v, -1) for v in values]) for values in (y, y_test))
    common = {"n_estimators": 300, "n_jobs": 2}
    for method, make in {
        "XGBoost": lambda: (xgboost.XGBRegressor if regression else xgboost.XGBClassifier)(
            tree_method="hist", max_depth=10 if len(y) > 100000 else 6, **common),
        "LightGBM": lambda: (lightgbm.LGBMRegressor if regression else lightgbm.LGBMClassifier)(
            num_leaves=255 if len(y) > 100000 else 31, verbose=-1, **common),
    }.items():
        if len(y) * x.shape[1] > 4e7 and not regression and len(labels) > 2:
            continue  # 300 rounds of ten classes on MNIST: more than ten minutes
        start = time.perf_counter()
        model = make().fit(x, y)
        seconds = time.perf_counter() - start
        yhat = model.predict(x_test)
        yield point(name, method, 300, seconds,
                    relative_error(yhat, y_test) if regression else float(np.mean(yhat != y_test)))


def scaled(linear, path, work):
    out = os.path.join(work, os.path.basename(path) + ".npy")
    data.run("bochner", "transform", linear, path, "-o", out, "--quiet")
    return np.load(out)


def libsvm(name, train, test, target, work):
    from sklearn.svm import SVC, SVR

    model, linear = os.path.join(work, "model"), os.path.join(work, "linear")
    report = json.loads(data.run("bochner", "train", train, "--target", target, "--features", "250", "-o", model,
                                 "--quiet", "--json")[0])
    data.run("bochner", "train", train, "--target", target, "--map", "none", "-o", linear, "--quiet")
    bandwidth = next((float(n.split()[1].rstrip(",")) for n in report["notes"] if n.startswith("bandwidth:")), None)
    if bandwidth is None:
        print(f"skipped: LIBSVM on {name}: no bandwidth in the report")
        return
    x, x_test = scaled(linear, train, work), scaled(linear, test, work)
    y, y_test = frame(train, target)[1], frame(test, target)[1]
    some = np.random.default_rng(0).permutation(len(y))[:PEER_ROWS]
    regression = name in ("cpu", "census")
    unit = np.std(y) if regression else 1
    machine = (SVR if regression else SVC)(C=10, gamma=0.5 / bandwidth**2, cache_size=2000)
    start = time.perf_counter()
    machine.fit(x[some], y[some] / unit if regression else y[some])
    seconds = time.perf_counter() - start
    few = np.random.default_rng(1).permutation(len(y_test))[:PEER_ROWS]
    yhat = machine.predict(x_test[few])
    error = relative_error(yhat * unit, y_test[few]) if regression else float(np.mean(yhat != y_test[few]))
    yield point(name, "LIBSVM", len(some), seconds, error)


def table(points):
    methods = [*MAPS, "LIBSVM", "XGBoost", "LightGBM"]
    print("\n| set | " + " | ".join(methods) + " |\n|---|" + "---|" * len(methods))
    for name in SETS:
        cells = []
        for method in methods:
            found = [p for p in points if p["set"] == name and p["method"] == method]
            best = min(found, key=lambda p: p["error"], default=None)
            cells.append(f"{100 * best['error']:.2f} % in {best['seconds']:.2g} s ({best['size']})" if best else "")
        if any(cells):
            print(f"| {name} | " + " | ".join(cells) + " |")


def plot(points, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "bochner"
    import matplotlib.pyplot as plt

    names = [name for name in SETS if any(p["set"] == name for p in points)]
    columns = 3
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(11, 3 * rows), squeeze=False)
    colors = {m: f"C{i}" for i, m in enumerate([*MAPS, "LIBSVM", "XGBoost", "LightGBM"])}
    for name, ax in zip(names, axes.flat):
        for method, color in colors.items():
            curve = [p for p in points if p["set"] == name and p["method"] == method]
            mark = "o-" if method in MAPS else "s"
            ax.plot([p["seconds"] for p in curve], [100 * p["error"] for p in curve], mark, color=color, label=method,
                    markersize=4)
        ax.set(xscale="log", yscale="log", title=name)
        ax.xaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        ax.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        ax.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        ax.yaxis.set_minor_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        ax.tick_params(labelsize=7, which="both")
    for ax in list(axes.flat)[len(names):]:
        ax.axis("off")
    figure.supxlabel("seconds of training (log)")
    figure.supylabel("error on test rows, % (log)")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower right", ncols=2)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    parser.add_argument("--plot")
    parser.add_argument("--draw-only", action="store_true")
    parser.add_argument("--methods", default="ours,libsvm,boosting")
    parser.add_argument("--maps", default=",".join(MAPS), help="of ours")
    parser.add_argument("--most-seconds", type=float, default=30, help="a longer run is a map's last")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    points = []
    if arguments.json and os.path.exists(arguments.json):
        points = json.load(open(arguments.json))
    if not arguments.draw_only:
        folder = data.folder()
        for name in arguments.names or SETS:
            with tempfile.TemporaryDirectory() as work:
                train, test, target = files(name, folder, work)
                for kind in arguments.methods.split(","):
                    new = {"ours": lambda: ours(name, train, test, target, arguments.maps.split(","),
                                                arguments.most_seconds, work),
                           "libsvm": lambda: libsvm(name, train, test, target, work),
                           "boosting": lambda: boosting(name, train, test, target)}[kind]()
                    for p in new:
                        points = [q for q in points if any(p[k] != q[k] for k in ("set", "method", "size"))] + [p]
                        if arguments.json:
                            json.dump(points, open(arguments.json, "w"), indent=0)
    table(points)
    if arguments.plot:
        plot(points, arguments.plot)


if __name__ == "__main__":
    sys.exit(main())
