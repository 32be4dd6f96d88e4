// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include "bochner/retrieval.h"
#include "clock.h"
#include "commands.h"
#include "document_sources.h"
#include "neighbor_words.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct IndexWords {
  SearchWords search;
  std::string text;
  std::vector<std::string> documents;
  bool no_texts = false, bytes = false;
  std::size_t k = 10;
  std::uint64_t first = 0;
  double spill = 0;
};

// The text model of rows that `text` wrote: named, or beside them.
std::string text_model(const IndexWords& words) {
  if (!words.text.empty()) return words.text;
  const std::string beside = companion_of(words.search.file, Companion::text_model);
  return TextModel::is_file(beside) ? beside : "";
}

// The documents behind the rows: named, or where the model says; null where they are not to be had.
std::unique_ptr<Documents> documents_of(const IndexWords& words, const std::string& model, Messages& messages) {
  if (model.empty() || words.no_texts) return nullptr;
  const std::size_t memory = words.search.run.execution(messages).memory;
  KeptSources kept = kept_sources(model);
  const bool named = !words.documents.empty();
  if (named) kept.sources.paths = words.documents;
  if (named || kept.fault.empty()) {
    check_output_of_documents(words.search.output, kept.sources.paths);
    std::unique_ptr<Documents> documents = open_sources(kept.sources, memory);
    if (named || hash_text(*documents) == kept.hash) return documents;
    kept.fault = "the documents are not known to be those that " + model + " was made of";
  }
  messages.say(kept.fault + ": no snippets; name the documents by --documents");
  return nullptr;
}

void run_index(const IndexWords& words) {
  Clock clock;
  Messages messages(words.search.run.quiet);
  const std::string& output = words.search.output;
  require(output != "-", "-o: found -, expected a file for the index");
  IndexOptions options = words.search.options(messages);
  options.k = words.k;
  options.first = words.first;
  options.bytes = words.bytes;
  options.spill = words.spill;
  const std::unique_ptr<Rows> rows = words.search.open(messages);
  const std::string model = text_model(words);
  require(!model.empty() || words.documents.empty(),
          "--documents: no text model is beside {}, expected one; name it by --text", words.search.file);
  check_output(output, {model});
  const std::unique_ptr<Documents> documents = documents_of(words, model, messages);
  options.scaling = words.search.scale.chosen(*rows, options.metric, options.execution, messages);
  const NeighborIndex index(*rows, options);
  if (model.empty())
    index.save(output);
  else  // keeps the words, so that `retrieve` reads queries as the documents were read
    save_with_documents(index, model, documents.get(), output);
  messages.say(fmt::format("index of {} in {}: {}, {:.2f} s", counted(index.size(), "row"), output,
                           search_text(index.report(), options), clock.lap()));
  if (!model.empty())
    messages.say(fmt::format("words by {}{}: `bochner retrieve {} \"words\"`", model,
                             documents ? " and the documents' texts are in it" : "", output));
}

}  // namespace

void add_index(Command& app, Job& job) {
  Command* command = app.add_subcommand("index", "Prepare rows for searches of their nearest neighbours");
  auto words = std::make_shared<IndexWords>();
  words->search.add(*command);
  command->add_option("-o,--output", words->search.output, "Where to save the index")->required()->type_name("INDEX");
  command->add_option("-k", words->k, "Neighbours for which --recall is measured; searches may ask for any number")
      ->type_name("K");
  command->add_option("--first", words->first, "Number of the first row: parts that shall be merged have their own")
      ->type_name("N");
  command
      ->add_option(
          "--spill", words->spill,
          "forest: queries near a cut go to both sides, where this share of the rows on either side is as near: "
          "fewer trees, slower queries; 0 to 0.25")
      ->type_name("S");
  command->add_flag("--bytes", words->bytes, "Keep dense rows as a byte for each input: a quarter of the file");
  command->add_option("--text", words->text, "Text model of the rows, for `retrieve`; default: FILE.text where it is")
      ->type_name("MODEL");
  add_repeatable(
      *command, "--documents", words->documents,
      "Where the documents are whose texts are kept for snippets; default: where `text` read them, if that is below "
      "the folder of FILE")
      ->type_name("DOCS");
  command->add_flag("--no-texts", words->no_texts, "Keep no texts of documents");
  command->footer(
      "Examples:\n"
      "  bochner index images.npy -o images.index\n"
      "  bochner neighbors images.index new.npy -k 10 -o near.csv\n"
      "  bochner text docs/ -o docs.svm\n"
      "  bochner index docs.svm --metric cosine -o docs.index\n"
      "  bochner retrieve docs.index \"a storm at sea\"\n"
      "  bochner index customers.csv --ignore id --scale auto -o customers.index    columns of different units\n"
      "Inputs are compared as they are unless --scale is given; the index keeps its scaling, and queries go through "
      "it.");
  command->callback([words, &job] { job = [words] { run_index(*words); }; });
}

}  // namespace bochner
