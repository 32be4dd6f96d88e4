// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "bochner/suggest.h"

namespace bochner {

namespace {

// Commands that keep words back, and the words they show.
std::map<const CLI::App*, std::set<std::string>>& short_helps() {
  static std::map<const CLI::App*, std::set<std::string>> words;
  return words;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_fnames()) names.push_back("--" + name);
  }
  return names;
}

// CLI11 says "--clusters: 1 required K missing".
std::string without_value(const CLI::ParseError& error) {
  const std::string text = error.what(), middle = " required ", end = " missing";
  const std::size_t colon = text.find(": "), type = text.find(middle);
  if (error.get_name() != "ArgumentMismatch" || colon == text.npos || type == text.npos || !text.ends_with(end))
    return text;
  const std::size_t begin = type + middle.size();
  return fmt::format("{}: found no value, expected {}", text.substr(0, colon),
                     text.substr(begin, text.size() - end.size() - begin));
}

}  // namespace

void keep_help_short(Command& command, std::initializer_list<const char*> words) {
  command.parser().set_help_all_flag("--help-all", "Print every word and exit");
  short_helps()[&command.parser()] = {words.begin(), words.end()};
}

std::vector<std::string> arranged_words(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return {"--help"};
  std::vector<std::string> quiet;
  while (words.size() > 1 && (words[0] == "--quiet" || words[0] == "-q")) {
    quiet = {words[0]};
    words.erase(words.begin());
  }
  if (words[0] == "help") {
    words.erase(words.begin());
    words.push_back("--help");
    return words;
  }
  words.insert(words.end(), quiet.begin(), quiet.end());
  return words;
}

std::string help_text(CLI::App& app, bool all) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) return app.help();
  CLI::App& command = *chosen[0];
  const auto kept = short_helps().find(&command);
  if (all || kept == short_helps().end()) return command.help(app.get_name());
  for (CLI::Option* option : command.get_options())
    if (!kept->second.contains(option->get_name()) && option != command.get_help_ptr() &&
        option != command.get_help_all_ptr())
      option->group("");
  return command.help(app.get_name());
}

std::string explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    if (words.empty()) return fmt::format("{}; see bochner --help", error.what());
    const std::vector<std::string> known = words[0].starts_with("-") ? options_of(app) : commands_of(app);
    return fmt::format("found '{}', expected a command{}; see bochner --help", words[0], suggestion(words[0], known));
  }
  const CLI::App& command = *chosen[0];
  const std::string see = fmt::format("; see bochner {} --help", command.get_name());
  for (const std::string& word : command.remaining()) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("{} has no {}{}{}", command.get_name(), name, suggestion(name, options_of(command)), see);
  }
  if (!command.remaining().empty())
    return fmt::format("found '{}' too many, expected fewer words{}", command.remaining()[0], see);
  return without_value(error) + see;
}

}  // namespace bochner
