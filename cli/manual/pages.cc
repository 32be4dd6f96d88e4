// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "manual/entries.h"

namespace bochner {

namespace {

// Text as troff prints it letter by letter: a plain '-' would be a hyphen, a line's first '.' or '\'' a command.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '"':
        result += "\\(dq";
        break;
      case '.':
        result += result.empty() || result.back() == '\n' ? "\\&." : ".";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What stands below the options of --help: captions with indented lines below them, and paragraphs.
struct Footer {
  std::string paragraphs, examples;
};

bool is_indented(const std::string& line) { return line.starts_with(" "); }

Footer footer_of(const std::string& text) {
  Footer footer;
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
    while (end < lines.size() && is_indented(lines[end]) == is_indented(lines[begin])) ++end;
    const bool caption = !is_indented(lines[begin]) && end < lines.size();
    if (is_indented(lines[begin])) {
      footer.examples += ".PP\n.RS 2\n.nf\n";
      for (std::size_t i = begin; i < end; ++i) footer.examples += roff(lines[i].substr(2)) + "\n";
      footer.examples += ".fi\n.RE\n";
      continue;
    }
    std::string& to = caption ? footer.examples : footer.paragraphs;
    if (caption && lines[begin].starts_with("Example") && end == begin + 1 && footer.examples.empty()) continue;
    to += ".PP\n";
    for (std::size_t i = begin; i < end; ++i) to += roff(lines[i]) + "\n";
  }
  return footer;
}

std::string option_text(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.positional && !option.value.empty()) names += " \\fI" + roff(option.value) + "\\fR";
  std::string help = roff(option.help);
  if (!option.default_value.empty()) help += fmt::format(" [{}]", roff(option.default_value));
  if (option.required && !option.positional) help += " (required)";
  return fmt::format(".TP\n{}\n{}\n", names, help.empty() ? "\\&" : help);
}

// One heading for each group of options, in the order in which they come.
std::string options_text(const CommandEntry& command) {
  std::vector<std::string> groups;
  std::string text, files;
  for (const OptionEntry& option : command.options) {
    if (option.positional)
      files += option_text(option);
    else if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  }
  if (!files.empty()) text += ".SH ARGUMENTS\n" + files;
  if (!groups.empty()) text += ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    if (group != "Options") text += ".SS " + roff(group) + "\n";
    for (const OptionEntry& option : command.options)
      if (!option.positional && option.group == group) text += option_text(option);
  }
  return text;
}

std::string synopsis_of(const CommandEntry& command, bool program) {
  if (program) return "\\fBbochner\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fIFILE\\fR ...\n";
  std::string text = "\\fBbochner " + roff(command.name) + "\\fR [\\fIOPTIONS\\fR]";
  for (const OptionEntry& option : command.options) {
    if (!option.positional) continue;
    const std::string word = fmt::format("\\fI{}\\fR{}", roff(option.names[0]), option.several ? " ..." : "");
    text += option.required ? " " + word : " [" + word + "]";
  }
  return text + "\n";
}

std::string commands_text(const std::vector<CommandEntry>& commands) {
  std::string text = ".SH COMMANDS\n";
  for (const CommandEntry& command : commands)
    if (&command != &commands[0])
      text += fmt::format(".TP\n\\fBbochner\\-{}\\fR(1)\n{}\n", roff(command.name), roff(command.help));
  return text +
         ".SH ENVIRONMENT\n.TP\n\\fBBOCHNER_TARGET\\fR\nLimits the instruction sets that are used; "
         "\\fBbochner \\-\\-version\\fR prints those in use.\n";
}

// A summary as manual pages have it: no capital, no point.
std::string summary(std::string help) {
  help = help.substr(0, help.find('\n'));
  if (help.size() > 1 && help[1] >= 'a' && help[1] <= 'z' && help[0] >= 'A' && help[0] <= 'Z') help[0] += 'a' - 'A';
  if (help.ends_with(".")) help.pop_back();
  return help;
}

constexpr const char* kExit =
    ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nMisuse.\n.TP\n2\nThe data are at fault.\n.TP\n3\nThe model file is at "
    "fault.\n.TP\n4\nA check found more than its limit.\n";

}  // namespace

std::string manual_page(const CommandEntry& command, const std::vector<CommandEntry>& commands,
                        const std::string& version) {
  const bool program = &command == &commands[0];
  const std::string name = program ? "bochner" : "bochner-" + command.name;
  std::string title = name;
  for (char& c : title) c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  const Footer footer = footer_of(command.footer);
  std::string text = fmt::format(".TH {} 1 \"\" \"bochner {}\" \"Kernel machines\"\n", roff(title), roff(version));
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", roff(name), roff(summary(command.help)),
                      synopsis_of(command, program));
  text += fmt::format(".SH DESCRIPTION\n{}{}\n{}", roff(command.help), command.help.ends_with(".") ? "" : ".",
                      footer.paragraphs);
  if (program) text += commands_text(commands);
  text += options_text(command);
  if (!footer.examples.empty()) text += ".SH EXAMPLES\n" + footer.examples;
  text += kExit;
  text += program ? ".SH SEE ALSO\nThe pages of the commands above.\n" : ".SH SEE ALSO\n\\fBbochner\\fR(1)\n";
  return text;
}

}  // namespace bochner
