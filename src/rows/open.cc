// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <string_view>

#include "base/option.h"
#include "base/require.h"
#include "bochner/rows.h"
#include "rows/byte_source.h"
#include "rows/csv_rows.h"
#include "rows/foreign_file.h"
#include "rows/npy_rows.h"
#include "rows/pipe.h"
#include "rows/shifted.h"
#include "rows/svmlight_rows.h"

namespace bochner {

namespace {

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view s) { return text.ends_with(s); });
}

// Whether the first line that is no comment has index:value in its second word, or in its first and only one.
bool looks_like_svmlight(std::string_view text) {
  while (text.starts_with('#')) {
    const std::size_t newline = text.find('\n');
    if (newline == text.npos) return false;
    text.remove_prefix(newline + 1);
  }
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  const std::size_t space = line.find(' ');
  std::string_view word = line.substr(0, space);
  if (word.find(':') == word.npos && space != line.npos)
    word = line.substr(space + 1, line.find(' ', space + 1) - space - 1);
  const std::size_t colon = word.find(':');
  return colon != word.npos && colon > 0 &&
         (word.substr(0, colon) == "qid" || word.substr(0, colon).find_first_not_of("0123456789") == word.npos);
}

Format find_format(const std::string& path, Format wanted) {
  std::string head(4096, '\0');
  head.resize(open_bytes(path)->read(head.data(), head.size()));
  refuse_foreign(path, head);
  if (wanted != Format::automatic) return wanted;
  std::string_view name = path;
  for (const std::string_view packed : {".gz", ".xz", ".zst"})
    if (name.ends_with(packed)) {
      name.remove_suffix(packed.size());
      break;
    }
  if (ends_with_any(name, {".csv", ".tsv"})) return Format::csv;
  if (ends_with_any(name, {".svm", ".svmlight", ".libsvm"})) return Format::svmlight;
  if (ends_with_any(name, {".npy"})) return Format::npy;
  if (head.starts_with("\x93NUMPY")) return Format::npy;
  return looks_like_svmlight(head) ? Format::svmlight : Format::csv;
}

}  // namespace

std::unique_ptr<Rows> open_rows(const std::string& path, const RowsOptions& options) {
  require(path != "-",
          "-: standard input can be read only once, training passes over the rows more often; store them "
          "in a file");
  RowsOptions reading = options;
  if (options.inputs_only) {
    reading.ignore.insert(reading.ignore.end(), options.targets.begin(), options.targets.end());
    reading.targets.clear();
    reading.target_required = false;
  }
  switch (find_format(path, options.format)) {
    case Format::svmlight:
      return open_svmlight(path, reading);
    case Format::npy:
      return open_npy(path, reading);
    default:
      return open_csv(path, reading);
  }
}

std::unique_ptr<Rows> open_rows(const std::string& path, const Schema& schema, const RowsOptions& options) {
  if (!schema.offsets.empty()) {
    Schema plain = schema;
    plain.offsets.clear();
    return shifted_rows(open_rows(path, plain, options), schema.offsets);
  }
  const PipeOpening once(path);  // its first bytes are looked at more than once
  const Format format = find_format(path, options.format);
  if (options.kept && format != Format::csv)
    fail(Error::Kind::data, "{}: has no cells to carry along, which CSV has; leave out {}", path, Option::kept);
  switch (format) {
    case Format::svmlight:
      return open_svmlight(path, schema, options);
    case Format::npy:
      return open_npy(path, schema, options);
    default:
      return open_csv(path, schema, options);
  }
}

}  // namespace bochner
