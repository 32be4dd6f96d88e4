#!/usr/bin/env bash
# Builds the wheel of the Python package over the library of BUILD, which is not compiled again, and installs it into a
# virtual environment of its own:  wheel.sh BUILD. Exit 77 (skipped) where .venv lacks what builds it.
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
root=$PWD work=$build/python
python=$root/.venv/bin/python
if ! "$python" -c 'import nanobind, scikit_build_core, pytest, sklearn, sysconfig, os
assert os.path.exists(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null; then
  echo "skipped: .venv lacks nanobind, scikit-build-core, pytest, scikit-learn or Python.h; make test-deps installs them"
  exit 77
fi
export PATH=$root/.venv/bin:$PATH
rm -rf "$work/dist" "$work/prefix" "$work/repaired" "$work/clean"
mkdir -p "$work/repaired"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
"$python" -m pip wheel . --quiet --no-build-isolation --no-deps --disable-pip-version-check --no-index -w "$work/dist" \
  --config-settings=build-dir="$work/build" --config-settings=cmake.define.BOCHNER_INSTALLED=ON \
  --config-settings=cmake.define.CMAKE_PREFIX_PATH="$work/prefix"
wheel=$(echo "$work"/dist/*.whl)
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes, with the system's libraries"
# The wheel for others carries those libraries.
if command -v auditwheel >/dev/null && command -v patchelf >/dev/null; then
  auditwheel repair --strip -z 9 -w "$work/repaired" "$wheel" >"$work/auditwheel.log" 2>&1 || { cat "$work/auditwheel.log"; exit 1; }
  wheel=$(echo "$work"/repaired/*.whl)
  echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes, with all it needs"
fi
"$python" "$root/tests/python/check_wheel.py" "$wheel"
# The new environment has the wheel; numpy, SciPy and scikit-learn it takes from .venv.
"$python" -m venv --without-pip "$work/clean"
site=$("$work/clean/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -m pip install --quiet --no-deps --no-index --disable-pip-version-check --target "$site" "$wheel"
"$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$site/oracles.pth"
cd /
"$work/clean/bin/python" - <<'EOF'
import time
import numpy
start = time.perf_counter()
import bochner, bochner._core
print(f"import bochner: {1000 * (time.perf_counter() - start):.0f} ms, from {bochner.__file__}")
assert "clean" in bochner.__file__
EOF
