// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/pipe.h"

#include <sys/stat.h>
#include <unistd.h>

#include <numeric>
#include <thread>

#include "rows/rows_testing.h"

namespace bochner {
namespace {

using testing::HasSubstr;

// A path under which some text can be read once. A thread of its own writes: a pipe holds little.
class TextPipe {
 public:
  explicit TextPipe(std::string text) {
    EXPECT_EQ(::pipe(ends_), 0);
    writer_ = std::thread([this, text = std::move(text)] {
      std::size_t done = 0;
      while (done < text.size()) {
        const ssize_t wrote = ::write(ends_[1], text.data() + done, text.size() - done);
        if (wrote <= 0) break;
        done += std::size_t(wrote);
      }
      ::close(ends_[1]);
    });
  }
  ~TextPipe() {
    writer_.join();
    ::close(ends_[0]);
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {};
  std::thread writer_;
};

Schema two_columns() {
  return {.columns = {{.name = "a"}, {.name = "y", .kind = Column::Kind::target}},
          .header = true,
          .inputs = 1,
          .targets = 1};
}

double sum_of_inputs(Rows& rows) {
  double sum = 0;
  RowBlock<double> block;
  for (rows.rewind(); rows.next(100, block);) sum = std::accumulate(block.values, block.values + block.rows, sum);
  return sum;
}

TEST(Pipe, RowsAreReadInOnePassHoweverMany) {
  for (const std::size_t n : {3, 200000}) {
    std::string text = "y,a\n";
    for (std::size_t i = 0; i < n; ++i) text += "0.5," + std::to_string(i) + "\n";
    const TextPipe pipe(std::move(text));
    const auto rows = open_rows(pipe.path(), two_columns());
    EXPECT_EQ(sum_of_inputs(*rows), double(n) * double(n - 1) / 2);
    try {
      sum_of_inputs(*rows);
      ADD_FAILURE() << "a second pass over a pipe";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::io);
      EXPECT_THAT(error.what(), HasSubstr("only once"));
    }
  }
}

TEST(Pipe, AnotherPipeOfTheSameNameIsReadFromItsOwnBeginning) {
  for (int round = 0; round < 2; ++round) {
    const TextPipe pipe("a,y\n" + std::to_string(round) + ",0\n");
    const auto rows = open_rows(pipe.path(), two_columns());
    EXPECT_EQ(sum_of_inputs(*rows), round);
  }
}

TEST(Pipe, TrainingRefusesOneWithoutOpeningIt) {
  const TempFile place("");
  const std::string path = place.path() + ".pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(open_rows(path, RowsOptions{.targets = {"y"}}), Error);  // nobody writes: it must not wait
  ::unlink(path.c_str());
  EXPECT_THROW(open_rows("-", RowsOptions{.targets = {"y"}}), std::invalid_argument);
}

TEST(Kept, CellsComeInTheOrderOfTheRows) {
  const TempFile file("id,y,a\nx,1,2\n\n\"q, \"\"r\"\"\",3,4\n");
  KeptCells kept{.columns = {"id", "2"}};
  const auto rows = open_rows(file.path(), two_columns(), {.kept = &kept});
  EXPECT_EQ(kept.names, (std::vector<std::string>{"id", "a"}));
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ(sum_of_inputs(*rows), 6);
    EXPECT_EQ(kept.lines, (std::deque<std::string>{"x,2", "\"q, \"\"r\"\"\",4"}));
  }
}

}  // namespace
}  // namespace bochner
