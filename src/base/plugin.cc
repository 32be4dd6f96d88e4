// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace bochner {

namespace {

std::vector<std::string> places(const std::string& library, const char* variable) {
  if (const char* given = std::getenv(variable); given && *given) return {given};
  std::vector<std::string> all;
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&open_plugin), &here) && here.dli_fname) {
    std::error_code ignored;
    const auto folder = std::filesystem::canonical(here.dli_fname, ignored).parent_path();
    for (const auto& place : {folder, folder.parent_path(), folder.parent_path() / "lib"})
      all.push_back((place / library).string());
  }
  all.emplace_back(library);
  return all;
}

}  // namespace

void* open_plugin(const std::string& library, const char* variable, bool global) {
  for (const std::string& place : places(library, variable))
    if (void* opened = dlopen(place.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL))) return opened;
  return nullptr;
}

void* plugin_function(void* plugin, const char* name) { return dlsym(plugin, name); }

}  // namespace bochner
