// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/file_hash.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/hash64.h"
#include "bochner/error.h"
#include "scratch.h"

namespace bochner {
namespace {

using testing_files::write_bytes;

TEST(FileHash, SeesEveryByte) {
  const testing_files::Scratch folder;
  const std::string path = folder.path("rows.csv");
  std::string bytes(3'000'000, 'x');
  write_bytes(path, bytes);
  const std::uint64_t before = file_hash(path);
  EXPECT_EQ(before, hash64(std::as_bytes(std::span(bytes))));
  for (const std::size_t at : {std::size_t(0), bytes.size() / 2, bytes.size() - 1}) {
    bytes[at] = 'y';
    write_bytes(path, bytes);
    EXPECT_NE(file_hash(path), before) << "byte " << at;
    bytes[at] = 'x';
  }
  EXPECT_THROW(file_hash(folder.path("absent")), Error);
  EXPECT_THROW(file_hash(folder.path("")), Error) << "a folder";
}

TEST(FileHash, IsNotTakenOfAFileThatWasChangedMeanwhile) {
  const testing_files::Scratch folder;
  const std::string path = folder.path("rows.csv");
  const auto begin = [&] {
    write_bytes(path, "1,2\n");
    return UnchangedFile(path);
  };
  const UnchangedFile same = begin();
  EXPECT_EQ(same.hash(), file_hash(path));

  UnchangedFile longer = begin();
  write_bytes(path, "1,2\n3,4\n");
  EXPECT_THROW(longer.hash(), Error);

  UnchangedFile replaced = begin();
  write_bytes(folder.path("other"), "1,3\n");
  std::filesystem::rename(folder.path("other"), path);
  EXPECT_THROW(replaced.hash(), Error);

  UnchangedFile touched = begin();
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_THROW(touched.hash(), Error);

  UnchangedFile gone = begin();
  std::filesystem::remove(path);
  EXPECT_THROW(gone.hash(), Error);
}

}  // namespace
}  // namespace bochner
