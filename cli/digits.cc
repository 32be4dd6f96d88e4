// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "digits.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "embedded_digits.h"

namespace bochner {

namespace {

constexpr std::size_t kPixels = 64;
constexpr int kLastDigit = 8;

std::string unpack(std::span<const unsigned char> packed) {
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::runtime_error("digits: zlib does not start");
  stream.next_in = const_cast<unsigned char*>(packed.data());
  stream.avail_in = uInt(packed.size());
  std::string text;
  int status = Z_OK;
  while (status == Z_OK) {
    char piece[1 << 16];
    stream.next_out = reinterpret_cast<unsigned char*>(piece);
    stream.avail_out = sizeof(piece);
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(piece, sizeof(piece) - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("digits: the built-in data are damaged");
  return text;
}

}  // namespace

Digits load_digits() {
  const std::string text = unpack(embedded_digits());
  std::vector<int> cells;  // rows of 64 pixels and the digit
  const char *p = text.data() + text.find('\n') + 1, *end = text.data() + text.size();
  while (p < end) {
    int value = 0;
    const auto [next, error] = std::from_chars(p, end, value);
    if (error != std::errc()) throw std::runtime_error("digits: the built-in data are damaged");
    cells.push_back(value);
    p = next;
    while (p < end && (*p == ',' || *p == '\r' || *p == '\n')) ++p;
  }

  std::vector<std::size_t> kept;
  for (std::size_t first = 0; first + kPixels < cells.size(); first += kPixels + 1)
    if (cells[first + kPixels] <= kLastDigit) kept.push_back(first);
  const std::size_t n = kept.size();
  Digits digits{{}, Matrix<float>(n, kPixels), Matrix<double>(n, 1), n / 2};
  for (std::size_t j = 0; j < kPixels; ++j) {
    double mean = 0;
    for (const std::size_t first : kept) mean += cells[first + j] / 16.0 / double(n);
    for (std::size_t i = 0; i < n; ++i) digits.pixels(i, j) = float(cells[kept[i] + j] / 16.0 - mean);
  }
  for (std::size_t i = 0; i < n; ++i) digits.labels(i, 0) = cells[kept[i] + kPixels];
  digits.schema.inputs = kPixels;
  digits.schema.task = Task::classification;
  digits.schema.targets = 1;
  for (int label = 0; label <= kLastDigit; ++label) digits.schema.labels.push_back(std::to_string(label));
  return digits;
}

}  // namespace bochner
