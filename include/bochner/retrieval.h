// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto documents = open_documents({"letters"});
//   const NeighborIndex index(*open_rows("letters.svm"), {.metric = Metric::cosine});
//   save_with_documents(index, "letters.svm.text", documents.get(), "letters.index");
//   const Retrieval letters = Retrieval::load("letters.index");
//   for (const Retrieved& found : letters.find("a storm at sea", 10))
//     std::printf("%s %g %s\n", std::to_string(found.document).c_str(), found.score, found.snippet.c_str());

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/neighbors.h"
#include "bochner/text.h"

namespace bochner {

struct Retrieved {
  std::uint64_t document = 0;  // its row in the index
  double score = 0;            // cosine with the query, or what the index's metric has instead; larger is nearer
  std::string label = {};      // the folder it lay in, where there are some
  std::string name = {};       // its file, from the folder that was read; empty for lines and cells
  std::string snippet = {};    // the passage that has most of the query, where texts were kept
};

// Documents by words: an index of the rows that `bochner text` wrote, with the text model that made them, so that a
// query is read as they were. Thread-safe.
class Retrieval {
 public:
  // Error::Kind::model for a file that is no index, is damaged, or knows no words.
  static Retrieval load(const std::string& path);
  Retrieval(Retrieval&&) noexcept;
  Retrieval& operator=(Retrieval&&) noexcept;
  ~Retrieval();

  std::size_t documents() const;
  // The k best of those that have something in common with the words. None for words that no document has.
  std::vector<Retrieved> find(std::string_view words, std::size_t k) const;
  // Those like one of the documents, without itself. Error::Kind::model where texts were not kept.
  std::vector<Retrieved> like(std::uint64_t document, std::size_t k) const;

 private:
  struct Parts;
  explicit Retrieval(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Saves an index with the text model of its rows, and with the documents' texts and labels if they are given: as many
// as the index has rows, each up to 64 KiB of its text.
void save_with_documents(const NeighborIndex& index, const std::string& text_model, Documents* documents,
                         const std::string& path);

}  // namespace bochner
