// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/option.h"
#include "base/require.h"
#include "bochner/text.h"
#include "rows/byte_source.h"
#include "rows/chunk_reader.h"
#include "rows/csv_cell.h"
#include "rows/csv_layout.h"
#include "rows/width.h"

namespace bochner {

namespace {

namespace fs = std::filesystem;

// A document is as long as a row of text may be.
ChunkSizes sizes_of(const DocumentsOptions& options) {
  RowsOptions reading;
  reading.memory = options.memory;
  return bounded({}, reading);
}

[[noreturn]] void fail_too_long(const std::string& what, const ChunkSizes& sizes, const char* expected) {
  fail(Error::Kind::data, "{0} longer than {1:.1f} MB, too long for {2}; expected {3}, otherwise raise {2}", what,
       double(sizes.longest_row) / 1e6, Option::memory, expected);
}

std::string whole_file(const std::string& path, const ChunkSizes& sizes) {
  const auto source = open_bytes(path, sizes.decompression);
  std::string text;
  for (std::size_t piece = 64 << 10;; piece *= 2) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    const std::size_t got = source->read(text.data() + before, piece);
    text.resize(before + got);
    if (got < piece) return text;
    if (text.size() > sizes.longest_row) fail_too_long(path + ":", sizes, "one document in each file of a folder");
  }
}

// A folder: its files, and those of the folders in it.
class Folder final : public Documents {
 public:
  Folder(const std::string& root, const ChunkSizes& sizes) : sizes_(sizes) {
    std::set<std::string> labels;
    std::error_code error;
    for (fs::recursive_directory_iterator at(root, fs::directory_options::follow_directory_symlink, error), end;
         !error && at != end; at.increment(error))
      if (at->is_regular_file() && !at->path().filename().string().starts_with('.')) {
        paths_.push_back(at->path().string());
        const fs::path folder = fs::relative(at->path().parent_path(), root);
        labels_of_.push_back(folder == "." ? "" : folder.string());
        labels.insert(labels_of_.back());
      }
    if (error) fail(Error::Kind::io, "{}: cannot be listed: {}; check its name and permissions", root, error.message());
    if (paths_.empty()) fail(Error::Kind::data, "{}: a folder without files, expected one for each document", root);
    order();
    if (!labels.contains("")) labels_.assign(labels.begin(), labels.end());
  }

  bool next(Document& document) override {
    if (at_ == paths_.size()) return false;
    document.text = whole_file(paths_[at_], sizes_);
    document.label = labels_of_[at_];
    document.name = (fs::path(labels_of_[at_]) / fs::path(paths_[at_]).filename()).string();
    ++at_;
    return true;
  }
  void rewind() override { at_ = 0; }
  double fraction_read() const override { return double(at_) / double(paths_.size()); }
  const std::vector<std::string>& labels() const override { return labels_; }

 private:
  void order() {
    std::vector<std::size_t> place(paths_.size());
    for (std::size_t i = 0; i < place.size(); ++i) place[i] = i;
    std::sort(place.begin(), place.end(), [&](std::size_t a, std::size_t b) { return paths_[a] < paths_[b]; });
    std::vector<std::string> paths, labels;
    for (const std::size_t i : place) {
      paths.push_back(std::move(paths_[i]));
      labels.push_back(std::move(labels_of_[i]));
    }
    paths_ = std::move(paths);
    labels_of_ = std::move(labels);
  }

  ChunkSizes sizes_;
  std::vector<std::string> paths_, labels_of_, labels_;
  std::size_t at_ = 0;
};

// A file of lines.
class Lines final : public Documents {
 public:
  Lines(const std::string& path, const ChunkSizes& sizes)
      : path_(path), sizes_(sizes), source_(open_bytes(path, sizes.decompression)) {}

  bool next(Document& document) override {
    document = {};
    for (;;) {
      const std::size_t end = buffer_.find('\n', searched_);
      if (end != buffer_.npos) {
        document.text = buffer_.substr(at_, end - at_);
        at_ = searched_ = end + 1;
        break;
      }
      if (ended_) {
        if (at_ == buffer_.size()) return false;
        document.text = buffer_.substr(at_);
        at_ = searched_ = buffer_.size();
        break;
      }
      buffer_.erase(0, at_);
      at_ = 0;
      if (buffer_.size() > sizes_.longest_row) fail_too_long(path_ + ": a line", sizes_, "a document on each line");
      const std::size_t before = searched_ = buffer_.size();
      buffer_.resize(before + kPiece);
      const std::size_t got = source_->read(buffer_.data() + before, kPiece);
      buffer_.resize(before + got);
      ended_ = got < kPiece;
    }
    if (document.text.ends_with('\r')) document.text.pop_back();
    return true;
  }
  void rewind() override {
    source_->rewind();
    buffer_.clear();
    at_ = searched_ = 0;
    ended_ = false;
  }
  double fraction_read() const override { return source_->fraction_read(); }
  const std::vector<std::string>& labels() const override { return labels_; }

