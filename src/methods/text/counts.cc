// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/text/counts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/hash64.h"
#include "base/require.h"
#include "base/safetensors.h"
#include "base/strict_json.h"
#include "base/threads.h"
#include "bochner/visible_text.h"
#include "methods/text/text_rows.h"
#include "methods/text/words.h"

namespace bochner {

namespace {

constexpr const char* kType = "bochner text counts";
constexpr std::size_t kMostWords = 16, kMostColumns = std::size_t(1) << 31;

// The columns of a document's terms where they are hashed, each once.
std::vector<std::uint32_t> distinct_columns(const Words& words, const TextOptions& options) {
  std::vector<std::uint32_t> found;
  words.each_run(options.least_words, options.most_words,
                 [&](std::string_view term) { found.push_back(hashed_column(term, options.hashed)); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// The terms of a document, each once.
std::vector<std::string_view> distinct_terms(const Words& words, const TextOptions& options) {
  std::vector<std::string_view> found;
  words.each_run(options.least_words, options.most_words, [&](std::string_view term) { found.push_back(term); });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::uint32_t hashed_column(std::string_view term, std::size_t columns) {
  return std::uint32_t(hash64(std::as_bytes(std::span(term))) % columns);
}

void check_options(const TextOptions& o) {
  require(o.least_words >= 1 && o.least_words <= o.most_words && o.most_words <= kMostWords,
          "ngrams: found {}-{}, expected two numbers from 1 to {}, the smaller one first", o.least_words, o.most_words,
          kMostWords);
  require(o.min_documents >= 1, "min documents: found 0, expected 1 or more");
  require(o.max_share > 0 && o.max_share <= 1, "max share: found {}, expected above 0 and at most 1", o.max_share);
  require(o.pair_weight > 0 && o.pair_weight <= 1, "pair weight: found {}, expected above 0 and at most 1",
          o.pair_weight);
  require(o.k1 >= 0 && o.k1 <= 1000, "k1: found {}, expected 0 to 1000", o.k1);
  require(o.b >= 0 && o.b <= 1, "b: found {}, expected 0 to 1", o.b);
  require(!o.bm25 || !o.sublinear, "sublinear: BM25 has a law of its own for repeated terms; leave one of them out");
  require(o.hashed <= kMostColumns, "hashed: found {} columns, expected at most {}", o.hashed, kMostColumns);
}

void put_options(Archive& archive, const TextOptions& o) {
  archive.put_count("least_words", o.least_words);
  archive.put_count("most_words", o.most_words);
  archive.put_count("min_documents", o.min_documents);
  archive.put_number("max_share", o.max_share);
  archive.put_count("hashed", o.hashed);
  archive.put_count("idf", o.idf);
  archive.put_count("sublinear", o.sublinear);
  if (o.pair_weight != 1) archive.put_number("pair_weight", o.pair_weight);
  if (!o.bm25) return;
  archive.put_number("k1", o.k1);
  archive.put_number("b", o.b);
}

TextOptions get_options(const Archive& archive) {
  TextOptions o;
  o.least_words = archive.get_count("least_words");
  o.most_words = archive.get_count("most_words");
  o.min_documents = archive.get_count("min_documents");
  o.max_share = archive.get_number("max_share");
  o.hashed = archive.get_count("hashed");
  o.idf = archive.get_count("idf", 1) == 1;
  o.sublinear = archive.get_count("sublinear", 1) == 1;
  if (archive.tree.contains("pair_weight")) o.pair_weight = archive.get_number("pair_weight");
  o.bm25 = archive.tree.contains("k1");
  if (o.bm25) o.k1 = archive.get_number("k1"), o.b = archive.get_number("b");
  try {
    check_options(o);
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "text: {}; the file is damaged", one_line(e.what()));
  }
  return o;
}

TextCounts counts_from(const Archive& archive) {
  const TextOptions options = get_options(archive);
  if (options.hashed) check_shape(archive, "counts", {options.hashed});
  TextCounts counts(options);
  counts.load(archive);
  return counts;
}

TextOptions before_projection(TextOptions options, std::uint64_t documents) {
  options.min_documents = std::max<std::size_t>(1, documents / 1000);
  options.max_share = documents < 100 ? std::min(1.0, 10 / std::max(1.0, double(documents))) : 0.1;
  options.pair_weight = 0.5;
  return options;
}

TextCounts::TextCounts(const TextOptions& options) : options_(options), counted_(std::make_unique<Counted>()) {
  check_options(options);
  counted_->documents.resize(options.hashed);
}
TextCounts::~TextCounts() = default;
TextCounts::TextCounts(const TextCounts& other)
    : options_(other.options_),
      documents_(other.documents_),
      length_(other.length_),
      parts_(other.parts_),
      counted_(std::make_unique<Counted>(*other.counted_)) {}
TextCounts& TextCounts::operator=(const TextCounts& other) {
  if (this == &other) return *this;
  options_ = other.options_;
  documents_ = other.documents_;
  length_ = other.length_;
  parts_ = other.parts_;
  *counted_ = *other.counted_;
  return *this;
}

void TextCounts::add(std::string_view text) {
  Words words;
  words.read(text);
  const std::size_t length = words.runs(options_.least_words, options_.most_words);
  if (options_.hashed)
    add_columns(distinct_columns(words, options_), length);
  else
    add_terms(distinct_terms(words, options_), length);
}

void TextCounts::add_columns(const std::vector<std::uint32_t>& columns, std::size_t length) {
  ++documents_;
  length_ += length;
  for (const std::uint32_t column : columns) ++counted_->documents[column];
}

void TextCounts::add_terms(const std::vector<std::string_view>& terms, std::size_t length) {
  ++documents_;
  length_ += length;
  for (const std::string_view term : terms) {
    const std::uint32_t number = counted_->terms.insert(term);
    if (number == counted_->documents.size()) counted_->documents.push_back(0);
    ++counted_->documents[number];
  }
}

void TextCounts::merge(const TextCounts& other) {
  require(options_ == other.options_, "text: these counts are of other terms");
  std::vector<std::uint64_t> parts;
  std::set_union(parts_.begin(), parts_.end(), other.parts_.begin(), other.parts_.end(), std::back_inserter(parts));
  if (parts.size() < parts_.size() + other.parts_.size())
    fail(Error::Kind::data, "text: both counts are of the same documents, which would count twice; leave one out");
  parts_ = std::move(parts);
  const bool known = length() && other.length();
  documents_ += other.documents_;
  length_ = known ? length_ + other.length_ : 0;
  for (std::uint32_t i = 0; i < other.counted_->documents.size(); ++i) {
    const std::uint32_t number = options_.hashed ? i : counted_->terms.insert(other.counted_->terms.text(i));
    if (number == counted_->documents.size()) counted_->documents.push_back(0);
    counted_->documents[number] += other.counted_->documents[i];
  }
}

std::optional<std::uint64_t> TextCounts::length() const {
  const auto& counts = counted_->documents;
  const bool some = std::any_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count > 0; });
  if (some && length_ == 0) return std::nullopt;
  return length_;
}

std::vector<std::pair<std::string, std::uint64_t>> TextCounts::terms() const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (std::uint32_t i = 0; i < counted_->terms.size(); ++i)
    all.emplace_back(counted_->terms.text(i), counted_->documents[i]);
  std::sort(all.begin(), all.end());
  return all;
}

bool TextCounts::operator==(const TextCounts& other) const {
  return options_ == other.options_ && documents_ == other.documents_ && length_ == other.length_ &&
         (options_.hashed ? counted_->documents == other.counted_->documents : terms() == other.terms());
}

void TextCounts::save(Archive& archive) const {
  archive.put_text("type", kType);
  put_options(archive, options_);
  archive.put_count("documents", documents_);
  if (length_) archive.put_count("length", length_);
  if (!parts_.empty()) archive.put<std::uint64_t>("parts", parts_, {parts_.size()});
  std::vector<std::uint64_t> counts = counted_->documents, ends;
  std::string letters;
  if (!options_.hashed) {
    counts.clear();
    for (const auto& [term, documents] : terms()) {
      letters += term;
      ends.push_back(letters.size());
      counts.push_back(documents);
    }
  }
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(letters.data());
  archive.put<std::uint8_t>("letters", {bytes, letters.size()}, {letters.size()});
  archive.put<std::uint64_t>("ends", ends, {ends.size()});
  archive.put<std::uint64_t>("counts", counts, {counts.size()});
}

void TextCounts::load(const Archive& archive) {
  if (!(get_options(archive) == options_))
    fail(Error::Kind::model, "text: the counts are of other terms; the file is damaged");
  documents_ = archive.get_count("documents");
  length_ = archive.tree.contains("length") ? archive.get_count("length") : 0;
  *counted_ = {};
  parts_.clear();
  if (archive.arrays.contains("parts")) parts_ = archive.get<std::uint64_t>("parts", {archive.length("parts")});
  counted_->documents = archive.get<std::uint64_t>("counts", {archive.length("counts")});
  const std::vector<std::uint8_t> letters = archive.get<std::uint8_t>("letters", {archive.length("letters")});
  const std::vector<std::uint64_t> ends = archive.get<std::uint64_t>("ends", {archive.length("ends")});
  const auto refuse = [] { fail(Error::Kind::model, "text: the terms and their counts differ; the file is damaged"); };
  if (counted_->documents.size() != (options_.hashed ? options_.hashed : ends.size())) refuse();
  const double least = std::accumulate(counted_->documents.begin(), counted_->documents.end(), 0.0);
  if (length_ > 0 && double(length_) < least * (1 - 1e-12)) refuse();
  if (std::adjacent_find(parts_.begin(), parts_.end(), std::greater_equal<>()) != parts_.end()) refuse();
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); begin = ends[i++]) {
    if (ends[i] < begin || ends[i] > letters.size()) refuse();
    const std::string_view term(reinterpret_cast<const char*>(letters.data()) + begin, ends[i] - begin);
    if (counted_->terms.insert(term) != i) refuse();
  }
}

