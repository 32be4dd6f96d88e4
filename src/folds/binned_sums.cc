// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/binned_sums.h"

#include "base/require.h"

namespace bochner {

void put_sums(Archive& archive, const std::string& name, const std::vector<BinnedSum>& sums) {
  std::vector<std::int64_t> values;
  for (const BinnedSum& sum : sums) {
    values.push_back(sum.top());
    values.insert(values.end(), sum.counts().begin(), sum.counts().end());
  }
  archive.put<std::int64_t>(name, values, {sums.size(), 1 + BinnedSum::kPlaces});
}

std::vector<BinnedSum> get_sums(const Archive& archive, const std::string& name, std::size_t count) {
  const std::vector<std::int64_t> values = archive.get<std::int64_t>(name, {count, 1 + BinnedSum::kPlaces});
  std::vector<BinnedSum> sums;
  for (std::size_t j = 0; j < count; ++j) {
    const std::int64_t* const at = &values[j * (1 + BinnedSum::kPlaces)];
    if (at[0] < BinnedSum::kNone || at[0] > 100)
      fail(Error::Kind::model, "sum: '{}' holds a place of {}; the file is damaged", name, at[0]);
    sums.push_back(BinnedSum::from(int(at[0]), at + 1));
  }
  return sums;
}

}  // namespace bochner
