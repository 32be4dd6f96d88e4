# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner reduce`: from rows to a few weighted points."""

import csv
import json
import math
import random
import unittest

from command import DATA, CommandTest


def mixture(rows, seed=1):
    draw = random.Random(seed)
    lines = ["x,y"]
    for i in range(rows):
        x, y = [(0, 0), (3, 1), (-1, 3)][i % 3]
        lines.append(f"{x + draw.gauss(0, 0.7)!r},{y + draw.gauss(0, 0.4)!r}")
    return "\n".join(lines) + "\n"


def numbers(path):
    with open(path) as file:
        return [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]


def distance(rows, points, sigma, kernel):
    """|mu - sum beta phi|, from its definition."""
    def k(a, b):
        dx, dy = a["x"] - b["x"], a["y"] - b["y"]
        if kernel == "laplacian":
            return math.exp(-(abs(dx) + abs(dy)) / sigma)
        return math.exp(-(dx * dx + dy * dy) / (2 * sigma * sigma))

    n = len(rows)
    square = sum(k(a, b) for a in rows for b in rows) / n**2
    square -= 2 * sum(p["weight"] * k(a, p) for a in rows for p in points) / n
    square += sum(p["weight"] * q["weight"] * k(p, q) for p in points for q in points)
    return math.sqrt(max(square, 0))