 private:
  static constexpr std::size_t kPiece = std::size_t(1) << 20;
  std::string path_;
  ChunkSizes sizes_;
  std::unique_ptr<ByteSource> source_;
  std::string buffer_;
  std::size_t at_ = 0, searched_ = 0;  // no newline is between them
  bool ended_ = false;
  std::vector<std::string> labels_;
};

// A column of a CSV file.
class CsvColumn final : public Documents {
 public:
  CsvColumn(const std::string& path, const DocumentsOptions& options)
      : CsvColumn(path, options, layout_of(path, options)) {}

  bool next(Document& document) override {
    document = {};
    for (;;) {
      while (at_ == end_) {
        if (!reader_.next()) return false;
        at_ = reader_.chunk().begin;
        end_ = reader_.chunk().end;
        if (first_) at_ = layout_.skip_header(at_);
        first_ = false;
      }
      const char* const blank = blank_line(at_, layout_.delimiter);
      if (!blank) break;
      at_ = blank + 1;
    }
    for (std::size_t c = 0;; ++c) {
      const CsvCell cell = read_cell(at_, layout_.delimiter, scratch_);
      if (cell.complaint) fail(Error::Kind::data, "{}: {}", reader_.place(cell.next), cell.complaint);
      if (c == column_) document.text = cell.text;
      at_ = cell.next + 1;
      if (*cell.next != '\n') continue;
      if (c < column_)
        fail(Error::Kind::data, "{}: a row of {} cells, expected at least {}; complete it or remove it",
             reader_.place(cell.begin), c + 1, column_ + 1);
      return true;
    }
  }
  void rewind() override {
    reader_.rewind();
    at_ = end_ = nullptr;
    first_ = true;
  }
  double fraction_read() const override { return reader_.fraction_read(); }
  const std::vector<std::string>& labels() const override { return labels_; }

 private:
  static CsvLayout layout_of(const std::string& path, const DocumentsOptions& options) {
    RowsOptions reading;
    reading.header = options.header;
    reading.delimiter = options.delimiter;
    reading.memory = options.memory;
    reading.ignore = {options.column};  // a name that is found makes the first line a header
    return csv_layout(path, reading);
  }
  CsvColumn(const std::string& path, const DocumentsOptions& options, const CsvLayout& layout)
      : layout_(layout),
        column_(layout_.names.find(options.column)),
        reader_(path, layout_.delimiter, sizes_of(options)) {}

  CsvLayout layout_;
  std::size_t column_;
  ChunkReader reader_;
  const char *at_ = nullptr, *end_ = nullptr;
  bool first_ = true;
  std::string scratch_;
  std::vector<std::string> labels_;
};

// Several sources, one behind the other.
class Several final : public Documents {
 public:
  explicit Several(std::vector<std::unique_ptr<Documents>> all) : all_(std::move(all)) {
    std::set<std::string> labels;
    bool every = true;
    for (const auto& each : all_) {
      labels.insert(each->labels().begin(), each->labels().end());
      every = every && !each->labels().empty();
    }
    if (every) labels_.assign(labels.begin(), labels.end());
  }
  bool next(Document& document) override {
    for (; at_ < all_.size(); ++at_)
      if (all_[at_]->next(document)) return true;
    return false;
  }
  void rewind() override {
    for (const auto& each : all_) each->rewind();
    at_ = 0;
  }
  double fraction_read() const override {
    if (at_ == all_.size()) return 1;
    return (double(at_) + all_[at_]->fraction_read()) / double(all_.size());
  }
  const std::vector<std::string>& labels() const override { return labels_; }

 private:
  std::vector<std::unique_ptr<Documents>> all_;
  std::vector<std::string> labels_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Documents> open_documents(const std::vector<std::string>& paths, const DocumentsOptions& options) {
  require(!paths.empty(), "documents: found no path, expected a folder or a file");
  std::vector<std::unique_ptr<Documents>> all;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error))
      all.push_back(std::make_unique<Folder>(path, sizes_of(options)));
    else if (!options.column.empty())
      all.push_back(std::make_unique<CsvColumn>(path, options));
    else
      all.push_back(std::make_unique<Lines>(path, sizes_of(options)));
  }
  if (all.size() == 1) return std::move(all[0]);
  return std::make_unique<Several>(std::move(all));
}

}  // namespace bochner
