// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace bochner {

// What a map or model is, outside of any file format: a JSON tree and named arrays.
// base/safetensors.h writes it to a file; save() and load_map() are its users.
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
  std::unique_ptr<nlohmann::json> owned_;  // apart: only who looks into the tree compiles the JSON library

 public:
  nlohmann::json& tree;
  std::map<std::string, Array> arrays;

  // T: double, float, int64_t, uint64_t, uint32_t, uint8_t.
  template <class T>
  void put(const std::string& name, std::span<const T> values, std::vector<std::size_t> shape);

  // The same without a copy: the values must stay until the archive is written.
  template <class T>
  void put_view(const std::string& name, std::span<const T> values, std::vector<std::size_t> shape);

  // The array as T; Error::Kind::model when it is absent, of another type or of another shape.
  template <class T>
  std::vector<T> get(const std::string& name, const std::vector<std::size_t>& shape) const;
  // The same into memory that is already there.
  template <class T>
  void get_into(const std::string& name, const std::vector<std::size_t>& shape, std::span<T> values) const;
  // The shape of a stored array; Error::Kind::model when absent.
  const std::vector<std::size_t>& shape(const std::string& name) const;
  // Of an array with one dimension; Error::Kind::model when absent or of other dimensions.
  std::size_t length(const std::string& name) const;

  // A child archive whose arrays are named "prefix.name" here.
  void put_child(const std::string& prefix, Archive child);
  Archive child(const std::string& prefix) const;  // tree = tree.at(prefix); its arrays are views of those here
  Archive take_child(const std::string& prefix);   // the same, moved out of here
};

// Typed reads of a JSON tree that name the place when something is wrong (Error::Kind::model).
double get_number(const nlohmann::json& tree, const std::string& key);
std::uint64_t get_count(const nlohmann::json& tree, const std::string& key, std::uint64_t most);
std::string get_text(const nlohmann::json& tree, const std::string& key);
bool get_flag(const nlohmann::json& tree, const std::string& key);
const nlohmann::json& get_node(const nlohmann::json& tree, const std::string& key);

}  // namespace bochner
