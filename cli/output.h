// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/atomic_file.h"

namespace bochner {

// Where results go: a file that appears whole or not at all, compressed where its name ends in .gz, or stdout.
class Output {
 public:
  explicit Output(const std::string& path);  // "" or "-": stdout
  ~Output();

  void write(std::string_view text);
  void finish();  // nothing appears before it

 private:
  class Gzip;
  void flush();
  void deliver(std::string_view bytes);

  std::optional<AtomicFile> file_;
  std::unique_ptr<Gzip> gzip_;
  std::string buffer_;
};

// Whether results are for stdout.
inline bool is_stdout(const std::string& path) { return path.empty() || path == "-"; }

// The beginning of a .npy file of float32 or float64 (descr "<f4" or "<f8"), format version 1.0.
std::string npy_header(const char* descr, std::size_t rows, std::size_t cols);

// stdout was closed by whoever read it, which is no fault: `bochner predict ... | head`.
struct ReaderLeft {};

// Refuses an output that cannot be written, or that is one of the inputs, before any work is done for it. "-" is
// stdout. Empty inputs are none.
void check_output(const std::string& path, const std::vector<std::string>& inputs);
// The same of inputs that may be folders, whose files are read: no output goes there.
void check_output_of_documents(const std::string& path, const std::vector<std::string>& inputs);

// The files that a command writes besides its output. The user did not name them, so each has its name from here and
// is checked before it is written: text models by check_companion(), checkpoints by their CheckpointPlace.
enum class Companion { text_model, checkpoint };
std::string companion_of(const std::string& output, Companion what);

// Refuses a companion whose name belongs to a file of the user: anything but a plain file that is_ours() knows.
void check_companion(const std::string& path, bool (*is_ours)(const std::string& path));

// Refuses a name that promises what is not written: text goes to any name but those of other formats.
void check_text_name(const std::string& path);

// A result in text or as JSON on stdout, in one piece. What a terminal would obey is escaped.
void print(std::string_view text);
void print_json(const nlohmann::json& tree);

}  // namespace bochner
