// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/archive.h"
#include "bochner/error.h"
#include "methods/text/unicode.h"
#include "methods/text/words.h"
#include "scratch.h"

namespace bochner {
namespace {

using ::testing::ElementsAre;
using testing_files::Scratch;
using testing_files::write_bytes;

const std::vector<std::string> kDocuments = {"The quick brown fox, the lazy dog.",
                                             "A lazy DOG sleeps; a fox_1 does not", "Ärger über ÀÉÎ: naïve café", "",
                                             "dog dog dog fox"};

std::vector<std::string> words_of(const std::string& text, std::size_t least = 1, std::size_t most = 1) {
  Words words;
  words.read(text);
  std::vector<std::string> found;
  words.each_run(least, most, [&](std::string_view term) { found.emplace_back(term); });
  return found;
}

TextCounts counts_of(const TextOptions& options, std::size_t begin = 0, std::size_t end = 5) {
  TextCounts counts(options);
  for (std::size_t i = begin; i < end; ++i) counts.add(kDocuments[i]);
  return counts;
}

TEST(Words, AreRunsOfLettersInSmall) {
  EXPECT_THAT(words_of("It's 2 o'clock: x_1 END"), ElementsAre("it", "clock", "x_1", "end"));
  EXPECT_THAT(words_of("ÀÉ ΑΒΓ ДОМ straße İstanbul"), ElementsAre("àé", "αβγ", "дом", "straße", "istanbul"));
  EXPECT_THAT(words_of("cafe\xcc\x81s"), ElementsAre("cafe\xcc\x81s"));  // a mark belongs to its letter
  EXPECT_THAT(words_of("\xcc\x81 ab"), ElementsAre("ab"));               // and is no word
  EXPECT_THAT(words_of("\xe4\xb8\xad\xe6\x96\x87\xe3\x80\x82ok"), ElementsAre("\xe4\xb8\xad\xe6\x96\x87", "ok"));
  EXPECT_THAT(words_of("caf\xe9 gr\xfc\xdf"
                       "e"),
              ElementsAre("café", "grüße"));  // Latin-1
  EXPECT_THAT(words_of(std::string("a\0bc\0de", 7)), ElementsAre("bc", "de"));
  EXPECT_TRUE(words_of("").empty());
  EXPECT_TRUE(words_of("a , !").empty());
}

TEST(Words, RunsOfSeveralHaveASpaceBetween) {
  EXPECT_THAT(words_of("one, two three", 1, 2), ElementsAre("one", "two", "three", "one two", "two three"));
  EXPECT_TRUE(words_of("one", 2, 3).empty());
}

TEST(Unicode, KnowsWhatIsNoUtf8) {
  EXPECT_TRUE(is_utf8("aä€𝄞"));
  for (const char* text : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\xc3", "\xe2\x82", "\x80"})
    EXPECT_FALSE(is_utf8(text));
  EXPECT_EQ(lower(U'Ā'), U'ā');
  EXPECT_EQ(lower(U'ā'), U'ā');
  EXPECT_EQ(lower(U'𐐀'), U'𐐨');
}

struct Case {
  TextOptions options;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> rows;
};

// What scikit-learn 1.x's TfidfVectorizer gives for the same documents.
TEST(TextModel, GivesTheNumbersOfTfidfVectorizer) {
  const Case cases[] = {
      {{},
       {{{0, 0.359202589054},
         {3, 0.240562160235},
         {4, 0.289802387125},
         {6, 0.289802387125},
         {9, 0.359202589054},
         {11, 0.718405178107}},
        {{2, 0.442832199509},
         {3, 0.296569885022},
         {5, 0.442832199509},
         {6, 0.357274230265},
         {8, 0.442832199509},
         {10, 0.442832199509}},
        {{1, 0.4472135955}, {7, 0.4472135955}, {12, 0.4472135955}, {13, 0.4472135955}, {14, 0.4472135955}},
        {},
        {{3, 0.927975791484}, {4, 0.372640484139}}}},
      {{.most_words = 2, .min_documents = 2},
       {{{0, 0.432183406236}, {1, 0.520646234141}, {2, 0.520646234141}, {3, 0.520646234141}},
        {{0, 0.506204405929}, {2, 0.609818456353}, {3, 0.609818456353}},
        {},
        {},
        {{0, 0.927975791484}, {1, 0.372640484139}}}},
      {{.least_words = 2, .most_words = 2, .sublinear = true},
       {{{0, 0.420669060063},
         {5, 0.420669060063},
         {7, 0.339393148911},
         {9, 0.420669060063},
         {11, 0.420669060063},
         {12, 0.420669060063}},
        {{1, 0.463693222732}, {4, 0.463693222732}, {6, 0.463693222732}, {7, 0.37410477245}, {10, 0.463693222732}},
        {{8, 0.5}, {13, 0.5}, {14, 0.5}, {15, 0.5}},
        {},
        {{2, 0.861036995944}, {3, 0.508542320378}}}}};
  for (const Case& each : cases) {
    const TextModel model(counts_of(each.options));
    for (std::size_t i = 0; i < kDocuments.size(); ++i) {
      const auto row = model.encode(kDocuments[i]);
      ASSERT_EQ(row.size(), each.rows[i].size()) << i;
      for (std::size_t p = 0; p < row.size(); ++p) {
        EXPECT_EQ(row[p].first, each.rows[i][p].first) << i;
        EXPECT_NEAR(row[p].second, each.rows[i][p].second, 1e-11) << i;
      }
    }
  }
  EXPECT_EQ(TextModel(counts_of({})).term(5), "fox_1");
}

// The score of Robertson & Zaragoza, each term by itself.
double bm25(const std::string& query, std::size_t document, double k1, double b) {
  double mean = 0, score = 0;
  for (const std::string& text : kDocuments) mean += double(words_of(text).size()) / double(kDocuments.size());
  const std::vector<std::string> own = words_of(kDocuments[document]);
  for (const std::string& term : words_of(query)) {
    double with = 0;
    for (const std::string& text : kDocuments) {
      const auto words = words_of(text);
      with += std::find(words.begin(), words.end(), term) != words.end();
    }
    const double c = double(std::count(own.begin(), own.end(), term));
    const double idf = std::log(1 + (double(kDocuments.size()) - with + 0.5) / (with + 0.5));
    if (c > 0) score += idf * c / (c + k1 * (1 - b + b * double(own.size()) / mean));
  }
  return score;
}

TEST(TextModel, ProductsOfQueriesAreTheScoresOfBm25) {
  for (const auto& [k1, b] : {std::pair{1.5, 0.75}, {0.9, 0.0}, {2.0, 1.0}, {0.0, 0.5}}) {
    const TextModel model(counts_of({.bm25 = true, .k1 = k1, .b = b}));
    Archive archive;
    model.save(archive);
    for (const char* query : {"lazy dog", "dog dog fox unknown", ""}) {
      const auto counts = model.encode_query(query);
      for (std::size_t i = 0; i < kDocuments.size(); ++i) {
        double score = 0;
        for (const auto& [column, weight] : model.encode(kDocuments[i]))
          for (const auto& [of, count] : counts) score += of == column ? count * weight : 0;
        EXPECT_NEAR(score, bm25(query, i, k1, b), 1e-14) << query << ", document " << i;
      }
    }
  }
}

TEST(TextModel, OfBm25AsksForLengths) {
  TextCounts counts = counts_of({});
  Archive archive;
  counts.save(archive);
  archive.tree.erase("length");  // as version 0.1 wrote it
  counts.load(archive);
  EXPECT_EQ(counts.length(), std::nullopt);
  counts.merge(counts_of({}));
  EXPECT_EQ(counts.length(), std::nullopt);
  counts.choose({.bm25 = true});
  EXPECT_THROW(TextModel{counts}, Error);
  archive.put_count("length", 3);  // fewer than the terms
  EXPECT_THROW(counts_of({}).load(archive), Error);
  EXPECT_THROW(counts.choose({.sublinear = true, .bm25 = true}), std::invalid_argument);
  EXPECT_THROW(counts.choose({.bm25 = true, .b = 1.5}), std::invalid_argument);
}

TEST(TextCounts, MergeInAnyOrder) {
  for (const std::size_t hashed : {0, 64}) {
    const TextOptions options{.most_words = 2, .hashed = hashed};
    const TextCounts all = counts_of(options);
    TextCounts back = counts_of(options, 3), front = counts_of(options, 0, 3);
    back.merge(front);
    EXPECT_EQ(back, all);
    Archive archive;
    front.save(archive);
    TextCounts loaded(options);
    loaded.load(archive);
    EXPECT_EQ(loaded, front);
    EXPECT_FALSE(loaded == all);
  }
  EXPECT_THROW(counts_of({}).merge(counts_of({.most_words = 2})), std::invalid_argument);
}

TEST(TextCounts, OfTheSameDocumentsAreRefused) {
  const Scratch scratch;
  write_bytes(scratch.path("a.txt"), "the fox\nthe dog");
  write_bytes(scratch.path("b.txt"), "a dog\nsleeps");
  const auto a = open_documents({scratch.path("a.txt")}), b = open_documents({scratch.path("b.txt")});
  TextCounts sum = count_text(*a, {});
  sum.merge(count_text(*b, {}));
  EXPECT_EQ(sum.parts(), 2u);
  EXPECT_THROW(sum.merge(count_text(*b, {})), Error);
  sum.save(scratch.path("sum.counts"));
  EXPECT_TRUE(TextCounts::is_file(scratch.path("sum.counts")));
  EXPECT_FALSE(TextCounts::is_file(scratch.path("a.txt")));
  EXPECT_THROW(TextCounts::load(scratch.path("sum.counts")).merge(count_text(*a, {})), Error);
  EXPECT_EQ(TextCounts::load(scratch.path("sum.counts")), sum);
  sum.choose({.min_documents = 2});
  EXPECT_EQ(TextModel(sum).columns(), 2u);  // dog, the
  EXPECT_THROW(sum.choose({.most_words = 2}), std::invalid_argument);
}

TEST(TextModel, PairsMayWeighLess) {
  const std::string text = kDocuments[0] + " the lazy dog";
  for (const std::size_t hashed : {0, 1 << 20}) {
    const auto weighed = [&](double pair_weight) {
      return TextModel(counts_of({.most_words = 3, .hashed = hashed, .pair_weight = pair_weight}));
    };
    const TextModel plain = weighed(1), half = weighed(0.5);
    const auto expected = plain.encode(text), found = half.encode(text);
    ASSERT_EQ(found.size(), expected.size());
    std::vector<double> factors;
    for (std::size_t p = 0; p < found.size(); ++p) {
      EXPECT_EQ(found[p].first, expected[p].first);
      factors.push_back(found[p].second / expected[p].second);
    }
    std::sort(factors.begin(), factors.end());
    EXPECT_NEAR(factors.back() / factors.front(), 4, 1e-9);  // a word beside three of them
    for (const double factor : factors)
      EXPECT_NEAR(std::round(std::log2(factors.back() / factor)), std::log2(factors.back() / factor), 1e-9);
    const Scratch scratch;
    half.save(scratch.path("half.text"));
    EXPECT_EQ(TextModel::load(scratch.path("half.text")).encode(text), found);
  }
}

TEST(TextOptions, BeforeAProjectionLeaveOutRareAndCommonTerms) {
  const TextOptions large = before_projection({.most_words = 2}, 11314), small = before_projection({}, 4);
  EXPECT_EQ(large.min_documents, 11u);
  EXPECT_EQ(large.max_share, 0.1);
  EXPECT_EQ(large.most_words, 2u);
  EXPECT_EQ(small.min_documents, 1u);
  EXPECT_EQ(small.max_share, 1);
  EXPECT_EQ(before_projection({}, 20).max_share, 0.5);
}

TEST(TextModel, HashedTermsNeedNoVocabulary) {
  const TextModel model(counts_of({.hashed = 1 << 16}));
  EXPECT_EQ(model.columns(), 1u << 16);
  const auto row = model.encode("a lazy dog dog");
  ASSERT_EQ(row.size(), 2u);
  EXPECT_NEAR(row[0].second * row[0].second + row[1].second * row[1].second, 1, 1e-12);
  EXPECT_TRUE(model.term(3).empty());
  EXPECT_EQ(model.encode("unseen").size(), 1u);
}

TEST(TextModel, IsTheSameReadAgain) {
  const Scratch scratch;
  for (const std::size_t hashed : {0, 32}) {
    const TextModel model(counts_of({.most_words = 2, .hashed = hashed}));
    model.save(scratch.path("words.text"));
    const TextModel again = TextModel::load(scratch.path("words.text"));
    EXPECT_EQ(again.options(), model.options());
    for (const std::string& text : kDocuments) EXPECT_EQ(again.encode(text), model.encode(text));
  }
  write_bytes(scratch.path("no.text"), "nothing");
  EXPECT_THROW(TextModel::load(scratch.path("no.text")), Error);
}

TEST(TextModel, RefusesWhatLeavesNoTerm) {
  EXPECT_THROW(TextModel(counts_of({.min_documents = 9})), Error);
  EXPECT_THROW(TextCounts({.least_words = 2, .most_words = 1}), std::invalid_argument);
  EXPECT_THROW(TextCounts({.max_share = 0}), std::invalid_argument);
}

std::vector<std::string> texts_of(Documents& documents) {
  std::vector<std::string> texts;
  Document document;
  for (documents.rewind(); documents.next(document);) texts.push_back(document.label + "|" + document.text);
  return texts;
}

TEST(Documents, AreFilesLinesOrCells) {
  const Scratch scratch;
  for (const char* folder : {"tree/b", "tree/a"}) std::filesystem::create_directories(scratch.path(folder));
  write_bytes(scratch.path("tree/b/1"), "one\ntwo");
  write_bytes(scratch.path("tree/a/2"), "three");
  write_bytes(scratch.path("tree/a/.hidden"), "no");
  const auto folder = open_documents({scratch.path("tree")});
  EXPECT_THAT(texts_of(*folder), ElementsAre("a|three", "b|one\ntwo"));
  EXPECT_THAT(folder->labels(), ElementsAre("a", "b"));

  write_bytes(scratch.path("lines.txt"), "first\r\n\nthird");
  const auto lines = open_documents({scratch.path("lines.txt")});
  EXPECT_THAT(texts_of(*lines), ElementsAre("|first", "|", "|third"));
  EXPECT_THAT(texts_of(*lines), ElementsAre("|first", "|", "|third"));  // again

  write_bytes(scratch.path("cells.csv"), "id,text\n1,\"a, \"\"b\"\"\nc\"\n\n2,plain\n");
  const auto cells = open_documents({scratch.path("cells.csv")}, {.column = "text"});
  EXPECT_THAT(texts_of(*cells), ElementsAre("|a, \"b\"\nc", "|plain"));
  EXPECT_THROW(open_documents({scratch.path("cells.csv")}, {.column = "body"}), Error);

  EXPECT_EQ(texts_of(*open_documents({scratch.path("tree"), scratch.path("lines.txt")})).size(), 5u);
  EXPECT_THROW(texts_of(*open_documents({scratch.path("absent")})), Error);
}

TEST(TextRows, AreTheEncodedDocumentsForAnyThreads) {
  const Scratch scratch;
  std::string lines;
  for (std::size_t i = 0; i < 1500; ++i) lines += kDocuments[i % 5] + " number" + std::to_string(i % 97) + "\n";
  write_bytes(scratch.path("lines.txt"), lines);
  const auto documents = open_documents({scratch.path("lines.txt")});
  const TextCounts one = count_text(*documents, {.most_words = 2}, {.threads = 1});
  EXPECT_EQ(one, count_text(*documents, {.most_words = 2}, {.threads = 3}));
  const TextModel model(one);
  for (const int threads : {1, 3}) {
    const auto rows = model.rows(*documents, {.threads = threads});
    RowBlock<double> block;
    std::size_t count = 0;
    while (rows->next(100, block))
      for (std::size_t i = 0; i < block.rows; ++i, ++count) {
        const auto expected = model.encode(kDocuments[count % 5] + " number" + std::to_string(count % 97));
        ASSERT_EQ(block.offsets[i + 1] - block.offsets[i], expected.size());
        for (std::size_t p = 0; p < expected.size(); ++p) {
          EXPECT_EQ(block.columns[block.offsets[i] + p], expected[p].first);
          EXPECT_EQ(block.values[block.offsets[i] + p], expected[p].second);
        }
      }
    EXPECT_EQ(count, 1500u);
  }
}

}  // namespace
}  // namespace bochner
