# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Recipes and project files name the version and the dependencies of the build, and their form is right."""

import ast
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"project\(bochner VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
# A dependency of the build, as the recipes call it: conda, vcpkg, Homebrew, Spack, Debian.
NAMES = {
    "cli11": ("cli11", "cli11", "cli11", "cli11", "libcli11-dev"),
    "fmt": ("fmt", "fmt", "fmt", "fmt", "libfmt-dev"),
    "highway": ("libhwy", "highway", "highway", "highway", "libhwy-dev"),
    "json": ("nlohmann_json", "nlohmann-json", "nlohmann-json", "nlohmann-json", "nlohmann-json3-dev"),
    "openblas": ("openblas", "openblas", "openblas", "openblas", "libopenblas-dev"),
    "xz": ("xz", "liblzma", "xz", "xz", "liblzma-dev"),
    "zlib": ("zlib", "zlib", "zlib", "zlib-api", "zlib1g-dev"),
    "zstd": ("zstd", "zstd", "zstd", "zstd", "libzstd-dev"),
}
RECIPES = ("packaging/conda/meta.yaml", "packaging/vcpkg/vcpkg.json", "packaging/homebrew/bochner.rb",
           "packaging/spack/package.py", "debian/control")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


class Packaging(unittest.TestCase):
    def test_versions_are_those_of_the_build(self):
        for name, pattern in (("pyproject.toml", r'^version = "(.*)"'), ("CITATION.cff", r"^version: (.*)"),
                              ("packaging/conda/meta.yaml", r'set version = "(.*)"'),
                              ("packaging/vcpkg/vcpkg.json", r'"version": "(.*)"'),
                              ("debian/changelog", r"\Abochner \((.*)\)")):
            self.assertEqual(re.search(pattern, text(name), re.MULTILINE)[1], VERSION, name)

    def test_recipes_have_every_dependency(self):
        for i, name in enumerate(RECIPES):
            for what, names in NAMES.items():
                self.assertRegex(text(name), rf"(?m)(?<![\w-]){re.escape(names[i])}(?![\w-])", (name, what))

    def test_recipes_build_without_the_tests(self):
        for name in ("packaging/conda/meta.yaml", "packaging/vcpkg/portfile.cmake", "packaging/homebrew/bochner.rb",
                     "packaging/Containerfile", "debian/rules"):
            self.assertIn("BOCHNER_TESTS=OFF", text(name))

    def test_their_form_is_right(self):
        port = json.loads(text("packaging/vcpkg/vcpkg.json"))
        self.assertEqual((port["name"], port["license"]), ("bochner", "Apache-2.0"))
        tree = ast.parse(text("packaging/spack/package.py"))
        recipe = next(node for node in tree.body if isinstance(node, ast.ClassDef))
        imported = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        called = {node.value.func.id for node in recipe.body
                  if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)}
        self.assertLessEqual(called, imported)
        ruby = text("packaging/homebrew/bochner.rb")
        opened = re.findall(r"^ *(class|def|test do)\b", ruby, re.MULTILINE)
        self.assertEqual(len(opened), len(re.findall(r"^ *end$", ruby, re.MULTILINE)))
        for stanza in ("cff-version:", "message:", "title:", "authors:"):
            self.assertRegex(text("CITATION.cff"), rf"(?m)^{stanza}")
        self.assertIn("ENTRYPOINT", text("packaging/Containerfile"))

    def test_links_of_project_files_lead_somewhere(self):
        for name in ("SECURITY.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "packaging/README.md"):
            for link in re.findall(r"\]\(([^)#:]+)\)", text(name)):
                self.assertTrue((ROOT / name).parent.joinpath(link).exists(), (name, link))


if __name__ == "__main__":
    unittest.main()
