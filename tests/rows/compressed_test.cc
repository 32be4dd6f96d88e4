// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>

#include <random>

#include "packed.h"
#include "rows/byte_source.h"
#include "rows/rows_testing.h"

namespace bochner {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing_files::gzip;
using testing_files::xz;
using testing_files::zstd;

std::string some_rows() {
  std::mt19937 random(3);
  std::string text = "a,b,y\n";
  for (int i = 0; i < 50000; ++i) text += fmt::format("{},{},{}\n", random() % 100000, random() % 7, random() % 3);
  return text;
}

struct Packer {
  const char* suffix;
  std::string (*pack)(const std::string&);
};
const Packer kPackers[] = {{".gz", gzip}, {".xz", xz}, {".zst", zstd}};

TEST(Compressed, RowsAreThoseOfThePlainFileInEveryPass) {
  const std::string text = some_rows();
  const TempFile plain(text);
  const auto wanted = open_rows(plain.path(), {.targets = {"y"}});
  const Table table = read_table(*wanted);
  for (const Packer& packer : kPackers) {
    const TempFile file(packer.pack(text), std::string(".csv") + packer.suffix);
    const auto rows = open_rows(file.path(), {.targets = {"y"}});
    EXPECT_EQ(rows->schema(), wanted->schema()) << packer.suffix;
    EXPECT_EQ(read_table(*rows), table) << packer.suffix;
    EXPECT_EQ(read_table(*rows, 999), table) << packer.suffix;
    EXPECT_EQ(rows->fraction_read(), 1) << packer.suffix;
  }
}

TEST(Compressed, KindIsFoundByContentNotByName) {
  const TempFile file(gzip("a,y\n1,2\n2,3\n"), ".csv");
  EXPECT_EQ(open_rows(file.path(), {.targets = {"y"}})->size(), 2u);
}

TEST(Compressed, SeveralMembersAreOneText) {
  for (const Packer& packer : kPackers) {
    const TempFile file(packer.pack("a,y\n1,") + packer.pack("2\n2,3\n"), std::string(".csv") + packer.suffix);
    EXPECT_EQ(open_rows(file.path(), {.targets = {"y"}})->size(), 2u) << packer.suffix;
  }
  const TempFile padded(gzip("a,y\n1,2\n") + std::string(1000, '\0'), ".csv.gz");
  EXPECT_EQ(open_rows(padded.path(), {.targets = {"y"}})->size(), 1u);
}

TEST(Compressed, BytesBehindAnArrayAreRefused) {
  const std::string dict = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }\n";
  const std::string array = std::string("\x93NUMPY\x01\0", 8) + char(dict.size()) + '\0' + dict + "abcd";
  for (const Packer& packer : kPackers) {
    const TempFile good(packer.pack(array), std::string(".npy") + packer.suffix);
    EXPECT_EQ(read_table(*open_rows(good.path(), {.targets = {"0"}})).x.size(), 2u) << packer.suffix;
    const TempFile longer(packer.pack(array + "e"), std::string(".npy") + packer.suffix);
    EXPECT_THAT(error_of_reading(longer, {.targets = {"0"}}), ::testing::HasSubstr("bytes behind the data"));
  }
}

TEST(Compressed, FilesCutAnywhereAreRefused) {
  const std::string text = some_rows();
  for (const Packer& packer : kPackers) {
    const std::string whole = packer.pack(text);
    for (const std::size_t length :
         {std::size_t{1}, std::size_t{5}, std::size_t{12}, std::size_t{100}, whole.size() / 4, whole.size() / 2,
          whole.size() - 1000, whole.size() - 9, whole.size() - 4, whole.size() - 1}) {
      const TempFile file(whole.substr(0, length), std::string(".csv") + packer.suffix);
      const std::string message = error_of_reading(file, {.targets = {"y"}});
      EXPECT_THAT(message, HasSubstr(file.path() + ": ")) << length;
      EXPECT_THAT(message,
                  AnyOf(HasSubstr("truncated"), length < 6 ? HasSubstr("does not begin") : HasSubstr("truncated")))
          << packer.suffix << length;
    }
  }
}

TEST(Compressed, DamagedDataAreRefused) {
  const std::string text = some_rows();
  for (const Packer& packer : kPackers) {
    std::string packed = packer.pack(text);
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 40; ++i) packed[i] = char(packed[i] ^ 0x5a);
    const TempFile file(packed, std::string(".csv") + packer.suffix);
    EXPECT_THAT(error_of_reading(file, {.targets = {"y"}}), HasSubstr(file.path())) << packer.suffix;
  }
  const TempFile tail(gzip("a,y\n1,2\n") + "garbage", ".csv.gz");
  EXPECT_THAT(error_of_reading(tail, {.targets = {"y"}}), HasSubstr("damaged"));
}

TEST(Compressed, BytesComeWholeForAnyReadSize) {
  const std::string text = some_rows();
  for (const Packer& packer : kPackers) {
    const TempFile file(packer.pack(text), packer.suffix);
    const auto source = open_bytes(file.path());
    for (const std::size_t step : {std::size_t{1021}, std::size_t{65536}, text.size() + 10}) {
      std::string got, part(step, '\0');
      while (const std::size_t count = source->read(part.data(), step)) got.append(part, 0, count);
      EXPECT_TRUE(got == text) << packer.suffix << step;
      source->rewind();
    }
  }
}

}  // namespace
}  // namespace bochner
