#!/usr/bin/env bash
# usage: tools/deb.sh [--prebuilt]: builds the Debian packages of the last commit into build/deb, holds them against
# lintian, and runs the command and a C program in a bare Debian 12 root if this is root and debootstrap is there.
# --prebuilt packs what build/release has, without Debian's flags for the compiler: to try the packages in a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/deb
rm -rf "$out"
mkdir -p "$out/source"
if [ "${1:-}" = --prebuilt ]; then
  libdir=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' build/release/CMakeCache.txt)
  restore() { cmake -S . -B build/release -DCMAKE_INSTALL_LIBDIR="$libdir" -DCMAKE_SKIP_INSTALL_RPATH=OFF >/dev/null; }
  trap restore EXIT
  cmake -S . -B build/release -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
    -DCMAKE_SKIP_INSTALL_RPATH=ON >/dev/null
  export BOCHNER_PREBUILT=$PWD/build/release
fi
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
