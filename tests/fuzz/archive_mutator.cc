// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cstring>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

#include "base/archive.h"
#include "base/safetensors.h"
#include "fuzzing.h"
#include "scratch.h"

namespace bochner::fuzzing {

namespace {

using nlohmann::json;

class Mutation {
 public:
  Mutation(Archive& archive, unsigned seed) : archive_(archive), random_(seed) {}

  void make() {
    for (std::size_t times = 1 + below(3); times > 0; --times) switch (below(8)) {
        case 0:
        case 1:
          node() = interesting();
          break;
        case 2:
          nudge(node());
          break;
        case 3:
          regrow(node());
          break;
        case 4: {
          const json other = node();
          node() = other;
          break;
        }
        case 5:
        case 6:
          alter_element();
          break;
        case 7:
          alter_array();
          break;
      }
    if (!archive_.tree.is_object()) archive_.tree = json::object();
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  // Any node of the tree.
  json& node() {
    std::vector<json*> all;
    collect(archive_.tree, all, 0);
    return *all[below(all.size())];
  }
  static void collect(json& tree, std::vector<json*>& all, int depth) {
    all.push_back(&tree);
    if (tree.is_structured() && depth < 12)
      for (json& child : tree) collect(child, all, depth + 1);
  }

  json interesting() {
    static const json values[] = {0,
                                  1,
                                  -1,
                                  2,
                                  3,
                                  8,
                                  64,
                                  255,
                                  256,
                                  65536,
                                  1000000,
                                  4294967295u,
                                  4294967296u,
                                  9223372036854775807,
                                  18446744073709551615u,
                                  0.5,
                                  -0.0,
                                  1e-300,
                                  1e300,
                                  1e-45,
                                  3.4e38,
                                  "",
                                  "x",
                                  nullptr,
                                  true,
                                  false,
                                  json::array(),
                                  json::object(),
                                  json::array({1}),
                                  "gaussian",
                                  "laplacian",
                                  "matern:nu=2.5",
                                  "matern:nu=1e300",
                                  "fourier",
                                  "binning",
                                  "nystroem",
                                  "linear",
                                  "chain",
                                  "concat",
                                  "sum",
                                  "scaling",
                                  "grid_linear",
                                  "survey",
                                  "gram",
                                  "classification",
                                  "regression",
                                  "double",
                                  "float",
                                  "category",
                                  "numeric",
                                  "target",
                                  "weight",
                                  "ignored",
                                  "mixture",
                                  "hmm",
                                  "shares",
                                  "classes",
                                  "density",
                                  "components",
                                  "clusters",
                                  "measured",
                                  "project",
                                  "full",
                                  "tied",
                                  "diag",
                                  "spherical",
                                  "lowrank:1"};
    return values[below(std::size(values))];
  }

  void nudge(json& value) {
    if (value.is_number_integer())
      value = value.get<std::uint64_t>() + std::uint64_t(below(5)) - 2;
    else if (value.is_number_float())
      value = value.get<double>() * (below(2) ? -1 : 1e10);
    else if (value.is_string() && !value.get_ref<std::string&>().empty()) {
      auto& text = value.get_ref<std::string&>();
      text[below(text.size())] = char(random_());
    }
  }

  void regrow(json& value) {
    if (value.is_object() && !value.empty()) {
      const auto at = std::next(value.begin(), std::ptrdiff_t(below(value.size())));
      if (below(2))
        value.erase(at);
      else
        value["k"] = json(at.value());
    } else if (value.is_array()) {
      if (!value.empty() && below(2))
        value.erase(below(value.size()));
      else
        value.push_back(value.empty() ? interesting() : json(value[below(value.size())]));
    }
  }

  Archive::Array* array() {
    if (archive_.arrays.empty()) return nullptr;
    return &std::next(archive_.arrays.begin(), std::ptrdiff_t(below(archive_.arrays.size())))->second;
  }
  static std::size_t width(const Archive::Array& array) {
    return array.dtype == "U8" ? 1 : array.dtype == "F32" || array.dtype == "U32" ? 4 : 8;
  }

  void alter_element() {
    static constexpr std::uint64_t kWide[] = {0,
                                              1,
                                              2,
                                              1000000,
                                              ~0ull,
                                              1ull << 32,
                                              1ull << 63,
                                              0x7fffffffffffffff,
                                              0x3ff0000000000000,
                                              0x7fefffffffffffff,
                                              0x7ff0000000000000,
                                              0xfff0000000000000,
                                              0x7ff8000000000000};
    static constexpr std::uint32_t kNarrow[] = {0,          1,          2,          1000000,    ~0u,       0x80000000,
                                                0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x3f800000};
    Archive::Array* const one = array();
    if (!one || one->bytes.empty()) return;
    const std::size_t bytes = width(*one);
    std::byte* const at = one->bytes.data() + below(one->bytes.size() / bytes) * bytes;
    std::uint64_t value = 0;
    if (below(3) == 0) {
      std::memcpy(&value, at, bytes);
      value += below(2) ? 1 : ~0ull;
    } else {
      value = bytes == 8 ? kWide[below(std::size(kWide))] : kNarrow[below(std::size(kNarrow))];
    }
    std::memcpy(at, &value, bytes);
  }

  // A single value, or none: of one dimension, or with the others as they were or large.
  void empty(Archive::Array& array) {
    if (below(3) == 0) {
      array.shape.clear();
      array.bytes.resize(width(array));
      return;
    }
    if (array.shape.empty() || below(2)) array.shape.assign(1, 0);
    for (std::size_t& extent : array.shape)
      if (below(4) == 0) extent = below(2) ? 3 : std::size_t(1) << (8 + below(40));
    array.shape[below(array.shape.size())] = 0;
    array.bytes.clear();
  }

  void alter_array() {
    Archive::Array* const one = array();
    if (!one) return;
    const std::size_t bytes = width(*one);
    switch (below(4)) {
      case 0:
        archive_.arrays.erase(std::next(archive_.arrays.begin(), std::ptrdiff_t(below(archive_.arrays.size()))));
        break;
      case 1:
        if (!one->shape.empty()) {
          std::size_t& extent = one->shape[below(one->shape.size())];
          const std::size_t slice = extent ? one->bytes.size() / extent : 0;
          if (below(2) && extent > 0)
            --extent, one->bytes.resize(one->bytes.size() - slice);
          else if (slice > 0)
            ++extent, one->bytes.resize(one->bytes.size() + slice);
        }
        break;
      case 2:
        empty(*one);
        break;
      case 3: {
        static const char *kEight[] = {"F64", "I64", "U64"}, *kFour[] = {"F32", "U32"};
        if (bytes == 8) one->dtype = kEight[below(3)];
        if (bytes == 4) one->dtype = kFour[below(2)];
        break;
      }
    }
  }

  Archive& archive_;
  std::mt19937 random_;
};

}  // namespace

std::size_t mutate_archive(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed, std::size_t prefix) {
  // Now and then the plain bytes, for the reader itself.
  if (seed % 16 == 0 || size < prefix) return LLVMFuzzerMutate(data, size, most);
  static const std::string path = scratch("mutated");
  static Archive archive;
  static std::string bytes;  // the archive's; most calls go on from where the last one left, and need not read it again
  try {
    if (std::string_view(reinterpret_cast<const char*>(data) + prefix, size - prefix) != bytes) {
      bytes.clear();
      put_file(path, {data + prefix, size - prefix});
      archive = read_archive(path);
    }
    bytes.clear();
    Mutation(archive, seed).make();
    write_archive(path, archive);
  } catch (const std::exception&) {
    return LLVMFuzzerMutate(data, size, most);
  }
  bytes = testing_files::read_bytes(path);
  if (prefix + bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data + prefix, bytes.data(), bytes.size());
  return prefix + bytes.size();
}

}  // namespace bochner::fuzzing
