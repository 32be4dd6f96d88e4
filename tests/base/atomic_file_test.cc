// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bochner/error.h"

namespace bochner {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() {
    std::string pattern = (fs::temp_directory_path() / "bochner-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() const { return std::size_t(std::distance(fs::directory_iterator(folder_), {})); }
  template <class Action>
  static std::string io_error(Action action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::io);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, AppearsOnlyAtCommitAndLeavesNothingElse) {
  AtomicFile file(path("out"));
  std::string expected;
  for (int i = 0; i < 30000; ++i) {
    const std::string piece = std::to_string(i) + "\n";
    file.write(piece);
    expected += piece;
  }
  const std::string large(300000, 'x');
  file.write(large);
  file.write("end");
  EXPECT_FALSE(fs::exists(path("out")));
  file.commit();
  EXPECT_EQ(read(path("out")), expected + large + "end");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, WithoutCommitTheOldFileStays) {
  std::ofstream(path("out")) << "old";
  {
    AtomicFile file(path("out"));
    file.write("new");
  }
  EXPECT_EQ(read(path("out")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, KeepsPermissionsAndLinks) {
  std::ofstream(path("real")) << "old";
  fs::permissions(path("real"), fs::perms(0640));
  fs::create_symlink("real", path("link"));
  AtomicFile file(path("link"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("real")), "new");
  EXPECT_EQ(fs::status(path("real")).permissions(), fs::perms(0640));
}

TEST_F(AtomicFileTest, ALinkToNothingYetIsFollowed) {
  fs::create_directory(path("sub"));
  fs::create_symlink("sub/real", path("link"));
  write_file_atomically(path("link"), std::as_bytes(std::span("new", 3)));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("sub/real")), "new");
  fs::create_symlink("absent/real", path("astray"));
  EXPECT_NE(io_error([&] { AtomicFile(path("astray")); }).find("create the folder"), std::string::npos);
}

TEST_F(AtomicFileTest, ALinkThatIsNotToBeFollowedIsReplaced) {
  std::ofstream(path("real")) << "old";
  fs::create_symlink("real", path("link"));
  AtomicFile file(path("link"), {.follow_links = false});
  file.write("new");
  file.commit();
  EXPECT_FALSE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("link")), "new");
  EXPECT_EQ(read(path("real")), "old");
}

TEST_F(AtomicFileTest, WhereFilesNeedANameItIsTheSame) {
  std::ofstream(path("out")) << "old";
  fs::permissions(path("out"), fs::perms(0640));
  { AtomicFile(path("out"), {.nameless = false}).write("lost"); }
  EXPECT_EQ(read(path("out")), "old");
  AtomicFile file(path("out"), {.nameless = false});
  file.write("new");
  EXPECT_EQ(files(), 2u);
  file.commit();
  EXPECT_EQ(read(path("out")), "new");
  EXPECT_EQ(fs::status(path("out")).permissions(), fs::perms(0640));
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, WhatAKilledProgramLeftIsRemovedAndNothingElse) {
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const auto put = [&](const std::string& name) {
    std::ofstream(path(name)) << "x";
    fs::last_write_time(path(name), long_ago);
  };
  for (const char* name : {".bochner-12-0.tmp", ".bochner-notes", "bochner-12-0.tmp", "kept"}) put(name);
  std::ofstream(path(".bochner-12-1.tmp")) << "just opened";
  fs::create_symlink("kept", path(".bochner-12-2.tmp"));
  AtomicFile file(path("out"), {.nameless = false});
  EXPECT_FALSE(fs::exists(path(".bochner-12-0.tmp")));
  EXPECT_EQ(files(), 6u) << "the other five, and the one that is written";
  for (const auto& entry : fs::directory_iterator(folder_))
    if (!entry.is_symlink()) fs::last_write_time(entry.path(), long_ago);
  remove_left_over_files(folder_.string());
  EXPECT_EQ(files(), 5u) << "without the one that was just opened";
  file.write("whole");
  file.commit();
  EXPECT_EQ(read(path("out")), "whole");
}

TEST_F(AtomicFileTest, AFullDiskIsAnErrorAndLeavesTheOldFile) {
  std::ofstream(path("out")) << "old";
  // A file-size limit fails the write as a full disk does.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = io_error([&] {
    AtomicFile file(path("out"));
    file.write(std::string(200000, 'x'));
    file.commit();
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(error.find(path("out") + ": cannot write"), std::string::npos) << error;
  EXPECT_EQ(read(path("out")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, NamesWhatIsWrongWithThePlace) {
  EXPECT_NE(io_error([&] { AtomicFile(path("absent/out")); }).find("create the folder"), std::string::npos);
  EXPECT_NE(io_error([&] { AtomicFile(folder_.string()); }).find("name of a file"), std::string::npos);
  EXPECT_THROW(AtomicFile(""), std::invalid_argument);
  if (::geteuid() == 0) return;  // root may write anywhere
  fs::permissions(folder_, fs::perms(0500));
  EXPECT_NE(io_error([&] { AtomicFile(path("out")); }).find("you may write to"), std::string::npos);
  fs::permissions(folder_, fs::perms(0700));
  std::ofstream(path("kept")) << "old";
  fs::permissions(path("kept"), fs::perms(0400));
  EXPECT_NE(io_error([&] { AtomicFile(path("kept")); }).find("cannot overwrite"), std::string::npos);
}

TEST_F(AtomicFileTest, ADeviceIsWrittenAndStaysADevice) {
  AtomicFile null("/dev/null");
  null.write("x");
  null.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (!fs::exists("/dev/full")) return;
  EXPECT_NE(io_error([&] {
              AtomicFile full("/dev/full");
              full.write("x");
              full.commit();
            }).find("free some space"),
            std::string::npos);
}

TEST_F(AtomicFileTest, ALongNameWorks) {
  const std::string name(255, 'n');
  write_file_atomically(path(name), {});
  EXPECT_TRUE(fs::exists(path(name)));
}

}  // namespace
}  // namespace bochner
