// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto documents = open_documents({"letters"});  // a folder with a file for each
//   const TextModel words = learn_text(*documents, {.most_words = 2});
//   words.save("letters.text");
//   const auto rows = words.rows(*documents);  // CSR, a row of tf-idf for each document
//   const Model topics = svd(*rows, {.rank = 20});

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bochner/archive.h"
#include "bochner/execution.h"
#include "bochner/map.h"
#include "bochner/rows.h"

namespace bochner {

struct Document {
  std::string text;   // UTF-8; what is not is taken for Latin-1, document by document
  std::string label;  // the folder it lies in; empty where it lies in none
  std::string name;   // its file, from the folder that was given; empty for lines and cells
};

// Where documents come from, one pass after another. Not thread-safe.
class Documents {
 public:
  virtual ~Documents() = default;
  virtual bool next(Document& document) = 0;
  virtual void rewind() = 0;
  virtual double fraction_read() const = 0;
  virtual const std::vector<std::string>& labels() const = 0;  // sorted; none where documents have no labels
};

struct DocumentsOptions {
  std::string column = {};             // CSV files: the name or index from 0 of the column with the text
  std::optional<char> delimiter = {};  // CSV files; none: as they show
  std::optional<bool> header = {};     // CSV files; none: as they show
  std::size_t memory = 0;              // limit that bounds a document; 0: as for rows
};

// Folders (every file in them and below is a document, in the order of their paths; its folder's name is its label),
// files of lines (each is a document) or, with a column, CSV files. Files may be compressed.
std::unique_ptr<Documents> open_documents(const std::vector<std::string>& paths, const DocumentsOptions& options = {});

// The hash of all texts, in their order: one pass.
std::uint64_t documents_hash(Documents& documents);

// What is counted: runs of least_words to most_words neighbouring words. A word is at least two letters, digits or _
// in a row, as Unicode has them, with the marks that belong to them, in small letters: scikit-learn's rule.
struct TextOptions {
  std::size_t least_words = 1, most_words = 1;
  std::size_t min_documents = 1;  // terms in fewer are left out
  double max_share = 1;           // share of the documents: terms in more are left out
  std::size_t hashed = 0;         // columns that terms fall into by their hash, so that none is stored; 0: one for each
  bool idf = true;                // weigh a term by ln((1 + n) / (1 + documents with it)) + 1
  bool sublinear = false;         // count c of a term in a document as 1 + ln c
  double pair_weight = 1;         // a term of m words weighs its (m - 1)th power: pairs repeat what their words say
  bool bm25 = false;              // weights of Okapi BM25 instead of tf-idf
  double k1 = 1.5, b = 0.75;      // bm25: how slowly a repeated term saturates, and how much long documents weigh down

  bool operator==(const TextOptions&) const = default;
};

// The same with limits and weights for rows that go through a random projection next, from as many documents. It adds
// an error of about 1 / sqrt(dims) to every product of two rows, so that terms which few documents share or which are
// all over cost more than they tell: those in one of a thousand documents up to a tenth of them stay, but all that are
// in ten or fewer of less than a thousand documents; pairs weigh half.
TextOptions before_projection(TextOptions options, std::uint64_t documents);

class TextCounts;
TextCounts count_text(Documents& documents, const TextOptions& options, const Execution& execution = {});

// Counts in how many documents each term is. A sum: counts of parts merge to the counts of all documents, in any order.
// Threads may call the const members of one at the same time; add() and merge() are alone.
class TextCounts {
 public:
  explicit TextCounts(const TextOptions& options);
  ~TextCounts();
  TextCounts(const TextCounts& other);
  TextCounts& operator=(const TextCounts& other);

  void add(std::string_view text);
  // Refuses counts of other terms (std::invalid_argument), and those that count_text() made of the same documents
  // (Error::Kind::data).
  void merge(const TextCounts& other);
  void save(Archive& archive) const;
  void load(const Archive& archive);
  bool operator==(const TextCounts& other) const;  // the same options, documents and terms

  // As a file, whole or not at all; one that is not whole and valid throws Error::Kind::model.
  void save(const std::string& path) const;
  static TextCounts load(const std::string& path);
  static bool is_file(const std::string& path);  // whether it holds counts; false where it cannot be read

  // Other limits and weights, which count nothing anew: std::invalid_argument where the terms are others.
  void choose(const TextOptions& options);

  const TextOptions& options() const { return options_; }
  std::uint64_t documents() const { return documents_; }
  std::size_t parts() const { return parts_.size(); }                // that count_text() made
  std::vector<std::pair<std::string, std::uint64_t>> terms() const;  // sorted; of hashed ones none
  // The terms of all documents, repeated ones too; none if a file of version 0.1, which kept no lengths, is among them.
  std::optional<std::uint64_t> length() const;

 private:
  friend class TextModel;
  friend TextCounts count_text(Documents& documents, const TextOptions& options, const Execution& execution);
  struct Counted;
  // The terms of one document, or their columns, each once; the length counts repeated ones too.
  void add_terms(const std::vector<std::string_view>& terms, std::size_t length);
  void add_columns(const std::vector<std::uint32_t>& columns, std::size_t length);

  TextOptions options_;
  std::uint64_t documents_ = 0, length_ = 0;
  std::vector<std::uint64_t> parts_;  // ascending: hashes of all their documents
  std::unique_ptr<Counted> counted_;
};

// Documents as rows of tf-idf, each of length 1: the numbers of scikit-learn's TfidfVectorizer. Or as rows of BM25
// (Robertson & Zaragoza 2009), whose product with the counts of a query's terms is the score:
//   idf(t) c / (c + k1 (1 - b + b L / L mean)),  idf(t) = ln(1 + (n - m + 1/2) / (m + 1/2))
// c: how often the document has t. L: terms in it. m of the n documents have t.
//
// Thread-safe: any number of threads may call the const members of one model.
class TextModel {
 public:
  explicit TextModel(const TextCounts& counts);

  static TextModel load(const std::string& path);  // throws Error::Kind::model unless the file is whole and valid
  static bool is_file(const std::string& path);    // whether it is a text model; false where it cannot be read
  void save(const std::string& path) const;
  void save(Archive& archive) const;

  std::size_t columns() const;
  const TextOptions& options() const;
  std::uint64_t documents() const;             // that it was learnt from
  std::string term(std::size_t column) const;  // empty where terms are hashed

  // One document: columns, ascending, and their numbers.
  std::vector<std::pair<std::uint32_t, double>> encode(std::string_view text) const;
  // The same for a query: its counts of terms if rows are of BM25, else what encode() gives.
  std::vector<std::pair<std::uint32_t, double>> encode_query(std::string_view text) const;
  // All documents as CSR rows, whose classes are the labels where there are any. `documents` must outlive it, and the
  // rows share what the model holds.
  std::unique_ptr<Rows> rows(Documents& documents, const Execution& execution = {}) const;
  // The same for queries, each encoded by encode_query().
  std::unique_ptr<Rows> query_rows(Documents& queries, const Execution& execution = {}) const;

  // A map that stands behind the rows, saved with the model: a projection, say. Null: none.
  MapPtr map() const;
  TextModel with_map(MapPtr map) const;

 private:
  struct Content;
  struct Queries;
  explicit TextModel(std::shared_ptr<const Content> content);
  std::shared_ptr<const Content> content_;
};

TextModel learn_text(Documents& documents, const TextOptions& options, const Execution& execution = {});

}  // namespace bochner
