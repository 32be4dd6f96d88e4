// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/text.h"

#include <cmath>

#include "bochner/archive.h"
#include "bochner/paths.h"
#include "bochner/project.h"
#include "bochner/stream.h"
#include "clock.h"
#include "commands.h"
#include "csv_line.h"
#include "document_sources.h"
#include "encode_documents.h"
#include "load_as.h"
#include "options.h"
#include "output.h"
#include "require.h"

namespace bochner {

namespace {

struct TextWords {
  std::vector<std::string> documents;
  std::string output, model, counts, save, column, ngrams = "1", project, delimiter;
  std::size_t dims = 1000, hashed = 0, min_documents = 1;
  double max_share = 1, pair_weight = 1;
  std::uint64_t seed = 0;
  double k1 = 1.5, b = 0.75;
  bool no_idf = false, sublinear = false, bm25 = false, queries = false;
  RunOptions run;
  std::vector<Word*> counting;  // what counts decide already
  std::vector<Word*> learning;  // and a model
  std::vector<Word*> of_bm25;
  Word *min_given = nullptr, *share_given = nullptr, *pair_given = nullptr;
};

// "1-2" or "2".
std::pair<std::size_t, std::size_t> parse_ngrams(const std::string& text) {
  const std::size_t dash = text.find('-');
  const double least = parse_number("--ngrams", text.substr(0, dash));
  const double most = dash == text.npos ? least : parse_number("--ngrams", text.substr(dash + 1));
  require(least >= 1 && least == std::floor(least) && most == std::floor(most) && most >= least && most <= 16,
          "--ngrams: found '{}', expected numbers of words such as 1 or 1-2", text);
  return {std::size_t(least), std::size_t(most)};
}

TextOptions counted_by(const TextWords& words) {
  const auto [least, most] = parse_ngrams(words.ngrams);
  return {.least_words = least, .most_words = most, .hashed = words.hashed};
}

// Limits and weights by the words, and by the projection where there is one.
TextOptions chosen(const TextWords& words, const TextCounts& counts) {
  TextOptions options = counts.options();
  if (!words.project.empty()) options = before_projection(options, counts.documents());
  if (words.min_given->count() > 0) options.min_documents = words.min_documents;
  if (words.share_given->count() > 0) options.max_share = words.max_share;
  if (words.pair_given->count() > 0) options.pair_weight = words.pair_weight;
  options.idf = !words.no_idf;
  options.sublinear = words.sublinear;
  options.bm25 = words.bm25;
  options.k1 = words.k1;
  options.b = words.b;
  return options;
}

TextModel learned(const TextWords& words, TextCounts counts, Messages& messages) {
  counts.choose(chosen(words, counts));
  const TextModel model(counts);
  if (words.project.empty()) return model;
  if (const TextOptions& options = model.options(); !options.hashed)
    messages.say(fmt::format("{} in {} to {} of {}, for the projection", counted(model.columns(), "term"),
                             options.min_documents, std::floor(options.max_share * double(model.documents())),
                             counted(model.documents(), "document")));
  return model.with_map(
      project(model.columns(), {.kind = parse_projection_name(words.project), .dims = words.dims, .seed = words.seed}));
}

// Rows as they come, in the format of the name.
class RowsFile {
 public:
  RowsFile(const std::string& path, std::size_t rows, std::size_t columns)
      : npy_(path.ends_with(".npy")), output_(path) {
    if (npy_) output_.write(npy_header("<f4", rows, columns));
  }

  void write(const RowBlock<float>& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      line_.clear();
      if (npy_)
        dense(block, i);
      else
        svmlight(block, i);
      output_.write(line_);
    }
    rows_ += block.rows;
  }
  std::size_t finish() {
    output_.finish();
    return rows_;
  }

 private:
  void put(float value) { line_.append(reinterpret_cast<const char*>(&value), sizeof(value)); }

