// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bochner/retrieval.h"

namespace bochner {

// Documents found, as JSON text: {"query": ..., "results": [{"rank", "document", "score", "label", "name", "snippet"},
// ...]}.
std::string retrieved_json(const std::string& query, const std::vector<Retrieved>& found);

// Where a document comes from: its file, or the folder or label where it has none.
const std::string& origin_of(const Retrieved& found);

// Where requests come to, and how many documents they get unless they say.
struct RequestPlace {
  std::string host = "127.0.0.1";
  int port = 0;
  std::size_t k = 10;
};

// The answer to the head of a request, which ends with the "\r\n" of its last line: whatever the bytes are.
std::string answer_request(std::string_view head, const Retrieval& documents, const RequestPlace& place);
// An answer of one line, such as 400 "Bad Request".
std::string refusal(int code, const char* said);

}  // namespace bochner
