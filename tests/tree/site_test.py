# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The site of tools/make_site.py: links lead somewhere, pages ask for nothing from elsewhere, all can be reached."""

import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAKE = ROOT / "tools/make_site.py"
sys.path.insert(0, str(ROOT / "tools/site"))
sys.dont_write_bytecode = True

from markdown import Page  # noqa: E402

TASKS = ["install.html", "start-shell.html", "tutorial.html", "tutorial-large.html", "start-python.html", "start-cpp.html",
         "tutorial-drift.html", "tutorial-text.html", "tutorial-kernel.html"]


class Reader(html.parser.HTMLParser):
    """What a browser would follow, load and jump to, and whether tags close as they open."""

    VOID = {"meta", "link", "img", "input", "br"}

    def __init__(self, text):
        super().__init__()
        self.links, self.main, self.loads, self.names, self.open, self.wrong = [], [], [], [], [], []
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in given:
            self.names.append(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
            if "main" in self.open:
                self.main.append(given["href"])
        self.loads += [value for name, value in attributes if name in ("src", "srcset", "data", "poster", "action")]
        if tag == "link":
            self.loads.append(given["href"])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def make(folder, root=None):
    return subprocess.run([sys.executable, "-B", MAKE, folder] + ([root] if root else []), capture_output=True, text=True)


def shown(text):
    return Page(text, lambda target: target).html


class OfThisTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name) / "site"
        done = make(cls.folder)
        if done.returncode:
            raise AssertionError(done.stderr)
        cls.pages = {page.name: Reader(page.read_text(encoding="utf-8")) for page in cls.folder.glob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_every_page_of_the_documentation_is_there(self):
        for page in (ROOT / "docs").rglob("*.md"):
            self.assertIn(page.relative_to(ROOT / "docs").as_posix().replace("/", "-").removesuffix(".md") + ".html", self.pages)

    def test_links_lead_to_pages_and_headings(self):
        count = 0
        for name, page in self.pages.items():
            for link in page.links:
                if re.match("https?:", link):
                    continue
                count += 1
                file, _, anchor = link.partition("#")
                with self.subTest(page=name, link=link):
                    self.assertTrue((self.folder / (file or name)).is_file())
                    if anchor:
                        self.assertIn(urllib.parse.unquote(anchor), self.pages[file or name].names)
        self.assertGreater(count, 500)

    def test_pages_ask_for_nothing_from_elsewhere(self):
        for name, page in self.pages.items():
            for load in page.loads:
                with self.subTest(page=name, load=load):
                    self.assertTrue(load == "data:," or (self.folder / load).is_file())
        for name in ("style.css", "site.js"):
            self.assertNotRegex((self.folder / name).read_text(), r"https?:|@import|url\(|fetch\(|XMLHttpRequest|import\(")
        for picture in self.folder.glob("*.svg"):
            self.assertNotRegex(picture.read_text(), r"<image|<script|(href|src)\s*=\s*[\"']https?:|url\(\s*[\"']?https?:")

    def test_every_page_is_reached_from_the_start(self):
        reached, front = {"index.html"}, ["index.html"]
        while front:
            for link in self.pages[front.pop()].links:
                file = link.partition("#")[0]
                if file in self.pages and file not in reached:
                    reached.add(file)
                    front.append(file)
        self.assertEqual(set(self.pages), reached)

    def test_the_tasks_of_a_newcomer_are_one_click_away(self):
        direct = {link.partition("#")[0] for link in self.pages["index.html"].main}
        self.assertEqual([], [task for task in TASKS if task not in direct])

    def test_tags_close_and_names_are_unique(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertEqual([], page.wrong)
                self.assertEqual(len(page.names), len(set(page.names)))

    def test_the_search_knows_every_heading(self):
        text = (self.folder / "sections.js").read_text(encoding="utf-8")
        sections = json.loads(text.removeprefix("const SECTIONS = ").rstrip().removesuffix(";"))
        for address, _, heading, _ in sections:
            file, _, anchor = address.partition("#")
            self.assertTrue(not anchor or anchor in self.pages[file].names, address)
        self.assertEqual(set(self.pages) - {"index.html"}, {address.partition("#")[0] for address, *_ in sections})
        self.assertTrue(any("conformal" in text for *_, text in sections))
        self.assertIn("Rare classes", [heading for _, _, heading, _ in sections])


class Mistakes(unittest.TestCase):
    def site(self, **files):
        """Makes the site of a small tree; index.md names `one`."""
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary)
            (root / "docs").mkdir()
            pages = {"index": "# Start\n\n## All\n\n- [One](one.md)\n", "one": "# One\n\n## Part\n", **files}
            for name, text in pages.items():
                (root / "docs" / f"{name}.md").write_text(text)
            done = make(root / "site", root)
            self.assertEqual(done.returncode == 0, (root / "site/index.html").exists())
            return done

    def test_a_whole_tree_is_made(self):
        self.assertEqual(0, self.site().returncode)
        self.assertEqual(0, self.site(one="# One\n\n## Part\n\n[here](#part), [there](one.md#part)\n").returncode)

    def test_a_broken_link_fails(self):
        for link, word in (("two.md", "which is not there"), ("one.md#parts", "no heading"), ("#parts", "no heading"),
                           ("../../x.md", "which is not there")):
            done = self.site(one=f"# One\n\n## Part\n\nSee [it]({link}).\n")
            self.assertEqual(1, done.returncode, link)
            self.assertIn(f"docs/one.md: links to {link}", done.stderr)
            self.assertIn(word, done.stderr)

    def test_a_page_that_the_index_does_not_name_fails(self):
        done = self.site(two="# Two\n")
        self.assertEqual(1, done.returncode)
        self.assertIn("docs/two.md: docs/index.md does not name it", done.stderr)

    def test_a_folder_that_is_no_site_is_left_alone(self):
        with tempfile.TemporaryDirectory() as temporary:
            kept = pathlib.Path(temporary) / "thesis.tex"
            kept.write_text("years of work")
            done = make(temporary)
            self.assertNotEqual(0, done.returncode)
            self.assertEqual("years of work", kept.read_text())


class Markdown(unittest.TestCase):
    def test_blocks(self):
        self.assertEqual('<h2 id="a-b">A <code class="short">b</code><a class="anchor" href="#a-b" aria-label="link to this section">#</a></h2>',
                         shown("## A `b`"))
        self.assertEqual("<ul>\n<li>one\ntwo</li>\n<li>three</li>\n</ul>", shown("- one\n  two\n- three"))
        self.assertEqual("<ol>\n<li>one\n<ul>\n<li>deep</li>\n</ul></li>\n<li>two</li>\n</ol>", shown("1. one\n   - deep\n2. two"))
        self.assertEqual('<pre class="sh"><code>a &lt; b\n\n  c</code></pre>', shown("```sh skip\na < b\n\n  c\n```"))
        self.assertEqual("<p>one\ntwo</p>\n<p>three</p>", shown("one\ntwo\n\nthree"))

    def test_tables(self):
        made = shown("| a | b |\n|---|---|\n| `x|y` | 1 \\| 2 |\n")
        self.assertIn("<th>a</th><th>b</th>", made)
        self.assertIn('<td><code class="short">x|y</code></td><td>1 | 2</td>', made)

    def test_marks(self):
        self.assertEqual("<p><strong>a <em>b</em> d</strong> and <em>c</em></p>", shown("**a *b* d** and *c*"))
        self.assertEqual("<p>n * D * d, a_b_c, 2*3*4</p>", shown("n * D * d, a_b_c, 2*3*4"))
        self.assertEqual('<p><a href="x.md">a <code class="short">b]</code></a></p>', shown("[a `b]`](x.md)"))
        self.assertEqual('<p><code class="short">**a** &lt;b&gt;</code></p>', shown("`**a** <b>`"))

    def test_what_looks_like_html_is_text(self):
        self.assertEqual("<p>&lt;script&gt;x&lt;/script&gt;</p>", shown("<script>x</script>"))
        self.assertEqual('<p><a href="x&quot; onclick=&quot;y">a</a></p>', shown('[a](x"_onclick="y)').replace("_", " "))
        self.assertEqual("<p><code>a code of more than twenty-four</code></p>", shown("`a code of more than twenty-four`"))
        self.assertNotIn("hidden", shown("a <!-- hidden --> b"))


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
