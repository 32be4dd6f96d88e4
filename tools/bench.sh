#!/usr/bin/env bash
# usage: tools/bench.sh BUILD: runs every program of bench/kernels and, of bench/ends, what compares whole commands with
# numpy, pandas and scikit-learn; what takes long among it with LONG=1. The other scripts there want peers, hours or a
# word that says what to measure: each tells in its first lines how it is run. OpenBLAS stays single-threaded, as inside
# the library.
set -euo pipefail
cd "$(dirname "$0")/.."
export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
failed=()
run() {
  echo "== $1"
  "${@:2}" || failed+=("$1")
}

for program in "$1"/bench/bench_*; do
  if [ -x "$program" ]; then run "${program##*/bench_}" "$program"; fi
done
for name in csv_peer rbfsampler ridge classifier components maps svd transform; do
  script=bench/ends/$name.py
  if [ ! -x .venv/bin/python ]; then
    echo "== $script: skipped, no .venv (tools/install_deps.sh --test)"
  elif [ -z "${LONG:-}" ] && takes=$(grep -m1 '^Takes ' "$script"); then
    echo "== $script: skipped, ${takes%%.*}; LONG=1 make bench runs it"
  else
    PATH="$PWD/$1:$PATH" run "$script" .venv/bin/python "$script"
  fi
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "bench: failed: ${failed[*]}" >&2
  exit 1
fi
