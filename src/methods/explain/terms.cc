// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/explain/terms.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/archive.h"
#include "base/checked_arrays.h"
#include "base/lease.h"
#include "bochner/kernel_family.h"
#include "maps/fourier.h"
#include "maps/load.h"
#include "maps/nystroem.h"

namespace bochner {

namespace {

using Kind = ExplainTerm::Kind;

// Whether a map that is not made of others has a spec() that begins so: one whose archive is worth making.
bool is_called(const Map& map, const char* name) {
  return map.parts().how == MapParts::How::none && map.spec().starts_with(std::string(name) + ":");
}

Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j)
      if (const double value = a(i, j); value != 0)
        for (std::size_t k = 0; k < b.cols(); ++k) c(i, k) += value * b(j, k);
  return c;
}

// head(first(x)).
AffineHead composed(const AffineHead& first, const AffineHead& head) {
  AffineHead all{product(first.weights, head.weights), head.constant};
  for (std::size_t j = 0; j < first.constant.size(); ++j)
    for (std::size_t k = 0; k < all.constant.size(); ++k) all.constant[k] += first.constant[j] * head.weights(j, k);
  return all;
}

// The column of each output of a linear map; none: an output is made of several columns. An output that is made of none
// is a constant, and any column's.
std::optional<std::vector<std::uint32_t>> owners_after(const AffineHead& map, const std::vector<std::uint32_t>& owner) {
  std::vector<std::uint32_t> after(map.weights.cols(), 0);
  for (std::size_t k = 0; k < after.size(); ++k) {
    bool found = false;
    for (std::size_t j = 0; j < map.weights.rows(); ++j) {
      if (map.weights(j, k) == 0) continue;
      if (found && owner[j] != after[k]) return std::nullopt;
      found = true;
      after[k] = owner[j];
    }
  }
  return after;
}

std::optional<std::vector<std::uint32_t>> owners_after(const Map& map, const std::vector<std::uint32_t>& owner) {
  if (is_called(map, "scaling") || is_called(map, "unscaling")) return owner;
  if (const std::optional<AffineHead> linear = affine_of(map)) return owners_after(*linear, owner);
  if (!is_called(map, "twofold")) return std::nullopt;
  const Archive archive = saved_map(map);  // as docs/model-format.md says
  std::vector<std::uint64_t> cycles;
  if (archive.arrays.contains("cycle_counts"))
    cycles = archive.get<std::uint64_t>("cycle_counts", {archive.length("cycle_counts")});
  std::vector<std::uint32_t> after;
  std::size_t date = 0;
  const auto kinds = archive.get<std::uint8_t>("kinds", {owner.size()});
  for (std::size_t j = 0; j < kinds.size(); ++j)
    after.insert(after.end(), kinds[j] == 3 ? 2 + 2 * cycles[date++] : kinds[j], owner[j]);
  return after.size() == map.outputs() ? std::optional(after) : std::nullopt;
}

void append_flat(const MapPtr& map, std::vector<MapPtr>& flat) {
  if (map->parts().how == MapParts::How::chain)
    for (const MapPtr& part : map->parts().maps) append_flat(part, flat);
  else
    flat.push_back(map);
}

bool has_product_landmarks(const Map& map) {
  if (is_called(map, "radial")) return get_number(saved_map(map).tree, "exponent") == 2;
  if (!is_called(map, "nystroem")) return false;
  const Archive archive = saved_map(map);
  const Kernel kernel = parse_kernel(get_text(archive.tree, "kernel"));
  const std::optional<KernelShape> shape = kernel.family->shape(kernel);
  return shape == KernelShape::gaussian || shape == KernelShape::exponential1 || shape == KernelShape::cauchy;
}

AffineHead identity(std::size_t outputs) {
  AffineHead head{Matrix<double>(outputs, outputs), std::vector<double>(outputs, 0.0)};
  for (std::size_t k = 0; k < outputs; ++k) head.weights(k, k) = 1;
  return head;
}

bool is_identity(const AffineHead& head) {
  if (head.weights.rows() != head.weights.cols()) return false;
  const AffineHead same = identity(head.weights.rows());
  return head.weights == same.weights && head.constant == same.constant;
}

class Splitter {
 public:
  explicit Splitter(const ExplainedInputs& inputs) : inputs_(inputs) {}

  // head(maps(x)): summands with a form of their own, and what has none.
  void add_map(const std::vector<MapPtr>& maps, const AffineHead& head) {
    if (!has_form(maps, head)) add_any(maps, head);
  }
  std::vector<ExplainTerm> done() && { return std::move(terms_); }

 private:
  // What has no form: its first maps are an encoding as far as each output depends on one column.
  void add_any(const std::vector<MapPtr>& maps, const AffineHead& head) {
    ExplainTerm term{.encoding = ColumnEncoding(inputs_)};
    std::size_t encoded = 0;
    while (encoded + 1 < maps.size() && term.encoding.take(maps[encoded])) ++encoded;
    std::vector<MapPtr> rest(maps.begin() + std::ptrdiff_t(encoded), maps.end());
    if (!is_identity(head)) rest.push_back(linear(head.weights, head.constant));
    term.map = chain(std::move(rest));
    add(Kind::any, std::move(term));
  }

