// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// One line and an exit code on a processor too old for the rest of the program. Before main and before every static
// initialiser, also those of shared libraries, as any of these may use instructions that it lacks. Compiled for any
// x86-64, like bochner::processor_fault.

#include "bochner/processor.h"

#if defined(__x86_64__) && defined(__ELF__)
#include <string.h>
#include <unistd.h>

namespace {

void say(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
}

void leave_on_an_old_processor() {
  const char* fault = bochner::processor_fault();
  if (!fault) return;
  say("bochner: ");
  say(fault);
  say("\n");
  _exit(1);
}

[[gnu::used, gnu::section(".preinit_array")]] void (*const before_everything)() = leave_on_an_old_processor;

}  // namespace
#endif
