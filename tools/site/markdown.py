# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The Markdown that our pages use, as HTML: headings, paragraphs, lists, tables, code, quotes, emphasis, links, pictures.

    page = Page(text, link)       link(target) gives the address of a link, or None for a target that has no page
    page.html, page.title, page.headings, page.sections

Anchors are those of GitHub. HTML passes through if it is a comment or an anchor, `<a id="name"></a>`; other angle
brackets are text. `_` is never emphasis: names have it.
"""

import html
import re

FENCE = re.compile(r"( *)```([^`]*)$")
HEADING = re.compile(r"(#{1,6}) +(.*?) *#*$")
ITEM = re.compile(r"( *)([-*]|\d+\.) +(.*)$")
RULE = re.compile(r"\|?[ :|-]*-[ :|-]*\|[ :|-]*$")  # the line between head and body of a table
SHORT = 24  # letters of code that stay on one line
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')
INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?P<inner>.+?)(?P=ticks)(?!`))"
    r"|(?P<picture>!\[(?P<alt>[^\]]*)\]\((?P<source>[^)\s]+)\))"
    r"|(?P<link>\[(?P<label>(?:[^\[\]`]|`[^`]*`|\[[^\]]*\])+)\]\((?P<target>[^)\s]+)\))"
    r"|(?P<auto><(?P<address>https?://[^>\s]+)>)"
    r'|(?P<anchor><a id="(?P<name>[\w-]+)"></a>)'
    r"|(?P<comment><!--.*?-->)"
    r"|(?P<escape>\\(?P<mark>[\\`*_{}\[\]()#+.!|<>-]))"
    r"|(?P<strong>\*\*(?=\S)(?P<bold>.+?)(?<=\S)\*\*)"
    r"|(?P<emphasis>(?<![\w*])\*(?=[^\s*])(?P<italic>[^*]+?)(?<=\S)\*(?![\w*]))",
    re.DOTALL,
)


def slug(text):
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def plain(text):
    """The words of a line without its marks."""
    text = re.sub(r"<!--.*?-->", "", ANCHOR.sub("", text), flags=re.DOTALL)
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\\([|*`])", r"\1", re.sub(r"\*\*|`|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)", "", text)).strip()


def cells(line):
    """The cells of a line of a table: bars within code or after a backslash do not part them."""
    line = line.strip().removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    parts, start, code, i = [], 0, False, 0
    while i < len(line):
        if line[i] == "\\":
            i += 1
        elif line[i] == "`":
            code = not code
        elif line[i] == "|" and not code:
            parts.append(line[start:i])
            start = i + 1
        i += 1
    return [part.strip() for part in parts + [line[start:]]]


class Page:
    def __init__(self, text, link):
        self.link, self.headings, self.sections, self.anchors = link, [], [["", "", []]], set()
        self.title = ""
        self.html = self.blocks(text.expandtabs(4).split("\n"))

    def anchor(self, name):
        """A name that no other anchor of the page has."""
        found, count = name, 0
        while found in self.anchors:
            count += 1
            found = f"{name}-{count}"
        self.anchors.add(found)
        return found

    def inline(self, text):
        parts, last = [], 0
        for match in INLINE.finditer(text):
            parts += [html.escape(text[last : match.start()], quote=False), self.mark(match)]
            last = match.end()
        return "".join(parts) + html.escape(text[last:], quote=False)

    def mark(self, match):
        """HTML of one inline mark."""
        kind = match.lastgroup if match.lastgroup in ("code", "picture", "link") else None
        for name in ("code", "picture", "link", "auto", "anchor", "comment", "escape", "strong", "emphasis"):
            kind = kind or (name if match[name] is not None else None)
        if kind == "code":
            inner = match["inner"].strip()
            tag = '<code class="short">' if len(inner) <= SHORT else "<code>"
            return f"{tag}{html.escape(inner, quote=False)}</code>"
        if kind == "picture":
            return f'<img src="{html.escape(self.link(match["source"]) or "")}" alt="{html.escape(match["alt"])}">'
        if kind == "link":
            address, label = self.link(match["target"]), self.inline(match["label"])
            return label if address is None else f'<a href="{html.escape(address)}">{label}</a>'
        if kind == "auto":
            return f'<a href="{html.escape(match["address"])}">{html.escape(match["address"])}</a>'
        if kind == "anchor":
            return f'<a id="{self.anchor(match["name"])}"></a>'
        if kind == "comment":
            return ""
        if kind == "escape":
            return html.escape(match["mark"], quote=False)
        tag, inner = ("strong", match["bold"]) if kind == "strong" else ("em", match["italic"])
        return f"<{tag}>{self.inline(inner)}</{tag}>"

    def note(self, text):
        """Words for the search, under the last heading."""
        if words := plain(text):
            self.sections[-1][2].append(words)

    def blocks(self, lines):
        parts, i = [], 0
        while i < len(lines):
            for take in (self.empty, self.code, self.heading, self.table, self.items, self.quote, self.indented):
                if taken := take(lines, i):
                    break
            else:
                taken = self.paragraph(lines, i)
            i, made = taken
            parts.append(made)
        return "\n".join(part for part in parts if part)

    # Each of these begins at lines[i] and gives (the line after, HTML), or None if lines[i] begins something else.

    def empty(self, lines, i):
        return (i + 1, "") if not lines[i].strip() else None

    def code(self, lines, i):
        if not (match := FENCE.match(lines[i])):
            return None
        indent, words = len(match[1]), match[2].split()
        end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == "```"), len(lines))
        body = "\n".join(line[min(indent, len(line) - len(line.lstrip())) :] for line in lines[i + 1 : end])
        self.sections[-1][2].append(body)
        kind = words[0] if words else "text"
        return end + 1, f'<pre class="{html.escape(kind)}"><code>{html.escape(body, quote=False)}</code></pre>'

    def heading(self, lines, i):
        if not (match := HEADING.match(lines[i])):
            return None
        level, words = len(match[1]), plain(match[2])
        name = self.anchor(slug(words))
        if level == 1 and not self.title:
            self.title = words
        self.headings.append((level, words, name))
        self.sections.append([words, name, []])
        link = f'<a class="anchor" href="#{name}" aria-label="link to this section">#</a>' if level > 1 else ""
        return i + 1, f'<h{level} id="{name}">{self.inline(match[2])}{link}</h{level}>'

    def table(self, lines, i):
        if "|" not in lines[i] or i + 1 >= len(lines) or not RULE.match(lines[i + 1].strip()):
            return None
        end = i + 2
        while end < len(lines) and "|" in lines[end] and lines[end].strip():
            end += 1
        head, body = cells(lines[i]), [cells(line) for line in lines[i + 2 : end]]
        for row in [head, *body]:
            self.note(" ".join(row))
        made = ['<div class="wide"><table>']
        if any(head):
            made.append("<thead><tr>" + "".join(f"<th>{self.inline(cell)}</th>" for cell in head) + "</tr></thead>")
        made += ["<tr>" + "".join(f"<td>{self.inline(cell)}</td>" for cell in row) + "</tr>" for row in body]
        return end, "\n".join([*made, "</table></div>"])

    def items(self, lines, i):
        if not (match := ITEM.match(lines[i])):
            return None
        indent, tag = len(match[1]), "ul" if match[2] in "-*" else "ol"
        made = []
        while i < len(lines) and (match := ITEM.match(lines[i])) and len(match[1]) == indent:
            if ("ul" if match[2] in "-*" else "ol") != tag:
                break
            inner, i = [match[3]], i + 1
            while i < len(lines):
                line, depth = lines[i], len(lines[i]) - len(lines[i].lstrip())
                after = next((other for other in lines[i + 1 :] if other.strip()), "")
                if line.strip() and (depth > indent or not self.begins(line)):
                    inner.append(line[min(depth, indent + 2) :])
                elif not line.strip() and after.startswith(" " * (indent + 2)):
                    inner.append("")
                else:
                    break
                i += 1
            if not lines[i - 1].strip() or "" in inner:
                made.append(f"<li>{self.blocks(inner)}</li>")
            else:
                made.append(f"<li>{self.tight(inner)}</li>")
            while i < len(lines) and not lines[i].strip() and i + 1 < len(lines) and (next_item := ITEM.match(lines[i + 1])):
                if len(next_item[1]) != indent:
                    break
                i += 1
        return i, f"<{tag}>\n" + "\n".join(made) + f"\n</{tag}>"

    def tight(self, lines):
        """An item without empty lines: its text stands by itself, not in a paragraph."""
        end = next((j for j in range(1, len(lines)) if self.begins(lines[j])), len(lines))
        text = "\n".join(line.strip() for line in lines[:end])
        self.note(text)
        rest = self.blocks(lines[end:]) if end < len(lines) else ""
        return self.inline(text) + ("\n" + rest if rest else "")

    def begins(self, line):
        """Whether a line ends a paragraph without an empty line between."""
        return bool(FENCE.match(line) or HEADING.match(line) or ITEM.match(line) or line.startswith(("|", ">")))

    def quote(self, lines, i):
        if not lines[i].startswith(">"):
            return None
        end = i
        while end < len(lines) and lines[end].startswith(">"):
            end += 1
        return end, f"<blockquote>{self.blocks([line[1:].removeprefix(' ') for line in lines[i:end]])}</blockquote>"

    def indented(self, lines, i):
        if not lines[i].startswith("    "):
            return None
        end = i
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        body = "\n".join(line[4:] for line in lines[i:end]).rstrip()
        self.note(body)
        return end, f"<pre><code>{html.escape(body, quote=False)}</code></pre>"

    def paragraph(self, lines, i):
        end = i + 1
        while end < len(lines) and lines[end].strip() and not self.begins(lines[end]):
            end += 1
        text = "\n".join(line.strip() for line in lines[i:end])
        self.note(text)
        made = self.inline(text)
        return end, made if re.fullmatch(r'(<a id="[^"]*"></a>|\s)*', made) else f"<p>{made}</p>"