  void dense(const RowBlock<float>& block, std::size_t i) {
    if (!block.sparse()) {
      for (std::size_t j = 0; j < block.cols; ++j) put(block.values[i * block.stride + j]);
      return;
    }
    std::size_t p = block.offsets[i];
    for (std::size_t j = 0; j < block.cols; ++j)
      put(p < block.offsets[i + 1] && block.columns[p] == j ? block.values[p++] : 0.0f);
  }
  void pair(std::size_t column, float value) {
    line_ += fmt::format(" {}:", column + 1);
    append_number(line_, value);
  }
  void svmlight(const RowBlock<float>& block, std::size_t i) {
    line_ = block.targets ? fmt::format("{}", block.targets[i * block.target_count]) : "0";
    if (block.sparse())
      for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p) pair(block.columns[p], block.values[p]);
    else
      for (std::size_t j = 0; j < block.cols; ++j) pair(j, block.values[i * block.stride + j]);
    line_ += '\n';
  }

  bool npy_;
  Output output_;
  std::string line_;
  std::size_t rows_ = 0;
};

bool only_counts(const TextWords& words) { return words.output.ends_with(".counts"); }

void check_words(const TextWords& words) {
  require(only_counts(words) || words.output.ends_with(".npy") || words.output.ends_with(".svm") ||
              words.output.ends_with(".svm.gz"),
          "{}: the name ends in neither .npy, .svm, .svm.gz nor .counts, expected one of them", words.output);
  require(words.min_documents >= 1, "--min-documents: found 0, expected 1 or more");
  require(words.max_share > 0 && words.max_share <= 1, "--max-share: found {}, expected above 0 and at most 1",
          words.max_share);
  require(words.pair_weight > 0 && words.pair_weight <= 1, "--pair-weight: found {}, expected above 0 and at most 1",
          words.pair_weight);
  require(words.k1 >= 0 && words.k1 <= 1000, "--k1: found {}, expected 0 to 1000", words.k1);
  require(words.b >= 0 && words.b <= 1, "--b: found {}, expected 0 to 1", words.b);
  require(!words.bm25 || !words.sublinear, "--sublinear: found --bm25 too; leave one of them out");
  require(!words.queries || !words.model.empty(), "--queries: found no --model, expected the model of the documents");
  require(words.dims >= 1, "--dims: found 0, expected 1 or more");
  if (!words.project.empty()) parse_projection_name(words.project);
  require(words.delimiter.size() <= 1 || words.delimiter == "tab",
          "--delimiter: found '{}', expected one character or tab", words.delimiter);
  for (const std::string& path : words.documents)
    require(path != "-", "-: standard input can be read only once; store the documents in a file");
  const auto refuse = [](const std::vector<Word*>& options, const char* why) {
    for (const Word* option : options) require(option->count() == 0, "{}: {}", option->get_name(), why);
  };
  if (!words.bm25) refuse(words.of_bm25, "is for --bm25; leave it out, or add --bm25");
  if (only_counts(words)) {
    require(words.model.empty() && words.counts.empty() && words.save.empty(),
            "{}: only counts are written; leave --model, --counts and --save out", words.output);
    refuse(words.learning, "is for rows; leave it out here, and give it together with --counts");
  }
  if (!words.counts.empty()) refuse(words.counting, "is decided by the counts given as --counts; leave it out");
  if (words.model.empty()) return;
  require(words.save.empty(), "--save: found --model too, which is saved already; leave one of them out");
  require(words.counts.empty(), "--counts: found --model too, which has counts; leave one of them out");
  refuse(words.counting, "is decided by the model given as --model; leave it out");
  refuse(words.learning, "is decided by the model given as --model; leave it out");
}

// Where `index` finds the model of the rows: beside them. Nothing where it is another's, which is named.
std::string beside_rows(const TextWords& words) {
  return only_counts(words) || !words.model.empty() ? "" : companion_of(words.output, Companion::text_model);
}

