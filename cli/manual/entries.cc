// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "manual/entries.h"

#include <CLI/CLI.hpp>

namespace bochner {

namespace {

OptionEntry option_entry(const CLI::Option& option) {
  OptionEntry entry{.help = option.get_description(),
                    .group = option.get_group(),
                    .default_value = option.get_default_str(),
                    .positional = option.get_positional(),
                    .required = option.get_required(),
                    .several = option.get_items_expected_max() > 1};
  if (entry.positional) {
    entry.names = {option.get_name()};
    entry.value = option.get_name();
    return entry;
  }
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0)
    entry.value = option.get_type_name().empty() ? "VALUE" : option.get_type_name();
  return entry;
}

CommandEntry command_entry(const CLI::App& command) {
  CommandEntry entry{command.get_name(), command.get_description(), command.get_footer()};
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty()) entry.options.push_back(option_entry(*option));
  return entry;
}

}  // namespace

std::vector<CommandEntry> command_entries(const CLI::App& program) {
  std::vector<CommandEntry> entries = {command_entry(program)};
  for (const CLI::App* command :
       program.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
    entries.push_back(command_entry(*command));
  return entries;
}

}  // namespace bochner
