// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "base/archive.h"
#include "base/option.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/strict_json.h"
#include "bochner/visible_text.h"
#include "maps/load.h"
#include "methods/text/counts.h"
#include "methods/text/text_rows.h"
#include "methods/text/words.h"

namespace bochner {

namespace {

constexpr const char* kTextType = "bochner text";

std::uint64_t length_of(const TextCounts& counts) {
  const std::optional<std::uint64_t> length = counts.length();
  if (counts.options().bm25 && !length)
    fail(Error::Kind::model,
         "text: version 0.1 kept no lengths of documents in these counts, BM25 asks for them; "
         "count the documents again");
  return length.value_or(0);
}

}  // namespace

struct TextModel::Content final : TextEncoder {
  TextOptions options;
  std::uint64_t documents = 0;
  std::uint64_t length = 0;           // terms of all documents: BM25 asks for their mean
  TextIndex terms;                    // sorted: a column each; none where they are hashed
  std::vector<std::uint64_t> counts;  // documents that contain the term, one count per column
  std::vector<double> weights;        // one per column
  MapPtr map;

  static constexpr int kLengthBits = 5;  // a term has 16 words at most

  std::size_t columns() const override { return counts.size(); }

  // Smooth idf, as if one more document held every term; that of BM25 is ln(1 + (n - m + 1/2) / (m + 1/2)), simplified.
  void weigh() {
    const double n = double(documents);
    for (const std::uint64_t m : counts)
      weights.push_back(!options.idf   ? 1.0
                        : options.bm25 ? std::log((1 + n) / (0.5 + double(m)))
                                       : std::log((1 + n) / (1 + double(m))) + 1);
  }

  // What BM25 adds to the count of a term below the line: k1 (1 - b + b L / L mean).
  double saturation(const Words& words) const {
    const double mean = length > 0 ? double(length) / double(documents) : 1;
    const double own = double(words.runs(options.least_words, options.most_words));
    return options.k1 * (1 - options.b + options.b * own / mean);
  }

  // The columns of a document's terms, each with its number of words in the lowest bits where that matters.
  void find_columns(const Words& words, std::vector<std::uint64_t>& found) const {
    found.clear();
    for (std::size_t length = options.least_words; length <= options.most_words; ++length)
      words.each_run(length, length, [&](std::string_view term) {
        const std::uint32_t column = options.hashed ? hashed_column(term, options.hashed) : terms.find(term);
        if (column != TextIndex::kNone)
          found.push_back(std::uint64_t(column) << kLengthBits | (options.pair_weight == 1 ? 1 : length));
      });
    std::sort(found.begin(), found.end());
  }

  void encode(std::string_view text, Encoded& out) const override { encode(text, out, false); }