void check_outputs(const TextWords& words) {
  std::vector<std::string> inputs = words.documents;
  inputs.insert(inputs.end(), {words.model, words.counts});
  for (const std::string& output : {words.output, words.save, beside_rows(words)})
    if (!output.empty()) check_output_of_documents(output, inputs);
  require(words.save.empty() || !same_file(words.save, words.output),
          "{}: found as -o and as --save, expected two files", words.save);
  if (!beside_rows(words).empty()) check_companion(beside_rows(words), TextModel::is_file);
}

// The model, and where its documents were: an index keeps their texts.
void save_with_sources(const TextModel& model, const TextWords& words, Documents& documents, const std::string& place) {
  Archive archive;
  model.save(archive);
  keep_sources(archive, place, {words.documents, words.column, words.delimiter}, documents);
  write_archive(place, archive);
}

void run_text(const TextWords& words) {
  constexpr std::size_t kMostDense = std::size_t(1) << 20;  // columns
  Clock clock;
  Messages messages(words.run.quiet);
  const Execution execution = words.run.execution(messages);
  check_words(words);
  check_outputs(words);
  const auto documents = open_sources({words.documents, words.column, words.delimiter}, execution.memory);
  const auto counts = [&] {
    return words.counts.empty() ? count_text(*documents, counted_by(words), execution)
                                : load_as<TextCounts>(words.counts);
  };
  if (only_counts(words)) {
    const TextCounts part = counts();
    part.save(words.output);
    messages.say(
        fmt::format("counts of {} in {}, {:.2f} s", counted(part.documents(), "document"), words.output, clock.lap()));
    return messages.say("next: `bochner merge` the counts of all parts, then `bochner text PART --counts MERGED`");
  }
  const TextModel model = words.model.empty() ? learned(words, counts(), messages) : load_as<TextModel>(words.model);
  const std::unique_ptr<Rows> rows =
      words.queries ? model.query_rows(*documents, execution) : model.rows(*documents, execution);
  const std::size_t columns = model.map() ? model.map()->outputs() : model.columns();
  const bool npy = words.output.ends_with(".npy");
  require(!npy || columns <= kMostDense,
          "{}: {} columns, mostly zeros, take {} bytes a document; write .svm, or add --project sign --dims 1000",
          words.output, columns, 4 * columns);
  std::size_t count = 0;
  if (npy) count = words.model.empty() && words.counts.empty() ? model.documents() : count_rows(*rows);
  RowsFile file(words.output, count, columns);
  each<float>(
      *rows, model.map(), [&](const RowBlock<float>& block) { file.write(block); }, execution, "encode");
  count = file.finish();
  if (!words.save.empty()) model.save(words.save);
  if (const std::string place = beside_rows(words); !place.empty()) save_with_sources(model, words, *documents, place);
  messages.say(fmt::format("{} of {} in {}, {:.2f} s", counted(count, "document"), counted(columns, "column"),
                           words.output, clock.lap()));
  const auto& labels = documents->labels();
  if (!npy && labels.size() > 1)
    messages.say(
        fmt::format("labels 0 to {} are the folders {} to {}", labels.size() - 1, labels.front(), labels.back()));
}

