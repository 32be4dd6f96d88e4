// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "base/archive.h"
#include "bochner/error.h"
#include "bochner/neighbors.h"

namespace bochner {

inline std::unique_ptr<Rows> rows_of(const Matrix<float>& x) {
  Schema schema;
  schema.inputs = x.cols();
  return memory_rows<float>(x.view(), {}, schema);
}

// A good index that was spoilt is refused, in one line.
inline void refuse(const std::string& path, const Archive& good, const std::function<void(Archive&)>& spoil) {
  Archive bad = good;
  spoil(bad);
  write_archive(path, bad);
  try {
    NeighborIndex::load(path);
    ADD_FAILURE() << "was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::model) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

}  // namespace bochner