void TextCounts::save(const std::string& path) const {
  Archive archive;
  save(archive);
  write_archive(path, archive);
}

TextCounts TextCounts::load(const std::string& path) {
  const Archive archive = read_archive(path);
  try {
    if (const std::string type = archive.get_text("type"); type != kType)
      fail(Error::Kind::model, "found \"{}\", expected counts that `bochner text -o FILE.counts` wrote", type);
    return counts_from(archive);
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", path, one_line(e.what()));
  }
}

bool TextCounts::is_file(const std::string& path) { return is_archive_of(path, kType); }

void TextCounts::choose(const TextOptions& options) {
  check_options(options);
  require(options.least_words == options_.least_words && options.most_words == options_.most_words &&
              options.hashed == options_.hashed,
          "text: these counts are of other terms");
  options_ = options;
}

namespace {

std::uint64_t joined(std::uint64_t all, std::uint64_t next) {
  const std::uint64_t both[] = {all, next};
  return hash64(std::as_bytes(std::span(both)));
}

}  // namespace

std::uint64_t documents_hash(Documents& documents) {
  std::uint64_t all = 0;
  documents.rewind();
  for (Document document; documents.next(document);) all = joined(all, hash64(std::as_bytes(std::span(document.text))));
  documents.rewind();
  return all;
}

