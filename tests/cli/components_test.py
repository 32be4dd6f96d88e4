# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner pca`, `kmeans`, `lda`, `cca` and `anomaly`: from a file to predictions."""

import csv
import json
import math
import random
import re
import unittest

from command import DATA, CommandTest

DIGITS = DATA / "digits.csv.gz"
CPU = DATA / "cpu-small.csv"


def blobs(n, far=0.0, constant=False):
    """Two columns about three places, and the place as text."""
    draw = random.Random(1)
    lines = ["a,b,c,place"]
    for i in range(n):
        x, y = [(0, 0), (8, 0), (0, 8)][i % 3]
        third = 5 if constant else draw.gauss(0, 1)
        lines.append(f"{far + x + draw.gauss(0, 1):.6f},{y + draw.gauss(0, 1):.6f},{third},{'pqr'[i % 3]}")
    return "\n".join(lines) + "\n"


class Components(CommandTest):
    def inspect(self, model):
        return json.loads(self.succeed_quietly("inspect", model, "--json"))

    def lines(self, *words):
        return self.succeed_quietly("predict", *words).splitlines()

    def test_clusters_go_on_where_they_were_stopped(self):
        draw = random.Random(4)
        self.file("r.csv", "a,b,c\n" + "".join(f"{draw.random()},{draw.random()},{draw.random()}\n" for _ in range(3000)))
        for words in (["--clusters", 12], ["--clusters", 40, "--map", "fourier", "--features", 64, "--bandwidth", 1]):
            self.expect_resumed(range(60, 3000, 60), "kmeans", "r.csv", *words, "--scale", "none", "--restarts", 1)

    def test_json_is_that_of_inspect(self):
        self.file("b.csv", blobs(150))
        for words in (("pca", "--rank", 2), ("kmeans", "--clusters", 3), ("gmm", "--components", 2), ("anomaly",),
                      ("svd", "--rank", 1)):
            command = (words[0], "b.csv", "--ignore", "place", *words[1:], "-o", "m")
            self.assertEqual(json.loads(self.succeed_quietly(*command, "--json")), self.inspect("m"), words)
            self.assertEqual(self.succeed_quietly(*command), "")

    def test_rows_go_to_stdout_without_a_name(self):
        self.file("b.csv", blobs(150))
        self.succeed_quietly("gmm", "b.csv", "--ignore", "place", "--components", 2, "-o", "m")
        for words in (("transform", "m", "b.csv"), ("sample", "m", "--rows", 9)):
            self.assertEqual(self.succeed_quietly(*words), self.succeed_quietly(*words, "-o", "-"), words)

    def test_pca_explains_the_variance_and_leads_back(self):
        self.file("a.csv", blobs(300, far=1e6, constant=True))
        self.succeed("pca", "a.csv", "--target", "place", "--rank", 2, "-o", "m")
        found = self.inspect("m")
        self.assertAlmostEqual(sum(found["explained_variance_ratio"]), 1, places=6)
        self.assertEqual(len(found["singular_values"]), 2)
        self.succeed("transform", "m", "a.csv", "-o", "y.csv")
        self.succeed("transform", "m", "y.csv", "--inverse", "-o", "x.csv")
        rows = (self.folder / "a.csv").read_text().splitlines()[1:]
        back = (self.folder / "x.csv").read_text().splitlines()
        self.assertEqual(len(back), len(rows))
        for before, after in zip(rows, back):
            for x, y in zip(before.split(",")[:3], after.split(",")):
                self.assertAlmostEqual(float(x), float(y), delta=1e-3 * max(1, abs(float(x)) / 1000))

    def test_pca_counts_rows_by_weight(self):
        draw = random.Random(3)
        rows = [[draw.gauss(0, 1 + i % 3), draw.gauss(2, 1), draw.gauss(0, 0.3)] for i in range(200)]
        text = [",".join(f"{x:.6f}" for x in row) for row in rows]
        self.file("w.csv", "a,b,c,w\n" + "".join(f"{line},{i % 4}\n" for i, line in enumerate(text)))
        self.file("r.csv", "a,b,c\n" + "".join(f"{line}\n" * (i % 4) for i, line in enumerate(text)))
        for words in ([], ["--map", "fourier", "--features", 32, "--bandwidth", 2]):
            for name, weights in (("w", ["--weights", "w"]), ("r", [])):
                self.succeed("pca", f"{name}.csv", "--rank", 2, "--scale", "none", *words, *weights, "-o", name)
            weighted, repeated = self.inspect("w"), self.inspect("r")
            for a, b in zip(weighted["explained_variance_ratio"], repeated["explained_variance_ratio"]):
                self.assertAlmostEqual(a, b, places=5)
            for a, b in zip(weighted["explained_variance"], repeated["explained_variance"]):
                self.assertAlmostEqual(a / b, 1, delta=0.02)
            for name in "wr":
                self.succeed("transform", name, "r.csv", "-o", f"{name}.out.csv")
            one, other = ((self.folder / f"{name}.out.csv").read_text().replace("\n", ",").split(",") for name in "wr")
            for a, b in zip(one, other):
                if a:
                    self.assertAlmostEqual(float(a), float(b), places=3)
        self.file("none.csv", "a,b,w\n1,2,0\n3,4,0\n5,1,0\n")
        self.refuse(2, "pca", "none.csv", "--rank", 1, "--weights", "w", "-o", "m", "--quiet")

    def test_coordinates_of_distances(self):
        places = [(math.cos(i) * i, math.sin(2 * i) * i) for i in range(30)]
        far = [",".join(repr(math.dist(a, b)) for b in places[:9]) for a in places]
        self.file("far.csv", "\n".join([",".join(f"to{j}" for j in range(9))] + far) + "\n")
        self.succeed("pca", "far.csv", "--distances", "--rank", 2, "-o", "m")
        self.succeed_quietly("transform", "m", "far.csv", "-o", "out.csv")
        found = [tuple(map(float, line.split(","))) for line in (self.folder / "out.csv").read_text().split()]
        for i in range(30):
            self.assertAlmostEqual(math.dist(found[i], found[7]), math.dist(places[i], places[7]), places=4)
        self.refuse(1, "pca", "far.csv", "--distances", "--rank", 2, "--map", "fourier", "-o", "x", "--quiet",
                    say="--distances")
        self.refuse(1, "pca", "far.csv", "--distances", "--rank", 9, "-o", "x", "--quiet", say="rank")
        self.file("gap.csv", (self.folder / "far.csv").read_text() + ",1,1,1,1,1,1,1,1\n")
        self.refuse(2, "pca", "gap.csv", "--distances", "--rank", 2, "-o", "x", "--quiet", say="empty")
        for learnt in ("metric|none", "chosen-fourier"):
            self.refuse(1, "pca", "far.csv", "--rank", 2, "--map", learnt, "-o", "x", "--quiet", say="leave it out")

    def test_a_kernel_has_no_way_back(self):
        self.succeed("pca", CPU, "--target", "usr", "--rank", 3, "--map", "fourier", "--features", 64, "-o", "m")
        self.succeed("transform", "m", CPU, "-o", "y.csv")
        self.refuse(1, "transform", "m", "y.csv", "--inverse", "-o", "x.csv",
                    say="--inverse: fourier has no way back")

    def test_clusters_are_the_places(self):
        self.file("a.csv", blobs(600))
        self.succeed("kmeans", "a.csv", "--target", "place", "--clusters", 3, "-o", "m")
        found = self.inspect("m")
        inertia = found["inertia"]
        self.assertEqual(inertia, sorted(inertia, reverse=True))
        self.assertGreater(found["silhouette"][0], 0.3)
        labels = self.lines("m", "a.csv")
        self.assertEqual({label for i, label in enumerate(labels) if i % 3 != 2}, {"0", "1", "2"} - {labels[2]})
        scored = self.lines("m", "a.csv", "--scores", "--names")
        self.assertEqual(scored[0], "cluster,score:clusters0,score:clusters1,score:clusters2")
        cells = scored[1].split(",")
        self.assertEqual(max(range(3), key=lambda k: float(cells[1 + k])), int(cells[0]))
        self.assertEqual(self.lines("m", "a.csv", "-o", "labels.csv"), [])

    def test_centres_and_loadings_are_in_units_of_the_file(self):
        draw = random.Random(4)
        lines = []
        for i in range(300):
            step = draw.gauss(0, 1)
            lines.append(f"{1e9 + (2e4 if i % 3 else -1e4) + 30 * step},{3 * step + i % 3},7,{'ab'[i % 2]}\n")
        self.file("units.csv", "far,near,same,text\n" + "".join(lines))
        rows = list(csv.DictReader(lines, ("far", "near", "same", "text")))
        self.succeed("kmeans", "units.csv", "--clusters", 2, "--scale", "standardize", "-o", "m")
        found = json.loads(self.succeed("inspect", "m", "--json"))
        self.assertEqual(found["columns"], ["far", "near", "same", "text=a", "text=b"])
        clusters = [int(line) for line in self.succeed_quietly("predict", "m", "units.csv").split()]
        for k, centre in enumerate(found["centres"]):
            own = [row for row, cluster in zip(rows, clusters, strict=True) if cluster == k]
            self.assertGreater(len(own), 20)
            for j, name in enumerate(("far", "near", "same")):
                mean = sum(float(row[name]) for row in own) / len(own)
                self.assertAlmostEqual(centre[j], mean, delta=2e-2 if name == "far" else 1e-4)
            self.assertAlmostEqual(centre[3], sum(row["text"] == "a" for row in own) / len(own), places=5)
        self.assertRegex(self.succeed("inspect", "m"), r"(?m)^centre +0: .*far 1e\+09")
        self.succeed("pca", "units.csv", "--rank", 2, "--scale", "standardize", "-o", "m")
        found = json.loads(self.succeed("inspect", "m", "--json"))
        scores = [list(map(float, line.split(","))) for line in self.transformed("units.csv")]
        for k, loading in enumerate(found["loadings"]):  # the slope of a column on the component, by its deviation
            variance = sum(z[k] ** 2 for z in scores)
            for j, name in enumerate(("far", "near", "same")):
                values = [float(row[name]) for row in rows]
                middle = sum(values) / len(values)
                slope = sum((v - middle) * z[k] for v, z in zip(values, scores, strict=True)) / variance
                self.assertAlmostEqual(loading[j], slope * math.sqrt(found["explained_variance"][k]),
                                       delta=1e-3 * (1 + abs(loading[j])))
        self.assertRegex(self.succeed("inspect", "m"), r"(?m)^loading +0: ")
        self.succeed("kmeans", "units.csv", "--clusters", 2, "--map", "fourier", "--features", 32, "-o", "m")
        self.assertNotIn("centres", json.loads(self.succeed("inspect", "m", "--json")))

    def transformed(self, name):
        self.succeed_quietly("transform", "m", name, "-o", "z.csv")
        return (self.folder / "z.csv").read_text().split()

    def test_restarts_end_where_each_was_followed_to_its_end(self):
        """scikit-learn 1.9.1 ends at 1,165,189 with ten restarts."""
        inertia = []
        for seed in range(3):
            self.succeed_quietly("kmeans", DIGITS, "--target", "digit", "--scale", "none", "--clusters", 10,
                                 "--restarts", 10, "--seed", seed, "-o", "m")
            inertia.append(self.inspect("m")["inertia"][-1])
        self.assertLess(sum(inertia) / len(inertia), 1165400)

    def test_models_do_not_depend_on_threads_or_memory(self):
        for name, words in (("kmeans", ["--clusters", 12]), ("pca", ["--rank", 3]), ("lda", []), ("anomaly", []),
                            ("anomaly", ["--method", "bins"])):
            maps = [] if "bins" in words else ["--map", "fourier", "--features", 60]
            models = []
            for run in (["--threads", 1], ["--threads", 3, "--memory", "64M"]):
                self.succeed(name, DIGITS, "--target", "digit", "-o", "m", *words, *maps, *run)
                models.append((self.folder / "m").read_bytes())
            self.assertEqual(models[0], models[1], name)

    def test_lda_tells_digits_apart(self):
        self.succeed("lda", DIGITS, "--target", "digit", "-o", "m")
        score = json.loads(self.succeed_quietly("eval", "m", DIGITS, "--json"))
        self.assertLess(score["error"], 0.06)
        self.succeed("transform", "m", DIGITS, "-o", "y.csv")
        self.assertEqual(len((self.folder / "y.csv").read_text().splitlines()[0].split(",")), 9)
        self.assertEqual(len(self.inspect("m")["ratios"]), 9)

    def test_cca_reports_correlations(self):
        self.succeed("cca", CPU, "--target", "usr,lread", "-o", "m")
        found = self.inspect("m")["correlations"]
        self.assertEqual(len(found), 2)
        self.assertTrue(0.3 < found[1] <= found[0] <= 1, found)
        self.succeed("cca", CPU, "--target", "usr,lread", "--rank", 1, "-o", "m")
        self.assertEqual(len(self.inspect("m")["correlations"]), 1)

    def test_anomalies_are_scored_flagged_and_evaluated(self):
        draw = random.Random(2)
        lines = ["a,b,kind"]
        for i in range(1000):
            odd = i % 50 == 3
            size = 12 if odd else 1
            lines.append(f"{size * draw.gauss(0, 1)},{size * draw.gauss(0, 1)},{'odd' if odd else 'usual'}")
        self.file("a.csv", "\n".join(lines) + "\n")
        for method in ("embedding", "bins", "isolation", "mixture"):
            self.succeed("anomaly", "a.csv", "--target", "kind", "--rate", 0.02, "--method", method, "-o", "m")
            rows = self.lines("m", "a.csv", "--names")
            self.assertEqual(rows[0], "score,anomaly")
            self.assertTrue(10 <= sum(line.endswith(",1") for line in rows) <= 20)
            score = json.loads(self.succeed_quietly("eval", "m", "a.csv", "--json"))
            self.assertGreater(score["auc"], 0.9)
        self.file("s.svm", "1 1:0.5 7:2\n1 2:1\n1 3:4\n1 1:0.4 7:2.1\n")
        for method in ("embedding", "bins", "isolation", "mixture"):
            self.succeed("anomaly", "s.svm", "--method", method, "-o", "m")
            self.assertEqual(len(self.lines("m", "s.svm")), 4)
        self.succeed("anomaly", "a.csv", "--ignore", "kind", "-o", "m")
        self.refuse(1, "eval", "m", "a.csv", say="evaluate: nothing tells which rows are anomalies")

    def test_what_makes_no_sense_is_said_in_a_line(self):
        self.file("a.csv", blobs(30))
        self.file("far.csv", "a,b\n1,2\n3,1e999\n4,5\n")
        for code, say, words in (
                (2, "kmeans: found 30 rows for 31 clusters", ["kmeans", "a.csv", "-t", "place", "--clusters", 31]),
                (1, "--clusters: found 0", ["kmeans", "a.csv", "--clusters", 0]),
                (1, "rank: found 4, expected 1 to 3", ["pca", "a.csv", "-t", "place", "--rank", 4]),
                (1, "lda: the target holds numbers", ["lda", "a.csv", "-t", "a"]),
                (1, "map: found binning", ["pca", "a.csv", "-t", "place", "--rank", 1, "--map", "binning"]),
                (1, "bandwidth: found auto",
                 ["kmeans", "a.csv", "-t", "place", "--clusters", 2, "--map", "fourier", "--bandwidth", "auto"]),
                (1, "--rate: found 1.5", ["anomaly", "a.csv", "--rate", 1.5]),
                (1, "--method: found 'forest'", ["anomaly", "a.csv", "--method", "forest"]),
                (1, "--components: found with --method bins",
                 ["anomaly", "a.csv", "--method", "bins", "--components", 3]),
                (1, "map: found one, expected none: isolation",
                 ["anomaly", "a.csv", "-t", "place", "--method", "isolation", "--map", "fourier"]),
                (2, "far.csv", ["kmeans", "far.csv", "--clusters", 2])):
            self.refuse(code, *words, "-o", "m", "--quiet", say=say)
        self.succeed("kmeans", "a.csv", "-t", "place", "--clusters", 2, "-o", "m")
        self.refuse(1, "eval", "m", "a.csv", say="evaluate: the model puts out clusters")


