// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/atomic_file.h"

namespace bochner {

// Where results go: a file that appears whole or not at all, or stdout.
class Output {
 public:
  explicit Output(const std::string& path);  // "": stdout

  void write(std::string_view text);
  void finish();  // without it nothing appears

 private:
  void flush();

  std::optional<AtomicFile> file_;
  std::string buffer_;
};

// stdout was closed by whoever read it, which is no fault: `bochner predict ... | head`.
struct ReaderLeft {};

// Refuses an output that cannot be written, or that is one of the inputs, before any work is done for it.
void check_output(const std::string& path, std::initializer_list<std::string> inputs);

// A result in text or as JSON on stdout, in one piece.
void print(std::string_view text);
void print_json(const nlohmann::json& tree);

}  // namespace bochner
