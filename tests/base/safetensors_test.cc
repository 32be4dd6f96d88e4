// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "base/archive.h"
#include "base/hash64.h"
#include "base/strict_json.h"
#include "bochner/error.h"
#include "scratch.h"

namespace bochner {
namespace {

class Safetensors : public testing::Test {
 protected:
  static std::string read(const std::string& path) { return testing_files::read_bytes(path); }
  void write(const std::string& bytes) const { testing_files::write_bytes(path_, bytes); }

  // The message of the model error that reading gives; it is one line that starts with the path.
  std::string refusal() const {
    try {
      read_archive(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::model);
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_ + ": ")) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      return message;
    }
    ADD_FAILURE() << "no error";
    return "";
  }

  static std::string with_header(const std::string& header, std::size_t data_bytes) {
    const std::uint64_t length = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + header + std::string(data_bytes, '\x11');
  }
  // A file with these array entries and an otherwise good header.
  std::string refusal_of(const std::string& entries, std::size_t data_bytes) const {
    write(with_header(R"({"__metadata__":{"bochner":"{}","format_version":"1"},)" + entries + "}", data_bytes));
    return refusal();
  }

  testing_files::Scratch scratch_;
  std::string path_ = scratch_.path("m.safetensors");
};

Archive sample() {
  Archive archive;
  archive.tree = {
      {"kind", "chain"},
      {"lambda", 0.1},
      {"tiny", 5e-324},
      {"large", 1.7976931348623157e308},
      {"minus_zero", -0.0},
      {"seed", std::numeric_limits<std::uint64_t>::max()},
      {"labels", {"a", "\"quoted\"\n", "é", "\xE9t\xE9 in latin-1", "\xF4\x8F\xBF\xA9", std::string(1, 0)}}};
  archive.put<std::uint8_t>("bytes", std::vector<std::uint8_t>{1, 2, 3}, {3});
  archive.put<float>("0.w", std::vector<float>{1.5f, -2.5f}, {2, 1});
  archive.put<double>("head.w", std::vector<double>{0.1, -0.0, std::numeric_limits<double>::quiet_NaN()}, {3});
  archive.put<double>("empty", {}, {0, 7});
  archive.put<std::int64_t>("scalar", std::vector<std::int64_t>{-9}, {});
  return archive;
}

TEST_F(Safetensors, GivesBackTheArchiveToTheBit) {
  const Archive archive = sample();
  write_archive(path_, archive);
  const Archive back = read_archive(path_);
  EXPECT_EQ(back.tree, archive.tree);
  EXPECT_TRUE(std::signbit(get_number(back.tree, "minus_zero")));
  EXPECT_EQ(back.arrays, archive.arrays);  // bytes, so NaN counts as equal to itself
}

TEST_F(Safetensors, TheSameArchiveGivesTheSameBytes) {
  write_archive(path_, sample());
  const std::string first = read(path_);
  write_archive(path_, sample());
  EXPECT_EQ(read(path_), first);
  write_archive(path_, read_archive(path_));
  EXPECT_EQ(read(path_), first);
}

TEST_F(Safetensors, IsLaidOutAsTheFormatSays) {
  write_archive(path_, sample());
  const std::string bytes = read(path_);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header.at("__metadata__").at("format_version"), "1");
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = entry.at("data_offsets").at(0);
    const std::string dtype = entry.at("dtype");
    EXPECT_EQ(begin % (dtype == "U8" ? 1 : dtype[1] == '3' ? 4 : 8), 0u) << name;
  }
  double first = 0;
  std::memcpy(&first, bytes.data() + 8 + length + std::size_t(header.at("head.w").at("data_offsets").at(0)), 8);
  EXPECT_EQ(first, 0.1);
}

TEST_F(Safetensors, AFileCutAnywhereIsRefused) {
  write_archive(path_, sample());
  const std::string bytes = read(path_);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write(bytes.substr(0, length));
    EXPECT_FALSE(refusal().empty()) << length;
  }
  write(bytes + '\0');
  EXPECT_NE(refusal().find("bytes of data"), std::string::npos);
}

