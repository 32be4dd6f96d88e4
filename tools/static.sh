#!/usr/bin/env bash
# usage: tools/static.sh: links build/release's command into build/static/bochner, which needs no library of the system
# and runs on any Linux of its architecture. Debian has fmt and Highway as shared libraries only: their few files are
# compiled from Debian's sources of the same versions. Needs apt-get and the network the first time.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/build/static
mkdir -p "$work"

fetch() {  # PACKAGE: unpacks its source into $work/PACKAGE
  [ -e "$work/$1/unpacked" ] && return 0
  local apt=$work/apt mirror
  rm -rf "${work:?}/$1" "$apt"
  mkdir -p "$work/$1" "$apt"/lists/partial "$apt"/cache/archives/partial
  . /etc/os-release
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' |
    awk -v own="$VERSION_CODENAME" '$2 == own { print $1; exit }')
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $VERSION_CODENAME main" >"$apt/sources"
  local options=(-q -o Dir::Etc::sourcelist="$apt/sources" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$apt/lists"
    -o Dir::Cache="$apt/cache" -o APT::Sandbox::User="$(id -un)")
  apt-get "${options[@]}" update >"$apt/log" 2>&1
  (cd "$apt" && apt-get "${options[@]}" source --download-only "$1" >>"$apt/log" 2>&1)
  tar -x --strip-components=1 -C "$work/$1" -f "$apt/$1"_*.orig.tar.*
  touch "$work/$1/unpacked"
  rm -r "$apt"
}

archive() {  # NAME FLAGS... -- FILES...
  local name=$1 flags=() objects=() file
  shift
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  shift
  for file; do
    objects+=("$work/$name-$(basename "$file" .cc).o")
    "${CXX:-g++}" -O2 -std=c++17 -ffile-prefix-map="$work"=. "${flags[@]}" -c "$file" -o "${objects[-1]}"
  done
  rm -f "$work/lib$name.a"
  ar rcsD "$work/lib$name.a" "${objects[@]}"
}

fetch fmtlib
fetch highway
[ -e "$work/libfmt.a" ] || archive fmt -I"$work/fmtlib/include" -- "$work"/fmtlib/src/{format,os}.cc
hwy=("$work"/highway/hwy/{targets,aligned_allocator}.cc)
[ ! -e "$work/highway/hwy/per_target.cc" ] || hwy+=("$work/highway/hwy/per_target.cc")
[ -e "$work/libhwy.a" ] || archive hwy -I"$work/highway" -- "${hwy[@]}"

processors=$PWD/cmake/openblas_$(uname -m).ld
mapfile -t objects < <(ninja -C build/release -t inputs bochner | grep '^CMakeFiles/bochner_cli.dir/.*\.o$' | sort -u)
(cd build/release && "${CXX:-g++}" -O2 -static -s -Wl,--build-id=sha1 -o "$work/bochner" "${objects[@]}" libbochner.a \
  libbochner_embedded.a -L"$work" -lfmt -lhwy "$processors" -l:libopenblas.a -lgfortran -lquadmath -lz -llzma -lzstd \
  -lpthread -lm)
if ldd "$work/bochner" >/dev/null 2>&1; then
  echo "static: the command still needs libraries: $(ldd "$work/bochner")" >&2
  exit 1
fi
"$work/bochner" --version
