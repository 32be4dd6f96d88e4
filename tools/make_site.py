#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Makes the site: README.md, ARCHITECTURE.md, CHANGELOG.md, data/README.md and docs/*.md as HTML, with a search.

    tools/make_site.py FOLDER [ROOT]     writes the site of ROOT (this tree) into FOLDER, which is emptied

Pages ask for nothing from elsewhere and need no server: open FOLDER/index.html. Errors, and no site is left behind:
a link whose page, heading or file is not there, two pages of one address, a page of docs/ that docs/index.md does not name.
"""

import html
import json
import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "site"))
sys.dont_write_bytecode = True

from markdown import ANCHOR, Page  # noqa: E402

BESIDE = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "data/README.md"]  # pages that are not in docs/
SIGNPOSTS = {"Next", "Further", "Read on", "Documentation"}  # headings of links alone: the search passes them over
COPIED = {".svg", ".png", ".jpg"}
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)")
SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
</head>
<body>
<header>
<a class="home" href="index.html">bochner</a>
<div class="search"><input id="query" type="search" placeholder="Search ( / )" aria-label="search" autocomplete="off"><ul id="found" hidden></ul></div>
</header>
<div class="page">
<nav class="all" aria-label="all pages"><details open><summary>All pages</summary>
{pages}
</details></nav>
<main>
{body}
{turn}
</main>
<nav class="here" aria-label="this page">
{here}
</nav>
</div>
<script src="sections.js"></script>
<script src="site.js"></script>
</body>
</html>
"""


def address(path):
    """The name of a page's file in the site: docs/ridge.md is ridge.html, data/README.md is data-readme.html."""
    name = path.removeprefix("docs/").removesuffix(".md")
    return (name if path.startswith("docs/") else name.lower()).replace("/", "-") + ".html"


class Site:
    def __init__(self, root):
        self.root, self.errors, self.copies, self.links = root, [], {}, []
        paths = [path for path in BESIDE if (root / path).is_file()]
        paths += sorted(path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.md"))
        self.addresses = {path: address(path) for path in paths}
        for name in {name for name in self.addresses.values() if list(self.addresses.values()).count(name) > 1}:
            self.errors.append(f"{name}: {' and '.join(p for p in paths if address(p) == name)} would both be this page")
        self.pages = {}
        for path in paths:
            text = (root / path).read_text(encoding="utf-8")
            self.pages[path] = Page(text, lambda target, path=path: self.resolve(path, target))
        self.check_links()
        self.order = self.contents()

    def resolve(self, path, target):
        """The address in the site of what a page links to; None if that is a folder, which is shown without a link."""
        if re.match(r"[a-z]+:", target):
            return target
        file, _, anchor = target.partition("#")
        found = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if found in self.addresses:
            self.links.append((path, target, found, anchor))
            return ("" if found == path else self.addresses[found]) + (f"#{anchor}" if anchor else "") or self.addresses[found]
        if found.startswith("..") or not (self.root / found).exists():
            self.errors.append(f"{path}: links to {target}, which is not there; mend the link or add the file")
            return None
        if (self.root / found).is_dir():
            return None
        name = found.replace("/", "-") + ("" if pathlib.Path(found).suffix in COPIED else ".txt")
        self.copies[name] = self.root / found
        return name

    def check_links(self):
        for path, target, found, anchor in self.links:
            if anchor and anchor not in self.pages[found].anchors:
                self.errors.append(f"{path}: links to {target}, but {found} has no heading or anchor of that name")

    def contents(self):
        """(section, [path, ...]) in the order of docs/index.md."""
        index = "docs/index.md"
        if index not in self.pages:
            self.errors.append(f"{index}: not there, expected the start page")
            return []
        order, named = [], {index}
        for line in re.sub(r"<!--.*?-->", "", (self.root / index).read_text(encoding="utf-8")).split("\n"):
            if line.startswith("## "):
                order.append((line[3:].strip(), []))
            if not line.startswith("- ") or not order:
                continue
            for _, target in LINK.findall(line):
                path = os.path.normpath(os.path.join("docs", target.partition("#")[0]))
                if path in self.pages and path not in named:
                    order[-1][1].append(path)
                    named.add(path)
        for path in self.pages:
            if path.startswith("docs/") and path not in named:
                self.errors.append(f"{path}: {index} does not name it; add a line `- [title]({path.removeprefix('docs/')})`")
        beside = [path for path in self.pages if path not in named]
        return [(title, paths) for title, paths in order if paths] + [("The project", beside)]

    def navigation(self, path):
        parts = []
        for title, paths in self.order:
            parts.append(f"<b>{html.escape(title)}</b>\n<ul>")
            for other in paths:
                here = ' aria-current="page"' if other == path else ""
                parts.append(f'<li><a href="{self.addresses[other]}"{here}>{html.escape(self.pages[other].title)}</a></li>')
            parts.append("</ul>")
        return "\n".join(parts)

    def turn(self, path):
        """Links to the pages before and after, in the order of the index."""
        line = ["docs/index.md"] + [other for _, paths in self.order for other in paths]
        at = line.index(path)
        link = '<a href="{}">{}</a>'.format
        before = link(self.addresses[line[at - 1]], "← " + html.escape(self.pages[line[at - 1]].title)) if at else "<span></span>"
        after = ""
        if at + 1 < len(line):
            after = link(self.addresses[line[at + 1]], html.escape(self.pages[line[at + 1]].title) + " →")
        return f'<div class="turn">{before}{after}</div>'

    def document(self, path):
        page = self.pages[path]
        here = [(level, words, name) for level, words, name in page.headings if 2 <= level <= 3][:60]
        entries = [f'<li{" class=deep" if level > 2 else ""}><a href="#{name}">{html.escape(words)}</a></li>' for level, words, name in here]
        title = page.title if path == "docs/index.md" else f"{page.title} · bochner"
        return SHELL.format(
            title=html.escape(title), pages=self.navigation(path), body=page.html, turn=self.turn(path),
            here="<b>On this page</b>\n<ul>\n" + "\n".join(entries) + "\n</ul>" if entries else "")

    def sections(self):
        """What the search looks through: [address, page, heading, text]."""
        found = []
        for path, page in self.pages.items():
            for heading, name, texts in page.sections:
                text = re.sub(r"\s+", " ", ANCHOR.sub("", " ".join(texts)))
                if path != "docs/index.md" and heading not in SIGNPOSTS and (heading or text):
                    found.append([self.addresses[path] + (f"#{name}" if name else ""), page.title, heading, text])
        return found

    def write(self, folder):
        if folder.exists():
            if any(folder.iterdir()) and not (folder / "sections.js").exists():
                sys.exit(f"make_site: {folder}: found files that are no site, expected an empty folder or an older site")
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        for path, name in self.addresses.items():
            (folder / name).write_text(self.document(path), encoding="utf-8")
        for name, source in self.copies.items():
            shutil.copyfile(source, folder / name)
        for name in ("style.css", "site.js"):
            shutil.copyfile(HERE / "site" / name, folder / name)
        sections = json.dumps(self.sections(), ensure_ascii=False, separators=(",", ":"))
        (folder / "sections.js").write_text(f"const SECTIONS = {sections};\n", encoding="utf-8")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    site = Site(pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) == 3 else HERE.parent)
    for error in site.errors:
        print(f"make_site: {error}", file=sys.stderr)
    if site.errors:
        return 1
    folder = pathlib.Path(sys.argv[1])
    site.write(folder)
    print(f"{len(site.pages)} pages in {folder}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