TextCounts count_text(Documents& documents, const TextOptions& options, const Execution& execution) {
  TextCounts counts(options);
  std::uint64_t all = 0;  // the hash of all documents
  Threads threads(execution);
  documents.rewind();
  std::vector<Document> batch;
  while (read_batch(documents, batch)) {
    threads.check_stop();
    std::vector<Words> words(batch.size());
    std::vector<std::uint64_t> hashes(batch.size());
    std::vector<std::vector<std::uint32_t>> columns(batch.size());
    std::vector<std::vector<std::string_view>> terms(batch.size());
    threads.run(batch.size(), [&](std::size_t i, int) {
      words[i].read(batch[i].text);
      hashes[i] = hash64(std::as_bytes(std::span(batch[i].text)));
      if (options.hashed)
        columns[i] = distinct_columns(words[i], options);
      else
        terms[i] = distinct_terms(words[i], options);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::size_t length = words[i].runs(options.least_words, options.most_words);
      if (options.hashed)
        counts.add_columns(columns[i], length);
      else
        counts.add_terms(terms[i], length);
      all = joined(all, hashes[i]);
    }
    if (execution.progress) execution.progress("words", documents.fraction_read());
  }
  if (counts.documents() == 0) fail(Error::Kind::data, "text: found no document, expected one or more");
  counts.parts_ = {all};
  return counts;
}

}  // namespace bochner
