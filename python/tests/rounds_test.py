# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rounds of sums: any order of tasks, any form of the rows, and any place gives the same bytes."""

import random
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from bochner import GaussianMixture, KernelKMeans, KernelLDA, KernelLogistic, KernelPCA, KernelRidge, RandomizedSVD
from bochner import HMMClassifier, KernelQuantile, KernelRegressor, KernelRidgeClassifier, KernelSVR, _files, rounds
from sklearn.base import clone

PARTS = 4


def made(rows=1200, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(rows, 4)).round(3)
    y = (np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * draw.normal(size=rows)).round(4)
    return X, y


def cuts(rows):
    return np.array_split(np.arange(rows), PARTS)


def run(job, data, order=None):
    """All rounds; order(missing) is that of the tasks."""
    while not job.done:
        plan = job.plan
        for p in (order or list)(job.missing):
            job.add(rounds.run_task(plan, data[p], p))
    return job.model()


def bytes_of(machine):
    return _files.to_bytes(machine.model_)


class RoundsTest(unittest.TestCase):
    def tables(self, y="y"):
        X, target = made()
        if y == "kind":
            target = np.where(target > 0.5, "high", np.where(target < -0.5, "low", "middle"))
        table = pd.DataFrame(X, columns=list("abcd"))
        table[y] = target
        return table, [table.iloc[cut] for cut in cuts(len(table))]

    def test_sequences_lie_whole_in_a_partition(self):
        draw = np.random.default_rng(5)
        lengths = draw.integers(4, 9, size=80)
        kinds = np.arange(80) % 2
        X = np.concatenate([draw.normal(size=(n, 2)) + np.outer(np.arange(n) % 2, [3, 3 - 6 * kind])
                            for n, kind in zip(lengths, kinds)]).round(3)
        table = pd.DataFrame(X, columns=["a", "b"])
        table["id"], table["kind"] = np.repeat(np.arange(80), lengths), np.repeat(np.where(kinds, "up", "down"), lengths)
        parts = [table[(table.id >= 20 * p) & (table.id < 20 * p + 20)] for p in range(PARTS)]
        machine = HMMClassifier(n_states=2, random_state=1)
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / f"{p}.csv" for p in range(PARTS)]
            for path, part in zip(paths, parts):
                part.to_csv(path, index=False)
            found = run(rounds.Rounds(machine, PARTS, y="kind", sequence="id"), parts, lambda missing: random.Random(1).sample(missing, len(missing)))
            files = run(rounds.Rounds(machine, PARTS, y="kind", sequence="id"), paths)
        names = np.repeat(np.where(kinds, "up", "down"), lengths)
        alone = HMMClassifier(n_states=2, random_state=1).fit(table[["a", "b"]], np.where(kinds, "up", "down"), lengths)
        for fitted in (found, files):
            self.assertEqual(list(fitted.classes_), ["down", "up"])
            np.testing.assert_array_equal(fitted.predict(X, lengths), names[np.cumsum(lengths) - 1])
            np.testing.assert_array_equal(fitted.predict_log_proba(X, lengths), alone.predict_log_proba(X, lengths))
        with self.assertRaisesRegex((ValueError, RuntimeError), "rows of one sequence"):
            run(rounds.Rounds(machine, PARTS, y="kind", sequence="id"), [table[:1], table[1:2], table[2:3], table[3:]])
        with self.assertRaisesRegex(ValueError, "sequence"):
            rounds.Rounds(machine, PARTS, y="kind")

    def test_every_form_of_the_rows_gives_the_same_machine(self):
        table, parts = self.tables()
        machine = KernelRidge(n_components=40, random_state=3)
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for p, part in enumerate(parts):
                paths.append(Path(folder) / f"{p}.csv")
                part.to_csv(paths[-1], index=False)
            expected = bytes_of(run(rounds.Rounds(machine, PARTS, y="y"), paths))
        arrow = [pa.Table.from_pandas(part, preserve_index=False) for part in parts]
        for data in (parts, arrow, [t.to_batches(max_chunksize=100) for t in arrow]):
            self.assertEqual(bytes_of(run(rounds.Rounds(machine, PARTS, y="y"), data)), expected)
        arrays = [(part[list("abcd")], part["y"].to_numpy()) for part in parts]
        fitted = run(rounds.Rounds(machine, PARTS), arrays)
        np.testing.assert_allclose(fitted.predict(table[list("abcd")]), KernelRidge(
            n_components=40, random_state=3, solver="cholesky").fit(
                table[list("abcd")], table["y"]).predict(table[list("abcd")]), atol=0.15)

    def test_every_order_of_tasks_and_a_driver_that_begins_again_give_the_same_machine(self):
        _, parts = self.tables("kind")
        draw = random.Random(1)
        for machine, y in ((KernelRidgeClassifier(n_components=30, random_state=0), "kind"),
                           (KernelLogistic(n_components=20, C=1.0, random_state=0), "kind"),
                           (KernelLogistic(n_components=20, random_state=0), "kind"),
                           (KernelLDA(n_map_features=20, random_state=0), "kind"),
                           (KernelKMeans(3, n_map_features=16, random_state=0), None),
                           (GaussianMixture(2, max_iter=5, random_state=0), None),
                           (KernelPCA(2, n_map_features=16, random_state=0), None),
                           (RandomizedSVD(2, random_state=0), None)):
            with self.subTest(type(machine).__name__):
                data = parts if y else [part[list("abcd")] for part in parts]
                expected = run(rounds.Rounds(machine, PARTS, y=y), data)

                def shuffled(missing):
                    return draw.sample(missing, len(missing))

                job = rounds.Rounds(machine, PARTS, y=y)
                job.add(rounds.run_task(job.plan, data[2], 2))
                again = rounds.Rounds.from_state(job.state)
                self.assertEqual(again.missing, [0, 1, 3])
                self.assertEqual(bytes_of(run(again, data, shuffled)), bytes_of(expected))

    def test_a_classifier_predicts_its_classes(self):
        table, parts = self.tables("kind")
        fitted = run(rounds.Rounds(KernelRidgeClassifier(n_components=200, random_state=0), PARTS, y="kind"), parts)
        self.assertEqual(list(fitted.classes_), ["high", "low", "middle"])
        self.assertGreater((fitted.predict(table[list("abcd")]) == table["kind"]).mean(), 0.7)

    def test_what_is_wrong_is_refused_by_name(self):
        _, parts = self.tables()
        machine = KernelRidge(n_components=20, random_state=0)
        job = rounds.Rounds(machine, PARTS, y="y")
        first = rounds.run_task(job.plan, parts[0], 0)
        self.assertTrue(job.add(first))
        self.assertFalse(job.add(first))
        altered = bytearray(first)
        altered[-5] ^= 1
        with self.assertRaisesRegex(RuntimeError, "checksum"):
            job.add(bytes(altered))
        with self.assertRaisesRegex(ValueError, "partition 1 has the same rows as partition 0"):
            job.add(rounds.run_task(job.plan, parts[0], 1))
        with self.assertRaisesRegex(ValueError, "no column 'y'"):
            rounds.run_task(job.plan, parts[1][["a", "b"]], 1)
        for p in (1, 2, 3):
            job.add(rounds.run_task(job.plan, parts[p], p))
        self.assertEqual(job.round, 1)
        with self.assertRaisesRegex(ValueError, "result of round 0, expected one of round 1"):
            job.add(first)
        with self.assertRaisesRegex(ValueError, "partition 2: found other rows than in round 0"):
            job.add(rounds.run_task(job.plan, parts[3], 2))
        with self.assertRaisesRegex(ValueError, "result of job"):
            rounds.Rounds(machine, PARTS, y="y").add(first)

    def test_rows_meet_for_a_machine_that_is_no_sum(self):
        table, parts = self.tables()
        for machine in (KernelQuantile(n_components=20), KernelRegressor("fast"), KernelSVR(n_components=20)):
            job = rounds.Rounds(machine, PARTS, y="y")
            self.assertIn("rounds: 2", job.forecast)
            fitted = run(job, parts)
            self.assertEqual(job.round, 2)
            alone = clone(machine).fit(table.drop(columns="y"), table["y"])
            np.testing.assert_array_equal(fitted.predict(table.drop(columns="y")), alone.predict(table.drop(columns="y")))

    def test_an_empty_partition_adds_nothing(self):
        _, parts = self.tables()
        machine = KernelRidge(n_components=20, random_state=0)
        fitted = run(rounds.Rounds(machine, PARTS, y="y"), [parts[0], None, parts[1].iloc[:0], parts[2]])
        self.assertEqual(fitted.report_.rows, 600 + len(parts[2]) - 300)

    def test_weights_lie_in_a_column_or_beside(self):
        _, parts = self.tables()
        for p, part in enumerate(parts):
            part["w"] = 1.0 + np.arange(len(part)) % 3 if p else 0.0  # a partition of rows that do not count
        machine = KernelRidge(n_components=20, random_state=0)
        y, w = [part["y"].to_numpy() for part in parts], [part["w"].to_numpy() for part in parts]
        expected = run(rounds.Rounds(machine, PARTS), [(p[list("abcd")], *of) for p, *of in zip(parts, y, w)])
        for job, data in (
            (rounds.Rounds(machine, PARTS, y="y", sample_weight="w"), parts),
            (rounds.Rounds(machine, PARTS, sample_weight="w"), [(p.drop(columns="y"), of) for p, of in zip(parts, y)]),
            (rounds.Rounds(machine, PARTS, y="y"), [(p.drop(columns="w"), None, of) for p, of in zip(parts, w)]),
        ):
            table = parts[0][list("abcd")]
            np.testing.assert_array_equal(run(job, data).predict(table), expected.predict(table))
        with self.assertRaisesRegex(ValueError, "no column 'w'"):
            job = rounds.Rounds(machine, PARTS, sample_weight="w")
            rounds.run_task(job.plan, (parts[0][list("abcd")].to_numpy(), y[0]), 0)
        with self.assertRaisesRegex(ValueError, "row 0 has -1.0, expected"):
            rounds.run_task(rounds.Rounds(machine, PARTS).plan, (parts[0][list("abcd")], y[0], -w[1]), 0)

    def test_targets_without_a_value_are_refused(self):
        table, _ = self.tables("kind")
        table.loc[7, "kind"] = None
        for y, data in (("kind", table), (None, (table[list("abcd")], table["kind"])),
                        (None, (table[list("abcd")], np.where(np.arange(len(table)) == 7, np.nan, 1.0)))):
            job = rounds.Rounds(KernelRidgeClassifier(n_components=20, random_state=0), 1, y=y)
            with self.assertRaisesRegex(ValueError, "y: row 7 has no value"):
                rounds.run_task(job.plan, data, 0)

    def test_a_job_of_another_program_is_refused(self):
        for words in ('{"files": ["a.csv"], "words": []}', '{"estimator": "rounds", "parameters": {}, "targets": [], '
                      '"weight": null}', "nonsense", "[]"):
            with self.assertRaisesRegex(ValueError, "bochner.rounds did not begin"):
                rounds._Job.of_words(words)


if __name__ == "__main__":
    unittest.main()
