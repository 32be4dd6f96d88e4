// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/checked_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/require.h"

namespace bochner {

void check_shape(const Archive& archive, const std::string& name, const std::vector<std::size_t>& expected) {
  if (const std::vector<std::size_t>& found = archive.shape(name); found != expected)
    fail(Error::Kind::model, "model: array '{}' is of shape [{}], expected [{}]; the file is damaged, copy it again",
         name, fmt::join(found, " x "), fmt::join(expected, " x "));
}

template <class T>
Matrix<T> get_matrix(const Archive& archive, const std::string& name, std::size_t rows, std::size_t cols) {
  check_shape(archive, name, {rows, cols});
  Matrix<T> matrix(rows, cols);
  archive.get_into(name, {rows, cols}, std::span<T>(matrix.data(), rows * cols));
  return matrix;
}

template <class T>
Matrix<T> get_matrix(const Archive& archive, const std::string& name) {
  const std::vector<std::size_t>& found = archive.shape(name);
  if (found.size() != 2)
    fail(Error::Kind::model, "model: array '{}' has {} dimensions, expected 2; the file is damaged, copy it again",
         name, found.size());
  return get_matrix<T>(archive, name, found[0], found[1]);
}

template Matrix<float> get_matrix(const Archive&, const std::string&);
template Matrix<double> get_matrix(const Archive&, const std::string&);
template Matrix<float> get_matrix(const Archive&, const std::string&, std::size_t, std::size_t);
template Matrix<double> get_matrix(const Archive&, const std::string&, std::size_t, std::size_t);

}  // namespace bochner
