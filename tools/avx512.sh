#!/usr/bin/env bash
# usage: tools/avx512.sh: runs block operations, digests and trainings on a processor with AVX-512 and its VNNI, which
# qemu does not emulate and Bochs does: a whole machine, with Debian's kernel and nothing but busybox and our programs.
# Takes about half an hour. AMX is in neither.
set -euo pipefail
cd "$(dirname "$0")/.."

case $(uname -m) in
  aarch64) build=build/cross-x86_64 sysroot=build/sysroot-x86_64 ;;
  x86_64) build=build/release sysroot= ;;
  *)
    echo "avx512: this machine is $(uname -m), expected x86_64 or aarch64" >&2
    exit 1
    ;;
esac
[ -z "$sysroot" ] || tools/make_sysroot.sh amd64 $sysroot
tools/build.sh release bochner_cli
tools/build.sh "${build#build/}" backend_test maps_test bochner_cli
machine=build/avx512
mkdir -p $machine/disc/isolinux $machine/root/{bin,dev,lib64,proc,sys,tmp}

# The kernel and busybox, unpacked and not installed.
if [ ! -e $machine/disc/kernel ]; then
  apt=$PWD/$machine/apt
  mkdir -p "$apt"/state/lists/partial "$apt"/cache/archives/partial
  : >"$apt/status"
  options=(-o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache"
    -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o APT::Sandbox::User="$(id -un)")
  apt-get -qq "${options[@]}" update
  # The newest: 6.1 hangs in Bochs 2.7.
  kernel=$(apt-cache "${options[@]}" search --names-only '^linux-image-[0-9.]*[+]deb12-cloud-amd64$' | cut -d' ' -f1 |
    sort -V | tail -n 1)
  (cd "$apt" && apt-get -qq "${options[@]}" download "$kernel" busybox-static)
  for package in "$apt"/*.deb; do dpkg -x "$package" "$apt/unpacked"; done
  cp "$apt/unpacked/bin/busybox" $machine/root/bin/
  cp "$apt"/unpacked/boot/vmlinuz-* $machine/disc/kernel
  rm -r "$apt"
fi

# What runs there. Every line of a result goes to the serial port.
train='bochner train rows.csv --target y --bandwidth 3 --quiet'
trainings() {
  cat <<SCRIPT
$train --features 100 -o fourier.model
$train --features 100 --solver cg -o cg.model
$train --features 64 --map nystroem -o nystroem.model
$train --features 20 --map binning -o binning.model
sha256sum fourier.model cg.model nystroem.model binning.model
SCRIPT
}
python3 - $machine/rows.csv <<'PYTHON'
import random, sys
draw = random.Random(9)
with open(sys.argv[1], "w", encoding="ascii") as out:
    print("a,b,c,y", file=out)
    for _ in range(600):
        a, b, c = draw.gauss(0, 1), draw.random(), draw.gauss(0, 3)
        print(f"{a:.6g},{b:.6g},{c:.6g},{a * b + 0.1 * draw.gauss(0, 1):.6g}", file=out)
PYTHON
cat >$machine/root/init <<SCRIPT
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin LD_LIBRARY_PATH=/lib64 TMPDIR=/tmp GTEST_COLOR=no OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell
mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t tmpfs tmp /tmp
exec >/dev/ttyS0 2>&1
cd /tmp
bochner --version
cp /rows.csv .
$(trainings)
maps_test --gtest_filter='SameBits.*' || echo "avx512: maps_test failed"
backend_test --gtest_filter="\$(cat /filter)" || echo "avx512: backend_test failed"
echo "avx512: end"
sleep 5  # until the port has sent it all
poweroff -f
SCRIPT
chmod +x $machine/root/init
# Some 40 million instructions a second: what takes a second elsewhere is left to qemu and AVX2.
echo 'ExactProduct.*:*RowIsTheSame*:*SumsInTheSameOrder*:Nearest.*:Bins*:RadialBlock*-ExactProduct*OddSizes' >$machine/root/filter
cp $build/tests/{backend_test,maps_test} $build/bochner $machine/root/bin/
cp $machine/rows.csv $machine/root/
libraries=("${sysroot:+$sysroot}"/lib/x86_64-linux-gnu "${sysroot:+$sysroot}"/usr/lib/x86_64-linux-gnu
  "${sysroot:+$sysroot}"/usr/lib/x86_64-linux-gnu/openblas-pthread)
copy_libraries() {  # of a program or library, and what those need
  local name folder
  for name in $(readelf -d "$1" | sed -n 's/.*Shared library: \[\(.*\)\]/\1/p'); do
    [ -e "$machine/root/lib64/$name" ] && continue
    for folder in "${libraries[@]}"; do
      if [ -e "$folder/$name" ]; then
        cp -L "$folder/$name" $machine/root/lib64/
        copy_libraries "$folder/$name"
        break
      fi
    done
  done
}
for program in $machine/root/bin/{backend_test,maps_test,bochner}; do copy_libraries "$program"; done

cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 $machine/disc/isolinux/
# Bochs 2.7 describes the saved state of some registers otherwise than Linux expects: those are switched off (pku,
# ospke, xsavec, xsaves).
cat >$machine/disc/isolinux/isolinux.cfg <<'CONFIG'
DEFAULT linux
PROMPT 0
LABEL linux
  KERNEL /kernel
  INITRD /root
  APPEND console=ttyS0 quiet clearcpuid=515,516,321,323 mitigations=off nosmp lpj=1000000 tsc=reliable no_timer_check
CONFIG
(cd $machine/root && find . | cpio -o -H newc --quiet) >$machine/disc/root
xorriso -as mkisofs -quiet -o $machine/disc.iso -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot \
  -boot-load-size 4 -boot-info-table $machine/disc
cat >$machine/bochsrc <<CONFIG
cpu: model=corei7_icelake_u, count=1, ips=100000000
memory: guest=1536, host=1536
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=$machine/disc.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$machine/serial
display_library: rfb, options="timeout=0"
log: $machine/log
error: action=ignore
panic: action=fatal
clock: sync=none
CONFIG
echo continue >$machine/go
rm -f $machine/serial
timeout 3000 bochs -q -f $machine/bochsrc -rc $machine/go >$machine/said 2>&1 </dev/zero || true

tr -d '\r' <$machine/serial | grep -v '^\[' || true
if ! grep -q 'avx512: end' $machine/serial || grep -q 'failed\|FAILED' $machine/serial; then
  echo "avx512: failed; see $machine/serial and $machine/said" >&2
  exit 1
fi
(cd $machine && PATH=$PWD/../release:$PATH bash -c "$(trainings)" | grep '\.model$') >$machine/expected
while read -r sum model; do
  if ! tr -d '\r' <$machine/serial | grep -q "$sum  $model"; then
    echo "avx512: $model has other bytes than on this machine ($sum)" >&2
    exit 1
  fi
done <$machine/expected
echo "avx512: the same models as on this machine"
