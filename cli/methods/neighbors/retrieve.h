// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "answer.h"
#include "bochner/retrieval.h"
#include "commands.h"
#include "messages.h"

namespace bochner {

void add_retrieve(Command& app, Job& job);

// Answers requests of a browser until the program ends.
struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
  std::size_t k = 10;
};
void serve(const Retrieval& documents, const ServeOptions& options, Messages& messages);

}  // namespace bochner
