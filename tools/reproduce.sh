#!/usr/bin/env bash
# usage: tools/reproduce.sh [OTHER]: builds the last commit in two folders whose names differ in length, installs it, makes
# its wheel, and fails unless every file has the same bytes in both. Twenty minutes on two cores. With OTHER, a checkout
# of the same commit whose build/release is there, it only compares what both would install.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/reproduce
rm -rf "$out"
mkdir -p "$out"

sums() {  # FOLDER: a line for each file below it, without the folder's name
  (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

if [ $# -gt 0 ]; then
  places=("$PWD" "$(realpath "$1")")
else
  places=("$out/here" "$out/somewhere-else")
  for place in "${places[@]}"; do
    mkdir "$place"
    git archive HEAD | tar -x -C "$place"
    (
      cd "$place"
      cmake --preset release -DBOCHNER_TESTS=OFF -DBOCHNER_BENCH=OFF >cmake.log
      cmake --build build/release -j "${JOBS:-$(nproc)}"
      tools/wheels.sh "${PYTHON:-python3}"
    )
  done
fi
for i in 0 1; do
  DESTDIR=$out/installed-$i cmake --install "${places[i]}/build/release" --prefix /usr >/dev/null
  [ $# -gt 0 ] || cp "${places[i]}"/build/wheels/*.whl "$out/installed-$i"
  sums "$out/installed-$i" >"$out/sums-$i"
done
if ! diff "$out/sums-0" "$out/sums-1"; then
  echo "reproduce: the files above differ; they are in $out" >&2
  exit 1
fi
echo "reproduce: $(wc -l <"$out/sums-0") files have the same bytes in both"
