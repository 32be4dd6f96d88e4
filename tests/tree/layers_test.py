# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The checks of the tree refuse each kind of violation: one is planted in a small tree, and only that is found."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).parents[2] / "tools"

# file, text, a word of the refusal
VIOLATIONS = {
    "a layer that is above": ("src/rows/a.cc", '#include "model/sum.h"', "model is not before rows"),
    "a folder in no layer": ("src/attic/a.cc", "", "in no layer"),
    "a method in the spine": ("src/model/a.cc", '#include "methods/text/words.h"', "the spine includes"),
    "a method in another": ("src/methods/text/a.cc", '#include "methods/bins/bins.h"', "not bins"),
    "a folder that is no method": ("src/methods/attic/a.cc", "", "'attic' is no method"),
    "a header of a method without its folder": ("src/methods/text/a.cc", '#include "words.h"', '"methods/text/words.h"'),
    "a private header of a method in the command": ("cli/a.cc", '#include "methods/text/words.h"', "expected bochner/"),
    "a header without its folder": ("src/rows/a.cc", '#include "memory.h"', 'expected "rows/memory.h"'),
    "a private header in the command": ("cli/a.cc", '#include "run/stream.h"', "expected bochner/ headers"),
    "a private header in a package": ("python/a.cc", '#include "run/stream.h"', "expected bochner/ headers"),
    "a library in a public header": ("include/bochner/a.h", "#include <fmt/format.h>", "only the standard library"),
    "a private header in a public one": ("include/bochner/a.h", '#include "rows/a.h"', "only the standard library"),
    "a cast that asks what a map is": ("src/choose/a.cc", "auto* f = dynamic_cast<F*>(m);", "row of a table"),
    "a type that is asked for": ("src/methods/check/a.cc", "name = typeid(*map).name();", "row of a table"),
    "a device chosen outside run/": ("src/learn/a.cc", "cpu_backend().multiply();", "the processor's operations"),
    "a device asked for by name": ("src/learn/a.cc", 'device_named("cpu");', "Execution names the device"),
    "BLAS by its header": ("src/learn/a.cc", '#include "backend/cpu/blas.h"', "solve/dense.h"),
    "BLAS itself": ("src/maps/a.cc", "#include <cblas.h>", "solve/dense.h"),
    "BLAS by a call": ("src/maps/a.cc", "cblas_dgemm();", "solve/dense.h"),
    "a device's own header": ("src/solve/a.cc", '#include "backend/cpu/operations.h"', "a device's own"),
    "Highway": ("src/solve/a.cc", "#include <hwy/highway.h>", "instruction sets"),
    "intrinsics": ("src/rows/a.cc", "#include <immintrin.h>", "instruction sets"),
    "an aligned load": ("src/backend/cpu/a.cc", "v = hn::Load(d, from);", "relies on alignment"),
    "an aligned store of one target": ("src/backend/cpu/a.cc", "_mm512_store_ps(to, v);", "relies on alignment"),
    "a spec string": ("src/methods/text/a.cc", '#include "base/spec.h"', "words become types"),
    "a spec string in choose/": ("src/choose/plan.cc", '#include "base/spec.h"', "words become types"),
    "words of a map": ("src/model/a.cc", "options.map = parse_map_options(text);", "options are types"),
    "words of a bandwidth": ("src/choose/plan.cc", "parse_bandwidth(text);", "options are types"),
    "words of a kernel": ("src/learn/a.cc", "parse_kernel(text);", "options are types"),
    "a merge": ("src/model/a.cc", "sum.merge(other);", "part_sum.h merges"),
    "a flag in a message": ("src/rows/a.cc", 'fail("raise --memory");', "base/option.h"),
    "a file written by a stream": ("cli/a.cc", "std::ofstream file(path);", "atomic_file.h"),
    "a file opened for writing": ("src/rows/a.cc", "::open(path, O_CREAT | 1);", "atomic_file.h"),
    "a file renamed": ("cli/a.cc", "std::filesystem::rename(part, output);", "atomic_file.h"),
    "a file removed": ("src/model/a.cc", "fs::remove(path, error);", "atomic_file.h"),
    "a file unlinked": ("python/a.cc", "  ::unlink(path);", "atomic_file.h"),
    "a message that may throw": ("cli/a.cc", 'fmt::print(stderr, "done");', "cli/messages.h"),
    "a message of the library": ("src/rows/a.cc", "std::cerr << 1;", "cli/messages.h"),
    "a name the user did not give": ("cli/a.cc", 'save(output + ".part");', "companion_of"),
    "a file written in Python": ("python/bochner/a.py", 'with open(path, "wb") as file: pass', "the library writes"),
    "a file replaced in Python": ("python/bochner/a.py", "os.replace(a, b)", "the library writes"),
}
ALLOWED = {
    "the spine and itself in a method": ("src/methods/text/a.cc", '#include "methods/text/words.h"\n#include "run/stream.h"'),
    "a method in another, with a reason": ("src/methods/neighbors/a.cc", '#include "methods/text/words.h"'),
    "a comment": ("src/model/a.cc", "// dynamic_cast, cpu_backend(), \"--memory\"\n/* sum.merge(x) */"),
    "a decrement": ("src/rows/a.cc", "while (--end > begin) continue;"),
    "a flag of the command": ("cli/a.cc", 'fail("raise --memory");'),
    "a method that removes": ("cli/a.cc", "checkpoint.remove(); place->remove();"),
    "a file that is read": ("cli/a.cc", "#include <fstream>\nstd::ifstream file(path);"),
    "stdout in a help text": ("cli/a.cc", 'add("-: stdout");'),
    "a file read in Python": ("python/bochner/a.py", 'with open(path, "rb") as file: pass'),
    "words of a kernel in a file": ("src/maps/a.cc", 'parse_kernel(get_text(tree, "kernel"));'),
}


