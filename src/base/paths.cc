// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/paths.h"

#include <filesystem>

#include "base/require.h"

namespace bochner {

namespace fs = std::filesystem;

std::string follow_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system's own
  fs::path at = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(at, error); ++links) {
    if (links == kMostLinks) fail(Error::Kind::io, "{}: its links go in a circle; name the file itself", path);
    const fs::path next = fs::read_symlink(at, error);
    if (error) fail(Error::Kind::io, "{}: cannot read the link: {}; name the file itself", path, error.message());
    at = at.parent_path() / next;  // an absolute one replaces all
  }
  return at.string();
}

namespace {

// Folders are resolved as far as they exist, what does not is only tidied.
fs::path place_of(const std::string& path) {
  std::error_code unknown;
  const fs::path absolute = fs::absolute(follow_links(path), unknown);
  const fs::path found = fs::weakly_canonical(absolute, unknown);
  return unknown ? absolute.lexically_normal() : found;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) || place_of(a) == place_of(b);
}

std::string path_below(const std::string& folder, const std::string& path) {
  const fs::path way = place_of(path).lexically_relative(place_of(folder));
  return way.empty() || *way.begin() == ".." ? "" : way.string();
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace bochner
