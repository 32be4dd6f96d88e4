# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner text`, `index`, `retrieve` and `dedup`: from documents to those that were asked for."""

import contextlib
import csv
import io
import json
import os
import pathlib
import re
import resource
import signal
import socket
import time
import unittest
import urllib.error
import urllib.request

from command import DATA, CommandTest

DOCUMENTS = {
    "sea/a.txt": "The storm at sea broke the mast.\nSailors pray when a storm comes.",
    "sea/b.txt": "A harbour is calm. Ships rest in the harbour while gulls cry over the quay.",
    "land/c.txt": "Wheat grows in the field. The farmer cuts the wheat in August <b>and</b> dries it.",
    "land/d.txt": "The farmer has a field of barley, wheat and rye, and one tired horse.",
    "land/e.txt": "Snow lies on the mountain. Nobody climbs it in winter, not even the goats.",
}


class Retrieve(CommandTest):
    def documents(self):
        for name, text in DOCUMENTS.items():
            (self.folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
            self.file(f"docs/{name}", text)

    def index(self, *words):
        self.documents()
        self.succeed_quietly("text", "docs", "-o", "docs.svm")
        self.succeed_quietly("index", "docs.svm", *words, "-o", "docs.index")

    def ask(self, *words):
        return json.loads(self.succeed_quietly("retrieve", "docs.index", *words, "--json"))["results"]

    def test_words_find_documents_with_snippets(self):
        for metric in ("euclidean", "cosine"):
            self.index("--metric", metric)
            found = self.ask("storm at sea")
            self.assertEqual(found[0]["document"], 3)  # files in the order of their paths
            self.assertEqual(found[0]["label"], "sea")
            self.assertTrue(found[0]["name"].startswith("sea/"), found[0]["name"])
            self.assertIn("storm at sea", found[0]["snippet"])
            self.assertEqual([r["rank"] for r in found], list(range(1, len(found) + 1)))
            scores = [r["score"] for r in found]
            self.assertEqual(scores, sorted(scores, reverse=True))
            self.assertGreater(scores[-1], 0)
        self.assertEqual(self.ask("zyxwv"), [])
        self.assertIn("wheat", self.succeed("retrieve", "docs.index", "wheat"))

    def test_bm25_scores_words_as_it_scores_files_of_queries(self):
        self.documents()
        self.succeed_quietly("text", "docs", "-o", "docs.svm", "--bm25")
        self.refuse(1, "index", "docs.svm", "--metric", "cosine", "-o", "x.index", "--quiet", say="the metric inner")
        self.succeed_quietly("index", "docs.svm", "--metric", "inner", "-o", "docs.index")
        found = self.ask("storm at sea")
        self.assertEqual(found[0]["document"], 3)
        self.assertIn("storm at sea", found[0]["snippet"])
        twice = self.ask("storm storm at sea sea")  # "at" is a word of the document too
        self.assertGreater(twice[0]["score"], found[0]["score"])
        # Queries as a file score as the words do.
        self.file("asked.txt", "storm at sea\n")
        self.succeed_quietly("text", "asked.txt", "-o", "asked.svm", "--model", "docs.svm.text", "--queries")
        self.succeed_quietly("neighbors", "docs.index", "asked.svm", "-k", 1, "-o", "near.csv")
        near = (self.folder / "near.csv").read_text().split()[1].split(",")
        self.assertEqual(int(near[2]), 3)
        self.assertAlmostEqual(float(near[3]), found[0]["score"], places=6)

    def test_a_document_finds_those_like_it(self):
        self.index()
        found = self.ask("--like", 0, "-k", 1)
        self.assertEqual([r["document"] for r in found], [1])  # the other with wheat; never itself
        self.file("new.txt", "gulls over the harbour")
        self.assertEqual(self.ask("--like", "new.txt", "-k", 1)[0]["document"], 4)
        self.refuse(1, "retrieve", "docs.index", "--like", 5, say="less than 5")
        self.refuse(2, "retrieve", "docs.index", "--like", "absent.txt", say="absent.txt")

    def test_projected_rows_and_lines_and_tables_are_found_too(self):
        lines = list(DOCUMENTS.values())
        self.file("lines.txt", "\n".join(text.replace("\n", " ") for text in lines))
        out = io.StringIO()
        csv.writer(out).writerows([["id", "text"]] + [[i, text] for i, text in enumerate(lines)])
        self.file("table.csv", out.getvalue())
        for source, words in ((["lines.txt"], []), (["table.csv", "--column", "text"], []),
                              (["lines.txt"], ["--project", "sign", "--dims", 400, "--min-documents", 1])):
            self.succeed_quietly("text", *source, *words, "-o", "docs.npy" if words else "docs.svm")
            self.succeed_quietly("index", "docs.npy" if words else "docs.svm", "--metric", "cosine", "-o", "docs.index")
            found = self.ask("storm at sea")
            self.assertEqual(found[0]["document"], 0, source)
            self.assertIn("storm", found[0]["snippet"])

    def test_parts_have_numbers_of_their_own(self):
        self.index("--first", 100)
        found = self.ask("harbour")
        self.assertEqual((found[0]["document"], found[0]["label"]), (104, "sea"))
        self.assertIn("harbour", found[0]["snippet"])
        self.assertEqual(self.ask("--like", 100, "-k", 1)[0]["document"], 101)
        self.refuse(1, "retrieve", "docs.index", "--like", 4, say="expected 100 to less than 105")

    def test_an_index_of_texts_is_still_one_of_rows(self):
        self.index("--metric", "cosine")
        near = self.succeed_quietly("neighbors", "docs.index", "docs.svm", "-k", 1)
        self.assertEqual([line.split(",")[2] for line in near.split()[1:]], list("01234"))

    def test_models_and_documents_may_be_named_or_left_out(self):
        self.documents()
        self.succeed_quietly("text", "docs", "-o", "docs.svm", "--save", "words.text")
        (self.folder / "docs.svm.text").unlink()
        self.succeed_quietly("index", "docs.svm", "-o", "docs.index")
        self.refuse(3, "retrieve", "docs.index", "wheat", say="without words")
        self.succeed_quietly("index", "docs.svm", "--text", "words.text", "--no-texts", "-o", "docs.index")
        found = self.ask("harbour")
        self.assertEqual((found[0]["document"], found[0]["snippet"]), (4, ""))
        self.refuse(3, "retrieve", "docs.index", "--like", 0, say="texts")
        self.file("few.txt", "one line")
        self.refuse(1, "index", "docs.svm", "--text", "words.text", "--documents", "few.txt", "-o", "i", say="found 1")
        self.refuse(1, "retrieve", "docs.index", say="--serve")
        broken = bytearray((self.folder / "docs.index").read_bytes())
        broken[len(broken) // 2] ^= 1
        self.file("docs.index", bytes(broken))
        self.refuse(3, "retrieve", "docs.index", "wheat")

    def serve(self, **options):
        process = self.start("retrieve", "docs.index", "--serve", 0, **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        line = process.stderr.readline().decode()
        return process, int(re.search(r"http://127\.0\.0\.1:(\d+)/", line).group(1))

    def exchange(self, port, request):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(request)
            reply = b""
            while piece := connection.recv(65536):
                reply += piece
        return reply.decode()

    def test_a_page_answers_searches_and_refuses_what_is_none(self):
        self.index("--metric", "cosine")
        process, port = self.serve()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/?q=wheat+%3Cb%3E", timeout=20) as reply:
            page = reply.read().decode()
        self.assertIn("&lt;b&gt;and&lt;/b&gt;", page)  # text of a document is never a tag
        self.assertIn('value="wheat &lt;b&gt;"', page)
        self.assertIn("<mark>Wheat</mark> grows in the field", page)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/?q=%3Cmark%3E+AND+x%22y+wheat", timeout=20) as reply:
            page = reply.read().decode()
        self.assertIn("&lt;b&gt;<mark>and</mark>&lt;/b&gt;", page)
        self.assertIn('value="&lt;mark&gt; AND x&quot;y wheat"', page)
        with urllib.request.urlopen(f"http://localhost:{port}/search?q=storm&k=1", timeout=20) as reply:
            self.assertEqual([r["document"] for r in json.load(reply)["results"]], [3])
        host = f"Host: 127.0.0.1:{port}\r\n\r\n"
        for request, code in (
            (f"GET /etc/passwd HTTP/1.1\r\n{host}", 404),
            (f"POST / HTTP/1.1\r\n{host}", 405),
            (f"GET /?q=%zz HTTP/1.1\r\n{host}", 400),
            (f"GET /search?q=a&k=-1 HTTP/1.1\r\n{host}", 400),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("\0\xff nonsense\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n" + "x: " + "y" * 9000, 431),
        ):
            self.assertTrue(self.exchange(port, request.encode("latin-1")).startswith(f"HTTP/1.1 {code} "), request)
        slow = socket.create_connection(("127.0.0.1", port))  # says nothing; others are answered meanwhile
        self.addCleanup(slow.close)
        self.assertIn("200 OK", self.exchange(port, f"GET / HTTP/1.1\r\n{host}".encode()))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 130)


    def test_strangers_are_refused_and_told_so(self):
        self.index("--metric", "cosine")
        _, port = self.serve()
        for header, code in (("Sec-Fetch-Site: cross-site", 403), ("Sec-Fetch-Site: same-origin", 200),
                             ("Sec-Fetch-Site: none", 200), ("Accept: */*", 200)):
            for blank in (" ", "\t", " \t", ""):
                request = f"GET / HTTP/1.1\r\nHost:{blank}127.0.0.1:{port}{blank}\r\n{header}\r\n\r\n"
                reply = self.exchange(port, request.encode())
                self.assertTrue(reply.startswith(f"HTTP/1.1 {code} "), (header, blank, reply[:40]))
                self.assertIn("\r\nCross-Origin-Resource-Policy: same-origin\r\n", reply)

    def test_a_server_without_descriptors_rests(self):
        self.index("--metric", "cosine")
        process, port = self.serve(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10)))
        waiting = [socket.create_connection(("127.0.0.1", port)) for _ in range(16)]
        time.sleep(0.3)

        def processor_seconds():
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before = processor_seconds()
        time.sleep(1)
        self.assertLess(processor_seconds() - before, 0.2)
        for connection in waiting:
            connection.close()
        self.assertIn("200 OK", self.exchange(port, f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()))

    def test_an_index_that_is_cut_while_it_is_served_is_an_error(self):
        self.documents()
        self.succeed_quietly("text", "docs", "--project", "sign", "--dims", 400, "--min-documents", 1, "-o", "docs.npy")
        self.succeed_quietly("index", "docs.npy", "--metric", "cosine", "-o", "docs.index")
        process, port = self.serve()
        os.truncate(self.folder / "docs.index", 0)
        with contextlib.suppress(OSError):
            self.exchange(port, f"GET /?q=storm HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        self.assertEqual(process.wait(timeout=20), 3)
        self.assertRegex(process.stderr.read().decode(), r"\Abochner: docs.index: shrank while it was read[^\n]*\n\Z")


class Dedup(CommandTest):
    def test_numbers_are_no_sets(self):
        self.file("numbers.csv", "a,b\n" + "".join(f"{i + 1},{i * i + 1}\n" for i in range(9)))
        self.assertEqual(self.succeed_quietly("dedup", "numbers.csv"), "row,of,similarity\n")
        for metric, said in (("jaccard", "which inputs are not 0"), ("cosine", "directions")):
            _, _, errors = self.run_command("dedup", "numbers.csv", "--metric", metric, "-o", "same.csv")
            self.assertRegex(errors, f"warning: [0-9]+ % of the rows are named: .*{said}")
        self.file("sets.csv", "a,b\n" + "1,0\n0,1\n" * 4)
        self.assertNotIn("warning", self.run_command("dedup", "sets.csv", "-o", "same.csv")[2])
        self.refuse(1, "dedup", "sets.csv", "--threshold", 0.9, "--quiet", say="equality")

    def test_rows_of_a_table_are_named_if_they_are_equal(self):
        lines = (DATA / "cpu-small.csv").read_text().splitlines(keepends=True)
        self.assertEqual(self.succeed_quietly("dedup", DATA / "cpu-small.csv"), "row,of,similarity\n")
        self.file("four.csv", lines[0] + "".join(lines[1:251]) * 4)
        found = self.succeed_quietly("dedup", "four.csv").split()[1:]
        self.assertEqual(found, [f"{i},{i % 250},1" for i in range(250, 1000)])
        self.assertEqual(len(self.succeed_quietly("dedup", "four.csv", "--pairs").split()[1:]), 6 * 250)

    def test_every_cell_of_a_table_counts(self):
        names = "".join(f"{kind}{i % 300},1\n" for kind in "ab" for i in range(600))  # more levels than have an input
        self.file("names.csv", "name,x\n" + names)
        found = [line.split(",")[:2] for line in self.succeed_quietly("dedup", "names.csv").split()[1:]]
        self.assertEqual(found, [[str(600 * k + i), str(600 * k + i - 300)] for k in (0, 1) for i in range(300, 600)])
        self.file("flags.csv", "a,b\n1,5\n,5\n1.0,5\n,5\n1,6\n")  # the mean of those that are there is 1
        self.assertEqual(self.succeed_quietly("dedup", "flags.csv"), "row,of,similarity\n2,0,1\n3,1,1\n")
        self.file("far.csv", "a,b\n" + "".join(f"{10 ** 9 + i / 4},{i % 2}\n" for i in range(40)))  # too fine for float
        self.assertEqual(self.succeed_quietly("dedup", "far.csv"), "row,of,similarity\n")

    def test_rows_that_are_nearly_equal_are_named(self):
        self.file("x.svm", "0 1:1 2:1 3:1 4:1 5:1\n0 7:1 8:1\n0 1:2 2:1 3:1 4:1 5:1\n0 1:1 2:1 3:1 4:1 6:1\n"
                           "0 1:1 2:1 3:1 4:1 5:1 9:1\n")
        self.assertEqual(self.succeed_quietly("dedup", "x.svm", "--threshold", 0.8),
                         "row,of,similarity\n2,0,1\n4,0,0.8333333333333334\n")
        self.assertEqual(self.succeed_quietly("dedup", "x.svm", "--threshold", 0.8, "--pairs"),
                         "row,of,similarity\n2,0,1\n4,0,0.8333333333333334\n4,2,0.8333333333333334\n")
        found = self.succeed_quietly("dedup", "x.svm", "--metric", "cosine", "--threshold", 0.9)
        self.assertEqual([line.split(",")[:2] for line in found.split()[1:]], [["2", "0"], ["4", "0"]])
        self.refuse(1, "dedup", "x.svm", "--threshold", 0, say="threshold")
        self.refuse(1, "dedup", "x.svm", "--metric", "inner", say="jaccard or cosine")
        self.refuse(2, "dedup", "absent.svm")


if __name__ == "__main__":
    unittest.main()
