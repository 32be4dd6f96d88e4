// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "bochner/archive.h"
#include "bochner/retrieval.h"
#include "clock.h"
#include "commands.h"
#include "neighbor_words.h"
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
  const std::string beside = words.search.file + kBesideRows;
  std::error_code error;
  return std::filesystem::exists(beside, error) && TextModel::is_file(beside) ? beside : "";
}

// The documents behind the rows: named, or where the model says; null where they are gone.
std::unique_ptr<Documents> documents_of(const IndexWords& words, const std::string& model, Messages& messages) {
  if (words.no_texts) return nullptr;
  if (!words.documents.empty()) return open_documents(words.documents);
  DocumentsOptions reading;
  std::vector<std::string> paths;
  try {
    const auto sources = nlohmann::json::parse(read_archive(model).get_text("sources"));
    reading.column = sources.at("column").get<std::string>();
    if (const std::string delimiter = sources.at("delimiter").get<std::string>(); !delimiter.empty())
      reading.delimiter = delimiter == "tab" ? '\t' : delimiter[0];
    paths = sources.at("paths").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    fail(Error::Kind::model, "{}: where its documents are is not told as JSON; the file is damaged", model);
  } catch (const Error&) {  // a model of an earlier version
    return nullptr;
  }
  std::error_code error;
  for (const std::string& path : paths)
    if (!std::filesystem::exists(path, error)) {
      messages.say(fmt::format("{} is gone: no snippets; name the documents by --documents", path));
      return nullptr;
    }
  return paths.empty() ? nullptr : open_documents(paths, reading);
}

// With words, so that `retrieve` reads queries as the documents were read. The file appears when all is in it.
void save_with_words(const NeighborIndex& index, const std::string& model, Documents* documents,
                     const std::string& output) {
  const std::string part = output + ".part";
  try {
    index.save(part);
    keep_documents(part, model, documents);
    std::filesystem::rename(part, output);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw;
  }
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
  options.scaling = words.search.scale.chosen(*rows, options.metric, options.execution, messages);
  const NeighborIndex index(*rows, options);
  const std::unique_ptr<Documents> documents = model.empty() ? nullptr : documents_of(words, model, messages);
  if (model.empty())
    index.save(output);
  else
    save_with_words(index, model, documents.get(), output);
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
  add_repeatable(*command, "--documents", words->documents,
                 "Where the documents are whose texts are kept for snippets; default: where `text` read them")
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
