// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Scripts that name every command and option; whatever is no option completes as a file, as most values are.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "manual/entries.h"

namespace bochner {

namespace {

// The text without what a shell would take for more than text: each of `special` behind a backslash.
std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != special.npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

// A word in single quotes, for bash and zsh.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) c == '\'' ? result += "'\\''" : result += c;
  return result + "'";
}

// A list in a menu has room for the beginning only.
std::string first_words(const std::string& help) {
  constexpr std::size_t kMost = 72;
  if (help.size() <= kMost) return help;
  return help.substr(0, help.rfind(' ', kMost)) + " ...";
}

std::vector<std::string> flags_of(const CommandEntry& command) {
  std::vector<std::string> flags;
  for (const OptionEntry& option : command.options)
    if (!option.positional) flags.insert(flags.end(), option.names.begin(), option.names.end());
  return flags;
}

std::vector<std::string> names_of(const std::vector<CommandEntry>& commands) {
  std::vector<std::string> names;
  for (const CommandEntry& command : commands)
    if (&command != &commands[0]) names.push_back(command.name);
  return names;
}

std::string bash_script(const std::vector<CommandEntry>& commands) {
  std::string cases;
  for (const CommandEntry& command : commands)
    cases += fmt::format("    {}) words={} ;;\n", &command == &commands[0] ? "''" : command.name,
                         quoted(fmt::format("{}", fmt::join(flags_of(command), " "))));
  return fmt::format(R"(# Completion of bochner for bash; made by `bochner completion bash`.
_bochner() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command= word words
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    if [[ $word != -* && $word != help ]]; then
      command=$word
      break
    fi
  done
  case $command in
{})"
                     R"(    *) return ;;
  esac
  if [[ -z $command && $current != -* ]]; then
    words={}
  elif [[ $current != -* ]]; then
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o bashdefault -o default -F _bochner bochner
)",
                     cases, quoted(fmt::format("{} help", fmt::join(names_of(commands), " "))));
}

// The argument of _arguments for one name of an option: '--name[help]:VALUE:_files'.
std::string zsh_option(const OptionEntry& option, const std::string& name) {
  const std::string repeated = option.several ? "*" : "";
  const std::string value = option.value.empty() ? "" : ":" + escaped(option.value, ":[]\\") + ":_files";
  return quoted(repeated + name + "[" + escaped(first_words(option.help), "[]:\\") + "]" + value);
}

std::string zsh_arguments(const CommandEntry& command) {
  std::string arguments;
  for (const OptionEntry& option : command.options)
    for (const std::string& name : option.names)
      if (!option.positional) arguments += " \\\n        " + zsh_option(option, name);
  return arguments;
}

std::string zsh_script(const std::vector<CommandEntry>& commands) {
  std::string list, cases;
  for (const CommandEntry& command : commands) {
    if (&command == &commands[0]) continue;
    list += "    " + quoted(command.name + ":" + escaped(first_words(command.help), ":\\")) + "\n";
    cases += fmt::format("      {})\n        _arguments{} \\\n        '*:file:_files' ;;\n", command.name,
                         zsh_arguments(command));
  }
  return fmt::format(R"(#compdef bochner
# Completion of bochner for zsh; made by `bochner completion zsh`.
_bochner() {{
  local state line
  local -a commands
  commands=(
{})"
                     R"(    'help:Print the help of a command'
  )
  _arguments -C{} \
        '1:command:->command' \
        '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument) case $line[1] in
{})"
                     R"(      help) _describe command commands ;;
      esac ;;
  esac
}}
if [[ $funcstack[1] = _bochner ]]; then _bochner "$@"; else compdef _bochner bochner; fi
)",
                     list, zsh_arguments(commands[0]), cases);
}

std::string fish_option(const std::string& condition, const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return fmt::format("complete -c bochner -n '{}'{}{} -d '{}'\n", condition, names, option.value.empty() ? "" : " -r",
                     escaped(first_words(option.help), "'\\"));
}

std::string fish_script(const std::vector<CommandEntry>& commands) {
  std::string text = "# Completion of bochner for fish; made by `bochner completion fish`.\n";
  for (const CommandEntry& command : commands) {
    const bool program = &command == &commands[0];
    const std::string condition = program ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + command.name;
    if (!program)
      text += fmt::format("complete -c bochner -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                          escaped(first_words(command.help), "'\\"));
    for (const OptionEntry& option : command.options)
      if (!option.positional) text += fish_option(condition, option);
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<CommandEntry>& commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw std::invalid_argument(fmt::format("completion: found '{}', expected bash, zsh or fish", shell));
}

}  // namespace bochner
