# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What cells mean: missing values, decimals, dates, identifiers, levels and classes, decided, said and kept."""

import datetime
import json
import math
import random
import re
import shlex
import unittest

from command import DATA, CommandTest

CPU = DATA / "cpu-small.csv"
USAGE, BAD_DATA = 1, 2
QUICK = ("--features", 16, "--bandwidth", 3, "--lambda", "1e-4")


class Columns(CommandTest):
    def report(self, *words):
        return json.loads(self.succeed_quietly("train", *words, *QUICK, "--json"))

    def schema(self, model):
        return json.loads(self.succeed("inspect", model, "--json"))["schema"]

    def cpu_with(self, text, every, column=20):
        """The CPU rows with a text in every so many cells of a column."""
        heading, *rows = CPU.read_text().splitlines()
        for i in range(0, len(rows), every):
            cells = rows[i].split(",")
            cells[column] = text
            rows[i] = ",".join(cells)
        return self.file("cpu.csv", "\n".join([heading, *rows]) + "\n")

    def test_spellings_of_missing_cells_are_all_the_same(self):
        self.cpu_with("NA", 10)
        wanted = self.report("cpu.csv", "-t", "usr")
        self.assertEqual(wanted["inputs"], 22)  # one of them marks the missing cells
        self.assertTrue(any("100 in freeswap" in note for note in wanted["notes"]), wanted["notes"])
        for text in ("N/A", "#N/A", "null", "None", "na", "-", "missing", "NaN", "<NA>", ""):
            self.cpu_with(text, 10)
            report = self.report("cpu.csv", "-t", "usr")
            self.assertEqual((report["inputs"], report["score"]), (22, wanted["score"]), text)
        self.cpu_with("broken", 10)
        broken = self.report("cpu.csv", "-t", "usr")
        self.assertEqual((broken["inputs"], broken["score"]), (22, wanted["score"]))
        self.assertIn("freeswap: 900 numbers and 100 texts such as 'broken', which count as missing; --category freeswap "
                      "to take the column as text", broken["notes"])
        self.assertEqual(self.report("cpu.csv", "-t", "usr", "--missing-values", "broken,x")["score"], wanted["score"])
        self.cpu_with("broken", 1000)
        self.refuse(BAD_DATA, "train", "cpu.csv", "-t", "usr", say="--missing-values broken")
        self.cpu_with("-999", 10)
        self.assertEqual(self.report("cpu.csv", "-t", "usr", "--missing-values=-999")["score"], wanted["score"])

    def test_rows_without_a_target(self):
        self.cpu_with("", 10, column=21)
        self.refuse(BAD_DATA, "train", "cpu.csv", "-t", "usr", say="--missing drop")
        report = self.report("cpu.csv", "-t", "usr", "--missing", "drop")
        self.assertEqual(report["rows"], 900)
        self.assertIn("100 of 1000 rows left out, cells are missing: 100 in usr", report["notes"])

    def test_european_decimals(self):
        rng = random.Random(0)
        rows = [(x, x * x) for x in (rng.gauss(0, 1) for _ in range(300))]
        self.file("us.csv", "a,y\n" + "".join(f"{a:.3f},{y:.3f}\n" for a, y in rows))
        self.file("eu.csv", "a;y\n" + "".join(f"{a:.3f};{y:.3f}\n".replace(".", ",") for a, y in rows))
        code, _, errors = self.run_command("train", "eu.csv", "-t", "y", *QUICK, "-o", "eu.model")
        self.assertEqual(code, 0, errors)
        self.assertIn("decimal comma, as in a, y", errors)
        self.succeed_quietly("train", "us.csv", "-t", "y", *QUICK, "-o", "us.model")
        self.assertEqual(self.evaluate("eu.model", "eu.csv"), self.evaluate("us.model", "us.csv"))
        self.refuse(BAD_DATA, "predict", "us.model", "eu.csv", say="--decimal ,")
        self.refuse(BAD_DATA, "predict", "eu.model", "us.csv", say="--decimal .")
        self.assertEqual(self.succeed("predict", "us.model", "eu.csv", "--decimal", ","),
                         self.succeed("predict", "eu.model", "us.csv", "--decimal", "."))
        self.file("percent.csv", "a,y\n" + "".join(f"{i}%,{i}.5\n" for i in range(50)))
        self.refuse(BAD_DATA, "train", "percent.csv", "-t", "y", say="without '%'")
        self.refuse(BAD_DATA, "train", "percent.csv", "-t", "a", say="without '%'")
        self.refuse(USAGE, "train", "eu.csv", "-t", "y", "--decimal", ";")

    def test_kernels_over_named_columns(self):
        rows = [(i * 37 % 101 / 101, (i * 0.37) % 240, "abc"[i * 7 % 3], i * 53 % 29) for i in range(500)]
        self.file("x.csv", "size,hour,kind,far\n" + "\n".join(
            ",".join(map(str, row)) for row in rows) + "\n")
        target = [math.sin(row[1] * math.pi / 12) * (3 if row[2] == "a" else row[0]) for row in rows]
        text = (self.folder / "x.csv").read_text().split()
        self.file("y.csv", "\n".join([text[0] + ",y"] + [f"{a},{b}" for a, b in zip(text[1:], target)]) + "\n")
        kernel = "gaussian(size)*periodic(hour,period=24)*hamming(kind,power=2)+linear(far)*0.5"
        words = ("y.csv", "-t", "y", "--kernel", kernel, "--features", 301, "--seed", 4)
        for threads in (1, 3):
            self.succeed("train", *words, "--threads", threads, "-o", f"{threads}.model")
        self.assertEqual((self.folder / "1.model").read_bytes(), (self.folder / "3.model").read_bytes())
        model = json.loads(self.succeed_quietly("inspect", "1.model", "--json"))
        self.assertIn("periodic(1,period=24", model["map"])
        self.assertGreater(json.loads(self.succeed_quietly("eval", "1.model", "y.csv", "--json"))["r2"], 0.9)
        found = json.loads(self.succeed_quietly("check", *words, "--sample", 80, "--seeds", 60, "--json"))
        self.assertAlmostEqual(found["variance"] / found["expected_variance"], 1, delta=0.3)
        _, _, errors = self.run_command("train", *words, "-o", "x")
        self.assertNotIn("--bandwidth", errors)
        for option in ("--bandwidth", "--gamma"):
            self.refuse(1, "train", *words, option, 7, "-o", "x", "--quiet", say="leave it out")
        self.refuse(1, "train", "y.csv", "-t", "y", "--kernel", "gaussian(siz)", "-o", "x", "--quiet", say="size")
        self.refuse(1, "train", "y.csv", "-t", "y", "--kernel", "gaussian(size", "-o", "x", "--quiet", say="gaussian(a,b)")

    def test_a_mixture_of_kernels_keeps_what_is_before_it(self):
        self.file("y.csv", "a,b,y\n" + "".join(f"{i % 7},{i % 5},{i % 35 * 0.1}\n" for i in range(200)))
        self.succeed("train", "y.csv", "-t", "y", "--map", "project:kind=sign,dims=3|fourier", "--features", 32,
                     "--kernel", "gaussian+laplacian", "--bandwidth", 2, "-o", "m")
        self.assertIn("project", json.loads(self.succeed_quietly("inspect", "m", "--json"))["map"])

    def test_identifiers_dates_and_levels_are_said_saved_and_applied(self):
        def rows(first, count):
            return "id,when,city,y\n" + "".join(
                f"user{i},2024-{1 + i % 12:02}-{1 + i % 28:02}T{i % 24:02}:30:00Z,c{i * i % 83},{i % 12}.5\n"
                for i in range(first, first + count))
        self.file("a.csv", rows(0, 400))
        self.file("b.csv", rows(400, 50))
        words = ("-t", "y", "--max-levels", 5, *QUICK, "-o", "m")
        code, _, errors = self.run_command("train", "a.csv", *words)
        self.assertEqual(code, 0, errors)
        for say in ("id: 400 levels in 400 rows, ignored; --category id keeps it", "when: dates",
                    "city: 42 levels, the 5 most frequent kept", "400 rows, 6 inputs"):
            self.assertIn(say, errors)
        self.succeed_quietly("train", "a.csv", *words)
        columns = {column["name"]: column for column in self.schema("m")["columns"]}
        self.assertTrue(columns["id"]["identifier"])
        self.assertEqual(columns["when"]["dates"], "year first")
        self.assertEqual(len(columns["city"]["levels"]), 5)
        self.assertEqual(self.evaluate("m", "b.csv")["rows"], 50)
        notes = json.loads(self.succeed("inspect", "m", "--json"))["report"]["notes"]
        self.assertTrue(any(note.startswith("id: 400 levels") for note in notes), notes)
        self.succeed_quietly("train", "a.csv", *words, "--category", "id,when")
        self.assertEqual({c["name"]: c["kind"] for c in self.schema("m")["columns"]},
                         {"id": "category", "when": "category", "city": "category", "y": "target"})

    def test_dates_keep_their_seconds(self):
        rng = random.Random(0)
        start = datetime.datetime(2024, 3, 31)
        rows = "when,y\n"
        for _ in range(600):
            seconds = 3600 * rng.random()
            when = (start + datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
            rows += f"{when},{math.sin(seconds / 100):.4f}\n"
        self.file("hour.csv", rows)
        self.succeed_quietly("train", "hour.csv", "-t", "y", "-o", "m")
        self.assertGreater(self.evaluate("m", "hour.csv")["r2"], 0.95)

    def test_dates_tell_the_weekday_the_season_and_the_hour(self):
        """Sales of three years: more on weekends, in summer and at noon, none of which the number of a day tells."""
        draw = random.Random(5)
        begin = datetime.datetime(2021, 1, 1)

        def rows(count, times):
            lines = ["when,price,sales"]
            for _ in range(count):
                when = begin + datetime.timedelta(minutes=30 * draw.randrange(3 * 365 * 48))
                price = draw.random()
                sales = 3 * (when.weekday() >= 5) - 2 * math.cos(2 * math.pi * when.timetuple().tm_yday / 365.25) - price
                if times:
                    sales += 2 * math.exp(-((when.hour + when.minute / 60 - 12) / 3) ** 2)
                written = when.isoformat(sep=" ") if times else when.date().isoformat()
                lines.append(f"{written},{price:.4f},{sales + 0.1 * draw.gauss(0, 1):.4f}")
            return "\n".join(lines) + "\n"

        for times in (False, True):
            self.file("train.csv", rows(900, times))
            new = rows(400, times)
            self.file("new.csv", new)
            self.succeed_quietly("train", "train.csv", "--target", "sales", "--effort", "fast", "-o", "m")
            found = json.loads(self.succeed_quietly("eval", "m", "new.csv", "--json"))
            self.assertGreater(found["r2"], 0.95, times)
            notes = json.loads(self.succeed("inspect", "m", "--json"))["report"]["notes"]
            said = "when: the date itself, its day of the week, its season" + (", its time of day" if times else "")
            self.assertIn(said, notes)
            # Later than every date of training: the cycles go on, the date itself stays at the last.
            self.file("later.csv", new.replace("2022-", "2033-"))  # the same weekdays
            later = json.loads(self.succeed_quietly("eval", "m", "later.csv", "--json"))
            self.assertGreater(later["r2"], 0.9, times)

    def test_parts_agree_on_identifiers_dates_and_decimals(self):
        def part(name, first, count):
            self.file(name, "id;when;a;y\n" + "".join(
                f"u{i};{1 + i % 28:02}/{1 + i % 12:02}/2024;{i % 10},{i % 4};{i % 7},5\n"
                for i in range(first, first + count)))
        part("a.csv", 0, 200)
        part("b.csv", 200, 15)  # too few rows to show an identifier
        for name in "ab":
            self.succeed_quietly("accumulate", f"{name}.csv", "-t", "y", "-o", f"{name}.survey")
        merged = set()
        for order in ("ab", "ba"):
            self.succeed_quietly("merge", *(f"{name}.survey" for name in order), "-o", "all.survey")
            merged.add((self.folder / "all.survey").read_bytes())
        self.assertEqual(len(merged), 1)
        for name in "ab":
            self.succeed_quietly("accumulate", f"{name}.csv", "--spec", "all.survey", "--features", 16, "--bandwidth", 3,
                                 "-o", f"{name}.sum")
        self.succeed_quietly("merge", "a.sum", "b.sum", "-o", "all.sum")
        report = json.loads(self.succeed_quietly("solve", "all.sum", "-o", "m", "--json"))
        self.assertEqual((report["rows"], report["inputs"]), (215, 2))
        self.assertIn("ignored, nearly every row has a text of its own: id", report["notes"])
        schema = self.schema("m")
        self.assertEqual(schema["decimal"], ",")
        self.assertEqual(schema["columns"][1]["dates"], "day first")
        self.assertEqual(self.evaluate("m", "b.csv")["rows"], 15)
        self.succeed_quietly("accumulate", "b.csv", "-t", "y", "--missing-values", "x", "-o", "x.survey")
        self.refuse(BAD_DATA, "merge", "a.survey", "x.survey", "-o", "y", say="--missing-values")
        self.succeed_quietly("accumulate", "b.csv", "-t", "y", "--max-levels", 7, "-o", "x.survey")
        self.refuse(BAD_DATA, "merge", "a.survey", "x.survey", "-o", "y", say="--max-levels")

    def test_classes(self):
        self.file("counts.csv", "a,y\n" + "".join(f"{i},{i % 12}\n" for i in range(120)))
        _, _, errors = self.run_command("train", "counts.csv", "-t", "y", *QUICK)
        self.assertIn("the target is whole numbers, taken as 12 classes; --task regression takes them as numbers", errors)
        self.file("codes.csv", "a,y\n" + "".join(f"{i},{i % 3 * 5}\n" for i in range(120)))
        _, _, errors = self.run_command("train", "codes.csv", "-t", "y", *QUICK)
        self.assertIn("the target is whole numbers, taken as 3 classes; --task regression takes them as numbers", errors)
        _, _, errors = self.run_command("train", "counts.csv", "-t", "y", "--task", "classification", *QUICK)
        self.assertNotIn("whole numbers", errors)
        self.file("names.csv", "a,y\n" + "".join(f"{i % 7},name {i}\n" for i in range(120)))
        self.refuse(BAD_DATA, "train", "names.csv", "-t", "y", say="--task classification")

    def test_columns_that_count_rows_are_said(self):
        rows = [f"{i},{i * i % 17},{i % 5 + 0.5}\n" for i in range(250)]
        self.file("index.csv", ",a,y\n" + "".join(rows))
        self.file("shuffled.csv", ",a,y\n" + "".join(rows[::2] + rows[1::2]))
        for words in (QUICK, ("--effort", "fast")):
            _, _, errors = self.run_command("train", "index.csv", "-t", "y", *words)
            self.assertIn("x0: counts the rows, as every file does anew; --ignore x0 leaves it out", errors)
            self.assertNotIn("a: counts", errors)
        _, _, errors = self.run_command("train", "shuffled.csv", "-t", "y", *QUICK)
        self.assertNotIn("counts the rows", errors)

    def test_remedies_can_be_pasted(self):
        rows = "".join(f"2024-01-{i % 28 + 1:02},{i},{i % 5}.5\n" for i in range(60))
        self.file("dates.csv", "start date,it's $1,y\n" + rows)
        code, _, errors = self.run_command("train", "dates.csv", "-t", "y", "--map", "none")
        self.assertEqual(code, 0, errors)
        remedy = re.search(r"(--category .*) takes them as text", errors)[1]
        self.assertEqual(shlex.split(remedy), ["--category", "start date"])
        code, _, errors = self.run_command("train", "dates.csv", "-t", "y", "--map", "none", *shlex.split(remedy))
        self.assertEqual(code, 0, errors)
        self.assertNotIn("takes them as text", errors)

    def test_names_that_are_no_text_are_shown(self):
        self.file("latin.csv", "région,straße,y\nSüd,b,0.5\nNord,a,1.5\n".encode("latin-1") +
                  "".join(f"{('Süd', 'Nord')[i % 2]},{'ab'[i % 3 // 2]},{i}\n" for i in range(40)).encode("latin-1"))
        process = self.start("train", "latin.csv", "-t", "y", "--map", "none", "-o", "m")
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        said = errors.decode("ascii")  # no byte as it was
        self.assertIn(r"the names of columns r\xe9gion, stra\xdfe; cells of r\xe9gion", said)

    def test_inspect_obeys_no_name(self):
        labels = ("p", "\x1b[31mred")
        rows = "".join(f"{i % 7},{labels[i % 2]}\n" for i in range(40))
        self.file("red.csv", "\x1b]0;title\x07a,y\n" + rows)
        self.succeed_quietly("train", "red.csv", "-t", "y", "--map", "none", "-o", "m")
        for words in (("inspect", "m"), ("inspect", "m", "--json"), ("eval", "m", "red.csv", "--details")):
            self.assertNotRegex(self.succeed(*words), "[\x00-\x09\x0b-\x1f\x7f]")
        self.assertIn(r"\x1b[31mred", self.succeed("inspect", "m"))

    def test_equal_names_are_said(self):
        self.file("equal.csv", "a,b,a,y\n" + "".join(f"{i % 7},{i % 3},{i % 4},{i % 9 + 0.5}\n" for i in range(40)))
        _, _, errors = self.run_command("train", "equal.csv", "-t", "y", *QUICK)
        self.assertIn("several columns have the name a; in new files they are told apart by their order", errors)

    def test_a_delimiter_that_was_not_found(self):
        self.file("spaces.csv", "a b y\n" + "1 2 3\n" * 9)
        self.refuse(BAD_DATA, "train", "spaces.csv", "-t", "y", say="the file has one column, 'a b y'; check the delimiter")

    def test_columns_by_name(self):
        self.refuse(BAD_DATA, "train", CPU, "-t", "URS", say="did you mean usr")
        self.refuse(BAD_DATA, "train", CPU, say="freeswap, usr")
        self.file("twice.csv", "y,a,y\n1,2,3\n4,5,6\n")
        self.refuse(BAD_DATA, "train", "twice.csv", "-t", "y", say="several columns have the name 'y'")
        self.succeed_quietly("train", CPU, "-t", "usr", *QUICK, "-o", "m")
        self.file("capitals.csv", CPU.read_text().split("\n", 1)[0].upper() + "\n" + CPU.read_text().split("\n", 1)[1])
        self.refuse(BAD_DATA, "predict", "m", "capitals.csv", say="small and capital letters differ")

    def test_words(self):
        for words in (("--delimiter", ""), ("--delimiter", "ab"), ("--decimal", "x"), ("--decimal", ""),
                      ("--date-order", "ymd"), ("--date-order", ""),
                      ("--max-levels", 0)):
            self.refuse(USAGE, "train", CPU, "-t", "usr", *words, say=words[0])


if __name__ == "__main__":
    unittest.main()
