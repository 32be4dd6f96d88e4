// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/safetensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/archive.h"
#include "base/hash64.h"
#include "base/mapped_file.h"
#include "base/require.h"
#include "base/strict_json.h"
#include "base/text_bytes.h"

namespace bochner {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "arrays go to the file as they lie in memory");

namespace {

constexpr const char* kMetadata = "__metadata__";
constexpr const char *kTree = "bochner", *kFormatVersion = "format_version", *kChecksum = "checksum";
constexpr const char* kVersion = "1";
constexpr std::uint64_t kMaxHeader = 100'000'000;  // as in the reference implementation
constexpr std::uint64_t kAlignment = 8;
constexpr std::size_t kPiece = 1 << 18;  // bytes read at once: they are hashed while the cache holds them

// The checksum is that of the whole file with zeros for its digits, so that they can stand inside the header.
constexpr std::string_view kMethod = "xxh64:", kNoDigits = "0000000000000000";

// Where the digits stand in the header; npos unless at exactly one place. Quotes within JSON text are escaped, so no
// other text can look like this.
std::size_t checksum_place(std::string_view header) {
  const std::string start = fmt::format("\"{}\":\"{}", kChecksum, kMethod);
  const std::size_t at = header.find(start);
  if (at == header.npos || header.find(start, at + 1) != header.npos) return header.npos;
  const std::size_t digits = at + start.size();
  return digits + kNoDigits.size() <= header.size() ? digits : header.npos;
}

std::string checksum_digits(const Hash64& hash) { return fmt::format("{:016x}", hash.value()); }

template <class T>
std::span<const std::byte> bytes_of_value(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// Bytes per element; 0 for a type an archive does not hold.
std::uint64_t element_bytes(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64" || dtype == "U64") return 8;
  if (dtype == "F32" || dtype == "U32") return 4;
  if (dtype == "U8") return 1;
  return 0;
}

// Bytes of an array; false when the product leaves 64 bits.
bool array_bytes(std::string_view dtype, const std::vector<std::size_t>& shape, std::uint64_t& bytes) {
  bytes = element_bytes(dtype);
  for (const std::size_t extent : shape)
    if (__builtin_mul_overflow(bytes, std::uint64_t(extent), &bytes)) return false;
  return true;
}

// Pieces begin anywhere in a hostile file.
bool finite_floats(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, bytes.data() + at, sizeof(float));
    if (!std::isfinite(value)) return false;
  }
  return true;
}

using Named = std::pair<const std::string, Archive::Array>;

std::vector<const Named*> in_file_order(const Archive& archive) {
  std::vector<const Named*> order;
  for (const Named& item : archive.arrays) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
    return element_bytes(a->second.dtype) > element_bytes(b->second.dtype);
  });
  return order;
}

// What the reader would refuse or lose must fail here. JSON has no NaN or infinity: they would come back as null.
void require_storable(const json& tree, const std::string& place, int depth = 0) {
  require(depth < kMaxJsonDepth, "model{}: tree is nested deeper than {} levels", place, kMaxJsonDepth);
  if (tree.is_number_float())
    require(std::isfinite(tree.get<double>()), "model{}: value is not finite, a model file cannot hold it", place);
  if (tree.is_structured())
    for (const auto& [key, value] : tree.items()) require_storable(value, place + "/" + key, depth + 1);
}

