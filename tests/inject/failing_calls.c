// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors
//
// A library for LD_PRELOAD that makes one call of the system fail in a program that knows nothing of it.
//
//   BOCHNER_FAIL=KIND:K      the K-th call of this kind since main() fails, and no other
//   BOCHNER_FAIL=KIND:K+     the K-th call and all later ones fail
//   BOCHNER_FAIL_COUNTS=FILE at the end of the program FILE has a line "KIND calls" for each kind
//
// Calls count from main() on: what fails while the dynamic linker and static initializers run is not the program's
// to answer for. Only glibc is served: its allocator has the names __libc_malloc and so on.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum Kind { kMalloc, kMmap, kOpen, kRead, kWrite, kMessage, kSync, kClose, kRename, kThread, kKinds };
static const char* const kNames[kKinds] = {"malloc", "mmap", "open",  "read",   "write",
                                           "message", "sync", "close", "rename", "thread"};
static const int kErrors[kKinds] = {ENOMEM, ENOMEM, EMFILE, EIO, ENOSPC, ENOSPC, EIO, EIO, EIO, EAGAIN};

static atomic_long counts[kKinds];
static atomic_int armed;
static int failing = -1, for_good;
static long failing_call;
static char counts_file[4096];

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static _Thread_local int spared;  // calls that no program can answer for

static int fails(enum Kind kind) {
  if (spared || !atomic_load_explicit(&armed, memory_order_relaxed)) return 0;
  const long call = atomic_fetch_add(&counts[kind], 1) + 1;
  if ((int)kind != failing || (for_good ? call < failing_call : call != failing_call)) return 0;
  errno = kErrors[kind];
  return 1;
}

// The function of this name that the program would have called. Initializers of other libraries may call it before
// ours run, so it is looked up at every call.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Memory.
void* malloc(size_t size) { return fails(kMalloc) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails(kMalloc) ? NULL : __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return fails(kMalloc) ? NULL : __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return fails(kMalloc) ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void** out, size_t alignment, size_t size) {
  void* const made = memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  *out = made;
  return 0;
}
void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(kMmap)) return MAP_FAILED;
  return (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  return mmap(at, size, protection, flags, file, offset);
}

// Files. Messages to standard error are a kind of their own: they must not matter.
static enum Kind kind_of(int file) { return file == STDERR_FILENO ? kMessage : kWrite; }
ssize_t write(int file, const void* bytes, size_t size) {
  return fails(kind_of(file)) ? -1 : syscall(SYS_write, file, bytes, size);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  return fails(kind_of(file)) ? -1 : syscall(SYS_writev, file, parts, count);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return fails(kWrite) ? -1 : syscall(SYS_pwrite64, file, bytes, size, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at) { return pwrite(file, bytes, size, at); }
int ftruncate(int file, off_t size) { return fails(kWrite) ? -1 : (int)syscall(SYS_ftruncate, file, size); }
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
ssize_t read(int file, void* bytes, size_t size) { return fails(kRead) ? -1 : syscall(SYS_read, file, bytes, size); }
ssize_t pread(int file, void* bytes, size_t size, off_t at) {
  return fails(kRead) ? -1 : syscall(SYS_pread64, file, bytes, size, at);
}
ssize_t pread64(int file, void* bytes, size_t size, off_t at) { return pread(file, bytes, size, at); }

static int open_at(int folder, const char* path, int flags, mode_t mode) {
  return fails(kOpen) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}
#define MODE_OF(flags)                                    \
  mode_t mode = 0;                                        \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {                \
    va_list rest;                                         \
    va_start(rest, flags);                                \
    mode = va_arg(rest, mode_t);                          \
    va_end(rest);                                         \
  }
int open(const char* path, int flags, ...) {
  MODE_OF(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE_OF(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  MODE_OF(flags)
  return open_at(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  MODE_OF(flags)
  return open_at(folder, path, flags, mode);
}
// What the C library opens for streams does not pass by open().
FILE* fopen(const char* path, const char* mode) { return fails(kOpen) ? NULL : NEXT(fopen)(path, mode); }
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }
size_t fwrite(const void* bytes, size_t size, size_t count, FILE* file) {
  return fails(file == stderr ? kMessage : kWrite) ? 0 : NEXT(fwrite)(bytes, size, count, file);
}
size_t fread(void* bytes, size_t size, size_t count, FILE* file) {
  return fails(kRead) ? 0 : NEXT(fread)(bytes, size, count, file);
}
int fsync(int file) { return fails(kSync) ? -1 : (int)syscall(SYS_fsync, file); }
int fdatasync(int file) { return fails(kSync) ? -1 : (int)syscall(SYS_fdatasync, file); }
// As on Linux, a descriptor is closed even if close() says that it failed.
int close(int file) {
  const int failed = fails(kClose);
  const int code = (int)syscall(SYS_close, file);
  if (!failed) return code;
  errno = EIO;
  return -1;
}
int fclose(FILE* file) {
  const int failed = fails(kClose);
  const int code = NEXT(fclose)(file);
  if (!failed) return code;
  errno = EIO;
  return EOF;
}
int rename(const char* from, const char* to) {
  return fails(kRename) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return fails(kRename) ? -1 : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

// Threads. Without memory for the destructor of a variable of a thread glibc itself ends the program.
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* library) {
  ++spared;
  const int code = NEXT(__cxa_thread_atexit_impl)(destroy, object, library);
  --spared;
  return code;
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  return fails(kThread) ? EAGAIN : NEXT(pthread_create)(thread, attributes, work, argument);
}

static void read_environment(void) {
  const char* const fail = getenv("BOCHNER_FAIL");
  const char* const file = getenv("BOCHNER_FAIL_COUNTS");
  if (file != NULL) snprintf(counts_file, sizeof counts_file, "%s", file);
  const char* const colon = fail == NULL ? NULL : strchr(fail, ':');
  if (colon == NULL) return;
  for (int kind = 0; kind < kKinds; ++kind)
    if (strlen(kNames[kind]) == (size_t)(colon - fail) && strncmp(fail, kNames[kind], (size_t)(colon - fail)) == 0)
      failing = kind;
  failing_call = atol(colon + 1);
  for_good = colon[strlen(colon) - 1] == '+';
}

__attribute__((destructor)) static void write_counts(void) {
  atomic_store(&armed, 0);
  if (counts_file[0] == '\0') return;
  FILE* const file = NEXT(fopen)(counts_file, "w");
  if (file == NULL) return;
  for (int kind = 0; kind < kKinds; ++kind) fprintf(file, "%s %ld\n", kNames[kind], atomic_load(&counts[kind]));
  NEXT(fclose)(file);
}

static int (*program)(int, char**, char**);
static int armed_main(int argc, char** argv, char** environment) {
  atomic_store(&armed, 1);
  return program(argc, argv, environment);
}

typedef int (*Main)(int, char**, char**);
int __libc_start_main(Main main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*linker_fini)(void), void* stack_end) {
  read_environment();
  program = main;
  return NEXT(__libc_start_main)(armed_main, argc, argv, init, fini, linker_fini, stack_end);
}
