// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   if (same_file("a.csv", "./a.csv")) std::puts("one file");

#include <string>

namespace bochner {

// Where a symbolic link ends, whether or not there is a file; the path itself where it is no link.
// Error::Kind::io for links that go in a circle.
std::string follow_links(const std::string& path);

// Whether two names are of one file, or would be if it existed: through links, `..`, and hard links.
bool same_file(const std::string& a, const std::string& b);

// The path from a folder to what lies in it or below, or would if it existed, once all links are followed: "." for the
// folder itself, empty for what lies elsewhere.
std::string path_below(const std::string& folder, const std::string& path);

// "." for a name alone.
std::string folder_of(const std::string& path);

}  // namespace bochner