class FarUnits(CommandTest):
    """Sizes whose squares a float cannot hold, without scaling."""

    def table(self, name, unit):
        draw = random.Random(5)
        rows = [(draw.gauss(0, 1), draw.gauss(4 * (i % 2), 1)) for i in range(200)]
        self.file(name, "a,b\n" + "".join(f"{unit * a!r},{unit * b!r}\n" for a, b in rows))

    def test_clusters_and_mixtures_are_the_same(self):
        self.table("one.csv", 1.0)
        for k, unit in enumerate((2.0**100, 2.0**-100)):
            self.table("far.csv", unit)
            for words in (("kmeans", "--clusters", 2, "--scale", "none"), ("gmm", "--components", 2)):
                answers = []
                for file in ("one.csv", "far.csv"):
                    self.succeed_quietly(words[0], file, *words[1:], "--precision", "double", "-q", "-o", "exact.model")
                    self.succeed_quietly(words[0], file, *words[1:], "-q", "-o", "m.model")
                    answers.append(self.succeed_quietly("predict", "m.model", file, "-q"))
                    self.assertEqual(answers[-1], self.succeed_quietly("predict", "exact.model", file, "-q"))
                self.assertEqual(answers[0], answers[1], (words, k))

    def test_where_zero_lies_does_not_matter(self):
        # Whole numbers that a float holds exactly, but not their squares.
        draw = random.Random(6)
        rows = [(round(draw.gauss(200 * (i % 2), 40)), round(draw.gauss(0, 30))) for i in range(300)]
        inertia, held, clusters = [], [], []
        for zero in (0, 16_000_000):
            self.file("far.csv", "a,b\n" + "".join(f"{a + zero},{b}\n" for a, b in rows))
            self.succeed_quietly("kmeans", "far.csv", "--clusters", 2, "--scale", "none", "-o", "k")
            clusters.append(self.succeed_quietly("predict", "k", "far.csv"))
            said = self.run_command("kmeans", "far.csv", "--clusters", 2, "--scale", "none", "-o", "k")[2]
            inertia.append(re.search(r"inertia (\S+),", said)[1])
            said = self.run_command("pca", "far.csv", "--rank", 1, "--scale", "none", "-o", "p")[2]
            held.append(re.search(r"hold (\S+) %", said)[1])
        for both in (inertia, held, clusters):
            self.assertEqual(both[0], both[1])

    def test_where_zero_lies_does_not_matter_in_double(self):
        draw = random.Random(7)
        rows = [(draw.gauss(4 * (i % 2), 1), draw.gauss(0, 1)) for i in range(300)]
        inertia, clusters = [], []
        for zero in (0, 1e6, 1e9):
            self.file("far.csv", "a,b\n" + "".join(f"{a + zero!r},{b - zero!r}\n" for a, b in rows))
            words = ("kmeans", "far.csv", "--clusters", 2, "--scale", "none", "--precision", "double", "-o", "k")
            inertia.append(float(re.search(r"inertia (\S+),", self.run_command(*words)[2])[1]))
            clusters.append(self.succeed_quietly("predict", "k", "far.csv"))
        self.assertLess(max(inertia) / min(inertia) - 1, 2e-5)  # six digits are printed
        self.assertEqual(clusters[1:], clusters[:1] * 2)

    def test_factors_of_them_are_refused(self):
        for unit in (2.0**100, 2.0**-100):
            self.table("far.csv", unit)
            self.refuse(2, "svd", "far.csv", "--rank", 1, "-q", "-o", "m", say="between 1e-15 and 1e15")
            self.refuse(2, "pca", "far.csv", "--rank", 1, "--scale", "none", "-q", "-o", "m", say="between 1e-15 and 1e15")

    def test_a_mixture_of_heavy_tails_is_saved(self):
        draw = random.Random(7)
        self.file("heavy.csv", "a,b\n" + "".join(f"{math.exp(20 * draw.gauss(0, 1))!r},{draw.gauss(0, 1)!r}\n" for _ in range(90)))
        self.succeed_quietly("gmm", "heavy.csv", "--components", 2, "-q", "-o", "m")


if __name__ == "__main__":
    unittest.main()
