#!/usr/bin/env bash
# usage: tools/deb.sh [FOLDER]: builds the Debian packages of the last commit into FOLDER (default build/deb), holds them
# against lintian, and runs the command and a C program in a bare Debian 12 root if this is root and debootstrap is there.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/deb}
rm -rf "$out"
mkdir -p "$out/source"
out=$(cd "$out" && pwd)
git archive HEAD | tar -x -C "$out/source"
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
(cd "$out/source" && DEB_BUILD_OPTIONS="nocheck parallel=${JOBS:-$(nproc)}" dpkg-buildpackage -us -uc -b) >"$out/build.log" 2>&1 || {
  tail -n 40 "$out/build.log" >&2
  echo "deb: dpkg-buildpackage failed; $out/build.log has all of it" >&2
  exit 1
}
ls -l "$out"/*.deb
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$out"/*.changes
  echo "deb: lintian has no error and no warning"
fi
if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then tools/try_debs.sh "$out"; fi
