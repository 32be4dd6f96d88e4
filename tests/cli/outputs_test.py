# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every command that has an output: it harms no other file, and no message that is lost ends the work."""

import os
import pathlib
import random
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

from command import COMMAND, SECONDS, CommandTest

# Names that some program might use beside OUT. The files of a checkpoint have a test of their own.
NEIGHBOURS = (".part", ".tmp", ".new", ".bak", "~", ".old", ".0", ".swp")


def table(rows=60):
    draw = random.Random(1)
    lines = ["a,b,y,kind,run"]
    for i in range(rows):
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        lines.append(f"{a:.4f},{b:.4f},{a + b * b:.4f},{'one' if a > 0 else 'two'},{i // 10}")
    return "\n".join(lines) + "\n"


PLAIN = ("--ignore", "kind,run")
INPUTS = ("--ignore", "y,kind,run")
# command: the words but for the output, the files among them that are read, and what the output's name ends in.
COMMANDS = {
    "train": (("train", "rows.csv", "-t", "y", *PLAIN, "--map", "none"), ("rows.csv",), ""),
    "train fast": (("train", "rows.csv", "-t", "y", *PLAIN, "--effort", "fast"), ("rows.csv",), ""),
    "predict": (("predict", "m", "rows.csv"), ("m", "rows.csv"), ".csv"),
    "report": (("report", "m", "rows.csv"), ("m", "rows.csv"), ".html"),
    "explain": (("explain", "m", "rows.csv", "--background", "other.csv"), ("m", "rows.csv", "other.csv"), ".csv"),
    "transform": (("transform", "m", "rows.csv"), ("m",), ".npy"),
    "project": (("project", "rows.csv", *INPUTS, "--dims", 2), ("rows.csv",), ""),
    "svd": (("svd", "rows.csv", *INPUTS, "--rank", 1), ("rows.csv",), ""),
    "pca": (("pca", "rows.csv", *INPUTS, "--rank", 1), ("rows.csv",), ""),
    "kmeans": (("kmeans", "rows.csv", *INPUTS, "--clusters", 2), ("rows.csv",), ""),
    "lda": (("lda", "rows.csv", "-t", "kind", "--ignore", "run"), ("rows.csv",), ""),
    "cca": (("cca", "rows.csv", "-t", "y", *PLAIN), ("rows.csv",), ""),
    "anomaly": (("anomaly", "rows.csv", *INPUTS), ("rows.csv",), ""),
    "drift": (("drift", "rows.csv", "other.csv"), ("rows.csv", "other.csv"), ".html"),
    "embed": (("embed", "rows.csv", "--group", "run", "--ignore", "y,kind", "--features", 8), ("rows.csv",), ""),
    "reduce": (("reduce", "rows.csv", *INPUTS, "--points", 3), ("rows.csv",), ".csv"),
    "plot": (("plot", "rows.csv", *INPUTS), ("rows.csv",), ".svg"),
    "gmm": (("gmm", "rows.csv", *INPUTS, "--components", 2), ("rows.csv",), ""),
    "hmm": (("hmm", "rows.csv", "--sequence", "run", "--ignore", "y,kind", "--states", 2), ("rows.csv",), ""),
    "sample": (("sample", "g", "--rows", 5), ("g",), ".csv"),
    "text": (("text", "docs.txt"), ("docs.txt",), ".svm"),
    "text counts": (("text", "docs.txt"), ("docs.txt",), ".counts"),
    "text model": (("text", "docs.txt", "--model", "words"), ("docs.txt", "words"), ".svm"),
    "index": (("index", "rows.csv", *INPUTS), ("rows.csv",), ""),
    "index words": (("index", "docs.svm", "--metric", "cosine"), ("docs.svm", "docs.svm.text", "docs.txt"), ""),
    "neighbors": (("neighbors", "i", "rows.csv", "-k", 2), ("i", "rows.csv"), ".csv"),
    "graph": (("graph", "rows.csv", *INPUTS, "-k", 2), ("rows.csv",), ".csv"),
    "dedup": (("dedup", "docs.svm"), ("docs.svm",), ".csv"),
    "accumulate": (("accumulate", "rows.csv", "-t", "y", *PLAIN), ("rows.csv",), ""),
    "accumulate sums": (("accumulate", "rows.csv", "--spec", "s.survey"), ("rows.csv", "s.survey"), ""),
    "merge": (("merge", "s.survey"), ("s.survey",), ""),
    "solve": (("solve", "s.sum"), ("s.sum",), ""),
    "rounds": (("rounds", "begin", "rows.csv", "other.csv", "-t", "y", *PLAIN), ("rows.csv", "other.csv"), ""),
    "update": (("update", "kept", "rows.csv"), ("kept", "rows.csv"), ""),
    "forget": (("forget", "kept", "few.csv"), ("kept", "few.csv"), ""),
    "watch": (("watch", "kept", "--stream", "few.csv"), ("kept", "few.csv"), ""),
    "papers": (("papers", "--only", "jl", "--no-seconds"), (), ".html"),
}
RESULTS = {  # printed on stdout
    "eval": ("eval", "m", "rows.csv"),
    "train": ("train", "rows.csv", "-t", "y", *PLAIN, "--map", "none"),
    "predict": ("predict", "m", "rows.csv"),
    "inspect": ("inspect", "m"),
    "neighbors": ("neighbors", "i", "rows.csv"),
    "independence": ("independence", "rows.csv", "-t", "y", *PLAIN),
    "retrieve": ("retrieve", "w", "storm"),
    "version": ("--version",),
    "help": ("--help",),
    "help of train": ("train", "--help-all"),
}


