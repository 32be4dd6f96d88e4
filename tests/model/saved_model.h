// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "bochner/model.h"

namespace bochner {

// A file for models, gone after the test.
class SavedModel : public ::testing::Test {
 protected:
  SavedModel() : path_(std::filesystem::temp_directory_path() / ("bochner-model-" + std::to_string(::getpid()))) {}
  ~SavedModel() override { std::filesystem::remove(path_); }

  // The bytes of the file.
  std::string saved(const Model& model) const {
    model.save(path_.string());
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::filesystem::path path_;
};

}  // namespace bochner
