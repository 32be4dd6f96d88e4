// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "commands.h"

namespace CLI {
class ParseError;
}

namespace bochner {

// The words of a line before anything is parsed: `help train` becomes `train --help`, no words at all --help, and
// --quiet before the command goes behind it.
std::vector<std::string> arranged_words(int argc, char** argv);

// The help that was asked for; all: every word, where the command keeps some back.
std::string help_text(CLI::App& app, bool all);

// One line about a line that could not be parsed.
std::string explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

}  // namespace bochner
