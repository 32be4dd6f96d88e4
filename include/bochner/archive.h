// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   Archive archive;
//   archive.put_text("type", "mine");
//   const std::vector<double> sums = {1, 2};
//   archive.put<double>("sums", sums, {2});
//   write_archive("mine.sum", archive);
//   const std::vector<double> again = read_archive("mine.sum").get<double>("sums", {2});

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bochner {

struct ArchiveTree;  // the library's own: a JSON tree

// What a map, a fold or a model is, outside of any file format: named values and named arrays. An own map or fold
// writes and reads itself with:
//
//   void save(Archive& archive) const {
//     archive.put_count("rows", rows_);
//     archive.put<double>("sum", sum_, {sum_.size()});
//   }
//   void load(const Archive& archive) {
//     rows_ = archive.get_count("rows");
//     sum_ = archive.get<double>("sum", {sum_.size()});
//   }
//
// Every get throws Error::Kind::model where the name is absent, of another type or of another shape. Not safe to write
// by several threads at once.
class Archive {
 public:
  struct Array {
    std::string dtype;  // safetensors names: F64 F32 I64 U64 U32 U8
    std::vector<std::size_t> shape;
    std::vector<std::byte> bytes;          // little-endian
    std::span<const std::byte> view = {};  // instead of bytes: memory of whoever put it, while that lives

    std::span<const std::byte> content() const { return view.data() ? view : std::span<const std::byte>(bytes); }
    bool operator==(const Array& other) const;
  };

  Archive();
  Archive(const Archive& other);
  Archive(Archive&& other);
  Archive& operator=(const Archive& other);
  Archive& operator=(Archive&& other);
  ~Archive();

 private:
  std::unique_ptr<ArchiveTree> owned_;  // apart: only who looks into the tree compiles the JSON library

 public:
  ArchiveTree& tree;
  std::map<std::string, Array> arrays;

  void put_number(const std::string& name, double value);
  void put_count(const std::string& name, std::uint64_t value);
  void put_text(const std::string& name, const std::string& value);
  double get_number(const std::string& name) const;  // finite
  std::uint64_t get_count(const std::string& name, std::uint64_t most = std::uint64_t(1) << 53) const;
  std::string get_text(const std::string& name) const;

  // T: double, float, int64_t, uint64_t, uint32_t, uint8_t.
  template <class T>
  void put(const std::string& name, std::span<const T> values, std::vector<std::size_t> shape);

  // The same without a copy: the values must stay until the archive is written.
  template <class T>
  void put_view(const std::string& name, std::span<const T> values, std::vector<std::size_t> shape);

  // The array as T.
  template <class T>
  std::vector<T> get(const std::string& name, const std::vector<std::size_t>& shape) const;
  // The same into memory that is already there.
  template <class T>
  void get_into(const std::string& name, const std::vector<std::size_t>& shape, std::span<T> values) const;
  // The shape of a stored array.
  const std::vector<std::size_t>& shape(const std::string& name) const;
  // The length of an array with one dimension.
  std::size_t length(const std::string& name) const;

  // A child archive whose arrays are named "prefix.name" here.
  void put_child(const std::string& prefix, Archive child);
  Archive child(const std::string& prefix) const;  // tree = tree.at(prefix); its arrays are views of those here
  Archive take_child(const std::string& prefix);   // the same, moved out of here
};

// An archive as a file (docs/model-format.md), which appears whole or not at all. What is read is checked: a file that
// is cut or altered gives Error::Kind::model, one that cannot be read Error::Kind::io.
void write_archive(const std::string& path, const Archive& archive);
Archive read_archive(const std::string& path);
// The same in memory, for sums that travel. name: for messages.
std::string archive_bytes(const Archive& archive);
Archive archive_of_bytes(std::string_view bytes, const std::string& name);
// The same without a copy: its arrays are views of the bytes, which must stay.
Archive archive_over_bytes(std::string_view bytes, const std::string& name);

}  // namespace bochner
