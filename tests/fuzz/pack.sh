#!/usr/bin/env bash
# usage: tests/fuzz/pack.sh BUILD FOLDER: the fuzz program of BUILD with its seeds, what was found before, the libraries
# it needs and run.sh, so that it runs on another machine of this kind where nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1/tests/fuzz folder=$2
rm -rf "$folder"
mkdir -p "$folder/lib"
strip -g -o "$folder/fuzz" "$build/fuzz"
cp -r "$build/seeds" "$folder/"
for found in tests/fuzz/found/*; do cp "$found"/* "$folder/seeds/${found##*/}/"; done
ldd "$build/fuzz" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so' |
  xargs -I{} cp -L {} "$folder/lib/"
cp tests/fuzz/run.sh "$folder/"
du -sh "$folder"
