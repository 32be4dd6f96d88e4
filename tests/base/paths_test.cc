// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/paths.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "bochner/error.h"
#include "scratch.h"

namespace bochner {
namespace {

namespace fs = std::filesystem;

TEST(Paths, OfOneFileAreTheSameHoweverTheyAreSpelled) {
  const testing_files::Scratch folder;
  const std::string file = folder.path("file");
  fs::create_directory(folder.path("sub"));
  fs::create_symlink("file", folder.path("link"));
  fs::create_symlink("link", folder.path("link to link"));
  fs::create_symlink(".", folder.path("here"));
  const auto all_same = [&] {
    for (const char* name : {"file", "./file", "sub/../file", "link", "link to link", "here/file", "here/link"})
      EXPECT_TRUE(same_file(file, folder.path(name))) << name;
    for (const char* name : {"sub", "file2", "sub/file", "file/x"})
      EXPECT_FALSE(same_file(file, folder.path(name))) << name;
  };
  all_same();  // before it exists
  testing_files::write_bytes(file, "x");
  all_same();
  fs::create_hard_link(file, folder.path("hard"));
  EXPECT_TRUE(same_file(file, folder.path("hard")));
}

TEST(Paths, LieBelowAFolderOnceLinksAreFollowed) {
  const testing_files::Scratch folder;
  fs::create_directories(folder.path("sub/deep"));
  fs::create_directory(folder.path("other"));
  fs::create_symlink("../other", folder.path("sub/out"));
  fs::create_symlink("sub/deep", folder.path("in"));
  const std::string sub = folder.path("sub");
  EXPECT_EQ(path_below(sub, sub), ".");
  EXPECT_EQ(path_below(sub, folder.path("sub/file")), "file");  // that is not there
  EXPECT_EQ(path_below(sub, folder.path("sub/./deep/../deep/file")), "deep/file");
  EXPECT_EQ(path_below(sub, folder.path("in/file")), "deep/file");
  for (const char* name : {"", "other/file", "sub/../file", "sub/out/file", "sub/out", "subfile"})
    EXPECT_EQ(path_below(sub, folder.path(name)), "") << name;
}

TEST(Paths, ANameAloneIsInTheFolderWeAreIn) {
  EXPECT_TRUE(same_file("no such file", (fs::current_path() / "no such file").string()));
  EXPECT_EQ(folder_of("file"), ".");
  EXPECT_EQ(folder_of("a/file"), "a");
  EXPECT_EQ(folder_of("/file"), "/");
}

TEST(Paths, LinksThatGoInACircleAreAnError) {
  const testing_files::Scratch folder;
  fs::create_symlink("b", folder.path("a"));
  fs::create_symlink("a", folder.path("b"));
  EXPECT_THROW(follow_links(folder.path("a")), Error);
}

}  // namespace
}  // namespace bochner
