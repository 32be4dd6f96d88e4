// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace bochner {

// CLI11 behind what commands need of it. Its templates are compiled once, in command.cc, not in every command.

// One word of a command: an option, a flag or a file.
class Word {
 public:
  explicit Word(CLI::Option* option) : option_(option) {}

  Word* required();
  Word* type_name(const std::string& name);  // how the help calls its value
  Word* group(const std::string& name);      // its heading in the help; "": the help leaves it out
  Word* capture_default_str();               // the help shows the value it has now
  Word* between(std::int64_t least, std::int64_t most);
  Word* positive();
  Word* one_value_each();  // a list: one value each time the option is given

  std::size_t count() const;  // how often it was given
  std::string get_name() const;
  std::string get_group() const;
  std::vector<std::string> results() const;  // as they were written

 private:
  CLI::Option* option_;
};

// A command, or the program that holds them.
class Command {
 public:
  explicit Command(CLI::App& app);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& help);
  Word* add_option(const std::string& name, std::string& value, const std::string& help = "");
  Word* add_option(const std::string& name, int& value, const std::string& help = "");
  Word* add_option(const std::string& name, std::size_t& value, const std::string& help = "");
  Word* add_option(const std::string& name, double& value, const std::string& help = "");
  Word* add_option(const std::string& name, std::optional<std::string>& value, const std::string& help = "");
  Word* add_option(const std::string& name, std::vector<std::string>& value, const std::string& help = "");
  Word* add_flag(const std::string& name, bool& value, const std::string& help = "");
  Command* footer(const std::string& text);
  Command* callback(std::function<void()> chosen);

  Word* get_option(const std::string& name) const;  // one that was added
  std::size_t count(const std::string& name) const { return get_option(name)->count(); }
  std::vector<const Word*> get_options() const;  // same order as they were added

  CLI::App& parser() const { return *app_; }  // for who parses a line or prints the help

 private:
  Word* keep(CLI::Option* option);

  CLI::App* app_;
  std::vector<std::unique_ptr<Word>> words_;
  std::vector<std::unique_ptr<Command>> commands_;
};

// Words of a command line that are no program's.
class WordsLine {
 public:
  WordsLine();
  ~WordsLine();
  Command& command() { return *command_; }
  // std::invalid_argument: they are not words of the command.
  void parse(const std::vector<std::string>& words);
  void parse(const std::string& line);  // words between spaces, quoted if they hold some

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Command> command_;
};

}  // namespace bochner
