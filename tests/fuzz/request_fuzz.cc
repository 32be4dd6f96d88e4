// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Requests to `retrieve --serve`: whatever comes, the answer is a whole one and no words of it become markup.

#include "fuzzing.h"
#include "methods/neighbors/answer.h"
#include "trainings.h"

using namespace bochner;

namespace {

void run(std::span<const std::uint8_t> input) {
  static const Retrieval documents = Retrieval::load(fuzzing::small_documents());
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const std::size_t end = text.find("\r\n\r\n");
  if (end == text.npos) return;  // the server waits for more
  fuzzing::guarded([&] {
    const std::string answer = answer_request(text.substr(0, end + 2), documents, {.port = 8080});
    const std::size_t body = answer.find("\r\n\r\n");
    if (!answer.starts_with("HTTP/1.1 ") || body == answer.npos) fuzzing::finding("no whole answer");
    const bool page = answer.find("Content-Type: text/html") < body;
    if (page && answer.find("<script") != answer.npos) fuzzing::finding("a script in a page");
    if (answer.find("Content-Length: " + std::to_string(answer.size() - body - 4) + "\r\n") == answer.npos)
      fuzzing::finding("a length that is not the body's");
  });
}

const fuzzing::Target target{"request", run};

}  // namespace
