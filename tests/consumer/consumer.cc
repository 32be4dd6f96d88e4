// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// A stranger's program: public headers only, and calls that make the linker need what the library depends on.

#include <bochner/kernel.h>
#include <bochner/map.h>
#include <bochner/rows.h>

#include <cstdio>

int main(int, char** arguments) {
  const auto rows = bochner::open_rows(arguments[1], {.targets = {"usr"}});
  const auto map = bochner::fourier(rows->schema().inputs, {.kernel = bochner::gaussian(2.0), .features = 64});
  bochner::RowBlock<float> block;
  std::size_t count = 0;
  while (rows->next(300, block)) count += block.rows;
  std::printf("%zu rows, %zu inputs, %zu features\n", count, map->inputs(), map->outputs());
  return count == 1000 && map->inputs() == 21 && map->outputs() == 64 ? 0 : 1;
}
