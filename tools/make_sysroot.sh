#!/usr/bin/env bash
# usage: tools/make_sysroot.sh ARCHITECTURE FOLDER: unpacks into FOLDER Debian's libraries for another architecture
# (amd64, arm64) to build against and to run on under emulation.
set -euo pipefail
"$(dirname "$0")"/unpack_packages.sh "$1" "$2" libc6-dev libstdc++6 libopenblas-dev libhwy-dev libfmt-dev \
  nlohmann-json3-dev libcli11-dev zlib1g-dev liblzma-dev libzstd-dev libgtest-dev libgmock-dev

# What the packages' own scripts would do: choose the one OpenBLAS there is.
for folder in "$2"/usr/lib/*-linux-gnu; do
  ln -sf openblas-pthread/libopenblas.so openblas-pthread/libopenblas.so.0 openblas-pthread/libopenblas.a "$folder"
  ln -sf "../openblas-pthread/pkgconfig/openblas.pc" "$folder/pkgconfig/openblas.pc"
done
