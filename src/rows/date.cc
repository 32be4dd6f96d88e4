// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/date.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bochner/csv_text.h"

namespace bochner {

namespace {

using Dates = Column::Dates;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes what it understands from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool empty() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view small_letters) {
    if (rest_.size() < small_letters.size()) return false;
    for (std::size_t i = 0; i < small_letters.size(); ++i)
      if ((rest_[i] | 0x20) != small_letters[i]) return false;
    rest_.remove_prefix(small_letters.size());
    return true;
  }
  // A number of `least` to `most` digits, no digit behind; -1 when there is none.
  int number(int least, int most) {
    int value = 0, digits = 0;
    while (digits < most && is_digit(peek())) {
      value = 10 * value + (peek() - '0');
      rest_.remove_prefix(1);
      ++digits;
    }
    return digits < least || is_digit(peek()) ? -1 : value;
  }
  // Digits behind the point of seconds.
  double fraction() {
    double value = 0, unit = 0.1;
    for (; is_digit(peek()); unit /= 10) {
      value += unit * (peek() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view rest_;
};

// Seconds since midnight UTC of what is left; none: no time.
std::optional<double> read_time(Reader& text) {
  const int hour = text.number(1, 2);
  if (hour < 0 || !text.take(':')) return {};
  const int minute = text.number(2, 2);
  double second = 0;
  if (text.take(':')) {
    second = text.number(2, 2);
    if (second >= 0 && (text.take('.') || text.take(','))) second += text.fraction();
  }
  text.take(' ');
  const bool am = text.take_word("am"), pm = !am && text.take_word("pm");
  if (am || pm) text.take(' ');
  if (minute < 0 || minute > 59 || second < 0 || second >= 61 || hour > (am || pm ? 12 : 23)) return {};
  const int hours = am || pm ? hour % 12 + (pm ? 12 : 0) : hour;
  double zone = 0;  // seconds east
  if (const char sign = text.peek(); sign == '+' || sign == '-') {
    text.take(sign);
    int hours_east = text.number(2, 4), minutes_east = 0;
    if (hours_east > 99) {  // +0530
      minutes_east = hours_east % 100;
      hours_east /= 100;
    } else if (text.take(':')) {
      minutes_east = text.number(2, 2);
    }
    if (hours_east < 0 || hours_east > 15 || minutes_east < 0 || minutes_east > 59) return {};
    zone = (sign == '+' ? 1 : -1) * (3600.0 * hours_east + 60.0 * minutes_east);
  } else if (!text.take_word("utc")) {
    text.take_word("z");
  }
  return 3600.0 * hours + 60.0 * minute + second - zone;
}

}  // namespace

std::optional<double> parse_date(std::string_view text, Dates order) {
  constexpr std::size_t kShortest = 8;  // 1/2/2024
  if (order == Dates::none || text.size() < kShortest || !is_digit(text[0])) return {};
  const bool year_first = is_digit(text[1]) && is_digit(text[2]) && is_digit(text[3]);
  Reader reader(text);
  int year = 0, month = 0, day = 0;
  if (year_first) {
    year = reader.number(4, 4);
  } else {
    if (order == Dates::year_first) return {};
    (order == Dates::day_first ? day : month) = reader.number(1, 2);
  }
  const char separator = reader.peek();
  if ((separator != '-' && separator != '/' && separator != '.') || !reader.take(separator)) return {};
  if (!year_first && separator == '.' && order == Dates::month_first) return {};
  (year_first || order == Dates::day_first ? month : day) = reader.number(1, 2);
  if (!reader.take(separator)) return {};
  (year_first ? day : year) = year_first ? reader.number(1, 2) : reader.number(4, 4);
  if (year < 1 || month < 1 || day < 1) return {};
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                         std::chrono::day(unsigned(day))};
  if (!date.ok()) return {};
  const double days = double(std::chrono::sys_days(date).time_since_epoch().count());
  if (reader.empty()) return days;
  if (!reader.take('T') && !reader.take(' ')) return {};
  const std::optional<double> seconds = read_time(reader);
  if (!seconds || !reader.empty()) return {};
  return days + *seconds / 86400;
}

std::string date_text(double days) {
  using namespace std::chrono;
  constexpr double kFirst = -719162, kLast = 2932896, kDay = 86400e3;  // 0001-01-01 and 9999-12-31; milliseconds
  const milliseconds moment(std::llround(std::clamp(days, kFirst, kLast) * kDay));
  const sys_days midnight(floor<std::chrono::days>(moment));
  const year_month_day date(midnight);
  std::string text = fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()), unsigned(date.day()));
  const hh_mm_ss time(moment - midnight.time_since_epoch());
  if (time.to_duration().count() == 0) return text;
  return text + fmt::format("T{:02}:{:02}:{:02}.{:03}", time.hours().count(), time.minutes().count(),
                            time.seconds().count(), time.subseconds().count());
}

}  // namespace bochner