def run(folder, *words, **options):
    done = subprocess.run([COMMAND, *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL, timeout=SECONDS,
                          capture_output=not options, check=False, **options)
    return done.returncode, (done.stderr or b"").decode()


class Outputs(CommandTest):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="bochner-cli-")
        cls.addClassCleanup(temporary.cleanup)
        cls.made = pathlib.Path(temporary.name)
        (cls.made / "rows.csv").write_text(table())
        (cls.made / "other.csv").write_text(table(50))
        (cls.made / "docs.txt").write_text("a storm at sea\nthe calm sea\nsnow on the hills\nno storm on the hills\n")
        (cls.made / "few.csv").write_text("".join(table().splitlines(keepends=True)[:9]))
        for words in ((*COMMANDS["train"][0], "-o", "m"), (*COMMANDS["train"][0], "--keep-sum", "-o", "kept"), (*COMMANDS["gmm"][0], "-o", "g"),
                      ("text", "docs.txt", "-o", "docs.svm", "--save", "words"),
                      (*COMMANDS["index"][0], "-o", "i"), (*COMMANDS["index words"][0], "-o", "w"),
                      (*COMMANDS["accumulate"][0], "-o", "s.survey"),
                      (*COMMANDS["accumulate sums"][0], "-o", "s.sum")):
            code, errors = run(cls.made, *words)
            assert code == 0, (words, errors)
        cls.bytes = {}

    def setUp(self):
        super().setUp()
        shutil.copytree(self.made, self.folder, dirs_exist_ok=True)

    def expected(self, name):
        """The bytes of a command's output, made with nothing around it; nothing else is left."""
        if name not in self.bytes:
            words, _, end = COMMANDS[name]
            before = set(self.contents())
            code, errors = run(self.folder, *words, "-o", "plain" + end)
            self.assertEqual(code, 0, (name, errors))
            self.bytes[name] = (self.folder / ("plain" + end)).read_bytes()
            made = {str(path) for path in set(self.contents()) - before}
            companion = {f"plain{end}.text"} if name == "text" else set()
            self.assertEqual(made, {"plain" + end} | companion, name)
            for path in made:
                (self.folder / path).unlink()
        return self.bytes[name]

    def for_each(self, check):
        """check(words, inputs, output, expected bytes) of every command, each in a folder as it was made."""
        for name, (words, inputs, end) in COMMANDS.items():
            with self.subTest(name):
                check(words, inputs, "out" + end, self.expected(name))
            for path in self.folder.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            shutil.copytree(self.made, self.folder, dirs_exist_ok=True)

    def test_no_command_is_forgotten(self):
        commands = re.findall(r"^  ([a-z]+) ", self.succeed("--help").split("Subcommands:")[1], re.MULTILINE)
        self.assertGreater(len(commands), 25)
        with_output = {command for command in commands
                       if "--output" in self.run_command(command, "--help")[1] + self.run_command(command, "--help-all")[1]}
        self.assertEqual(with_output, {name.split()[0] for name in COMMANDS})

    def succeed_in(self, folder, *words):
        code, errors = run(folder, *words)
        self.assertEqual(code, 0, errors)

    def test_files_of_the_user_beside_it_are_left_alone(self):
        def check(words, _, output, expected):
            for neighbour in NEIGHBOURS:
                self.file(output + neighbour, "mine")
            before = self.contents()
            self.succeed_in(self.folder, *words, "-o", output)
            after = self.contents()
            self.assertEqual(after.pop(pathlib.Path(output)), expected)
            after.pop(pathlib.Path(f"{output}.text"), None)
            self.assertEqual(after, before)

        self.for_each(check)

    def test_links_at_names_beside_it_are_not_followed(self):
        def check(words, _, output, expected):
            self.file("victim", "precious")
            for neighbour in NEIGHBOURS:
                os.symlink("victim", self.folder / (output + neighbour))
            self.succeed_in(self.folder, *words, "-o", output)
            self.assertEqual((self.folder / "victim").read_text(), "precious")
            self.assertFalse((self.folder / output).is_symlink())
            self.assertEqual((self.folder / output).read_bytes(), expected)

        self.for_each(check)

    def test_a_link_is_written_where_it_points(self):
        def check(words, _, output, expected):
            (self.folder / "elsewhere").mkdir()
            self.file("elsewhere/real", "old")
            os.symlink("elsewhere/real", self.folder / output)
            self.succeed_in(self.folder, *words, "-o", output)
            self.assertTrue((self.folder / output).is_symlink())
            self.assertEqual((self.folder / "elsewhere/real").read_bytes(), expected)
            self.assertEqual([path.name for path in (self.folder / "elsewhere").iterdir()], ["real"])

        self.for_each(check)

    def test_permissions_are_kept(self):
        def check(words, _, output, expected):
            self.file(output, "old").chmod(0o600)
            self.succeed_in(self.folder, *words, "-o", output)
            self.assertEqual(stat.S_IMODE((self.folder / output).stat().st_mode), 0o600)
            self.assertEqual((self.folder / output).read_bytes(), expected)

        self.for_each(check)

    def test_a_device_stays_one(self):
        def make_device(name):
            os.mknod(self.folder / name, 0o666 | stat.S_IFCHR, os.makedev(1, 3))

        def check(words, _, output, __):
            make_device(output)
            code, errors = run(self.folder, *words, "-o", output)
            self.assertIn(code, (0, 1, 2), errors)
            self.assertTrue(stat.S_ISCHR((self.folder / output).lstat().st_mode))

        try:
            make_device("device")
        except PermissionError:
            self.skipTest("only root makes a device of its own to try this with")
        self.for_each(check)

    def test_an_input_is_never_the_output(self):
        def check(words, inputs, output, _):
            end = output.removeprefix("out")
            for file in inputs:
                named = file if file.endswith(end) else file + end
                if named != file:  # a link has the ending that the output needs
                    os.symlink(file, self.folder / named)
                (self.folder / ("hard" + end)).unlink(missing_ok=True)
                os.link(self.folder / file, self.folder / ("hard" + end))
                for name in (named, f"./{named}", "hard" + end):
                    self.refuse(1, *words, "-o", name, say="is an input")

        self.for_each(check)

    def test_an_output_that_cannot_be_written_changes_nothing(self):
        def check(words, _, output, __):
            self.refuse(2, *words, "-q", "-o", f"no/such/folder/{output}", say="create the folder")
            (self.folder / output).mkdir()
            self.refuse(2, *words, "-q", "-o", output)

        self.for_each(check)

    def test_messages_that_are_lost_end_no_work(self):
        def check(words, _, output, expected):
            for case in self.lost_messages(*words, "-o", output):
                self.assertEqual(case.returncode, 0, case.args)
                self.assertEqual((self.folder / output).read_bytes(), expected, case.args)
                (self.folder / output).unlink()

        self.for_each(check)

    def lost_messages(self, *words):
        """The command run with stderr on a full disk, closed, and read by nobody."""
        script = 'exec "$0" "$@" 2>{}'
        for stream in ("/dev/full", "&-"):
            yield subprocess.run(["sh", "-c", script.format(stream), COMMAND, *map(str, words)], cwd=self.folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=SECONDS, check=False)
        reader, writer = os.pipe()
        os.close(reader)
        try:
            yield subprocess.run([COMMAND, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=writer, timeout=SECONDS, check=False)
        finally:
            os.close(writer)

    def test_lost_messages_do_not_change_the_exit_code(self):
        for code, words in ((1, ("train", "rows.csv", "--no-such-word")), (1, ("trian",)), (2, ("train", "absent.csv")),
                            (3, ("predict", "rows.csv", "m")), (1, ("train", "rows.csv", "-t", "y", "-o", "rows.csv")),
                            (4, ("check", "rows.csv", *INPUTS, "--features", 4, "--seeds", 2, "--fail-above", "worst=0"))):
            self.assertEqual(self.run_command(*words)[0], code, words)
            for case in self.lost_messages(*words):
                self.assertEqual(case.returncode, code, case.args)

    def test_a_result_that_cannot_be_written_is_an_error(self):
        for name, words in RESULTS.items():
            with self.subTest(name), open("/dev/full", "wb") as full:
                code, _, errors = self.run_command(*words, stdout=full)
                self.assertEqual(code, 2, errors)
                self.assertIn("standard output: cannot write: No space left", errors)
            with self.subTest(f"{name}, closed"):
                done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', COMMAND, *words], cwd=self.folder,
                                      stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)


