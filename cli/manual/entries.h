// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bochner {

// What --help knows of one word of a command.
struct OptionEntry {
  std::vector<std::string> names = {};  // "-o", "--output"; the name of a file that has no flag
  std::string value = {};               // how the help calls its value; empty: it takes none
  std::string help = {}, group = {};
  std::string default_value = {};
  bool positional = false, required = false, several = false;
};

struct CommandEntry {
  std::string name = {}, help = {}, footer = {};
  std::vector<OptionEntry> options = {};
};

// The commands in the order of the help, without those that it leaves out; before them the program itself.
std::vector<CommandEntry> command_entries(const CLI::App& program);

// A completion script of a shell ("bash", "zsh", "fish"); std::invalid_argument for another.
std::string completion_script(const std::string& shell, const std::vector<CommandEntry>& commands);

// The manual page of a command, as troff with the man macros. commands: all of them, the program first.
std::string manual_page(const CommandEntry& command, const std::vector<CommandEntry>& commands,
                        const std::string& version);

}  // namespace bochner
