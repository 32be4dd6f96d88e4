// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "bochner/retrieval.h"
#include "commands.h"
#include "messages.h"

namespace bochner {

void add_retrieve(Command& app, Job& job);

// Documents found, as JSON text: {"query": ..., "results": [{"rank", "document", "score", "label", "name", "snippet"},
// ...]}.
std::string retrieved_json(const std::string& query, const std::vector<Retrieved>& found);

// Where a document comes from: its file, or the folder or label where it has none.
const std::string& origin_of(const Retrieved& found);

// Answers requests of a browser until the program ends.
struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: any that is free
  std::size_t k = 10;
};
void serve(const Retrieval& documents, const ServeOptions& options, Messages& messages);

}  // namespace bochner
