#!/usr/bin/env bash
# usage: tools/unpack_packages.sh ARCHITECTURE FOLDER [--release "NAME ..."] PACKAGE ...: unpacks into FOLDER Debian's
# packages for an architecture (amd64, arm64) and all that they depend on, of this machine's Debian or of other releases,
# of which the last is preferred. Needs no rights and leaves the system's own packages alone: apt resolves the
# dependencies against an empty list of its own, and nothing is installed. What is there already is left.
set -euo pipefail
architecture=$1
folder=$(realpath -m "$2")
shift 2
releases=
if [ "$1" = --release ]; then
  releases=$2
  shift 2
fi

stamp=$folder/unpacked
[ "$(cat "$stamp" 2>/dev/null)" = "$releases $*" ] && exit 0
if ! command -v apt-get >/dev/null; then
  echo "unpack_packages: no apt-get here; it fetches Debian's packages for $architecture" >&2
  exit 1
fi

echo "unpack_packages: fetching Debian's packages for $architecture: $*" >&2
rm -rf "$folder"
apt=$folder/apt
mkdir -p "$apt"/state/lists/partial "$apt"/cache/archives/partial
: >"$apt/status"
options=(-o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache"
  -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User="$(id -un)")
if [ -n "$releases" ]; then  # the mirror is the one that this computer has its own packages from
  . /etc/os-release
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' |
    awk -v own="$VERSION_CODENAME" '$2 == own { print $1; exit }')
  for release in $releases; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main"
  done >"$apt/sources"
  options+=(-o Dir::Etc::sourcelist="$apt/sources" -o Dir::Etc::sourceparts=- -o APT::Default-Release="$release")
fi
fetch() {
  if ! apt-get -q -y "${options[@]}" "$@" >"$apt/log" 2>&1; then
    cat "$apt/log" >&2
    echo "unpack_packages: failed: apt-get $*" >&2
    exit 1
  fi
}
fetch update
fetch install --download-only --no-install-recommends "$@"
for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$folder"; done

# Links to / mean the folder, not this machine.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfnr "$folder$(readlink "$link")" "$link"
done
rm -r "$apt"
echo "$releases $*" >"$stamp"
