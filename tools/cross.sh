#!/usr/bin/env bash
# usage: tools/cross.sh [--all]: builds for the architecture that this machine is not, runs its tests under qemu, and
# compares features, bins and models with this machine's own; looks into the loops of x86-64. --all runs every test
# program and the command's tests.
set -euo pipefail
cd "$(dirname "$0")/.."

# Each program runs as the newest machine that qemu emulates, the block operations also as the oldest that is served.
# OpenBLAS is told its kernels: it would not find them by the names of qemu's processors.
case $(uname -m) in
  aarch64)
    other=x86_64 debian=amd64
    newest=(max Haswell) oldest=(Nehalem Nehalem)
    ;;
  x86_64)
    other=aarch64 debian=arm64
    newest=(max NEOVERSEN1) oldest=(cortex-a53 CORTEXA53)
    ;;
  *)
    echo "cross: this machine is $(uname -m), expected x86_64 or aarch64" >&2
    exit 1
    ;;
esac
sysroot=build/sysroot-$other
build=build/cross-$other
tools/make_sysroot.sh $debian $sysroot

# emulated PROGRAM CPU BLAS: writes a script that runs the program on that processor, and prints its name.
emulated() {
  local script=$build/$(basename "$1")-on-$2
  cat >"$script" <<SCRIPT
#!/bin/sh
OPENBLAS_CORETYPE=$3 exec qemu-$other-static -cpu $2 -L $PWD/$sysroot $PWD/$1 "\$@"
SCRIPT
  chmod +x "$script"
  echo "$script"
}

# Those that have a processor's instructions in them; whole models are compared below.
programs=(backend_test random_test base_test folds_test kernels_test maps_test)
targets=("${programs[@]}" bochner_cli)
if [ "${1:-}" = --all ]; then targets=(all); fi
tools/build.sh release bochner_cli
tools/build.sh "cross-$other" "${targets[@]}"
if [ "${1:-}" = --all ]; then mapfile -t programs < <(cd "$build/tests" && ls -- *_test); fi

# A program's tests, and one line about them. The exhaustive ones take minutes here.
export filter='-*CosineAndSineErrorIsWithinTheBound'
if [ "${1:-}" = --all ]; then filter='*'; fi
run_tests() {  # SCRIPT
  local log
  if log=$("$1" --gtest_brief=1 --gtest_filter="$filter" 2>&1); then
    echo "cross: $(basename "$1"): $(tail -n 1 <<<"$log")"
  else
    printf '%s\n' "$log" "cross: $1 failed" >&2
    return 1
  fi
}
export -f run_tests
scripts=()
for program in "${programs[@]}"; do scripts+=("$(emulated "$build/tests/$program" "${newest[@]}")"); done
scripts+=("$(emulated $build/tests/backend_test "${oldest[@]}")")
printf '%s\n' "${scripts[@]}" | xargs -P "$(nproc)" -I{} bash -c 'run_tests {}'

tools/check_loops.py "$([ $other = x86_64 ] && echo $build || echo build/release)"

# A processor older than those served gets one line and an exit code.
x86=(build/release/bochner)
[ $other = x86_64 ] && x86=(-L "$sysroot" "$build/bochner")
code=0
said=$(qemu-x86_64-static -cpu core2duo "${x86[@]}" --version 2>&1) || code=$?
if [[ $code != 1 || $said != "bochner: processor: "* || $said = *$'\n'* ]]; then
  echo "cross: on a Core 2 the command says '$said' (exit code $code), expected one line about the processor" >&2
  exit 1
fi

command=$(emulated $build/bochner "${newest[@]}")
tests/machines/compare.py build/release/bochner "$command" "$@"
tests/machines/compare.py build/release/bochner "$(emulated $build/bochner "${oldest[@]}")" --few
if [ "${1:-}" = --all ]; then
  for script in tests/cli/*_test.py; do
    echo "cross: $script"
    BOCHNER_COMMAND=$PWD/$command BOCHNER_TEST_DATA=$PWD/data python3 -B "$script" -q
  done
fi