  // A query of BM25 is its counts.
  void encode(std::string_view text, Encoded& out, bool query) const {
    thread_local Words words;
    words.read(text);
    thread_local std::vector<std::uint64_t> found;
    find_columns(words, found);
    out.clear();
    const bool counted = options.bm25 && query;
    const double added = options.bm25 && !query ? saturation(words) : 0;
    double squares = 0;
    for (std::size_t begin = 0, end; begin < found.size(); begin = end) {
      for (end = begin + 1; end < found.size() && found[end] == found[begin];) ++end;
      const double count = double(end - begin);
      const auto column = std::uint32_t(found[begin] >> kLengthBits);
      const std::size_t length = found[begin] & ((1u << kLengthBits) - 1);
      const double repeated = options.sublinear ? 1 + std::log(count) : options.bm25 ? count / (count + added) : count;
      const double value =
          counted ? count
                  : repeated * weights[column] * (length == 1 ? 1 : std::pow(options.pair_weight, double(length - 1)));
      if (!out.empty() && out.back().first == column)
        out.back().second += value;  // a hash has terms of several lengths
      else
        out.emplace_back(column, value);
    }
    if (options.bm25) return;
    for (const auto& [column, value] : out) squares += value * value;
    for (auto& [column, value] : out) value /= std::sqrt(squares);
  }
};

// Rows of queries.
struct TextModel::Queries final : TextEncoder {
  std::shared_ptr<const Content> content;
  explicit Queries(std::shared_ptr<const Content> of) : content(std::move(of)) {}
  std::size_t columns() const override { return content->columns(); }
  void encode(std::string_view text, Encoded& out) const override { content->encode(text, out, true); }
};

TextModel::TextModel(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

TextModel::TextModel(const TextCounts& counts) {
  auto content = std::make_shared<Content>();
  const TextOptions& options = counts.options();
  content->options = options;
  content->documents = counts.documents();
  content->length = length_of(counts);
  const auto most = std::uint64_t(std::floor(options.max_share * double(counts.documents())));
  if (options.hashed) {
    content->counts = counts.counted_->documents;
  } else {
    for (const auto& [term, documents] : counts.terms()) {
      if (documents < options.min_documents || documents > most) continue;
      content->terms.insert(term);
      content->counts.push_back(documents);
    }
    if (content->counts.empty())
      fail(Error::Kind::data,
           "text: of {} terms in {} documents none is in {} to {} of them; check the files, or ask for fewer",
           counts.terms().size(), counts.documents(), options.min_documents, most);
  }
  content->weigh();
  content_ = std::move(content);
}

std::size_t TextModel::columns() const { return content_->columns(); }
const TextOptions& TextModel::options() const { return content_->options; }
std::uint64_t TextModel::documents() const { return content_->documents; }
MapPtr TextModel::map() const { return content_->map; }

std::string TextModel::term(std::size_t column) const {
  require(column < columns(), "text: column {}, expected less than {}", column, columns());
  return options().hashed ? std::string() : std::string(content_->terms.text(std::uint32_t(column)));
}

TextModel TextModel::with_map(MapPtr map) const {
  require(!map || map->inputs() == columns(), "text: the map takes {} inputs, the documents have {} columns",
          map ? map->inputs() : 0, columns());
  auto content = std::make_shared<Content>(*content_);
  content->map = std::move(map);
  return TextModel(std::move(content));
}

std::vector<std::pair<std::uint32_t, double>> TextModel::encode(std::string_view text) const {
  Encoded out;
  content_->encode(text, out);
  return out;
}

std::vector<std::pair<std::uint32_t, double>> TextModel::encode_query(std::string_view text) const {
  Encoded out;
  content_->encode(text, out, true);
  return out;
}

std::unique_ptr<Rows> TextModel::query_rows(Documents& queries, const Execution& execution) const {
  return text_rows(std::make_shared<Queries>(content_), queries, execution);
}

std::unique_ptr<Rows> TextModel::rows(Documents& documents, const Execution& execution) const {
  return text_rows(content_, documents, execution);
}

void TextModel::save(const std::string& path) const {
  Archive archive;
  save(archive);
  write_archive(path, archive);
}

void TextModel::save(Archive& archive) const {
  archive.put_text("type", kTextType);
  put_options(archive, options());
  archive.put_count("documents", documents());
  if (options().bm25) archive.put_count("length", content_->length);
  std::string letters;
  std::vector<std::uint64_t> ends;
  for (std::uint32_t i = 0; i < content_->terms.size(); ++i) {
    letters += content_->terms.text(i);
    ends.push_back(letters.size());
  }
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(letters.data());
  archive.put<std::uint8_t>("letters", {bytes, letters.size()}, {letters.size()});
  archive.put<std::uint64_t>("ends", ends, {ends.size()});
  archive.put<std::uint64_t>("counts", content_->counts, {content_->counts.size()});
  if (content_->map) {
    Archive map;
    content_->map->save(map);
    archive.put_child("map", std::move(map));
  }
}

bool TextModel::is_file(const std::string& path) { return is_archive_of(path, kTextType); }

TextModel TextModel::load(const std::string& path) {
  const Archive archive = read_archive(path);
  try {
    if (const std::string type = archive.get_text("type"); type != kTextType)
      fail(Error::Kind::model, "found \"{}\", expected a text model, which {} writes", type, Option::text_save);
    auto content = std::make_shared<Content>();
    const TextCounts read = counts_from(archive);
    content->options = read.options();
    content->documents = read.documents();
    content->length = length_of(read);
    content->terms = read.counted_->terms;
    content->counts = read.counted_->documents;
    content->weigh();
    if (content->counts.empty()) fail(Error::Kind::model, "it has no terms; the file is damaged");
    if (archive.tree.contains("map")) content->map = load_map(archive.child("map"));
    if (content->map && content->map->inputs() != content->columns())
      fail(Error::Kind::model, "its map takes {} inputs, its documents have {}; the file is damaged",
           content->map->inputs(), content->columns());
    return TextModel(std::move(content));
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", path, one_line(e.what()));
  }
}

TextModel learn_text(Documents& documents, const TextOptions& options, const Execution& execution) {
  return TextModel(count_text(documents, options, execution));
}

}  // namespace bochner
