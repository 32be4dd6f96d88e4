#!/usr/bin/env bash
# usage: tools/bench.sh BUILD: runs every benchmark. OpenBLAS stays single-threaded, as inside the library.
set -euo pipefail
cd "$(dirname "$0")/.."
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
for program in "$1"/bench/bench_*; do
  [ -x "$program" ] || continue
  echo "== ${program##*/bench_}"
  "$program"
done
for script in bench/ends/*.py; do
  [ -f "$script" ] || continue
  if grep -q '^Takes ' "$script" && [ -z "${LONG:-}" ]; then
    echo "== $script: skipped, $(grep -m1 '^Takes ' "$script"); LONG=1 make bench runs it"
    continue
  fi
  if [ ! -x .venv/bin/python ]; then
    echo "== $script: skipped, no .venv (tools/install_deps.sh --test)"
    continue
  fi
  echo "== $script"
  PATH="$PWD/$1:$PATH" .venv/bin/python "$script"
done
