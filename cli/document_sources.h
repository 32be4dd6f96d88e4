// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/text.h"

namespace bochner {

// Where the documents of rows lie and how they are read. The text model beside the rows keeps it.
struct DocumentSources {
  std::vector<std::string> paths;
  std::string column, delimiter;  // CSV files only
};

std::unique_ptr<Documents> open_sources(const DocumentSources& sources, std::size_t memory);

// Puts the sources into the archive of a text model that will be saved at `place`. Paths are kept from the folder of
// that file, so that the same documents give the same bytes in every folder; documents elsewhere are not named at all.
void keep_sources(Archive& model, const std::string& place, const DocumentSources& sources, Documents& documents);

// What a text model keeps. A file from elsewhere may hold one that somebody prepared, so documents are taken only if
// they lie in its folder or below, without links, and are those that the rows were made of, by their hash.
struct KeptSources {
  DocumentSources sources;
  std::string hash;
  std::string fault;  // why they are not to be taken unasked; empty if they may
};
KeptSources kept_sources(const std::string& place);

// The hash as it is kept.
std::string hash_text(Documents& documents);

}  // namespace bochner
