// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string_view>

namespace bochner {

// How a text that is no plain number may be one all the same, written for people to read.
struct WrittenNumber {
  enum class Form {
    none,
    point,     // 1.25, where the decimal is a comma
    comma,     // 1,25
    grouped,   // 1,234,567  1.234,56  1'234  1 234
    percent,   // 12.5 %
    currency,  // $9.50  9,50 €  EUR 12
    unit,      // 12 kg
    suffix     // 12kg, but also the codes 7B and 12C: only a column of the same suffixes is one of numbers
  };

  Form form = Form::none;
  std::string_view affix = {};   // what stands around the digits: % $ kg
  bool maybe_thousands = false;  // comma: as 1,234, which may mean 1234

  // Digits and separators only, a percentage or money: never a name, as "7B" and "4 wheels" may be.
  bool amount() const { return form != Form::none && form != Form::unit && form != Form::suffix; }
};

WrittenNumber written_number(std::string_view text);

}  // namespace bochner
