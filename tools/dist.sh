#!/usr/bin/env bash
# usage: tools/dist.sh: puts a release into dist/, with SHA256SUMS: the source, the static command of this architecture with
# its manual and completions, and what build/deb and build/wheels have, if they were built. The same commit and the same
# build give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(bochner VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
epoch=$(git log -1 --format=%ct)
[ -z "$(git status --porcelain)" ] || echo "dist: the tree has changes that are not committed; the source archive lacks them" >&2
rm -rf dist
mkdir dist

packed() {  # NAME FOLDER: dist/NAME.tar.xz of the folder's content
  tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -C "$2" -c "$1" | xz -9e -T1 >"dist/$1.tar.xz"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bochner-$version"
git archive HEAD | tar -x -C "$work/bochner-$version"
packed "bochner-$version" "$work"

tools/static.sh >/dev/null
name=bochner-$version-linux-$(uname -m)
mkdir "$work/$name"
cp build/static/bochner LICENSE README.md CHANGELOG.md build/release/bochner.cdx.json "$work/$name"
cp -r build/release/manual/man1 "$work/$name/man1"
mkdir "$work/$name/completions"
cp build/release/manual/{bochner,_bochner,bochner.fish} "$work/$name/completions"
packed "$name" "$work"

cp build/deb/*.deb build/wheels/*.whl dist/ 2>/dev/null || true
(cd dist && sha256sum -- * >SHA256SUMS)
cat dist/SHA256SUMS
