// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bochner {

// The words of a document in small letters, one behind the other with a space between, so that every run of words is
// one piece of text.
class Words {
 public:
  void read(std::string_view text);

  std::size_t size() const { return begin_.size(); }
  // Words first .. first + count.
  std::string_view run(std::size_t first, std::size_t count) const {
    return std::string_view(letters_).substr(begin_[first], end_[first + count - 1] - begin_[first]);
  }
  // How many runs of least to most words there are.
  std::size_t runs(std::size_t least, std::size_t most) const {
    std::size_t all = 0;
    for (std::size_t count = least; count <= most && count <= size(); ++count) all += size() - count + 1;
    return all;
  }
  // visit(term) for every run of least to most words.
  template <class Visit>
  void each_run(std::size_t least, std::size_t most, const Visit& visit) const {
    for (std::size_t count = least; count <= most; ++count)
      for (std::size_t first = 0; first + count <= size(); ++first) visit(run(first, count));
  }

 private:
  std::string letters_, decoded_;
  std::vector<std::size_t> begin_, end_;
};

}  // namespace bochner