class Companions(CommandTest):
    """What `text` writes and reads beside its rows."""

    def setUp(self):
        super().setUp()
        (self.folder / "mails").mkdir()
        self.file("mails/a.txt", "a storm at sea")
        self.file("mails/b.svm", "the calm sea")
        self.file("docs.txt", "a storm at sea\nthe calm sea\n")

    def test_no_output_lies_in_a_folder_that_is_read(self):
        (self.folder / "mails/deep").mkdir()
        (self.folder / "rows").mkdir()
        os.symlink("../rows", self.folder / "mails/link")
        os.symlink("mails", self.folder / "to-mails")
        self.file("rows/old.svm", "a document, by a link")
        for output in ("mails/b.svm", "mails/new.svm", "mails/deep/new.svm", "to-mails/new.svm", "rows/old.svm"):
            self.refuse(1, "text", "mails", "-o", output, say="lies in mails")
        self.refuse(1, "text", "mails", "-o", "x.svm", "--save", "mails/model", say="lies in mails")
        self.refuse(1, "text", "docs.txt", "mails", "-o", "mails/x.svm", say="lies in mails")
        self.succeed_quietly("text", "docs.txt", "-o", "docs.svm", "--save", "words")
        self.refuse(1, "transform", "words", "mails", "-o", "mails/x.svm", say="lies in mails")
        self.refuse(1, "index", "docs.svm", "--documents", "mails", "-o", "mails/i", say="lies in mails")
        self.refuse(1, "text", "docs.txt", "-o", "x.svm", "--save", "x.svm", say="expected two files")

    def test_a_file_of_the_user_is_no_text_model(self):
        beside = self.file("d.svm.text", "my notes on d.svm")
        self.refuse(1, "text", "docs.txt", "-o", "d.svm", say="d.svm.text")
        beside.unlink()
        beside.symlink_to("docs.txt")
        self.refuse(1, "text", "docs.txt", "-o", "d.svm", say="d.svm.text")
        beside.unlink()
        beside.symlink_to("nothing")
        self.refuse(1, "text", "docs.txt", "-o", "d.svm", say="d.svm.text")
        beside.unlink()
        os.mkfifo(beside)
        self.assertEqual(self.run_command("text", "docs.txt", "-o", "d.svm")[0], 1)
        beside.unlink()
        self.succeed_quietly("text", "docs.txt", "-o", "d.svm")
        self.succeed_quietly("text", "mails", "-o", "d.svm")  # ours is replaced

    def test_text_models_are_the_same_in_every_folder(self):
        made = []
        for name in ("one", "two/deeper"):
            shutil.copytree(self.folder / "mails", self.folder / name / "mails")
            folder = self.folder / name
            self.assertEqual(run(folder, "text", "mails", "-o", "m.svm")[0], 0)
            self.assertEqual(run(folder, "index", "m.svm", "-o", "m.index")[0], 0)
            made.append([(folder / file).read_bytes() for file in ("m.svm", "m.svm.text", "m.index")])
            for content in made[-1]:
                self.assertNotIn(str(self.folder).encode(), content)
        self.assertEqual(made[0], made[1])

    def snippets(self, *words):
        """Whether an index of rows.svm keeps the texts of their documents, and what is said."""
        code, _, errors = self.run_command("index", *words, "-o", "i")
        self.assertEqual(code, 0, errors)
        return b"storm at sea" in (self.folder / "i").read_bytes(), errors

    def test_documents_elsewhere_are_read_only_when_they_are_named(self):
        (self.folder / "rows").mkdir()
        self.succeed_quietly("text", "mails", "-o", "rows/m.svm")
        kept, said = self.snippets("rows/m.svm")
        self.assertFalse(kept)
        self.assertIn("name the documents by --documents", said)
        self.assertTrue(self.snippets("rows/m.svm", "--documents", "mails")[0])
        self.succeed_quietly("text", "mails", "-o", "m.svm")
        self.assertTrue(self.snippets("m.svm")[0])
        os.symlink("/etc/hostname", self.folder / "mails/c.txt")
        kept, said = self.snippets("m.svm")
        self.assertFalse(kept)
        self.assertIn("links", said)

    def test_a_prepared_text_model_reads_no_file_of_the_machine(self):
        self.file("one.txt", "one document")
        (self.folder / "rows").mkdir()
        self.file("secret", "secret words")
        shutil.copy(self.folder / "one.txt", self.folder / "rows/one.txt")
        self.succeed_quietly("text", "rows/one.txt", "-o", "rows/one.svm")
        model = (self.folder / "rows/one.svm.text").read_bytes()
        self.assertIn(b"one.txt", model)
        self.file("rows/beside", "secret words")
        os.symlink("../secret", self.folder / "rows/link")
        for path, said in ((str(self.folder / "secret"), "outside the folder"), ("../secret", "outside the folder"),
                           ("x/../../secret", "outside the folder"), ("link", "outside the folder"),
                           ("beside", "not known to be those"), (str(self.folder / "rows/beside"), "not known"),
                           ("absent", "is gone")):
            self.file("rows/one.svm.text", with_path(model, path))
            code, _, errors = self.run_command("index", "rows/one.svm", "-o", "i")
            self.assertEqual(code, 0, errors)
            self.assertIn(said, errors)
            self.assertNotIn(b"secret words", (self.folder / "i").read_bytes())

    def test_documents_that_changed_since_are_not_kept(self):
        self.succeed_quietly("text", "mails", "-o", "m.svm")
        self.assertTrue(self.snippets("m.svm")[0])
        self.file("mails/b.svm", "another sea")
        kept, said = self.snippets("m.svm")
        self.assertFalse(kept)
        self.assertIn("name the documents by --documents", said)

    def test_a_csv_that_is_named_is_read_by_its_column(self):
        self.file("table.csv", "id,body\n1,a storm at sea\n2,the calm sea\n")
        (self.folder / "rows").mkdir()
        self.succeed_quietly("text", "table.csv", "--column", "body", "-o", "rows/t.svm")
        self.assertFalse(self.snippets("rows/t.svm")[0])
        self.assertTrue(self.snippets("rows/t.svm", "--documents", "table.csv")[0])


def with_path(model, path):
    """The bytes of a text model that says its documents are there: a well-formed file, without a checksum."""
    import json
    import struct

    length = struct.unpack("<Q", model[:8])[0]
    header = json.loads(model[8:8 + length])
    metadata = header["__metadata__"]
    tree = json.loads(metadata["bochner"])
    sources = json.loads(tree["sources"])
    sources["paths"] = [path]
    tree["sources"] = json.dumps(sources)
    metadata["bochner"] = json.dumps(tree)
    del metadata["checksum"]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 64)
    return struct.pack("<Q", len(text)) + text + model[8 + length:]


if __name__ == "__main__":
    unittest.main()
