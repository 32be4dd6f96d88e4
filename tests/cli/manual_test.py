# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Completions and manual pages have every command and every option that --help has, and shells and man take them."""

import os
import re
import shutil
import subprocess
import unittest

from command import COMMAND, CommandTest

FLAG = re.compile(r"(?<![\w-])--[a-zA-Z][a-zA-Z-]*|(?<![\w-])-[a-zA-Z](?![\w-])")


class Manual(CommandTest):
    def help_of(self, command):
        whole = self.run_command(command, "--help-all")[1]
        return whole if "Options:" in whole else self.succeed(command, "--help")

    def commands(self):
        return re.findall(r"^  ([a-z][a-z-]*)  ", self.succeed("--help"), re.MULTILINE)

    def flags(self, command):
        """The options that lines of the help begin with."""
        flags = set()
        for line in self.help_of(command).split("\n"):
            words = re.match(r"  (-[^ ]+)", line)
            if words and not re.search(r"^Example", line):
                flags |= set(words[1].split(","))
        return flags

    def ask_bash(self, *line):
        """What bash offers for the last word of a line that begins with bochner."""
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bochner; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", str(self.file("c.bash", self.succeed("completion", "bash"))),
                               "bochner", *line], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_bash_completes_every_command_and_every_flag(self):
        commands = self.commands()
        self.assertGreater(len(commands), 30)
        self.assertEqual(self.ask_bash(""), {*commands, "help"})
        self.assertEqual(self.ask_bash("pred"), {"predict"})
        self.assertEqual(self.ask_bash("help", "tra"), {"train", "transform"})
        self.assertIn("--version", self.ask_bash("--"))
        for command in commands:
            flags = self.flags(command)
            self.assertGreater(len(flags), 2, command)
            self.assertEqual(self.ask_bash(command, "-"), flags, command)
        self.assertEqual(self.ask_bash("train", "--no-sc"), set())
        self.assertEqual(self.ask_bash("nonsense", "--"), set())

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes_every_flag(self):
        script = self.file("bochner.fish", self.succeed("completion", "fish"))
        for command in ("", "train", "predict", "retrieve", "gmm"):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C 'bochner {command} --'"],
                                  capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(self.folder)})
            offered = {line.split("\t")[0] for line in done.stdout.split("\n")}
            expected = self.flags(command) if command else {"--help", "--version"}
            self.assertEqual({flag for flag in expected if flag.startswith("--")} - offered, set(), command)

    def test_zsh_has_every_flag(self):
        script = self.succeed("completion", "zsh")
        for command in self.commands():
            section = re.search(rf"^ +{command}\)\n(.*?);;$", script, re.MULTILINE | re.DOTALL)[1]
            named = set(re.findall(r"^ +'\*?(-[\w-]+)\[", section, re.MULTILINE))
            self.assertEqual(named, self.flags(command), command)
        if shutil.which("zsh"):
            done = subprocess.run(["zsh", "-fn", str(self.file("_bochner", script))], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_in_a_terminal(self):
        self.file("_bochner", self.succeed("completion", "zsh"))
        for line, expected in (("bochner train --calib", "--calibrate"), ("bochner retr", "retrieve")):
            script = f"""zmodload zsh/zpty
                wait_for() {{ local i; for i in {{1..200}}; do
                  while zpty -r -t shell more; do text+=$more; done
                  [[ $text = *$1* ]] && return; sleep 0.05; done }}
                zpty shell 'TERM=dumb zsh -f -i'
                zpty -w shell "fpath=({self.folder} \\$fpath); autoload -U compinit; compinit -u -D; print RE''ADY"
                wait_for READY; text=
                zpty -w -n shell $'{line}\\t'
                wait_for {expected}; print -r -- $text; zpty -d shell"""
            done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "HOME": str(self.folder)})
            self.assertIn(expected, done.stdout, (line, done.stderr))

    def test_another_shell_is_refused(self):
        self.refuse(1, "completion", "tcsh", say="expected bash, zsh or fish")
        self.refuse(2, "manual", "absent", say="absent")

    def test_pages_have_every_option_and_man_takes_them(self):
        self.succeed("manual", ".")
        commands = self.commands()
        pages = {path.name: path.read_text() for path in self.folder.glob("*.1")}
        self.assertEqual(set(pages), {"bochner.1", *(f"bochner-{command}.1" for command in commands)})
        for command in commands:
            page = pages[f"bochner-{command}.1"]
            self.assertEqual(page.count(".SH NAME"), 1)
            self.assertIn("bochner\\-" + command.replace("-", "\\-") + "\\fR(1)", pages["bochner.1"])
            listed = {flag.replace("\\-", "-") for flag in re.findall(r"\\fB(\\-[^\s]*?)\\fR", page)}
            self.assertEqual(listed, self.flags(command), command)
            self.assertIn(".SH EXAMPLES\n", page)
            self.assertNotRegex(page, r"(?m)^\.(?!TH|SH|SS|TP|PP|RS|RE|nf|fi)")
        for checker in (["mandoc", "-Tlint", "-Werror"], ["groff", "-man", "-Tutf8", "-ww", "-z", "-k"]):
            if shutil.which(checker[0]):
                done = subprocess.run([*checker, *sorted(pages)], cwd=self.folder, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout[:2000])
        self.assertEqual(self.run_command("manual", ".")[0], 0)  # again: the same pages
        self.assertEqual({path.name: path.read_text() for path in self.folder.glob("*.1")}, pages)


if __name__ == "__main__":
    unittest.main()
