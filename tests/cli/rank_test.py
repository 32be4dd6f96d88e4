# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner rank` and `bochner eval --group`: an order within groups."""

import json
import random
import unittest

from command import CommandTest


class Rank(CommandTest):
    def answers(self, queries=30, seed=1):
        """Grades by a product of two columns; a query moves the third, which says nothing."""
        draw = random.Random(seed)
        lines = ["query,a,b,c,grade"]
        for query in range(queries):
            moved = draw.gauss(0, 5)
            for _ in range(20):
                a, b = draw.gauss(0, 1), draw.gauss(0, 1)
                lines.append(f"q{query},{a:.4f},{b:.4f},{moved:.4f},{(a * b > -0.2) + (a * b > 0.3) + (a * b > 1)}")
        self.file("answers.csv", "\n".join(lines) + "\n")

    def scored(self, model="m"):
        return json.loads(self.succeed("eval", model, "answers.csv", "--group", "query", "--json"))

    def test_an_order_that_no_line_has_is_learnt_in_a_kernel(self):
        self.answers()
        self.succeed("rank", "answers.csv", "-t", "grade", "--group", "query", "--features", 200, "-o", "m")
        self.succeed("rank", "answers.csv", "-t", "grade", "--group", "query", "--map", "none", "-o", "line")
        self.answers(seed=2)
        kernel, line = self.scored(), self.scored("line")
        self.assertGreater(kernel["ndcg@10"], 0.9)
        self.assertLess(line["ndcg@10"], 0.8)
        self.assertEqual((kernel["groups"], kernel["without"]), (30, 0))

    def test_the_bytes_do_not_depend_on_threads(self):
        self.answers(12)
        for pairs in ("same", "ndcg"):
            for threads in (1, 3):
                self.succeed("rank", "answers.csv", "-t", "grade", "--group", "query", "--features", 40, "--pairs", pairs,
                             "--threads", threads, "-o", f"m{threads}")
            self.assertEqual((self.folder / "m1").read_bytes(), (self.folder / "m3").read_bytes())

    def test_what_has_no_order_is_refused(self):
        self.answers(4)
        self.file("flat.csv", "query,a,grade\n" + "".join(f"q{i % 3},{i},2\n" for i in range(12)))
        words = ("-t", "grade", "--group", "query", "--quiet")
        self.refuse(2, "rank", "flat.csv", *words, "-o", "m", say="one grade")
        self.refuse(1, "rank", "answers.csv", *words, "--lambda", 0, "-o", "m", say="lambda")
        self.refuse(1, "rank", "answers.csv", *words, "--pairs", "odd", "-o", "m", say="--pairs")
        self.succeed("rank", "answers.csv", *words, "--lambda", 0.01, "--features", 16, "-o", "m")
        self.refuse(2, "eval", "m", "flat.csv", "--group", "query", "--quiet", say="b")
        self.refuse(1, "eval", "m", "answers.csv", say="components")
        self.refuse(2, "eval", "m", "answers.csv", "--group", "nothing", say="nothing")


if __name__ == "__main__":
    unittest.main()
