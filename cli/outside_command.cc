// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "outside_command.h"

#include <unistd.h>

#include <csignal>

namespace bochner {

void become_outside_command(std::vector<std::string> words) {
  if (words.empty() || words[0].empty() || words[0].starts_with("-") || words[0].find('/') != std::string::npos) return;
  words[0] = "bochner-" + words[0];
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // A signal that is ignored stays so in the new program, which expects to be ended by a pipe that nobody reads.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  ::execvp(arguments[0], arguments.data());
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace bochner
