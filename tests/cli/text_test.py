# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner text`: from documents to rows."""

import gzip
import math
import re
import unittest

from command import CommandTest
from round_trip_test import read_npy

DOCUMENTS = ["The quick brown fox, the lazy dog.", "A lazy dog sleeps; a fox does not", "dog dog dog fox", "unlike"]


def tfidf(documents, new, ngrams=(1, 1)):
    """TfidfVectorizer's numbers, written out: column, value of every document of `new`."""
    def terms(text):
        words = re.findall(r"\w\w+", text.lower())
        return [" ".join(words[i:i + n]) for n in range(ngrams[0], ngrams[1] + 1) for i in range(len(words) - n + 1)]

    vocabulary = sorted({t for text in documents for t in terms(text)})
    frequency = {t: sum(t in terms(text) for text in documents) for t in vocabulary}
    rows = []
    for text in new:
        row = {}
        for j, t in enumerate(vocabulary):
            count = terms(text).count(t)
            if count:
                row[j + 1] = count * (math.log((1 + len(documents)) / (1 + frequency[t])) + 1)
        length = math.sqrt(sum(v * v for v in row.values()))
        rows.append({j: v / length for j, v in row.items()})
    return rows


class Text(CommandTest):
    def rows(self, name):
        found, labels = [], []
        for line in (self.folder / name).read_text().splitlines():
            label, *pairs = line.split()
            labels.append(label)
            found.append({int(p.split(":")[0]): float(p.split(":")[1]) for p in pairs})
        return found, labels

    def assert_rows(self, name, expected):
        found, _ = self.rows(name)
        self.assertEqual(len(found), len(expected))
        for row, other in zip(found, expected):
            self.assertEqual(set(row), set(other))
            for column, value in other.items():
                self.assertAlmostEqual(row[column], value, places=6)

    def test_lines_and_new_documents(self):
        self.file("docs.txt", "\n".join(DOCUMENTS) + "\n")
        self.succeed_quietly("text", "docs.txt", "-o", "docs.svm", "--ngrams", "1-2", "--save", "m")
        self.assert_rows("docs.svm", tfidf(DOCUMENTS, DOCUMENTS, (1, 2)))
        new = ["the fox sleeps", "nothing known"]
        self.file("new.txt", "\n".join(new))
        self.succeed_quietly("text", "new.txt", "-o", "new.svm", "--model", "m")
        self.assert_rows("new.svm", tfidf(DOCUMENTS, new, (1, 2)))

    def test_folders_have_labels_and_csv_has_a_column(self):
        for i, text in enumerate(DOCUMENTS):
            folder = self.folder / "tree" / ("a" if i < 2 else "b")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / str(i)).write_text(text)
        self.succeed_quietly("text", "tree", "-o", "tree.svm")
        self.assertEqual(self.rows("tree.svm")[1], ["0", "0", "1", "1"])
        self.assert_rows("tree.svm", tfidf(DOCUMENTS, DOCUMENTS))
        self.file("docs.csv", "id,body\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(DOCUMENTS)))
        self.succeed_quietly("text", "docs.csv", "--column", "body", "-o", "csv.svm")
        self.assert_rows("csv.svm", tfidf(DOCUMENTS, DOCUMENTS))
        self.refuse(2, "text", "docs.csv", "--column", "text", "-o", "x.svm", "--quiet", say="text")

    def test_a_line_too_long_for_the_memory_is_refused(self):
        self.file("line.txt.gz", gzip.compress(b"word " * (6 << 20)))
        self.refuse(2, "text", "line.txt.gz", "-o", "x.svm", "--memory", "100M", "--quiet", say="raise --memory")
        (self.folder / "folder").mkdir()
        self.file("folder/one.gz", gzip.compress(b"word " * (6 << 20)))
        self.refuse(2, "text", "folder", "-o", "x.svm", "--memory", "100M", "--quiet", say="raise --memory")
        self.file("lines.txt", b"word " * 100 + b"\n\n" + b"word " * (1 << 20) + b"\r\nlast")  # several pieces
        self.succeed_quietly("text", "lines.txt", "-o", "x.svm", "--memory", "200M")
        self.assertEqual(len(self.rows("x.svm")[0]), 4)

    def test_npy_hashed_and_factored(self):
        self.file("docs.txt", "\n".join(DOCUMENTS * 5))
        self.succeed_quietly("text", "docs.txt", "-o", "docs.npy", "--hashed", 64)
        header, values = read_npy((self.folder / "docs.npy").read_bytes())
        self.assertEqual(header["shape"], (20, 64))
        for i in range(20):
            self.assertAlmostEqual(sum(v * v for v in values[64 * i:64 * i + 64]), 1, places=5)
        self.succeed_quietly("text", "docs.txt", "-o", "docs.svm")
        self.succeed_quietly("svd", "docs.svm", "--rank", 2, "-o", "topics")
        self.succeed_quietly("transform", "topics", "docs.svm", "-o", "topics.npy")
        self.assertEqual(read_npy((self.folder / "topics.npy").read_bytes())[0]["shape"], (20, 2))

    def test_projected(self):
        self.file("docs.txt", "\n".join(DOCUMENTS * 3))
        self.succeed_quietly("text", "docs.txt", "-o", "a.npy", "--ngrams", "1-2", "--project", "sign", "--dims", 8,
                             "--seed", 3, "--save", "m")
        header, values = read_npy((self.folder / "a.npy").read_bytes())
        self.assertEqual(header["shape"], (12, 8))
        self.assertEqual(list(values[:32]), list(values[32:64]))  # the same four documents
        self.succeed_quietly("text", "docs.txt", "-o", "b.npy", "--model", "m")
        self.assertEqual((self.folder / "a.npy").read_bytes(), (self.folder / "b.npy").read_bytes())
        self.succeed_quietly("text", "docs.txt", "-o", "c.npy", "--ngrams", "1-2", "--project", "sign", "--dims", 8,
                             "--seed", 4)
        self.assertNotEqual((self.folder / "a.npy").read_bytes(), (self.folder / "c.npy").read_bytes())
        self.refuse(1, "text", "docs.txt", "-o", "x.npy", "--project", "singn", "--quiet", say="sign")

    def test_parts_give_the_bytes_of_all(self):
        texts = [f"{text} n{i % 31}" for i, text in enumerate(DOCUMENTS * 50)]
        self.file("all.txt", "\n".join(texts) + "\n")
        self.file("a.txt", "\n".join(texts[:70]) + "\n")
        self.file("b.txt", "\n".join(texts[70:]) + "\n")
        for hashed in ((), ("--hashed", 64)):
            words = ("--ngrams", "1-2", *hashed)
            for name in ("a", "b"):
                self.succeed_quietly("text", f"{name}.txt", "-o", f"{name}.counts", *words)
            self.succeed_quietly("merge", "a.counts", "b.counts", "-o", "ab.counts")
            self.succeed_quietly("merge", "b.counts", "a.counts", "-o", "ba.counts")
            self.assertEqual((self.folder / "ab.counts").read_bytes(), (self.folder / "ba.counts").read_bytes())
            choices = ("--project", "sign", "--dims", 8, "--min-documents", 2, "--sublinear")
            self.succeed_quietly("text", "all.txt", "-o", "all.npy", *words, *choices, "--save", "all.text")
            self.succeed_quietly("text", "a.txt", "-o", "a.npy", "--counts", "ab.counts", *choices, "--save", "a.text")
            self.assertEqual((self.folder / "a.text").read_bytes(), (self.folder / "all.text").read_bytes())
            self.assertEqual(list(read_npy((self.folder / "a.npy").read_bytes())[1]),
                             list(read_npy((self.folder / "all.npy").read_bytes())[1])[:70 * 8])
            self.refuse(2, "merge", "ab.counts", "a.counts", "-o", "x.counts", "--quiet", say="twice")
        self.succeed_quietly("text", "a.txt", "-o", "other.counts", "--ngrams", "1")
        self.refuse(2, "merge", "ab.counts", "other.counts", "-o", "x.counts", "--quiet", say="--ngrams")
        self.refuse(3, "merge", "ab.counts", "a.text", "-o", "x.counts", "--quiet", say="counts")
        self.refuse(3, "text", "a.txt", "-o", "x.svm", "--counts", "a.text", "--quiet", say="counts")
        self.refuse(1, "text", "a.txt", "-o", "x.svm", "--counts", "ab.counts", "--ngrams", "1", "--quiet",
                    say="--ngrams")
        self.refuse(1, "text", "a.txt", "-o", "x.counts", "--sublinear", "--quiet", say="--sublinear")

    def test_transform_takes_documents(self):
        self.file("docs.txt", "\n".join(DOCUMENTS))
        self.succeed_quietly("text", "docs.txt", "-o", "docs.svm", "--save", "m")
        self.succeed_quietly("transform", "m", "docs.txt", "-o", "again.svm")
        self.assertEqual((self.folder / "again.svm").read_bytes(), (self.folder / "docs.svm").read_bytes())
        self.refuse(1, "transform", "m", "docs.txt", "--inverse", "-o", "x.npy", "--quiet", say="--inverse")

    def test_projection_leaves_out_what_few_or_most_documents_share(self):
        # 2000 documents: terms in 2 to 200 of them stay, and pairs weigh half.
        texts = [f"common word{i % 20} rare{i}" for i in range(2000)]
        self.file("docs.txt", "\n".join(texts))
        words = ("text", "docs.txt", "--ngrams", "1-2", "--project", "hash", "--dims", 4)
        self.succeed_quietly(*words, "-o", "a.npy")
        self.succeed_quietly(*words, "-o", "b.npy", "--min-documents", 2, "--max-share", 0.1, "--pair-weight", 0.5)
        self.assertEqual((self.folder / "a.npy").read_bytes(), (self.folder / "b.npy").read_bytes())
        self.succeed_quietly(*words, "-o", "c.npy", "--min-documents", 1)
        self.assertNotEqual((self.folder / "a.npy").read_bytes(), (self.folder / "c.npy").read_bytes())
        self.refuse(1, *words, "-o", "x.npy", "--pair-weight", 0, "--quiet", say="--pair-weight")

    def test_same_bytes_for_any_threads(self):
        self.file("docs.txt", "\n".join(f"{text} n{i % 31}" for i, text in enumerate(DOCUMENTS * 200)))
        for threads in (1, 3):
            self.succeed_quietly("text", "docs.txt", "-o", f"{threads}.svm", "--save", f"{threads}.text", "--threads",
                                 threads)
        for kind in ("svm", "text"):
            self.assertEqual((self.folder / f"1.{kind}").read_bytes(), (self.folder / f"3.{kind}").read_bytes())

    def test_bm25_from_parts_is_that_of_all(self):
        texts = [f"{text} n{i % 31} " * (1 + i % 3) for i, text in enumerate(DOCUMENTS * 10)]
        self.file("all.txt", "\n".join(texts) + "\n")
        self.file("a.txt", "\n".join(texts[:11]) + "\n")
        self.file("b.txt", "\n".join(texts[11:]) + "\n")
        for name in ("a", "b"):
            self.succeed_quietly("text", f"{name}.txt", "-o", f"{name}.counts")
        self.succeed_quietly("merge", "a.counts", "b.counts", "-o", "ab.counts")
        words = ("--bm25", "--k1", 0.9, "--b", 0.4)
        self.succeed_quietly("text", "all.txt", "-o", "all.svm", *words, "--save", "all.text")
        self.succeed_quietly("text", "all.txt", "-o", "parts.svm", "--counts", "ab.counts", *words, "--save", "parts.text")
        for kind in ("svm", "text"):
            self.assertEqual((self.folder / f"all.{kind}").read_bytes(), (self.folder / f"parts.{kind}").read_bytes())
        self.succeed_quietly("text", "all.txt", "-o", "again.svm", "--model", "all.text")
        self.assertEqual((self.folder / "again.svm").read_bytes(), (self.folder / "all.svm").read_bytes())
        self.refuse(1, "text", "all.txt", "-o", "x.svm", "--k1", 1, "--quiet", say="--bm25")
        self.refuse(1, "text", "all.txt", "-o", "x.svm", "--bm25", "--sublinear", "--quiet", say="--sublinear")
        self.refuse(1, "text", "all.txt", "-o", "x.svm", "--queries", "--quiet", say="--model")

    def test_refusals(self):
        self.file("docs.txt", "\n".join(DOCUMENTS))
        self.file("empty.txt", "")
        self.refuse(1, "text", "docs.txt", "-o", "x.csv", "--quiet", say=".svm")
        self.refuse(1, "text", "docs.txt", "-o", "x.svm", "--ngrams", "2-1", "--quiet", say="--ngrams")
        self.refuse(1, "text", "docs.txt", "-o", "x.svm", "--ngrams", "many", "--quiet", say="--ngrams")
        self.refuse(2, "text", "docs.txt", "-o", "x.svm", "--min-documents", 9, "--quiet", say="none is in")
        self.refuse(2, "text", "empty.txt", "-o", "x.svm", "--quiet")
        self.refuse(2, "text", "absent", "-o", "x.svm", "--quiet", say="absent")
        self.refuse(3, "text", "docs.txt", "-o", "x.svm", "--model", "docs.txt", "--quiet")
        self.succeed_quietly("text", "docs.txt", "-o", "y.svm", "--save", "m")
        self.refuse(1, "text", "docs.txt", "-o", "x.svm", "--model", "m", "--ngrams", "2", "--quiet", say="--ngrams")
        self.refuse(1, "text", "-", "-o", "x.svm", "--quiet", say="only once")


if __name__ == "__main__":
    unittest.main()
