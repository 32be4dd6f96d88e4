// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/require.h"

namespace bochner {

namespace {

constexpr const char* kRemedy = "the model file is damaged or from another version; train or copy it again";

template <class T>
const char* dtype_of() {
  if constexpr (std::is_same_v<T, double>) return "F64";
  if constexpr (std::is_same_v<T, float>) return "F32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "I64";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "U64";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "U32";
  if constexpr (std::is_same_v<T, std::uint8_t>) return "U8";
}

// "3 x 4"; "one value" for the empty shape, as in safetensors.
std::string shape_text(const std::vector<std::size_t>& shape) {
  return shape.empty() ? "one value" : fmt::format("{}", fmt::join(shape, " x "));
}

// Elements of a shape; false when the product leaves size_t.
bool element_count(const std::vector<std::size_t>& shape, std::size_t& count) {
  count = 1;
  for (const std::size_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count)) return false;
  return true;
}

const Archive::Array& find(const Archive& archive, const std::string& name) {
  const auto found = archive.arrays.find(name);
  if (found == archive.arrays.end()) fail(Error::Kind::model, "model: array '{}' is absent; {}", name, kRemedy);
  return found->second;
}

[[noreturn]] void fail_node(const nlohmann::json& node, const std::string& key, const std::string& expected) {
  // A hostile file may hold a value of any length: the message quotes only its start, and never throws on bad UTF-8.
  std::string found = node.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (found.size() > 60) found = found.substr(0, 57) + "...";
  fail(Error::Kind::model, "model: '{}' is {}, expected {}; {}", key, found, expected, kRemedy);
}

}  // namespace

Archive::Archive() : owned_(std::make_unique<ArchiveTree>()), tree(*owned_) {}
Archive::Archive(const Archive& other)
    : owned_(std::make_unique<ArchiveTree>(other.tree)), tree(*owned_), arrays(other.arrays) {}
Archive::Archive(Archive&& other)
    : owned_(std::make_unique<ArchiveTree>(std::move(other.tree))), tree(*owned_), arrays(std::move(other.arrays)) {}
Archive& Archive::operator=(const Archive& other) { return *this = Archive(other); }
Archive& Archive::operator=(Archive&& other) {
  static_cast<nlohmann::json&>(tree) = std::move(static_cast<nlohmann::json&>(other.tree));
  arrays = std::move(other.arrays);
  return *this;
}
Archive::~Archive() = default;

