// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// All that OpenBLAS's LAPACK calls of GNU Fortran's run-time library, which would be 3 MB: strings a and b one after
// the other in a string of `size` characters, cut or filled up with blanks.

#include <algorithm>
#include <cstddef>

extern "C" void _gfortran_concat_string(std::size_t size, char* joined, std::size_t size_a, const char* a,
                                        std::size_t size_b, const char* b) {
  char* const end = joined + size;
  joined = std::copy_n(a, std::min(size_a, size), joined);
  joined = std::copy_n(b, std::min(size_b, std::size_t(end - joined)), joined);
  std::fill(joined, end, ' ');
}
