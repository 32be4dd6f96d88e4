// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace bochner {

namespace {

// The value of a number's word as CLI11 takes it for no other: it reads -1 as 2^64 - 1 where no sign is meant, 010 as
// 8, and what is too large as the largest.
template <class T>
CLI::Option* plain_number(CLI::Option* option, const char* expected) {
  const auto plain = [expected](std::string& text) -> std::string {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value != value)
      return fmt::format("found '{}', expected {}", text, expected);
    text = fmt::format("{}", value);
    return {};
  };
  return option->transform(CLI::Validator(plain, ""));
}

// An empty word is rather a shell's variable that is not set than a wish for nothing.
CLI::Option* some_text(CLI::Option* option) {
  return option->check(
      [](const std::string& text) { return text.empty() ? "found an empty word, expected a value" : ""; });
}

}  // namespace

Word* Word::required() {
  option_->required();
  return this;
}

Word* Word::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Word* Word::group(const std::string& name) {
  option_->group(name);
  return this;
}

Word* Word::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Word* Word::between(std::int64_t least, std::int64_t most) {
  option_->check([least, most](const std::string& text) {
    std::int64_t value = 0;
    const bool whole = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
    return whole && value >= least && value <= most ? ""
                                                    : fmt::format("found {}, expected {} to {}", text, least, most);
  });
  return this;
}

Word* Word::positive() {
  option_->check([](const std::string& text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value > 0 ? "" : fmt::format("found {}, expected a number above 0", text);
  });
  return this;
}

Word* Word::one_value_each() {
  option_->allow_extra_args(false);
  return this;
}

std::size_t Word::count() const { return option_->count(); }
std::string Word::get_name() const { return option_->get_name(); }
std::string Word::get_group() const { return option_->get_group(); }
std::vector<std::string> Word::results() const { return option_->results(); }

Command::Command(CLI::App& app) : app_(&app) {}
Command::~Command() = default;

Command* Command::add_subcommand(const std::string& name, const std::string& help) {
  commands_.push_back(std::make_unique<Command>(*app_->add_subcommand(name, help)));
  return commands_.back().get();
}

Word* Command::keep(CLI::Option* option) {
  words_.push_back(std::make_unique<Word>(option));
  return words_.back().get();
}

Word* Command::add_option(const std::string& name, std::string& value, const std::string& help) {
  return keep(some_text(app_->add_option(name, value, help)));
}

Word* Command::add_option(const std::string& name, int& value, const std::string& help) {
  return keep(plain_number<int>(app_->add_option(name, value, help), "a whole number"));
}

Word* Command::add_option(const std::string& name, std::size_t& value, const std::string& help) {
  return keep(plain_number<std::size_t>(app_->add_option(name, value, help), "a whole number of 0 or more"));
}

Word* Command::add_option(const std::string& name, double& value, const std::string& help) {
  return keep(plain_number<double>(app_->add_option(name, value, help), "a number"));
}

Word* Command::add_option(const std::string& name, std::optional<std::string>& value, const std::string& help) {
  return keep(app_->add_option(name, value, help));
}

Word* Command::add_option(const std::string& name, std::vector<std::string>& value, const std::string& help) {
  return keep(app_->add_option(name, value, help));
}

Word* Command::add_flag(const std::string& name, bool& value, const std::string& help) {
  return keep(app_->add_flag(name, value, help));
}

Command* Command::footer(const std::string& text) {
  app_->footer(text);
  return this;
}

Command* Command::callback(std::function<void()> chosen) {
  app_->callback(std::move(chosen));
  return this;
}

Word* Command::get_option(const std::string& name) const {
  const CLI::Option* option = app_->get_option(name);
  for (const auto& word : words_)
    if (word->get_name() == option->get_name()) return word.get();
  throw std::logic_error("no word " + name);
}

WordsLine::WordsLine() : app_(std::make_unique<CLI::App>()), command_(std::make_unique<Command>(*app_)) {}
WordsLine::~WordsLine() = default;

void WordsLine::parse(const std::vector<std::string>& words) {
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(error.what());
  }
}

void WordsLine::parse(const std::string& line) {
  try {
    app_->parse(line);
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(error.what());
  }
}

std::vector<const Word*> Command::get_options() const {
  std::vector<const Word*> words;
  for (const auto& word : words_) words.push_back(word.get());
  return words;
}

}  // namespace bochner