class Reduce(CommandTest):
    def reduce(self, *words):
        found = json.loads(self.succeed_quietly("reduce", *words, "--json", "-o", "points.csv"))
        return found, numbers(self.folder / "points.csv")

    def test_the_distance_is_what_it_says(self):
        rows = numbers(self.file("a.csv", mixture(200)))
        for kernel in ("gaussian", "laplacian"):
            for method in ("joint", "herding", "thinning"):
                found, points = self.reduce("a.csv", "--points", 5, "--bandwidth", 0.8, "--kernel", kernel, "--method", method)
                self.assertEqual(len(points), 5)
                self.assertAlmostEqual(found["rkhs_distance"], distance(rows, points, 0.8, kernel), delta=1e-6)
                for word in ("objective", "seconds"):
                    self.assertGreaterEqual(found[word], 0)

    def test_joint_is_nearest(self):
        self.file("a.csv", mixture(400))
        found = {method: self.reduce("a.csv", "--points", 10, "--method", method)[0]["rkhs_distance"]
                 for method in ("joint", "rsrf", "fixed-point", "herding", "thinning", "kmeans")}
        self.assertEqual(min(found, key=found.get), "joint")
        self.assertLess(found["joint"], 0.5 * found["fixed-point"])

    def test_as_many_points_as_rows_or_more(self):
        self.file("a.csv", "x,y\n1,2\n3,4\n1,2\n5,6\n")
        for points in (3, 4, 50):
            found, set_of = self.reduce("a.csv", "--points", points)
            self.assertEqual(len(set_of), 3)
            self.assertLess(found["rkhs_distance"], 1e-7)
            self.assertAlmostEqual(sum(p["weight"] for p in set_of), 1)
        self.file("one.csv", "x,y\n" + "2,3\n" * 40)
        found, set_of = self.reduce("one.csv", "--points", 5)
        self.assertEqual([(p["x"], p["y"]) for p in set_of], [(2, 3)])
        self.assertAlmostEqual(set_of[0]["weight"], 1)

    def test_many_more_points_than_wide_rows_need_no_search(self):
        draw = random.Random(5)
        self.file("wide.csv", "".join(",".join(f"{draw.gauss(0, 1):.5f}" for _ in range(300)) + "\n" for _ in range(5)))
        found, _ = self.reduce("wide.csv", "--points", 1000, "--memory", "200M")
        self.assertEqual(found["points"], 5)
        self.assertLess(found["rkhs_distance"], 1e-6)
        self.assertEqual(found["features"], 4 * 5 * 301)

    def test_the_same_for_any_threads_and_twice(self):
        self.file("a.csv", mixture(3000))
        bytes_of = set()
        for threads in (1, 2, 2):
            self.reduce("a.csv", "--points", 12, "--threads", threads)
            bytes_of.add((self.folder / "points.csv").read_bytes())
        self.assertEqual(len(bytes_of), 1)

    def test_expansions_with_coefficients_of_either_sign(self):
        lines = mixture(150).splitlines()
        draw = random.Random(3)
        alpha = [draw.gauss(0, 1) for _ in lines[1:]]
        self.file("a.csv", lines[0] + ",alpha\n" + "".join(f"{line},{a!r}\n" for line, a in zip(lines[1:], alpha)))
        found, points = self.reduce("a.csv", "--coefficients", "alpha", "--bandwidth", 1.5, "--points", 25)
        self.assertEqual(list(points[0]), ["x", "y", "weight"])
        rows = numbers(self.folder / "a.csv")

        def value(at, of, name):
            return sum(p[name] * math.exp(-((p["x"] - at[0])**2 + (p["y"] - at[1])**2) / 4.5) for p in of)

        for at in ((0, 0), (3, 1), (-1, 3), (1, 1)):  # |f - g| <= distance sqrt k(0)
            self.assertLessEqual(abs(value(at, rows, "alpha") - value(at, points, "weight")), found["rkhs_distance"] + 1e-9)
        self.assertLess(found["rkhs_distance"], 0.1 * found["rkhs_norm"])
        self.refuse(1, "reduce", "a.csv", "--coefficients", "alpha", "--method", "herding", "--points", 3, "-o", "p.csv",
                    say="not negative")

    def test_weights_may_be_probabilities(self):
        self.file("a.csv", mixture(300))
        free, _ = self.reduce("a.csv", "--points", 8, "--bandwidth", 0.8)
        for word, method in (("positive", "joint"), ("probabilities", "joint"), ("probabilities", "kmeans"),
                             ("probabilities", "fixed-point")):
            found, points = self.reduce("a.csv", "--points", 8, "--bandwidth", 0.8, "--weights-are", word, "--method", method)
            weights = [float(point["weight"]) for point in points]
            self.assertGreaterEqual(min(weights), 0)
            if word == "probabilities":
                self.assertAlmostEqual(sum(weights), 1, places=9)
            self.assertGreaterEqual(found["rkhs_distance"], 0.9 * free["rkhs_distance"])
            self.assertLess(found["rkhs_distance"], (0.5 if method == "fixed-point" else 0.2) * found["rkhs_norm"])

    def test_points_may_be_held_inside_and_to_levels(self):
        draw = random.Random(3)
        self.file("a.csv", "u,kind,v\n" + "".join(
            f"{draw.random()!r},{draw.choice('pqr')},{draw.random()!r}\n" for _ in range(200)))
        words = ("a.csv", "--points", 9, "--bandwidth", 0.4)
        _, free = self.reduce("a.csv", "--points", 2, "--bandwidth", 1)
        self.assertTrue(any(0.01 < float(point[name]) < 0.99 for point in free for name in free[0] if name.startswith("kind")))
        for more in (("--levels",), ("--levels", "--inside"), ("--inside",)):
            found, points = self.reduce(*words, *more)
            self.assertLess(found["rkhs_distance"], 0.3 * found["rkhs_norm"])
            for point in points:
                if "--levels" in more:
                    self.assertEqual(sorted(float(v) for k, v in point.items() if k.startswith("kind")), [0, 0, 1])
                if "--inside" in more:
                    self.assertTrue(all(0 <= float(point[name]) <= 1 for name in "uv"))
        self.refuse(1, "reduce", *words, "--inside", "--method", "rsrf", "-o", "p.csv", say="joint")
        self.refuse(1, "reduce", *words, "--weights-are", "heavy", "-o", "p.csv", say="--weights-are")

    def test_a_model_of_landmarks_becomes_smaller(self):
        words = ("--target", "usr", "--map", "nystroem", "--features", 300, "-q")
        self.succeed_quietly("train", DATA / "cpu-small.csv", *words, "-o", "large.model")
        found = json.loads(self.succeed_quietly("reduce", "large.model", "--points", 60, "--json", "-o", "small.model"))
        self.assertEqual(found["points"], 60)
        self.assertLess((self.folder / "small.model").stat().st_size, (self.folder / "large.model").stat().st_size / 3)
        score = [json.loads(self.succeed_quietly("eval", name, DATA / "cpu-small.csv", "--json"))["r2"]
                 for name in ("large.model", "small.model")]
        self.assertGreater(score[1], score[0] - 0.05)
        self.refuse(1, "reduce", "large.model", "--points", 5, "--bandwidth", 1, "-o", "x.model", say="is a model")
        self.succeed_quietly("train", DATA / "cpu-small.csv", "--target", "usr", "--map", "fourier", "-q", "-o", "f.model")
        self.refuse(1, "reduce", "f.model", "--points", 5, "-q", "-o", "x.model", say="landmarks")

    def test_several_functions_share_points(self):
        draw = random.Random(5)
        lines = ["u,v,a,b"]
        for _ in range(120):
            u, v = draw.gauss(0, 1), draw.gauss(0, 1)
            lines.append(f"{u!r},{v!r},{u / 120!r},{(u + 0.5 * v) / 120!r}")
        self.file("two.csv", "\n".join(lines) + "\n")
        found = json.loads(self.succeed_quietly("reduce", "two.csv", "--coefficients", "a,b", "--bandwidth", 1.5, "--points", 12,
                                                "--json", "-o", "points.csv"))
        self.assertEqual(found["functions"], 2)
        self.assertLess(found["rkhs_distance"], 0.05 * found["rkhs_norm"])
        with open(self.folder / "points.csv", newline="") as text:
            points = list(csv.DictReader(text))
        self.assertEqual(len(points), 12)
        self.assertEqual(list(points[0]), ["u", "v", "weight:a", "weight:b"])
        # The functions themselves at a place, by all rows and by the points.
        rows = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
        near = lambda u, v: math.exp(-((u - 0.3) ** 2 + (v + 0.4) ** 2) / (2 * 1.5**2))
        for k, name in ((2, "weight:a"), (3, "weight:b")):
            by_rows = sum(row[k] * near(row[0], row[1]) for row in rows)
            by_points = sum(float(p[name]) * near(float(p["u"]), float(p["v"])) for p in points)
            self.assertAlmostEqual(by_rows, by_points, delta=0.05 * found["rkhs_norm"])
        self.refuse(1, "reduce", "two.csv", "--coefficients", "a,b", "--method", "herding", "--points", 3, "-o", "p.csv",
                    say="method")
        # Which of the two is larger, by a weight and its opposite at every point.
        self.succeed_quietly("reduce", "two.csv", "--coefficients", "a,b", "--bandwidth", 1.5, "--points", 12, "--largest", "-o",
                             "apart.csv")
        with open(self.folder / "apart.csv", newline="") as text:
            apart = list(csv.DictReader(text))
        for p in apart:
            self.assertAlmostEqual(float(p["weight:a"]), -float(p["weight:b"]), delta=1e-9)
        for u, v in ((0.3, -0.4), (-0.5, 1.2), (0, -1.5)):
            k = lambda x, y: math.exp(-((x - u) ** 2 + (y - v) ** 2) / (2 * 1.5**2))
            by_rows = sum((row[3] - row[2]) * k(row[0], row[1]) for row in rows)
            by_points = sum((float(p["weight:b"]) - float(p["weight:a"])) * k(float(p["u"]), float(p["v"])) for p in apart)
            self.assertAlmostEqual(by_rows, by_points, delta=0.02 * found["rkhs_norm"])
        self.refuse(1, "reduce", "two.csv", "--coefficients", "a", "--ignore", "b", "--largest", "--points", 3, "-o", "p.csv",
                    say="--largest")

    def test_refusals(self):
        self.file("a.csv", mixture(30))
        self.refuse(1, "reduce", "a.csv", "--points", 0, "-o", "p.csv", say="points")
        self.refuse(1, "reduce", "a.csv", "--points", 3, "--method", "best", "-o", "p.csv", say="--method")
        self.refuse(1, "reduce", "a.csv", "--points", 3, "--method", "fixed-point", "--kernel", "laplacian", "-o", "p.csv",
                    say="fixed-point")
        self.refuse(1, "reduce", "a.csv", "--points", 3, "--bandwidth", "-1", "-o", "p.csv", say="")
        self.refuse(1, "reduce", "a.csv", "--points", 3, "-o", "a.csv", say="a.csv")
        self.file("bad.csv", "x,y\n1,inf\n2,3\n")
        self.refuse(2, "reduce", "bad.csv", "--points", 1, "-o", "p.csv", say="")


if __name__ == "__main__":
    unittest.main()
