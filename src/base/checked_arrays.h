// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/archive.h"
#include "bochner/matrix.h"

// For loaders, which trust no count of a file: a file of a few bytes can claim any, an array it must hold. Memory is
// taken only for an array of the shape that is expected; Error::Kind::model for another.
namespace bochner {

void check_shape(const Archive& archive, const std::string& name, const std::vector<std::size_t>& expected);

// An array of two dimensions; of so many rows and columns.
template <class T>
Matrix<T> get_matrix(const Archive& archive, const std::string& name);
template <class T>
Matrix<T> get_matrix(const Archive& archive, const std::string& name, std::size_t rows, std::size_t cols);

}  // namespace bochner
