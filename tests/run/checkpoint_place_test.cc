// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/checkpoint_place.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/archive.h"
#include "base/safetensors.h"
#include "bochner/error.h"
#include "run/checkpoint.h"
#include "scratch.h"

namespace bochner {
namespace {

namespace fs = std::filesystem;
using testing_files::read_bytes, testing_files::write_bytes;

class Place : public ::testing::Test {
 protected:
  void save(const std::string& path) {
    Archive archive;
    archive.tree["type"] = Checkpoint::kType;
    write_archive(path, archive);
  }
  std::string refusal() {
    try {
      CheckpointPlace place(path_);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  }

  testing_files::Scratch folder_;
  std::string path_ = folder_.path("m.checkpoint");
};

TEST_F(Place, WithOtherFilesIsRefusedAndTheyStay) {
  for (const std::string& file : CheckpointPlace::files(path_)) {
    write_bytes(file, "notes");
    EXPECT_NE(refusal().find("no checkpoint of bochner"), std::string::npos) << file;
    EXPECT_EQ(read_bytes(file), "notes");
    Archive model;
    model.tree["type"] = "bochner model";
    write_archive(file, model);
    EXPECT_NE(refusal(), "") << file << " is a model";
    fs::remove(file);
    fs::create_directory(file);
    EXPECT_NE(refusal().find("no plain file"), std::string::npos) << file;
    fs::remove(file);
    save(folder_.path("elsewhere"));
    fs::create_symlink("elsewhere", file);
    EXPECT_NE(refusal().find("a link"), std::string::npos) << file;
    fs::remove(file);
    fs::create_symlink("nowhere", file);
    EXPECT_NE(refusal().find("a link"), std::string::npos) << file;
    fs::remove(file);
    EXPECT_EQ(refusal(), "");
  }
}

TEST_F(Place, RemovesItsCheckpointAndNothingElse) {
  save(path_);
  save(path_ + ".state");
  write_bytes(path_ + ".new", "a file of the user");
  CheckpointPlace place(path_);
  place.remove();
  EXPECT_TRUE(fs::exists(path_)) << "nobody took the place";
  EXPECT_TRUE(place.claim());
  EXPECT_TRUE(fs::exists(path_ + ".lock"));
  write_bytes(path_ + ".state", "put there meanwhile");
  place.remove();
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
  EXPECT_EQ(read_bytes(path_ + ".state"), "put there meanwhile");
  EXPECT_EQ(read_bytes(path_ + ".new"), "a file of the user");
}

TEST_F(Place, ACheckpointThatWasCutIsAPlaceToBeginAnew) {
  Archive archive;
  archive.tree["type"] = Checkpoint::kType;
  const std::vector<double> numbers(100);
  archive.put_view("numbers", std::span<const double>(numbers), {100});
  write_archive(path_, archive);
  fs::resize_file(path_, fs::file_size(path_) - 300);
  EXPECT_EQ(refusal(), "");
}

TEST_F(Place, BelongsToOneAtATime) {
  auto first = std::make_unique<CheckpointPlace>(path_);
  CheckpointPlace second(path_);
  EXPECT_TRUE(first->claim());
  EXPECT_TRUE(first->claim());
  EXPECT_FALSE(second.claim());
  try {
    second.claim_or_fail();
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(::getpid())), std::string::npos);
  }
  save(path_);
  second.remove();
  EXPECT_TRUE(fs::exists(path_)) << "of the first";
  first.reset();
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_TRUE(second.claim());
}

TEST_F(Place, OfAKilledProcessIsFree) {
  const pid_t child = ::fork();
  if (child == 0) {
    CheckpointPlace place(path_);
    ::_exit(place.claim() ? 0 : 1);  // no destructor runs
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(path_ + ".lock")) << "left behind";
  CheckpointPlace place(path_);
  EXPECT_TRUE(place.claim());
  place.remove();
  EXPECT_FALSE(fs::exists(path_ + ".lock"));
}

}  // namespace
}  // namespace bochner
