// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <bochner_c.h>

uint32_t bochner_c_version(void) { return BOCHNER_C_VERSION; }
const char* bochner_version(void) { return BOCHNER_VERSION; }
