#!/usr/bin/env bash
# usage: tools/build.sh PRESET TARGET ...: configures quietly unless it fails, then builds with all cores.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! log=$(cmake --preset "$1" 2>&1); then
  echo "$log" >&2
  exit 1
fi
exec cmake --build --preset "$1" --target "${@:2}" -j "${JOBS:-$(nproc)}"
