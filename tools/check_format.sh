#!/usr/bin/env bash
# Every C++ file is as clang-format leaves it. Versions differ in detail, so only Debian 12's counts; else exit 77 (skip).
set -euo pipefail
cd "$(dirname "$0")/.."
if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  echo "skipped: no clang-format 14 here"
  exit 77
fi
find include src cli python tests bench -name '*.h' -o -name '*.cc' | sort | xargs clang-format --dry-run -Werror || {
  echo "run: make format"
  exit 1
}
