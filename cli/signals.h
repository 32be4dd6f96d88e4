// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>

#include "bochner/checkpoint_place.h"

namespace bochner {

// Ctrl-C and the like end the program at once with 128 + signal and remove unfinished output. A closed pipe, and a
// file beyond ulimit -f, become errors of write().
void catch_signals();

// A signal asks to stop from now on: asked_to_stop() says so, and the training saves a checkpoint and leaves. A second
// signal, or two seconds without an answer, end the program at once. `hint` is the line for stderr then, where the
// checkpoint is there.
void stop_softly(const CheckpointPlace& checkpoint, const std::string& hint);
bool asked_to_stop();
// The first signal only sets asked_to_stop(), for a command that then ends by itself as at the end of its rows. A
// second one ends the program at once.
void stop_when_asked();
struct EndedBySignal {};  // thrown then, once the command has saved what it has: the exit code is stop_code()

// A file that stays mapped into memory ends the program by a bus error if somebody cuts it short: this turns that into
// the one line of a broken model and its exit code.
void survive_shrinking(const std::string& mapped);

// For tests, which no clock should decide: the k-th question is answered as if Ctrl-C had come. 0: none.
void stop_at_point(std::size_t k);
int stop_code();  // 128 + signal

}  // namespace bochner
