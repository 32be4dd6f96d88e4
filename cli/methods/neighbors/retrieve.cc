// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "retrieve.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "load_as.h"
#include "output.h"
#include "require.h"
#include "signals.h"

namespace bochner {

namespace {

struct RetrieveWords {
  std::string index, query, like, host = "127.0.0.1";
  std::size_t k = 10;
  int port = -1;
  bool json = false, quiet = false;
};

// A document of the index by its number, or another by its file.
std::vector<Retrieved> find_like(const Retrieval& documents, const std::string& like, std::size_t k) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(like.data(), like.data() + like.size(), number);
  if (read.ec == std::errc() && read.ptr == like.data() + like.size()) return documents.like(number, k);
  std::ifstream file(like, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) fail(Error::Kind::io, "--like: {} is no number of a document and no file that can be read", like);
  return documents.find(text.str(), k);
}

std::string plain_text(const std::vector<Retrieved>& found) {
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Retrieved& each = found[i];
    text += fmt::format("{:>3}  {:.3f}  {}{}\n", i + 1, each.score, each.document,
                        origin_of(each).empty() ? "" : "  " + one_line(origin_of(each)));
    if (!each.snippet.empty()) text += "     " + one_line(each.snippet) + "\n";
  }
  return text;
}

void run_retrieve(const RetrieveWords& words) {
  Messages messages(words.quiet);
  require(words.k >= 1, "-k: found 0, expected 1 or more");
  const int asked = !words.query.empty() + !words.like.empty() + (words.port >= 0);
  require(asked == 1, "retrieve: found {}, expected one of: words, --like DOC, --serve PORT",
          asked == 0 ? "nothing to look for" : "several things to do");
  require(words.port <= 65535, "--serve: found {}, expected a port up to 65535", words.port);
  survive_shrinking(words.index);
  const auto documents = load_as<Retrieval>(words.index);
  if (words.port >= 0) return serve(documents, {words.host, words.port, words.k}, messages);
  const std::vector<Retrieved> found =
      words.like.empty() ? documents.find(words.query, words.k) : find_like(documents, words.like, words.k);
  if (words.json)
    print(retrieved_json(words.like.empty() ? words.query : words.like, found) + "\n");
  else
    print(plain_text(found));
  if (found.empty()) messages.say("no document has any of these words");
}

}  // namespace

void add_retrieve(Command& app, Job& job) {
  Command* command = app.add_subcommand("retrieve", "Find documents by words, or like another");
  auto words = std::make_shared<RetrieveWords>();
  command->add_option("INDEX", words->index, "A file that `bochner index` made of the rows of `bochner text`")
      ->required()
      ->type_name("");
  command->add_option("WORDS", words->query, "What to look for, in quotes")->type_name("");
  command->add_option("--like", words->like, "A document of the index by its number from 0, or a file with a text")
      ->type_name("DOC");
  command->add_option("--serve", words->port, "Show a page for searches at http://127.0.0.1:PORT; 0: any free port")
      ->type_name("PORT");
  command->add_option("--host", words->host, "Address to listen at; others than this machine can then search")
      ->type_name("ADDRESS");
  command->add_option("-k", words->k, "How many documents; default 10")->type_name("K");
  command->add_flag("--json", words->json, "Print as JSON");
  command->add_flag("-q,--quiet", words->quiet, "Print only results and errors");
  command->footer(
      "Examples:\n"
      "  bochner text mails/ -o mails.svm\n"
      "  bochner index mails.svm --metric cosine -o mails.index\n"
      "  bochner retrieve mails.index \"a storm at sea\" --json\n"
      "  bochner retrieve mails.index --like 17\n"
      "  bochner retrieve mails.index --serve 8080\n"
      "Scores are cosines of tf-idf, or of BM25 if the rows are by `text --bm25`, indexed by `--metric inner`. The "
      "page stops with Ctrl-C.");
  command->callback([words, &job] { job = [words] { run_retrieve(*words); }; });
}

}  // namespace bochner
