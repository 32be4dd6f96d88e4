#!/usr/bin/env bash
# usage: tools/make_sysroot.sh ARCHITECTURE FOLDER: unpacks into FOLDER Debian's libraries for another architecture
# (amd64, arm64) to build against and to run on under emulation. Needs no rights and leaves the system's own packages
# alone: apt resolves the dependencies against an empty list of its own, and nothing is installed.
set -euo pipefail
architecture=$1
sysroot=$(realpath -m "$2")

packages=(libc6-dev libstdc++6 libopenblas-dev libhwy-dev libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev
  liblzma-dev libzstd-dev libgtest-dev libgmock-dev)
stamp=$sysroot/unpacked
[ "$(cat "$stamp" 2>/dev/null)" = "${packages[*]}" ] && exit 0
if ! command -v apt-get >/dev/null; then
  echo "make_sysroot: no apt-get here; it fetches Debian's libraries for $architecture" >&2
  exit 1
fi

echo "make_sysroot: fetching Debian's libraries for $architecture" >&2
rm -rf "$sysroot"
apt=$sysroot/apt
mkdir -p "$apt"/state/lists/partial "$apt"/cache/archives/partial
: >"$apt/status"
fetch() {
  if ! apt-get -q -y -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
    -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User="$(id -un)" \
    "$@" >"$apt/log" 2>&1; then
    cat "$apt/log" >&2
    echo "make_sysroot: failed: apt-get $*" >&2
    exit 1
  fi
}
fetch update
fetch install --download-only --no-install-recommends "${packages[@]}"
for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$sysroot"; done

# What the packages' own scripts would do: choose the one OpenBLAS there is.
for folder in "$sysroot"/usr/lib/*-linux-gnu; do
  ln -sf openblas-pthread/libopenblas.so openblas-pthread/libopenblas.so.0 openblas-pthread/libopenblas.a "$folder"
  ln -sf "../openblas-pthread/pkgconfig/openblas.pc" "$folder/pkgconfig/openblas.pc"
done
# Links to / mean the folder, not this machine.
find "$sysroot" -type l -lname '/*' | while read -r link; do
  ln -sfnr "$sysroot$(readlink "$link")" "$link"
done
rm -r "$apt"
echo "${packages[*]}" >"$stamp"