bool Archive::Array::operator==(const Array& other) const {
  const std::span<const std::byte> a = content(), b = other.content();
  return dtype == other.dtype && shape == other.shape && std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <class T>
void Archive::put(const std::string& name, std::span<const T> values, std::vector<std::size_t> shape) {
  put_view(name, values, std::move(shape));
  Array& array = arrays.at(name);
  array.bytes.assign(array.view.begin(), array.view.end());
  array.view = {};
}

template <class T>
void Archive::put_view(const std::string& name, std::span<const T> values, std::vector<std::size_t> shape) {
  std::size_t count = 0;
  require(element_count(shape, count) && count == values.size(), "archive: array '{}' has {} values, expected {}", name,
          values.size(), shape_text(shape));
  Array array{dtype_of<T>(), std::move(shape), {}, std::as_bytes(values)};
  require(arrays.emplace(name, std::move(array)).second, "archive: array '{}' is already there", name);
}

template <class T>
void Archive::get_into(const std::string& name, const std::vector<std::size_t>& shape, std::span<T> values) const {
  const Array& array = find(*this, name);
  if (array.dtype != dtype_of<T>() || array.shape != shape)
    fail(Error::Kind::model, "model: array '{}' is {} {}, expected {} {}; {}", name, array.dtype,
         shape_text(array.shape), dtype_of<T>(), shape_text(shape), kRemedy);
  const std::span<const std::byte> bytes = array.content();
  std::size_t count = 0;
  if (!element_count(shape, count) || bytes.size() % sizeof(T) != 0 || bytes.size() / sizeof(T) != count)
    fail(Error::Kind::model, "model: array '{}' holds {} bytes, expected {} {}; {}", name, bytes.size(), array.dtype,
         shape_text(shape), kRemedy);
  require(values.size() == count, "archive: array '{}' has {} values, there is room for {}", name, count,
          values.size());
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
}

template <class T>
std::vector<T> Archive::get(const std::string& name, const std::vector<std::size_t>& shape) const {
  // The shape may come from the same hostile file: memory is taken for what is there, not for what is claimed.
  std::vector<T> values(find(*this, name).shape == shape ? find(*this, name).content().size() / sizeof(T) : 0);
  get_into(name, shape, std::span<T>(values));
  return values;
}

const std::vector<std::size_t>& Archive::shape(const std::string& name) const { return find(*this, name).shape; }

std::size_t Archive::length(const std::string& name) const {
  const std::vector<std::size_t>& found = shape(name);
  if (found.size() != 1)
    fail(Error::Kind::model, "model: array '{}' is {}, expected one dimension; {}", name, shape_text(found), kRemedy);
  return found[0];
}

void Archive::put_child(const std::string& prefix, Archive child) {
  require(!tree.contains(prefix), "archive: child '{}' is already there", prefix);
  tree[prefix] = std::move(static_cast<nlohmann::json&>(child.tree));
  for (auto& [name, array] : child.arrays)
    require(arrays.emplace(prefix + "." + name, std::move(array)).second, "archive: array '{}.{}' is already there",
            prefix, name);
}

Archive Archive::child(const std::string& prefix) const {
  Archive child;
  child.tree = get_node(tree, prefix);
  const std::string start = prefix + ".";
  for (auto it = arrays.lower_bound(start); it != arrays.end() && it->first.starts_with(start); ++it)
    child.arrays.emplace(it->first.substr(start.size()),
                         Array{it->second.dtype, it->second.shape, {}, it->second.content()});
  return child;
}

Archive Archive::take_child(const std::string& prefix) {
  Archive child;
  child.tree = get_node(tree, prefix);
  tree.erase(prefix);
  const std::string start = prefix + ".";
  for (auto it = arrays.lower_bound(start); it != arrays.end() && it->first.starts_with(start); it = arrays.erase(it))
    child.arrays.emplace(it->first.substr(start.size()), std::move(it->second));
  return child;
}

const nlohmann::json& get_node(const nlohmann::json& tree, const std::string& key) {
  if (!tree.is_object())
    fail(Error::Kind::model, "model: '{}' is looked for in a {}, expected in an object; {}", key, tree.type_name(),
         kRemedy);
  const auto found = tree.find(key);
  if (found == tree.end()) fail(Error::Kind::model, "model: '{}' is absent; {}", key, kRemedy);
  return *found;
}

double get_number(const nlohmann::json& tree, const std::string& key) {
  const nlohmann::json& node = get_node(tree, key);
  if (!node.is_number() || !std::isfinite(node.get<double>())) fail_node(node, key, "a finite number");
  return node.get<double>();
}

std::vector<double> get_numbers(const nlohmann::json& tree, const std::string& key) {
  std::vector<double> values;
  const nlohmann::json& node = get_node(tree, key);
  if (!node.is_array()) fail(Error::Kind::model, "'{}' is not a list; the file is damaged", key);
  for (const nlohmann::json& value : node) {
    if (!value.is_number()) fail(Error::Kind::model, "'{}' holds no number; the file is damaged", key);
    values.push_back(value.get<double>());
  }
  return values;
}

std::uint64_t get_count(const nlohmann::json& tree, const std::string& key, std::uint64_t most) {
  const nlohmann::json& node = get_node(tree, key);
  // A tree made in memory may hold a non-negative count as a signed integer.
  const bool whole = node.is_number_unsigned() || (node.is_number_integer() && node.get<std::int64_t>() >= 0);
  if (!whole || node.get<std::uint64_t>() > most)
    fail_node(node, key, fmt::format("a whole number from 0 to {}", most));
  return node.get<std::uint64_t>();
}

std::string get_text(const nlohmann::json& tree, const std::string& key) {
  const nlohmann::json& node = get_node(tree, key);
  if (!node.is_string()) fail_node(node, key, "text");
  return node.get<std::string>();
}

bool get_flag(const nlohmann::json& tree, const std::string& key) {
  const nlohmann::json& node = get_node(tree, key);
  if (!node.is_boolean()) fail_node(node, key, "true or false");
  return node.get<bool>();
}

void Archive::put_number(const std::string& name, double value) {
  require(std::isfinite(value), "archive: '{}' is {}, expected a finite number", name, value);
  tree[name] = value;
}
void Archive::put_count(const std::string& name, std::uint64_t value) { tree[name] = value; }
void Archive::put_text(const std::string& name, const std::string& value) { tree[name] = value; }
double Archive::get_number(const std::string& name) const { return bochner::get_number(tree, name); }
std::uint64_t Archive::get_count(const std::string& name, std::uint64_t most) const {
  return bochner::get_count(tree, name, most);
}
std::string Archive::get_text(const std::string& name) const { return bochner::get_text(tree, name); }

#define BOCHNER_INSTANTIATE(T)                                                                                 \
  template void Archive::put<T>(const std::string&, std::span<const T>, std::vector<std::size_t>);             \
  template void Archive::put_view<T>(const std::string&, std::span<const T>, std::vector<std::size_t>);        \
  template void Archive::get_into<T>(const std::string&, const std::vector<std::size_t>&, std::span<T>) const; \
  template std::vector<T> Archive::get<T>(const std::string&, const std::vector<std::size_t>&) const;
BOCHNER_INSTANTIATE(double)
BOCHNER_INSTANTIATE(float)
BOCHNER_INSTANTIATE(std::int64_t)
BOCHNER_INSTANTIATE(std::uint64_t)
BOCHNER_INSTANTIATE(std::uint32_t)
BOCHNER_INSTANTIATE(std::uint8_t)
#undef BOCHNER_INSTANTIATE

}  // namespace bochner