def check(tool, path, text):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, content in (("include/bochner/fine.h", "#include <vector>\n"), (path, text + "\n")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content)
        done = subprocess.run([sys.executable, TOOLS / tool, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


class Layers(unittest.TestCase):
    def test_each_violation_is_refused(self):
        for name, (path, text, said) in VIOLATIONS.items():
            with self.subTest(name):
                code, output = check("check_layers.py", path, text)
                self.assertEqual((code, output.count("error:")), (1, 1), output)
                self.assertIn(said, output)

    def test_what_only_looks_like_one_is_not(self):
        for name, (path, text) in ALLOWED.items():
            with self.subTest(name):
                self.assertEqual(check("check_layers.py", path, text)[0], 0)


class Comments(unittest.TestCase):
    def test_a_comment_that_begins_with_a_preposition_is_refused(self):
        for path, text in (("src/rows/a.cc", "int n;  // of the rows"), ("cli/a.h", "// On stdout.\n// And more."),
                           ("include/bochner/a.h", "/* In bytes. */"), ("python/bochner/a.py", "n = 1  # per row"),
                           ("tests/a.py", '"""From a file."""'), ("tools/a.sh", "echo 'a'  # to stdout")):
            with self.subTest(text):
                code, output = check("check_comments.py", path, text)
                self.assertEqual(code, 1, output)
                self.assertIn(f"{path}:1: the comment begins with", output)

    def test_other_comments_pass(self):
        for path, text in (("src/rows/a.cc", "// The rows\n// of a file."), ("src/rows/b.cc", "f(/*in=*/1);  // At most 5."),
                           ("src/rows/c.cc", 'say("// of a text");'), ("cli/a.h", "// `of`: a parameter."),
                           ("python/bochner/a.py", 'n = "# of a text"'), ("tests/a.py", '"""A file.\n\nOf rows."""')):
            with self.subTest(text):
                self.assertEqual(check("check_comments.py", path, text)[0], 0)


class Sizes(unittest.TestCase):
    def test_long_functions_and_lists_are_refused(self):
        long = "void f() {\n" + "  g();\n" * 59 + "}"
        self.assertEqual(check("check_sizes.py", "src/rows/a.cc", long.replace("  g();\n", "", 1))[0], 0)
        code, output = check("check_sizes.py", "src/rows/a.cc", long)
        self.assertEqual(code, 1)
        self.assertIn("61 lines", output)
        self.assertEqual(check("check_sizes.py", "src/rows/a.cc", "int f(int a, int b, int c, int d, int e, int g) {}")[0], 0)
        code, output = check("check_sizes.py", "cli/a.cc", "int f(int a, int b, int c, int d, int e, int g, int h) {}")
        self.assertEqual(code, 1)
        self.assertIn("takes 7 parameters", output)


class Counts(unittest.TestCase):
    def counted(self, what, path, text):
        code, output = check("count_house.py", path, text)
        self.assertEqual(code, 0, output)
        return int(next(line for line in output.splitlines() if line.startswith(what)).split("|")[1])

    def test_each_spelling_is_counted(self):
        for call in ("threads.run(n, f);", "on.threads.run(n, f);", "threads_.run(n, f);", "z.threads().run(n, f);",
                     "table_threads(outputs()).run(n, f);", "in_pieces(on_.threads, n, 8, f);",
                     "each_in_pieces(threads(), n, 8, f);"):
            with self.subTest(call):
                self.assertEqual(self.counted("calls", "src/rows/a.cc", call), 1)
                self.assertEqual(self.counted("calls", "src/run/a.cc", call), 0)
        for call in ("Fit(rows, threads).run();", "// threads.run(n, f);", "in_pieces(held, f);"):
            with self.subTest(call):
                self.assertEqual(self.counted("calls", "src/rows/a.cc", call), 0)
        passes = 's.each("", f);\ns->each_batch(f);\noutputs_.each(j, f);'
        self.assertEqual(self.counted("passes", "src/learn/a.cc", passes), 2)

    def test_a_duplicate_is_one_pair_as_long_as_it_goes(self):
        lines = [f"  g({i});\n\n" for i in range(8)]
        whole = "void f() {\n" + "".join(lines) + "}\n"
        self.assertEqual(self.counted("duplicated", "cli/a.cc", whole + "// Again.\n" + whole.replace("f()", "h()")), 1)
        self.assertEqual(self.counted("duplicated", "cli/a.cc", whole + "".join(lines[:5])), 0)

    def test_more_than_the_ceiling_is_refused(self):
        code, output = check("count_house.py", "src/rows/a.cc", "threads.run(n, f);\n" * 1000)
        self.assertEqual(code, 1)
        self.assertIn("1000, at most", output)


if __name__ == "__main__":
    unittest.main()