// What decides terms and numbers: words that counts or a model leave no room for.
void add_choices(Command& command, TextWords& words) {
  const auto learn = [&](Word* option) {
    words.learning.push_back(option);
    return option;
  };
  words.counting = {
      command.add_option("--ngrams", words.ngrams, "Words of a term: 1, 2, 1-2, ...; default 1")->type_name("N-N"),
      command
          .add_option("--hashed", words.hashed,
                      "Columns that terms fall into by their hash, so that none is stored; default: one for each")
          ->type_name("N")};
  words.min_given =
      learn(command.add_option("--min-documents", words.min_documents,
                               "Leave out terms in fewer documents; default 1, with --project one of 1000"))
          ->type_name("N");
  words.share_given =
      learn(command.add_option("--max-share", words.max_share,
                               "Leave out terms in a larger share of them; default 1, with --project 0.1"))
          ->type_name("P");
  words.pair_given =
      learn(command.add_option("--pair-weight", words.pair_weight,
                               "What a pair of words weighs beside a word; default 1, with --project 0.5"))
          ->type_name("W");
  learn(command.add_flag("--no-idf", words.no_idf, "Count terms as they are, common or rare"));
  learn(command.add_flag("--sublinear", words.sublinear, "Count c of a term in a document as 1 + ln c"));
  learn(command.add_flag("--bm25", words.bm25, "Weights of Okapi BM25, for `index --metric inner`; not tf-idf"));
  words.of_bm25 = {
      learn(command.add_option("--k1", words.k1, "bm25: how slowly a repeated term saturates, from 0; default 1.5"))
          ->type_name("K1"),
      learn(command.add_option("--b", words.b, "bm25: how much long documents are weighed down, 0 to 1; default 0.75"))
          ->type_name("B")};
  learn(command.add_option("--project", words.project,
                           "Project the rows: gaussian, sign, sparse, verysparse, fastjl, srht or hash"))
      ->type_name("KIND");
  learn(command.add_option("--dims", words.dims, "Outputs of the projection; default 1000"))->type_name("K");
  learn(command.add_option("--seed", words.seed, "Seed of the projection"))->type_name("N");
}

}  // namespace

void encode_documents(const std::string& documents, const std::string& model, const std::string& output,
                      const RunOptions& run) {
  TextWords words;
  words.documents = {documents};
  words.model = model;
  words.output = output;
  words.run = run;
  run_text(words);
}

void add_text(Command& app, Job& job) {
  Command* command = app.add_subcommand("text", "Turn documents into rows of tf-idf, projected or sparse");
  auto words = std::make_shared<TextWords>();
  command
      ->add_option("DOCS", words->documents,
                   "Folders (a document each file), files of lines (each line), or CSV files with --column")
      ->required()
      ->type_name("");
  command
      ->add_option("-o,--output", words->output,
                   "Where to write: .svm, .svm.gz (sparse), .npy (float32), or .counts of a part")
      ->required()
      ->type_name("OUT");
  command->add_option("--column", words->column, "Column of CSV files with the text, by name or index")
      ->type_name("COLUMN");
  command->add_option("--delimiter", words->delimiter, "csv: one character, or 'tab'")->type_name("C");
  add_choices(*command, *words);
  command->add_option("--counts", words->counts, "Learn from counts that `-o PART.counts` wrote and `merge` merged")
      ->type_name("FILE");
  command->add_option("--save", words->save, "Also save the terms and weights, for new documents")->type_name("MODEL");
  command->add_option("--model", words->model, "Encode by a model that --save wrote")->type_name("MODEL");
  command->add_flag("--queries", words->queries,
                    "Encode as queries: counts of terms, whose products with rows of --bm25 are the scores");
  words->run.add(*command);
  command->footer(
      "Examples:\n"
      "  bochner text mails/ -o mails.svm --ngrams 1-2 --save mails.text\n"
      "  bochner text new/ -o new.svm --model mails.text\n"
      "  bochner text mails/ -o mails.npy --ngrams 1-2 --project sign --dims 1000\n"
      "  bochner text reviews.csv --column text -o reviews.svm --min-documents 2\n"
      "From parts that never meet, the same numbers:\n"
      "  bochner text a/ --ngrams 1-2 -o a.counts\n"
      "  bochner text b/ --ngrams 1-2 -o b.counts\n"
      "  bochner merge a.counts b.counts -o all.counts\n"
      "  bochner text a/ --counts all.counts -o a.svm\n"
      "Numbers are those of scikit-learn's TfidfVectorizer: smooth idf, rows of length 1. By --bm25 they are weights "
      "whose product with the counts of a query is its score.");
  command->callback([words, &job] { job = [words] { run_text(*words); }; });
}

}  // namespace bochner
