#!/usr/bin/env bash
# usage: tools/reproduce.sh: builds the last commit once more, in a folder whose name has another length than build/release,
# installs both, makes the wheel of both, and fails unless every file has the same bytes. Ten minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "$(git status --porcelain)" ]; then
  echo "reproduce: the tree has changes that are not committed: build/release would have them, the second build not" >&2
  exit 1
fi
out=$PWD/build/reproduce
places=("$PWD" "$out/somewhere-else")
rm -rf "$out"
mkdir -p "${places[1]}"
git -c tar.umask=0022 archive HEAD | tar -x -C "${places[1]}"
(cd "${places[1]}" && cmake --preset release -DBOCHNER_TESTS=OFF -DBOCHNER_BENCH=OFF >cmake.log &&
  cmake --build build/release -j "${JOBS:-$(nproc)}")

for i in 0 1; do
  installed=$out/installed-$i
  DESTDIR=$installed cmake --install "${places[i]}/build/release" --prefix /usr >/dev/null
  (cd "${places[i]}" && BOCHNER_WHEELS=$installed tools/wheels.sh "${PYTHON:-python3}")
  (cd "$installed" && find . -type f -print0 | sort -z | xargs -0 sha256sum) >"$out/sums-$i"
done
if ! diff "$out/sums-0" "$out/sums-1"; then
  echo "reproduce: the files above differ; they are in $out" >&2
  exit 1
fi
echo "reproduce: $(wc -l <"$out/sums-0") files have the same bytes in both"
