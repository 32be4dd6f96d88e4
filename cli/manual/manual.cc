// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "manual/manual.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "bochner/atomic_file.h"
#include "manual/entries.h"
#include "output.h"

namespace bochner {

namespace {

// The word behind `bochner ` of --version.
std::string version_of(const CLI::App& program) {
  const std::string text = program.version();
  const std::size_t begin = text.find(' ') + 1;
  return text.substr(begin, text.find(' ', begin) - begin);
}

void write_pages(const CLI::App& program, const std::string& folder) {
  const std::vector<CommandEntry> commands = command_entries(program);
  for (const CommandEntry& command : commands) {
    const std::string name = &command == &commands[0] ? "bochner" : "bochner-" + command.name;
    AtomicFile file(folder + "/" + name + ".1");
    file.write(manual_page(command, commands, version_of(program)));
    file.commit();
  }
}

}  // namespace

void add_completion(Command& app, Job& job) {
  Command* command = app.add_subcommand("completion", "Print what lets a shell complete commands and options");
  command->parser().group("");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("");
  command->footer(
      "Examples:\n"
      "  source <(bochner completion bash)\n"
      "  bochner completion fish > ~/.config/fish/completions/bochner.fish");
  command->callback([shell, &app, &job] {
    job = [shell, &app] { print(completion_script(*shell, command_entries(app.parser()))); };
  });
}

void add_manual(Command& app, Job& job) {
  Command* command = app.add_subcommand("manual", "Write the manual page of each command into a folder");
  command->parser().group("");
  auto folder = std::make_shared<std::string>();
  command->add_option("FOLDER", *folder, "A folder that exists")->required()->type_name("");
  command->footer(
      "Example:\n"
      "  bochner manual . && man ./bochner-train.1");
  command->callback([folder, &app, &job] { job = [folder, &app] { write_pages(app.parser(), *folder); }; });
}

}  // namespace bochner