  bool has_form(std::vector<MapPtr> maps, AffineHead head) {
    while (!maps.empty()) {
      const std::optional<AffineHead> last = affine_of(*maps.back());
      if (!last) break;
      head = composed(*last, head);
      maps.pop_back();
    }
    ExplainTerm term{.encoding = ColumnEncoding(inputs_)};
    std::size_t encoded = 0;
    while (encoded < maps.size() && term.encoding.take(maps[encoded])) ++encoded;
    term.head = head;
    if (encoded == maps.size()) return add(Kind::linear, std::move(term));
    const MapPtr last = maps.back();
    if (const MapParts parts = last->parts(); parts.how == MapParts::How::sum || parts.how == MapParts::How::concat) {
      maps.pop_back();
      return distribute(maps, parts, head);
    }
    term.map = last;
    if ((is_called(*last, "fourier") || is_called(*last, "chosen-fourier")) && take_metric(maps, encoded, term))
      return add(Kind::fourier, std::move(term));
    if (encoded + 1 != maps.size()) return false;
    if (has_product_landmarks(*last)) return add(Kind::landmarks, std::move(term));
    if (is_called(*last, "trees")) return add(Kind::trees, std::move(term));
    if (is_called(*last, "grid_linear") || is_called(*last, "binning")) return add(Kind::bins, std::move(term));
    return false;
  }

  bool add(Kind kind, ExplainTerm term) {
    term.kind = kind;
    terms_.push_back(std::move(term));
    return true;
  }

  // Linear maps between the encoding and Fourier features multiply the frequencies.
  static bool take_metric(const std::vector<MapPtr>& maps, std::size_t encoded, ExplainTerm& term) {
    std::optional<AffineHead> metric;
    for (std::size_t i = encoded; i + 1 < maps.size(); ++i) {
      const std::optional<AffineHead> next = affine_of(*maps[i]);
      if (!next) return false;
      metric = metric ? composed(*metric, *next) : *next;
    }
    if (metric) {
      term.metric = std::move(metric->weights);
      term.shift = std::move(metric->constant);
    }
    return true;
  }

  bool distribute(const std::vector<MapPtr>& before, const MapParts& parts, const AffineHead& head) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < parts.maps.size(); ++i) {
      AffineHead own = head;
      if (parts.how == MapParts::How::concat) {
        const std::size_t count = parts.maps[i]->outputs();
        own.weights = Matrix<double>(count, head.weights.cols());
        for (std::size_t j = 0; j < count; ++j)
          for (std::size_t k = 0; k < head.weights.cols(); ++k)
            own.weights(j, k) = std::sqrt(parts.weights[i]) * head.weights(begin + j, k);
        begin += count;
      }
      if (i > 0) own.constant.assign(own.constant.size(), 0.0);
      std::vector<MapPtr> maps = before;
      append_flat(parts.maps[i], maps);
      add_map(maps, own);
    }
    return true;
  }

  const ExplainedInputs& inputs_;
  std::vector<ExplainTerm> terms_;
};

template <class T>
void encode_as(const Backend& on, const Map& map, MatrixView<const double> x, double* encoded) {
  const std::size_t cols = map.outputs();
  const Lease<T> rows(x.rows * x.cols), out(x.rows * cols);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) rows.data()[i * x.cols + j] = T(x(i, j));
  map.apply(on, RowBlock<T>::dense({rows.data(), x.rows, x.cols, x.cols}), {out.data(), x.rows, cols, cols});
  std::copy_n(out.data(), x.rows * cols, encoded);
}

}  // namespace

bool ColumnEncoding::take(const MapPtr& map) {
  const std::optional<std::vector<std::uint32_t>> after = owners_after(*map, owner_);
  if (!after) return false;
  owner_ = *after;
  map_ = map_ ? chain({map_, map}) : map;
  return true;
}

Matrix<double> ColumnEncoding::encode(const Backend& on, MatrixView<const double> x) const {
  Matrix<double> encoded(x.rows, owner_.size());
  encode(on, x, encoded.data());
  return encoded;
}

MatrixView<const double> ColumnEncoding::encode(const Backend& on, MatrixView<const double> x, double* room) const {
  if (map_)
    wide_ ? encode_as<double>(on, *map_, x, room) : encode_as<float>(on, *map_, x, room);
  else
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, room + i * x.cols);
  return {room, x.rows, owner_.size(), owner_.size()};
}

ExplainTerm without_form(ExplainTerm term) {
  if (!is_identity(term.head)) term.map = chain({term.map, linear(term.head.weights, term.head.constant)});
  term.kind = Kind::any;
  return term;
}

std::vector<ExplainTerm> explain_terms(const MapPtr& map, const ExplainedInputs& inputs) {
  Splitter splitter(inputs);
  std::vector<MapPtr> maps;
  append_flat(map, maps);
  splitter.add_map(maps, identity(map->outputs()));
  return std::move(splitter).done();
}

}  // namespace bochner
