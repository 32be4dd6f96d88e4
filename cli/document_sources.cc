// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "document_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bochner/archive.h"
#include "bochner/paths.h"
#include "require.h"

namespace bochner {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSources = "sources";

// A link leads to any file of the machine, and whoever made the folder may have chosen which.
bool holds_links(const fs::path& path) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->is_symlink()) return true;
  return false;
}

std::string fault_of(const std::string& path, const std::string& folder) {
  std::error_code error;
  if (path_below(folder, path).empty()) return "lies outside the folder of its text model";
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return "is gone";
  if (!fs::is_regular_file(status) && !fs::is_directory(status)) return "is neither a file nor a folder";
  return holds_links(path) ? "holds links, which may lead anywhere" : "";
}

}  // namespace

std::unique_ptr<Documents> open_sources(const DocumentSources& sources, std::size_t memory) {
  DocumentsOptions reading{.column = sources.column, .memory = memory};
  if (!sources.delimiter.empty()) reading.delimiter = sources.delimiter == "tab" ? '\t' : sources.delimiter[0];
  return open_documents(sources.paths, reading);
}

std::string hash_text(Documents& documents) { return fmt::format("{:016x}", documents_hash(documents)); }

void keep_sources(Archive& model, const std::string& place, const DocumentSources& sources, Documents& documents) {
  std::vector<std::string> paths;
  for (const std::string& path : sources.paths) paths.push_back(path_below(folder_of(place), path));
  if (std::find(paths.begin(), paths.end(), "") != paths.end()) paths.clear();
  const nlohmann::json tree{{"column", sources.column},
                            {"delimiter", sources.delimiter},
                            {"hash", paths.empty() ? "" : hash_text(documents)},
                            {"paths", paths}};
  model.put_text(kSources, tree.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

KeptSources kept_sources(const std::string& place) {
  KeptSources kept;
  DocumentSources& sources = kept.sources;
  std::string text;
  try {
    text = read_archive(place).get_text(kSources);
  } catch (const Error&) {  // a model that --save wrote, or of an earlier version
    kept.fault = place + " does not say where its documents are";
    return kept;
  }
  try {
    const auto tree = nlohmann::json::parse(text);
    sources = {tree.at("paths").get<std::vector<std::string>>(), tree.at("column").get<std::string>(),
               tree.at("delimiter").get<std::string>()};
    kept.hash = tree.value("hash", "");
  } catch (const nlohmann::json::exception&) {
    fail(Error::Kind::model, "{}: where its documents are is not told as JSON; the file is damaged", place);
  }
  const fs::path folder = folder_of(place);
  for (std::string& path : sources.paths) {
    path = (folder / path).string();  // an absolute one, of an earlier version, replaces all
    if (const std::string fault = fault_of(path, folder.string()); !fault.empty()) kept.fault = path + " " + fault;
  }
  if (sources.paths.empty()) kept.fault = "the documents lie outside the folder of " + place;
  return kept;
}

}  // namespace bochner
