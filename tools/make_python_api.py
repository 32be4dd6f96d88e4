#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Writes docs/python-api.md from the docstrings of the Python package, which has to be importable.

usage: make_python_api.py [-o FILE]      a test (python/tests/api_test.py) asks that the page is current
"""
import argparse
import importlib
import inspect
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "python-api.md"
GROUPS = [
    ("Machines", "bochner", ["KernelRegressor", "KernelClassifier", "KernelRidge", "KernelRidgeClassifier",
                             "KernelSVC", "KernelSVR", "KernelLogistic", "KernelHuber", "KernelQuantile", "KernelGLM",
                             "KNeighborsClassifier", "KNeighborsRegressor", "SemiSupervisedClassifier", "KernelRanker"]),
    ("Maps", "bochner", ["FourierFeatures", "NystroemFeatures", "BinningFeatures", "RandomProjection",
                         "TextProjection"]),
    ("Components, clusters, densities and sequences", "bochner", [
        "RandomizedSVD", "KernelPCA", "KernelLDA", "KernelCCA", "KernelKMeans", "GaussianMixture", "AnomalyDetector",
        "HMMClassifier"]),
    ("Neighbours", "bochner", ["NearestNeighbors", "KNNGraph", "find_duplicates"]),
    ("Samples", "bochner", ["drift", "MMDTest", "independence", "HSICTest", "MeanEmbedding", "GroupEmbedding",
                            "ReducedSet"]),
    ("Streams", "bochner", ["watch", "Watcher"]),
    ("Files and progress", "bochner", ["load", "progress"]),
    ("Parts", "bochner.parts", ["survey", "accumulate", "moments", "sketch", "merge", "solve"]),
    ("Dask", "bochner.dask", ["fit", "predict", "transform"]),
    ("DuckDB", "bochner.duckdb", ["fit"]),
    ("MPI", "bochner.mpi", ["fit"]),
    ("Ray", "bochner.ray", ["fit"]),
    ("Spark", "bochner.spark", ["fit"]),
    ("ONNX", "bochner.onnx", ["to_onnx", "register"]),
    ("Pictures", "bochner.plots", ["FeatureCurveDisplay", "LambdaPathDisplay", "KernelErrorDisplay",
                                   "DecisionSurfaceDisplay", "CalibrationDisplay", "ImportanceDisplay",
                                   "WaterfallDisplay", "DependenceDisplay", "ResidualsDisplay"]),
    ("Drop-ins", "bochner.compat", ["RBFSampler", "AdditiveChi2Sampler", "SkewedChi2Sampler", "Nystroem", "GaussianRandomProjection", "SparseRandomProjection",
                                    "randomized_svd", "TruncatedSVD", "KernelRidge", "GaussianMixture",
                                    "NearestNeighbors", "load_svmlight_file", "uses"]),
]


def plain(text):
    """One line of Markdown: code as code, nothing else marked."""
    text = re.sub(r"``(.+?)``", r"`\1`", " ".join(text.split()))
    return re.sub(r"(?<!`)<(?!`)", "&lt;", text) if "`" not in text else text


def sections(docstring):
    """The paragraphs before the first section, and (title, lines) of each."""
    lines = inspect.cleandoc(docstring).splitlines()
    found, title, start = [], "", 0
    for k in range(len(lines) - 1):
        if lines[k + 1].strip() and set(lines[k + 1].strip()) == {"-"}:
            found.append((title, lines[start:k]))
            title, start = lines[k].strip(), k + 2
    found.append((title, lines[start:]))
    return found


def entries(lines):
    """The items of a section: what stands at the margin, and what is indented below it."""
    item = None
    for line in lines:
        if line and not line[0].isspace():
            if item:
                yield item
            item = [line, []]
        elif item and line.strip():
            item[1].append(line.strip())
    if item:
        yield item


def rendered(docstring):
    for title, lines in sections(docstring):
        if not title:
            for paragraph in "\n".join(lines).strip().split("\n\n"):
                yield plain(paragraph) + "\n"
        elif title == "Examples":
            yield "```python skip\n" + "\n".join(line[4:] for line in lines if line.startswith((">>>", "..."))) + "\n```\n"
        else:
            yield f"*{title}*\n"
            for head, body in entries(lines):
                name, _, kind = head.partition(" : ")
                kind = f" ({plain(kind)})" if kind else ""
                yield f"- `{name}`{kind}" + (f": {plain(' '.join(body))}" if body else "")
            yield ""


def signature(thing):
    try:
        plain = inspect.signature(thing)
        bare = [p.replace(annotation=inspect.Parameter.empty) for p in plain.parameters.values()]
        found = str(plain.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    except ValueError:
        return "(...)"
    return re.sub(r"<[^>]+>", "...", found)


def page():
    yield "# The Python package, name by name\n"
    yield ("Made from the docstrings by `tools/make_python_api.py`; [python.md](python.md) tells how to begin. "
           "Estimators have scikit-learn's methods beside their own.\n")
    for title, module, names in GROUPS:
        yield f"## {title}\n"
        place = importlib.import_module(module)
        for name in names:
            thing = getattr(place, name)
            yield f"### {module}.{name}\n"
            yield f"```python skip\n{name}{signature(thing)}\n```\n"
            yield from rendered(thing.__doc__ or "")
            if not inspect.isclass(thing):
                continue
            for method, function in sorted(vars(thing).items()):
                if inspect.isfunction(function) and not method.startswith("_") and function.__doc__:
                    first = plain(inspect.cleandoc(function.__doc__).split("\n\n")[0])
                    yield f"- `{method}{signature(function).replace('(self, ', '(').replace('(self)', '()')}`: {first}"
                elif isinstance(function, classmethod) and not method.startswith("_"):
                    first = plain(inspect.cleandoc(function.__func__.__doc__ or "").split("\n\n")[0])
                    yield f"- `{method}{signature(getattr(thing, method))}`: {first}"
            yield ""


def text():
    return re.sub(r"\n{3,}", "\n\n", "\n".join(page())).rstrip() + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("-o", default=str(PAGE))
    pathlib.Path(parser.parse_args().o).write_text(text())