std::string header_text(const Archive& archive, const std::vector<const Named*>& order) {
  require_storable(archive.tree, "");
  json header = json::object();
  header[kMetadata] = {{kTree, tree_with_text(archive.tree).dump()},
                       {kFormatVersion, kVersion},
                       {kChecksum, fmt::format("{}{}", kMethod, kNoDigits)}};
  std::uint64_t offset = 0;
  for (const Named* item : order) {
    const auto& [name, array] = *item;
    std::uint64_t bytes = 0;
    require(element_bytes(array.dtype) > 0 && array_bytes(array.dtype, array.shape, bytes) &&
                bytes == array.content().size(),
            "model: array '{}' of type {} holds {} bytes, which its shape does not", name, array.dtype,
            array.content().size());
    require(name != kMetadata, "model: an array cannot be named {}", kMetadata);
    header[text_of(name)] = {
        {"dtype", array.dtype}, {"shape", array.shape}, {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = header.dump();
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  require(text.size() <= kMaxHeader, "model: description takes {} bytes, a model file holds at most {}", text.size(),
          kMaxHeader);
  return text;
}

// Where one array lies in the data section.
struct Extent {
  std::uint64_t begin, end;
  Archive::Array* array;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path_) {}
  // viewed: arrays will be views of the bytes.
  Reader(const std::string& name, std::string_view bytes, bool viewed) : path_(name), file_(name, bytes) {
    if (viewed) viewed_ = std::as_bytes(std::span(bytes));
  }

  Archive read() {
    const json header = read_header();
    read_metadata(header);
    for (const auto& [name, entry] : header.items())
      if (name != kMetadata) add_array(name, entry);
    check_extents();
    if (mapping_ && mapping_->data())
      view_data();
    else
      read_data();
    verify();
    return std::move(archive_);
  }

  // Arrays will be views of the mapping.
  std::shared_ptr<const FileMapping> map() {
    if (file_.size() > 0) mapping_ = std::make_shared<FileMapping>(file_, file_.size());
    return mapping_;
  }

  json read_tree() {
    read_metadata(read_header());
    return std::move(archive_.tree);
  }

 private:
  template <class... Args>
  [[noreturn]] void broken(fmt::format_string<Args...> message, Args&&... args) const {
    fail(Error::Kind::model, "{}: {}; the file is cut, altered or not a bochner model, copy or train it again", path_,
         fmt::format(message, std::forward<Args>(args)...));
  }

  json read_header() {
    const std::uint64_t size = file_.size();
    if (size < 8) broken("file has {} bytes, expected at least 8", size);
    std::uint64_t length = 0;
    file_.read(&length, 8, 0);
    char first = 0;
    if (size > 8) file_.read(&first, 1, 8);
    if (length > kMaxHeader || (length > size - 8 && first != '{'))  // text, or compressed
      fail(Error::Kind::model,
           "{}: does not begin as a model, sum or index that bochner saved; check the order of the files, or copy it "
           "again",
           path_);
    if (length > size - 8) broken("header should have {} bytes, expected at most {}", length, size - 8);
    data_begin_ = 8 + length;
    data_size_ = size - data_begin_;
    std::string text(length, '\0');
    file_.read(text.data(), length, 8);
    json header = parse_strict_json(text, path_);
    hash_header(length, std::move(text));
    if (!header.is_object()) broken("header is a JSON {}, expected an object", header.type_name());
    return header;
  }

  // A file of an earlier bochner has no checksum.
  void hash_header(std::uint64_t length, std::string text) {
    const std::size_t place = checksum_place(text);
    if (place == text.npos) return;
    digits_ = text.substr(place, kNoDigits.size());
    text.replace(place, kNoDigits.size(), kNoDigits);
    hash_.add(bytes_of_value(length));
    hash_.add(text);
  }

  void verify() const {
    if (!digits_.empty() && digits_ != checksum_digits(hash_))
      fail(Error::Kind::model,
           "{}: checksum is {}, its bytes give {}; the file is altered or damaged, copy it again or train anew", path_,
           printable(digits_), checksum_digits(hash_));
  }

  void read_metadata(const json& header) {
    const auto metadata = header.find(kMetadata);
    if (metadata == header.end() || !metadata->is_object() || !metadata->contains(kTree))
      broken("safetensors file without a 'bochner' entry in its metadata");
    for (const auto& [key, value] : metadata->items()) {
      if (!value.is_string()) broken("metadata {} is a {}, expected text", printable(key), value.type_name());
      // Not passed over: it may be the checksum under a damaged name.
      if (key != kTree && key != kFormatVersion && key != kChecksum) broken("metadata {} is unknown", printable(key));
    }
    if (metadata->contains(kChecksum) != !digits_.empty() ||
        (!digits_.empty() && metadata->at(kChecksum) != std::string(kMethod) + digits_))
      broken("metadata 'checksum' is not \"{}\" and {} digits", kMethod, kNoDigits.size());
    const auto version = metadata->find(kFormatVersion);
    if (version == metadata->end()) broken("no format_version in the metadata, expected {}", kVersion);
    if (*version != kVersion)
      fail(Error::Kind::model, "{}: model format version is {}, expected {}; use the bochner that wrote it", path_,
           printable(version->get_ref<const std::string&>()), kVersion);
    archive_.tree = tree_with_bytes(parse_strict_json(metadata->at(kTree).get_ref<const std::string&>(), path_));
    if (!archive_.tree.is_object()) broken("model tree is not an object but {}", archive_.tree.type_name());
  }

  std::vector<std::uint64_t> numbers(const std::string& name, const json& entry, const char* key) const {
    const auto list = entry.find(key);
    if (list == entry.end() || !list->is_array()) broken("array {} has no list '{}'", printable(name), key);
    std::vector<std::uint64_t> values;
    for (const json& value : *list) {
      if (!value.is_number_unsigned()) broken("'{}' of array {} holds no whole number >= 0", key, printable(name));
      values.push_back(value.get<std::uint64_t>());
    }
    return values;
  }

  void add_array(const std::string& name, const json& entry) {
    if (!entry.is_object() || entry.size() != 3)
      broken("array {} is not described by dtype, shape and data_offsets", printable(name));
    const auto dtype = entry.find("dtype");
    if (dtype == entry.end() || !dtype->is_string() || element_bytes(dtype->get_ref<const std::string&>()) == 0)
      broken("array {} has a dtype other than F64, F32, I64, U64, U32 or U8", printable(name));
    Archive::Array array;
    array.dtype = dtype->get<std::string>();
    for (const std::uint64_t extent : numbers(name, entry, "shape")) array.shape.push_back(extent);
    const std::vector<std::uint64_t> offsets = numbers(name, entry, "data_offsets");
    std::uint64_t bytes = 0;
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_size_)
      broken("data_offsets of array {} are not a part of the {} bytes of data", printable(name), data_size_);
    if (!array_bytes(array.dtype, array.shape, bytes) || bytes != offsets[1] - offsets[0])
      broken("array {} has {} bytes, its shape needs another number", printable(name), offsets[1] - offsets[0]);
    check_empty(name, array);
    const auto [place, is_new] = archive_.arrays.emplace(bytes_of(name), std::move(array));
    if (!is_new) broken("array {} occurs twice", printable(name));
    extents_.push_back({offsets[0], offsets[1], &place->second});
  }

  // A shape with a 0 takes no bytes whatever its other extents are, and loaders size what they make by those: they
  // must be of a size that the file could have held.
  void check_empty(const std::string& name, const Archive::Array& array) const {
    std::uint64_t others = 1;
    for (const std::size_t extent : array.shape)
      if (extent > 0 && __builtin_mul_overflow(others, std::uint64_t(extent), &others)) others = ~std::uint64_t(0);
    const bool empty = std::find(array.shape.begin(), array.shape.end(), 0u) != array.shape.end();
    if (empty && others > file_.size()) broken("array {} is empty, but one of its extents is not", printable(name));
  }

  // Each byte of data belongs to exactly one array: nothing hides in the file, no array shares another's bytes.
  void check_extents() {
    std::sort(extents_.begin(), extents_.end(),
              [](const Extent& a, const Extent& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    std::uint64_t covered = 0;
    for (const Extent& extent : extents_) {
      if (extent.begin != covered) broken("an array starts at byte {} of the data, expected {}", extent.begin, covered);
      covered = extent.end;
    }
    if (covered != data_size_) broken("file has {} bytes of data, its arrays {}", data_size_, covered);
  }

  // Memory is taken only now, when the sum of all arrays is known to be the size of the file.
  void read_data() {
    for (const Extent& extent : extents_) {
      if (viewed_.data()) {
        extent.array->view = viewed_.subspan(data_begin_ + extent.begin, extent.end - extent.begin);
        if (!digits_.empty()) hash_.add(extent.array->view);
        continue;
      }
      std::vector<std::byte>& bytes = extent.array->bytes;
      bytes.resize(extent.end - extent.begin);
      for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        const auto piece = std::span(bytes).subspan(at, std::min(kPiece, bytes.size() - at));
        file_.read(piece.data(), piece.size(), data_begin_ + extent.begin + at);
        if (!digits_.empty()) hash_.add(piece);
      }
    }
  }

  void view_data() {
    mapping_->reads_through(true);
    for (const Extent& extent : extents_) {
      Archive::Array& array = *extent.array;
      array.view = {mapping_->data() + data_begin_ + extent.begin, extent.end - extent.begin};
      for (std::size_t at = 0; at < array.view.size(); at += kPiece) {
        const auto piece = array.view.subspan(at, std::min(kPiece, array.view.size() - at));
        if (!digits_.empty()) hash_.add(piece);
        if (array.dtype == "F32" && !finite_floats(piece)) broken("an array of numbers has some that are not finite");
      }
    }
    mapping_->reads_through(false);
  }

  std::string path_;
  ModelFile file_;
  std::shared_ptr<const FileMapping> mapping_;
  std::span<const std::byte> viewed_;  // the whole file, if arrays are views of it; empty: they are copies
  std::uint64_t data_begin_ = 0, data_size_ = 0;
  std::string digits_;  // the checksum; empty: there is none
  Hash64 hash_;
  Archive archive_;
  std::vector<Extent> extents_;
};

}  // namespace

void write_archive(const std::string& path, const Archive& archive) { write_archive(path, archive, {}); }

namespace {

// put(bytes) for each part of the file in turn; begin(size) before them.
template <class Begin, class Put>
void put_archive(const Archive& archive, const Begin& begin, const Put& put) {
  require(archive.tree.is_object(), "model: tree is a {}, expected an object", archive.tree.type_name());
  const std::vector<const Named*> order = in_file_order(archive);
  std::string header = header_text(archive, order);
  const std::uint64_t length = header.size();
  Hash64 hash;
  hash.add(bytes_of_value(length));
  hash.add(header);
  for (const Named* item : order) hash.add(item->second.content());
  header.replace(checksum_place(header), kNoDigits.size(), checksum_digits(hash));
  std::size_t size = sizeof length + header.size();
  for (const Named* item : order) size += item->second.content().size();
  begin(size);
  put(bytes_of_value(length));
  put(std::as_bytes(std::span(header)));
  for (const Named* item : order) put(item->second.content());
}

}  // namespace

void write_archive(const std::string& path, const Archive& archive, const AtomicFile::Options& how) {
  std::optional<AtomicFile> file;
  put_archive(
      archive, [&](std::size_t) { file.emplace(path, how); },
      [&](std::span<const std::byte> bytes) { file->write(bytes); });
  file->commit();
}

std::string archive_bytes(const Archive& archive) {
  std::string all;
  put_archive(
      archive, [&](std::size_t size) { all.reserve(size); },
      [&](std::span<const std::byte> bytes) { all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); });
  return all;
}

Archive archive_of_bytes(std::string_view bytes, const std::string& name) { return Reader(name, bytes, false).read(); }

Archive archive_over_bytes(std::string_view bytes, const std::string& name) { return Reader(name, bytes, true).read(); }

Archive read_archive(const std::string& path) { return Reader(path).read(); }

std::shared_ptr<const Archive> map_archive(const std::string& path) {
  struct Mapped {
    std::shared_ptr<const FileMapping> mapping;
    Archive archive;
  };
  Reader reader(path);
  const std::shared_ptr<const FileMapping> mapping = reader.map();
  const auto mapped = std::make_shared<const Mapped>(Mapped{mapping, reader.read()});
  return {mapped, &mapped->archive};
}

json read_archive_tree(const std::string& path) { return Reader(path).read_tree(); }

bool is_archive_of(const std::string& path, const std::string& type) {
  try {
    return get_text(read_archive_tree(path), "type") == type;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace bochner
