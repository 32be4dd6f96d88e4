#!/usr/bin/env bash
# The wheel on the oldest and the newest other Python of this machine (3.10 and later), over the library of BUILD: built,
# checked, installed and tested in an environment of its own:  other_pythons.sh BUILD. PYTHONS names them instead.
# Exit 77 (skipped) where there is none that can build, or what it needs cannot be installed.
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
root=$PWD work=$build/python/others
own=$(.venv/bin/python -c 'import sys; print(sys.version_info.minor)' 2>/dev/null || echo 0)
can_build='import os, sys, sysconfig, venv
assert sys.version_info >= (3, 10) and os.path.exists(sysconfig.get_path("include") + "/Python.h")'
found=()
for python in ${PYTHONS:-$(seq -f python3.%g 10 30 | grep -vx "python3.$own")}; do
  if "$python" -c "$can_build" 2>/dev/null; then found+=("$python"); fi
done
if [ ${#found[@]} -eq 0 ]; then echo "skipped: no other Python from 3.10 on with its headers"; exit 77; fi
chosen=("${found[0]}")
[ ${#found[@]} -eq 1 ] || chosen+=("${found[-1]}")
rm -rf "$work" && mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
tested=0
for python in "${chosen[@]}"; do
  name=$(basename "$python") env=$work/$(basename "$python")
  "$python" -m venv "$env"
  if ! "$env/bin/pip" install -q --disable-pip-version-check 'nanobind>=2.4,<4' 'scikit-build-core>=0.10,<2' \
      'numpy>=1.24,<3' 'scikit-learn>=1.6,<2' 'pytest>=7,<10' pandas ninja >"$work/$name.log" 2>&1; then
    echo "$name: what builds and tests the wheel cannot be installed; see $work/$name.log"
    continue
  fi
  "$env/bin/pip" wheel . -q --no-build-isolation --no-deps --no-index --disable-pip-version-check -w "$work/dist-$name" \
    --config-settings=build-dir="$work/build-$name" --config-settings=cmake.define.BOCHNER_INSTALLED=ON \
    --config-settings=cmake.define.CMAKE_PREFIX_PATH="$work/prefix"
  wheel=$(echo "$work/dist-$name"/*.whl)
  "$env/bin/python" tests/python/check_wheel.py "$wheel"
  "$env/bin/pip" install -q --no-deps --no-index --disable-pip-version-check "$wheel"
  echo "$name: $(basename "$wheel")"
  (cd / && "$env/bin/python" -B -m pytest -q --tb=short -p no:cacheprovider "$root/python/tests/contract_test.py" \
    "$root/python/tests/package_test.py")
  tested=1
done
[ $tested = 1 ] || exit 77