TEST_F(Safetensors, AnAlteredByteIsNeverTakenForAnother) {
  write_archive(path_, sample());
  const std::string bytes = read(path_);
  std::mt19937 random(7);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int change : {0x01, 0x80, 0xff, 1 + int(random() % 255)}) {
      std::string damaged = bytes;
      damaged[at] = char(damaged[at] ^ change);
      write(damaged);
      EXPECT_FALSE(refusal().empty()) << at << " xor " << change;
    }
  for (int trial = 0; trial < 1000; ++trial) {
    std::string damaged = bytes;
    for (unsigned flips = 1 + random() % 8; flips > 0; --flips) damaged[random() % damaged.size()] = char(random());
    if (damaged == bytes) continue;
    write(damaged);
    EXPECT_FALSE(refusal().empty()) << trial;
  }
  write(bytes);
  EXPECT_EQ(read_archive(path_).arrays, sample().arrays);
}

TEST_F(Safetensors, SaysThatAFileIsAltered) {
  write_archive(path_, sample());
  std::string bytes = read(path_);
  bytes.back() = char(bytes.back() ^ 1);
  write(bytes);
  const std::string message = refusal();
  EXPECT_NE(message.find("checksum is '"), std::string::npos) << message;
  EXPECT_NE(message.find("altered or damaged, copy it again or train anew"), std::string::npos) << message;
}

TEST_F(Safetensors, TheChecksumIsThatOfTheFileWithZerosForIt) {
  write_archive(path_, sample());
  std::string bytes = read(path_);
  const std::string start = R"("checksum":"xxh64:)";
  const std::size_t at = bytes.find(start) + start.size();
  const std::string digits = bytes.substr(at, 16);
  bytes.replace(at, 16, 16, '0');
  EXPECT_EQ(digits, fmt::format("{:016x}", hash64(std::as_bytes(std::span(bytes)))));
}

TEST_F(Safetensors, AFileWithoutAChecksumIsReadAsBefore) {
  write(with_header(R"({"__metadata__":{"bochner":"{\"a\":1}","format_version":"1"},)"
                    R"("b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})",
                    2));
  EXPECT_EQ(read_archive(path_).tree.at("a"), 1);
  EXPECT_EQ(read_archive(path_).get<std::uint8_t>("b", {2}), (std::vector<std::uint8_t>{0x11, 0x11}));
}

TEST_F(Safetensors, AChecksumInAnotherGuiseIsRefused) {
  const auto refused = [&](const std::string& metadata, const char* part) {
    write(with_header(R"({"__metadata__":{"bochner":"{}","format_version":"1",)" + metadata + "}}", 0));
    const std::string message = refusal();
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  refused(R"("checksum":"xxh64:0123456789abcdef")", "altered or damaged");
  refused(R"("checksum":"xxh64:0123456789abcdeg")", "altered or damaged");
  refused(R"("checksum":"xxh64:0123")", "16 digits");
  refused(R"("checksum":"xxh64:0123456789abcdef0")", "16 digits");
  refused(R"("checksum":"sha256:0123456789abcdef")", "16 digits");
  refused(R"("checksum":1)", "expected text");
  refused(R"("checksum": "xxh64:0123456789abcdef")", "16 digits");
  refused(R"("Checksum":"xxh64:0123456789abcdef")", "'Checksum' is unknown");
}

TEST_F(Safetensors, HostileArraysAreRefused) {
  const auto found = [](const std::string& message, const char* part) {
    return message.find(part) != std::string::npos ? testing::AssertionSuccess()
                                                   : testing::AssertionFailure() << message << " lacks " << part;
  };
  // Wraps around to 0 and to 8 bytes.
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0]})", 0),
                    "its shape needs"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8]})", 8),
                    "its shape needs"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,8]})", 8),
                    "its shape needs"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,8]})", 8),
                    "no whole number"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[-8],"data_offsets":[0,8]})", 8), "no whole number"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[8.0],"data_offsets":[0,8]})", 8), "no whole number"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":8,"data_offsets":[0,8]})", 8), "no list"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[8],"data_offsets":[8,0]})", 8), "data_offsets"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]})", 8), "data_offsets"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[8],"data_offsets":[0,4,8]})", 8), "data_offsets"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]})", 8), "dtype"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":1,"shape":[8],"data_offsets":[0,8]})", 8), "dtype"));
  EXPECT_TRUE(found(refusal_of(R"("a":[1,2])", 8), "not described"));
  EXPECT_TRUE(found(refusal_of(R"("a\n":{"dtype":"U8","shape":[8],"data_offsets":[0,8],"x":1})", 8), "'a?'"));
  // Overlap, gap at the start, gap between, bytes left over, and the same name twice.
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},)"
                               R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]})",
                               8),
                    "starts at byte 4 of the data, expected 6"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]})", 8), "starts at byte 4"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                               R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]})",
                               8),
                    "expected 2"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})", 8), "8 bytes of data"));
  EXPECT_TRUE(found(refusal_of(R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                               R"("a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]})",
                               8),
                    "occurs twice"));
}

