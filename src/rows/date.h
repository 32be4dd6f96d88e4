// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <string_view>

#include "bochner/schema.h"

namespace bochner {

// Days since 1970-01-01 UTC, the time of day as a fraction. Understood are, in every order, 2024-03-31 (also with / or
// .) and, as the order says, 31/03/2024 or 03/31/2024 (also with -; 31.03.2024 is day first only). A time may follow
// behind a space or T: 10:15[:30[.25]] [AM|PM] [Z|UTC|+02:00]. None: no date, or one that the calendar does not have.
std::optional<double> parse_date(std::string_view text, Column::Dates order);

}  // namespace bochner
