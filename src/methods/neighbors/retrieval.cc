// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/retrieval.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/archive.h"
#include "base/require.h"
#include "base/strict_json.h"
#include "base/threads.h"
#include "bochner/transform.h"
#include "bochner/visible_text.h"
#include "maps/map_rows.h"
#include "methods/text/model_archive.h"
#include "run/compute.h"

namespace bochner {

namespace {

constexpr std::size_t kMostText = 64 << 10;
constexpr std::size_t kPassage = 240;  // bytes of a snippet, about

// Texts one behind the other.
struct Texts {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> ends;

  std::string_view at(std::size_t i) const {
    const std::uint64_t begin = i ? ends[i - 1] : 0;
    return {reinterpret_cast<const char*>(bytes.data()) + begin, std::size_t(ends[i] - begin)};
  }
  void add(std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(bytes.size());
  }
  void save(Archive& archive, const std::string& name) const {
    archive.put<std::uint8_t>(name, bytes, {bytes.size()});
    archive.put<std::uint64_t>(name + "_ends", ends, {ends.size()});
  }
  static Texts load(const Archive& archive, const std::string& name, std::size_t count) {
    Texts texts{archive.get<std::uint8_t>(name, {archive.length(name)}),
                archive.get<std::uint64_t>(name + "_ends", {count})};
    if (!std::is_sorted(texts.ends.begin(), texts.ends.end()) ||
        (texts.ends.empty() ? 0 : texts.ends.back()) != texts.bytes.size())
      fail(Error::Kind::model, "{}: not as long as they say; the file is damaged", name);
    return texts;
  }
};

bool is_space(char c) { return static_cast<unsigned char>(c) <= ' '; }

// Runs of spaces and control characters become one space.
std::string tidy(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!is_space(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

// A cut that splits no character of UTF-8.
std::size_t whole_characters(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

using Encoded = std::vector<std::pair<std::uint32_t, double>>;

// The passage whose terms weigh most in the query, which is encoded as a document; the first of equal ones.
std::string snippet(const TextModel& model, const Encoded& query, std::string_view text) {
  double most = -1;
  std::string_view best;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(begin + kPassage, text.size());
    while (end < text.size() && end > begin + kPassage / 2 && !is_space(text[end])) --end;
    end = whole_characters(text, end);
    if (end <= begin) end = std::min(begin + kPassage, text.size());
    const std::string_view passage = text.substr(begin, end - begin);
    double weight = 0;
    const Encoded terms = model.encode(passage);
    for (std::size_t i = 0, j = 0; i < terms.size() && j < query.size();)
      if (terms[i].first == query[j].first) {
        weight += query[j].second;
        ++i;
        ++j;
      } else if (terms[i].first < query[j].first) {
        ++i;
      } else {
        ++j;
      }
    if (weight > most) {
      most = weight;
      best = passage;
    }
    begin = end;
  }
  return tidy(best);
}

double score_of(Metric metric, double distance) {
  if (metric == Metric::inner) return distance;
  return metric == Metric::euclidean ? 1 - distance * distance / 2 : 1 - distance;  // rows have length 1
}

}  // namespace

struct Retrieval::Parts {
  NeighborIndex index;
  TextModel model;
  std::optional<Texts> texts;
  Texts labels, names;
  std::uint64_t first;  // the number of the first document

  std::vector<Retrieved> find(std::string_view words, std::size_t k) const;
};

namespace {

// A query as a row of the index: of the terms that it has, or through the map of the model.
class QueryRow {
 public:
  QueryRow(const TextModel& model, const Encoded& query, const Schema& of) {
    schema_.inputs = of.inputs;
    schema_.sparse = of.sparse;
    const std::size_t width = model.map() ? model.columns() : of.inputs;  // the index may lack the last terms
    for (const auto& [column, value] : query)
      if (column < width) {
        columns_.push_back(column);
        values_.push_back(float(value));
      }
    shape(width);
    if (model.map()) {
      Matrix<float> mapped(1, model.map()->outputs());
      Threads threads(1);
      map_rows(workers_on(threads), *model.map(), row_, mapped.view());
      values_.assign(mapped.data(), mapped.data() + mapped.cols());
      columns_.resize(values_.size());
      std::iota(columns_.begin(), columns_.end(), 0u);
      shape(mapped.cols());
    }
    if (schema_.sparse) return;
    dense_ = Matrix<float>(1, of.inputs);
    for (std::size_t p = 0; p < columns_.size(); ++p) dense_(0, columns_[p]) = values_[p];
    row_ = RowBlock<float>::dense(dense_.view());
  }
  std::unique_ptr<Rows> rows() const { return memory_rows<float>(row_, schema_); }

 private:
  void shape(std::size_t width) {
    offsets_[1] = values_.size();
    row_.rows = 1;
    row_.cols = width;
    row_.values = values_.data();
    row_.offsets = offsets_;
    row_.columns = columns_.data();
  }

  Schema schema_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
  std::size_t offsets_[2] = {0, 0};
  Matrix<float> dense_;
  RowBlock<float> row_;
};

}  // namespace

std::vector<Retrieved> Retrieval::Parts::find(std::string_view words, std::size_t k) const {
  const Encoded query = model.encode_query(words), weights = model.encode(words);
  std::vector<Retrieved> found;
  if (query.empty() || k == 0) return found;
  const QueryRow row(model, query, index.schema());
  const Neighbors near = index.query(*row.rows(), k, {.threads = 1});
  for (std::size_t i = 0; i < near.rows.size(); ++i) {
    const double score = near.rows[i] < 0 ? 0 : score_of(index.metric(), near.distances[i]);
    if (score <= 1e-9) continue;  // nothing in common
    const auto document = std::uint64_t(near.rows[i]);
    const std::size_t place = document - first;
    const bool known = place < labels.ends.size();
    found.push_back({document, score, known ? std::string(labels.at(place)) : "",
                     known ? std::string(names.at(place)) : "",
                     known && texts ? snippet(model, weights, texts->at(place)) : ""});
  }
  return found;
}

Retrieval::Retrieval(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Retrieval::Retrieval(Retrieval&&) noexcept = default;
Retrieval& Retrieval::operator=(Retrieval&&) noexcept = default;
Retrieval::~Retrieval() = default;

std::size_t Retrieval::documents() const { return parts_->index.size(); }

std::vector<Retrieved> Retrieval::find(std::string_view words, std::size_t k) const { return parts_->find(words, k); }

std::vector<Retrieved> Retrieval::like(std::uint64_t document, std::size_t k) const {
  if (!parts_->texts) fail(Error::Kind::model, "like: the index has no texts; build it again with its documents");
  const std::uint64_t first = parts_->first, end = first + parts_->texts->ends.size();
  require(document >= first && document < end, "like: document {}, expected {} to less than {}", document, first, end);
  std::vector<Retrieved> found = parts_->find(parts_->texts->at(document - first), k + 1);
  std::erase_if(found, [&](const Retrieved& each) { return each.document == document; });
  if (found.size() > k) found.resize(k);
  return found;
}

Retrieval Retrieval::load(const std::string& path) {
  NeighborIndex index = NeighborIndex::load(path);
  const Archive archive = read_archive(path);
  if (!archive.tree.contains("documents"))
    fail(
        Error::Kind::model,
        "{}: an index without words; index the file that `bochner text` wrote beside its .text, or name the text model",
        path);
  try {
    const Archive kept = archive.child("documents");
    TextModel model = text_model_of(kept.child("model"));
    check_map_memory(model.map(), {});
    const std::size_t columns = model.map() ? model.map()->outputs() : model.columns();
    if (columns < index.schema().inputs || (model.map() && columns != index.schema().inputs))
      fail(Error::Kind::model, "documents: of {} columns, the index has {}; the file is damaged", columns,
           index.schema().inputs);
    if (index.metric() == Metric::hamming) fail(Error::Kind::model, "its metric is hamming, expected cosine for words");
    const std::size_t count = kept.get_count("count");
    std::optional<Texts> texts;
    if (kept.arrays.contains("texts")) texts = Texts::load(kept, "texts", count);
    Texts labels = Texts::load(kept, "labels", count), names = Texts::load(kept, "names", count);
    return Retrieval(
        std::unique_ptr<Parts>(new Parts{std::move(index), std::move(model), std::move(texts), std::move(labels),
                                         std::move(names), archive.get_count("first")}));
  } catch (const std::invalid_argument& e) {
    fail(Error::Kind::model, "{}: {}; build the index again", path, one_line(e.what()));
  } catch (const Error& e) {
    fail(Error::Kind::model, "{}: {}", path, one_line(e.what()));
  }
}

void save_with_documents(const NeighborIndex& index, const std::string& text_model, Documents* documents,
                         const std::string& path) {
  Archive kept;
  Archive model_archive = read_archive(text_model);
  model_archive.tree.erase("sources");  // where the documents lie on this machine concerns no reader of the index
  const TextModel model = text_model_of(model_archive);
  require(!model.options().bm25 || index.metric() == Metric::inner,
          "{}: its rows are BM25 weights, whose scores are products; index them by the metric inner", text_model);
  const std::size_t columns = model.map() ? model.map()->outputs() : model.columns();
  require(columns >= index.schema().inputs, "{}: rows of {} columns, the index has {}; name the model of its rows",
          text_model, columns, index.schema().inputs);
  kept.put_child("model", std::move(model_archive));
  Texts texts, labels, names;
  if (documents) {
    documents->rewind();
    for (Document document; documents->next(document);) {
      texts.add(std::string_view(document.text).substr(0, whole_characters(document.text, kMostText)));
      labels.add(document.label);
      names.add(document.name);
    }
    require(texts.ends.size() == index.size(), "documents: found {}, expected {} as in the index", texts.ends.size(),
            index.size());
    texts.save(kept, "texts");
  }
  kept.put_count("count", labels.ends.size());
  labels.save(kept, "labels");
  names.save(kept, "names");
  Archive archive;
  index.save(archive);
  archive.put_child("documents", std::move(kept));
  write_archive(path, archive);
}

}  // namespace bochner
