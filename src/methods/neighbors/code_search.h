// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/neighbors/compare.h"

namespace bochner {

// What search_exact finds, where the queries are points: every pair is met as bytes, whose products are exact and fast;
// the best are ranked in all inputs. How far rows are from their bytes says whether others may be nearer: then a query
// is compared with all rows. Distances only.
Neighbors search_by_codes(const Workers& on, const PointSearch& search, const Codes& codes,
                          const std::function<void(double)>& progress = {});
bool can_search(std::size_t inputs);  // not very many, whose products would not fit
inline bool can_search(const Codes& codes) { return can_search(codes.rows().stride); }

// The coordinates of all points along some directions, less a constant each, by bytes of both: as far apart as they are
// there but for roundings. Whole numbers until the last step: the same everywhere.
Matrix<float> project_codes(const Workers& on, const Codes& codes, std::size_t points,
                            MatrixView<const double> directions);

}  // namespace bochner
