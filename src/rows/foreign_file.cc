// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/foreign_file.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/require.h"

namespace bochner {

namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;  // the first bytes of the file
  std::string_view what;
  std::string_view remedy;
};

constexpr std::string_view kPandas = "convert it to CSV (pandas: read_{}, then to_csv with index=False)";

constexpr std::array kMagics{
    Magic{"PAR1"sv, "a Parquet file", "parquet"},
    Magic{"ARROW1"sv, "an Arrow file", "feather"},
    Magic{"FEA1"sv, "a Feather file", "feather"},
    Magic{"\x89HDF\r\n"sv, "an HDF5 file", "hdf"},
    Magic{"\xd0\xcf\x11\xe0"sv, "an old Excel file", "excel"},
    Magic{"SQLite format 3"sv, "an SQLite database", "sql"},
};

bool starts_with_letters(std::string_view text, std::string_view small_letters) {
  return text.size() >= small_letters.size() &&
         std::equal(small_letters.begin(), small_letters.end(), text.begin(),
                    [](char a, char b) { return a == char(std::tolower(static_cast<unsigned char>(b))); });
}

// The text behind blank lines and comments of ARFF.
std::string_view behind_comments(std::string_view text) {
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos) return {};
    text.remove_prefix(begin);
    if (text[0] != '%') return text;
    const std::size_t end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end);
  }
}

// A JSON header behind its length in eight bytes.
bool is_safetensors(std::string_view head) {
  return head.size() > 9 && head.substr(4, 4) == "\0\0\0\0"sv && head.substr(8, 2) == "{\"";
}

}  // namespace

void refuse_foreign(const std::string& path, std::string_view head) {
  const auto refuse = [&](std::string_view what, const std::string& remedy) {
    fail(Error::Kind::data, "{}: is {}, expected CSV, svmlight or npy; {}", path, what, remedy);
  };
  for (const Magic& magic : kMagics)
    if (head.starts_with(magic.bytes)) refuse(magic.what, fmt::format(fmt::runtime(kPandas), magic.remedy));
  if (head.starts_with("PK\x03\x04")) {
    if (head.find("xl/") != head.npos || head.find("[Content_Types].xml") != head.npos || path.ends_with(".xlsx"))
      refuse("an Excel file", fmt::format(fmt::runtime(kPandas), "excel"));
    if (head.find(".npy") != head.npos) refuse("an .npz archive", "save one array of rows x columns with numpy.save");
    refuse("a zip archive", "unpack it, or compress the table itself (.gz, .xz, .zst)");
  }
  if (head.starts_with("BZh")) refuse("a bzip2 file", "unpack it, or compress it as .gz, .xz or .zst");
  if (head.starts_with("7z\xbc\xaf")) refuse("a 7z archive", "unpack it");
  if (head.starts_with("%PDF")) refuse("a PDF file", "store the table as CSV");
  if (is_safetensors(head)) refuse("a model or another safetensors file", "give the file of rows here");
  const std::string_view text = behind_comments(head);
  if (starts_with_letters(text, "@relation"))
    refuse("an ARFF file", "convert it to CSV, or remove the head and write the names in one line above the rows");
  if (starts_with_letters(text, "<!doctype") || starts_with_letters(text, "<html") ||
      starts_with_letters(text, "<?xml"))
    refuse("a page of HTML or XML", "fetch the table itself, as CSV");
  if (text.starts_with("{\"") || text.starts_with("[{") || text.starts_with("[["))
    refuse("a JSON file", fmt::format(fmt::runtime(kPandas), "json"));
}

}  // namespace bochner
