# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Files that earlier releases saved (tests/archive) still load and answer as they did then."""

import json
import pathlib
import re
import shutil
import unittest

from command import CommandTest

RELEASES = pathlib.Path(__file__).parents[1] / "archive"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
CLOSE = 1e-5  # relative to a number, or to 1: models compute in float


class ReleasesTest(CommandTest):
    def check_answer(self, found, expected):
        """The same words, and the same numbers but for the last digits of a float."""
        self.assertEqual(NUMBER.sub("#", found), NUMBER.sub("#", expected))
        for a, b in zip(map(float, NUMBER.findall(found)), map(float, NUMBER.findall(expected))):
            self.assertLessEqual(abs(a - b), CLOSE * max(1, abs(b)))

    def test_files_of_every_release_answer_as_they_did(self):
        releases = sorted(path for path in RELEASES.iterdir() if path.is_dir())
        self.assertNotEqual(releases, [])
        for release in releases:
            shutil.copytree(release, self.folder, dirs_exist_ok=True)
            kinds = json.loads((release / "answers.json").read_text())
            self.assertGreaterEqual(len(kinds), 20)
            for kind in kinds:
                with self.subTest(release.name, file=kind["file"]):
                    found = [self.succeed_quietly(*words) for words in kind["asks"]][-1]
                    self.check_answer(found, kind["answer"])


if __name__ == "__main__":
    unittest.main()
