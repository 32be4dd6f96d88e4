#!/usr/bin/env bash
# usage: tools/try_debs.sh FOLDER: installs the packages of FOLDER into a bare Debian 12 root, trains, predicts and reports
# there, and compiles and runs a program in C. Needs root and debootstrap; BOCHNER_ROOT names a root to use and keep.
set -euo pipefail
debs=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
root=${BOCHNER_ROOT:-$(mktemp -d)}
finish() {
  mountpoint -q "$root/proc" && umount "$root/proc"
  if [ -z "${BOCHNER_ROOT:-}" ]; then rm -rf "$root"; fi
}
trap finish EXIT
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" >"$debs/debootstrap.log"
rm -f "$root/etc/apt/sources.list"  # packages come from where this machine has its own from
cp /etc/apt/sources.list "$root/etc/apt/" 2>/dev/null || true
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null || true
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
mount -t proc proc "$root/proc"
mkdir -p "$root/tmp/try"
cp "$debs"/*.deb data/cpu-small.csv data/adult-small.csv tests/consumer/c_program.c "$root/tmp/try"
chroot "$root" sh -ec '
  export DEBIAN_FRONTEND=noninteractive
  cd /tmp/try
  apt-get update -q >/dev/null
  apt-get install -q -y --no-install-recommends ./bochner_*.deb >/dev/null 2>&1
  bochner --version
  bochner train adult-small.csv --target income --effort fast -o adult.model --quiet
  bochner predict adult.model adult-small.csv --probabilities --quiet | head -n 2
  bochner report adult.model adult-small.csv -o adult.html --quiet
  test -s adult.html
  apt-get install -q -y --no-install-recommends ./libbochner-c1_*.deb ./libbochner-dev_*.deb gcc libc6-dev pkg-config >/dev/null 2>&1
  gcc -std=c99 -pedantic -Werror c_program.c -o c_program $(pkg-config --cflags --libs bochner_c) -lm
  ./c_program cpu-small.csv usr .
  apt-get remove -q -y bochner libbochner-c1 libbochner-dev >/dev/null 2>&1
  test ! -e /usr/bin/bochner
'
echo "deb: installed, run and removed in a bare Debian 12"
