#!/usr/bin/env bash
# usage: tests/python/emulated_wheel.sh ARCHITECTURE FOLDER: unpacks Debian's Python for an architecture that this machine
# is not, installs FOLDER's wheel for it with NumPy, SciPy and scikit-learn beside it, and trains under emulation: the
# answers have the bytes of this machine's wheel.
set -euo pipefail
cd "$(dirname "$0")/../.."
arch=$1 wheels=$(realpath "$2") work=$PWD/build/emulated-$1
case $arch in
  aarch64) debian=arm64 ;;
  x86_64) debian=amd64 ;;
esac
mkdir -p "$work"
tools/unpack_packages.sh "$debian" "$work/root" python3.11-minimal libpython3.11-stdlib libstdc++6

version() { .venv/bin/python -c "import importlib.metadata as m; print('$1==' + m.version('$1'))"; }
place() {  # ARCHITECTURE: a folder with the wheel and what it imports
  local platforms=() tag
  for tag in 2_35 2_34 2_31 2_28 2_27 2_17; do platforms+=(--platform "manylinux_${tag}_$1"); done
  rm -rf "${work:?}/$1"
  .venv/bin/pip install -q --disable-pip-version-check --target "$work/$1" --python-version 3.11 --only-binary=:all: \
    "${platforms[@]}" --platform "manylinux2014_$1" "$wheels"/bochner-*-cp311-cp311-*"_$1.whl" "$(version numpy)" \
    "$(version scipy)" "$(version scikit-learn)"
}
place "$arch"
place "$(uname -m)"

cat >"$work/try.py" <<'PYTHON'
import hashlib
import numpy as np
import bochner

rng = np.random.default_rng(0)
X = rng.integers(-1000, 1000, size=(400, 4)) / 512
y = X[:, 0] * X[:, 1] + X[:, 2] ** 2
for model, targets in ((bochner.KernelRidge(n_components=64), y), (bochner.KernelClassifier(effort="fast"), y > 1)):
    model.fit(X, targets)
    answers = getattr(model, "predict_proba", model.predict)(X[:50])
    print(type(model).__name__, hashlib.sha256(np.ascontiguousarray(answers).tobytes()).hexdigest()[:16])
PYTHON
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
here=$(cd "$work" && PYTHONPATH=$work/$(uname -m) "$OLDPWD/.venv/bin/python" try.py)
there=$(cd "$work" && PYTHONPATH=$work/$arch PYTHONHOME=$work/root/usr "qemu-$arch-static" -cpu max -L "$work/root" \
  "$work/root/usr/bin/python3.11" try.py)
if [ "$here" != "$there" ] || [ -z "$here" ]; then
  printf 'emulated_wheel: found\n%s\nunder emulation, expected what this machine has:\n%s\n' "$there" "$here" >&2
  exit 1
fi
printf 'emulated_wheel: the same bytes on %s and %s\n%s\n' "$(uname -m)" "$arch" "$there"