// Loaders size what they make by the extents beside a 0.
TEST_F(Safetensors, AnEmptyArrayOfMoreThanTheFileCouldHoldIsRefused) {
  for (const char* shape : {"[1099511627776,0]", "[0,1000000]", "[1000,0,1000]"}) {
    const std::string entry = fmt::format(R"("a":{{"dtype":"F64","shape":{},"data_offsets":[0,0]}})", shape);
    EXPECT_NE(refusal_of(entry, 0).find("empty"), std::string::npos) << shape;
  }
  EXPECT_NE(refusal_of(R"("a":{"dtype":"F64","shape":[18446744073709551615,2,0],"data_offsets":[0,0]})", 0), "");
  for (const char* shape : {"[0]", "[7,0]", "[0,9]"}) {
    write(with_header(fmt::format(R"({{"__metadata__":{{"bochner":"{{}}","format_version":"1"}},)"
                                  R"("a":{{"dtype":"F64","shape":{},"data_offsets":[0,0]}}}})",
                                  shape),
                      0));
    EXPECT_NO_THROW(read_archive(path_)) << shape;
  }
}

TEST_F(Safetensors, HostileHeadersAreRefused) {
  const auto refused = [&](const std::string& bytes, const char* part) {
    write(bytes);
    const std::string message = refusal();
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  refused("x,y\n1,2\n3,4\n", "does not begin as a model");  // a CSV file given as a model
  refused(std::string(8, '\xFF') + "{}", "does not begin as a model");
  refused(with_header("", 0), "JSON is broken");
  refused(with_header("{", 0), "JSON is broken");
  refused(with_header("{} x", 0), "JSON is broken");
  refused(with_header("[]", 0), "expected an object");
  refused(with_header("{\"\xFF\":1}", 0), "JSON is broken");
  refused(with_header("{}", 0), "without a 'bochner' entry");
  refused(with_header(R"({"__metadata__":{"format":"pt"}})", 0), "without a 'bochner' entry");
  refused(with_header(R"({"__metadata__":{"bochner":"{}"}})", 0), "format_version");
  refused(with_header(R"({"__metadata__":{"bochner":{},"format_version":"1"}})", 0), "expected text");
  refused(with_header(R"({"__metadata__":{"bochner":"{}","format_version":"2"}})", 0), "version is '2', expected 1");
  refused(with_header(R"({"__metadata__":{"bochner":"[]","format_version":"1"}})", 0),
          "tree is not an object but array");
  refused(with_header(R"({"__metadata__":{"bochner":"{\"x\":1e999}","format_version":"1"}})", 0), "out of range");
  refused(with_header(R"({"__metadata__":{"bochner":"{\"x\":1,\"x\":2}","format_version":"1"}})", 0), "occurs twice");
  refused(with_header(std::string(1000000, '['), 0), "nested deeper");
  std::string deep = R"({"__metadata__":{"format_version":"1","bochner":")";
  for (int i = 0; i < 100000; ++i) deep += R"({\"a\":)";
  refused(with_header(deep + "\"}}", 0), "nested deeper");
}

TEST_F(Safetensors, WhatCannotBeReadBackIsNotWritten) {
  write("old");
  Archive archive = sample();
  archive.tree["report"]["score"] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_archive(path_, archive), std::invalid_argument);
  archive = sample();
  archive.arrays["bytes"].bytes.pop_back();
  EXPECT_THROW(write_archive(path_, archive), std::invalid_argument);
  archive = sample();
  archive.arrays["bytes"].dtype = "F16";
  EXPECT_THROW(write_archive(path_, archive), std::invalid_argument);
  archive = {};
  nlohmann::json deep = 1;
  for (int i = 0; i < kMaxJsonDepth; ++i) deep = nlohmann::json{{"a", deep}};
  archive.tree = deep;
  EXPECT_THROW(write_archive(path_, archive), std::invalid_argument);
  archive.tree = deep.at("a");
  EXPECT_EQ(read(path_), "old");
  write_archive(path_, archive);
  EXPECT_EQ(read_archive(path_).tree, archive.tree);
}

TEST_F(Safetensors, AnAbsentFileOrAFolderIsAnIoError) {
  for (const std::string& path : {scratch_.path("absent"), scratch_.path("")}) {
    try {
      read_archive(path);
      ADD_FAILURE() << "no error for " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::io);
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace bochner
