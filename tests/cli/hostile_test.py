# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Files that are well-formed and false: counts, shapes and labels that contradict each other, or that ask for memory
which the file does not back. Each is refused in one line, and takes no more memory than a small command does."""

import resource
import struct
import unittest

from archive import Archive
from command import CommandTest

ROWS = "a,b,y\n" + "".join(f"{i % 7},{i * i % 11},{i}.25\n" for i in range(40))
CLASSES = "a,b,y\n" + "".join(f"{i % 7 + i % 3},{i * i % 11},{'pqr'[i % 3]}\n" for i in range(60))
SEQUENCES = "id,a,b,y\n" + "".join(
    f"{i // 8},{i % 7 + i // 8 % 2},{i * i % 11},{'pq'[i // 8 % 2]}\n" for i in range(96))
TRAIN = ("--features", 4, "--bandwidth", 1, "--lambda", 1e-3)
MOST = 300 << 20  # bytes: what the command takes for a small model, several times


class HostileTest(CommandTest):
    def altered(self, name, alter):
        """The file with its archive altered."""
        archive = Archive(self.folder / name)
        alter(archive)
        archive.save(self.folder / name)

    def tearDown(self):
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, MOST)

    def hmm(self, *words):
        self.file("seq.csv", SEQUENCES)
        self.succeed("hmm", "seq.csv", "--sequence", "id", "--states", 2, "--covariance", "spherical", *words, "-o", "m")

    def test_an_hmm_of_other_classes_than_labels(self):
        def labels(archive, some):
            archive.tree["schema"]["labels"] = some

        for some in ([], ["p"], ["p", "q", "r"]):
            self.hmm("--target", "y")
            self.altered("m", lambda archive: labels(archive, some))
            for command in (("predict", "m", "seq.csv"), ("eval", "m", "seq.csv"), ("inspect", "m")):
                self.refuse(3, *command, say="labels")

    def test_an_hmm_of_one_class_with_labels(self):
        self.hmm("--target", "y")
        schema = Archive(self.folder / "m").tree["schema"]
        self.hmm("--ignore", "y")

        def of_classes(archive):
            archive.tree["schema"] = schema

        self.altered("m", of_classes)
        for command in ("predict", "eval"):
            self.refuse(3, command, "m", "seq.csv", say="labels")

    def test_a_mixture_of_classes_without_labels(self):
        self.file("rows.csv", CLASSES)
        self.succeed("gmm", "rows.csv", "--target", "y", "--components", 2, "-o", "m")

        def density(archive):
            archive.tree["head"]["output"] = "density"
            archive.tree["schema"].update(task="regression", labels=[], targets=0)
            archive.tree["schema"]["columns"][-1]["kind"] = "ignored"

        self.altered("m", density)
        self.refuse(3, "sample", "m", "--rows", 50, "-o", "-", say="labels")

    def test_a_report_that_names_another_learner(self):
        self.file("rows.csv", ROWS)
        self.succeed("train", "rows.csv", "--target", "y", *TRAIN, "-o", "m")
        expected = self.succeed("predict", "m", "rows.csv")
        for learner in ("hmm", "mixture", "automatic", "knn"):
            self.altered("m", lambda archive: archive.tree["report"].update(learner=learner))
            self.assertEqual(self.succeed("predict", "m", "rows.csv"), expected)
            self.succeed("eval", "m", "rows.csv")
            self.succeed("transform", "m", "rows.csv", "-o", "z.csv", "--quiet")
            self.succeed("report", "m", "rows.csv", "-o", "page.html", "--quiet")

    def test_an_hmm_of_more_states_than_transitions(self):
        self.hmm("--ignore", "y")

        def states(archive):
            count = 40000
            archive.doubles("head.class0.start", [count], [1 / count] * count)
            archive.doubles("head.class0.means", [count, 2], [0.0] * 2 * count)
            archive.doubles("head.class0.variances", [count, 1], [1.0] * count)

        self.altered("m", states)
        self.refuse(3, "inspect", "m", say="transitions")

    def test_moments_of_no_shape(self):
        self.file("rows.csv", ROWS)
        for shape, content in ([], bytes(8)), ([0], b""), ([2 ** 40, 0], b""):
            self.succeed("svd", "rows.csv", "--moments", "--missing", "error", "-o", "s", "--quiet")
            self.altered("s", lambda archive: archive.put("moments.sums", shape, content, "I64"))
            self.refuse(3, "inspect", "s", say="sums")
            self.refuse(3, "merge", "s", "-o", "other", say="sums")

    def test_counts_of_more_columns_than_counts(self):
        self.file("docs.txt", "a storm at sea\nthe calm sea\n")
        self.succeed("text", "docs.txt", "--hashed", 64, "-o", "d.counts", "--quiet")
        self.altered("d.counts", lambda archive: archive.tree.update(hashed=2 ** 31))
        self.refuse(3, "merge", "d.counts", "-o", "other", say="counts")
        self.succeed("text", "docs.txt", "--hashed", 64, "-o", "d.svm", "--quiet")
        self.altered("d.svm.text", lambda archive: archive.tree.update(hashed=2 ** 31))
        self.refuse(3, "text", "docs.txt", "--model", "d.svm.text", "-o", "e.svm", say="counts")

    def test_a_sum_of_more_classes_than_targets(self):
        self.file("rows.csv", CLASSES)
        self.succeed("accumulate", "rows.csv", "--target", "y", "-o", "survey.sum", "--quiet")
        self.succeed("accumulate", "rows.csv", "--spec", "survey.sum", *TRAIN[:4], "-o", "s", "--quiet")
        self.altered("s", lambda archive: archive.tree["gram"]["targets"].update(classes=40000))
        self.refuse(3, "inspect", "s", say="moment")

    def test_an_index_of_rows_without_inputs(self):
        self.file("rows.csv", "a,b\n" + "1,2\n3,4\n5,7\n" * 3)
        self.succeed("index", "rows.csv", "--bytes", "-o", "i", "--quiet")

        def rows(archive):
            archive.tree["rows"] = 2 ** 30
            archive.tree["next"] = 2 ** 30
            archive.put("codes", [2 ** 30, 0], b"", "U8")

        self.altered("i", rows)
        self.refuse(3, "neighbors", "i", "rows.csv", say="codes")

    def test_centres_of_no_inputs(self):
        self.file("rows.csv", ROWS)
        self.succeed("kmeans", "rows.csv", "--clusters", 2, "-o", "m", "--quiet")
        for shape in [2 ** 40, 0], [0, 2 ** 40], [2, 0], [0]:
            self.succeed("kmeans", "rows.csv", "--clusters", 2, "-o", "m", "--quiet")
            for name in Archive(self.folder / "m").arrays:
                if name.endswith("centres"):
                    self.altered("m", lambda archive: archive.put(name, shape, b""))
            self.refuse(3, "inspect", "m")

    def test_a_map_that_draws_more_than_the_memory(self):
        self.file("rows.svm", "1 1:1 3:1\n2 2:1\n0 1:2\n" * 9)
        words = ("--map", "fourier", "--features", 64, "--bandwidth", 1, "--lambda", 1e-3, "--scale", "none")
        self.succeed("train", "rows.svm", *words, "-o", "m", "--quiet")
        inputs = 2 ** 23

        def wide(archive):
            archive.tree["schema"]["inputs"] = inputs
            archive.tree["map0"]["inputs"] = inputs

        self.altered("m", wide)
        for command in (("predict", "m", "rows.svm"), ("eval", "m", "rows.svm"),
                        ("transform", "m", "rows.svm", "-o", "z.csv")):
            self.refuse(1, *command, "--memory", "500M", say="--memory")

    def test_more_outputs_than_have_names(self):
        self.file("rows.csv", "a,b\n" + "1,2\n3,4\n5,7\n" * 9)
        self.succeed("embed", "rows.csv", "--map", "fourier", "--features", 64, "-o", "e", "--quiet")
        self.altered("e", lambda archive: archive.tree["head"].update(features=2 ** 29))
        self.refuse(3, "inspect", "e", say="outputs")


if __name__ == "__main__":
    unittest.main()
