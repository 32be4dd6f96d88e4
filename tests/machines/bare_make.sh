#!/usr/bin/env bash
# A bare make where packages are missing names them and installs nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '#!/bin/sh\necho not-installed\n' >"$folder/dpkg-query"
for name in apt-get sudo; do printf '#!/bin/sh\ntouch "%s/installed"\n' "$folder" >"$folder/$name"; done
chmod +x "$folder"/*
if PATH=$folder:$PATH make 2>"$folder/message"; then
  echo "bare_make: make went on without its packages" >&2
  exit 1
fi
grep -q 'libhwy-dev.* missing; make deps installs them' "$folder/message"
test ! -e "$folder/installed"
