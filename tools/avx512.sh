#!/usr/bin/env bash
# usage: tools/avx512.sh: runs block operations, digests and trainings on a processor with AVX-512, its VNNI and AMX,
# which qemu does not emulate and Bochs 3 does: a whole machine, with Debian's kernel and nothing but busybox and our
# programs, built so that buffers are misaligned on purpose. Takes about half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."

case $(uname -m) in
  aarch64) build=build/cross-x86_64 sysroot=build/sysroot-x86_64 own=arm64 signs=*NotNegative ;;
  x86_64) build=build/clang sysroot= own=amd64 signs=* ;;
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

# Nothing of these is installed. Debian 12 has Bochs 2.7, without AMX, and no Linux with setcpuid=.
emulator=$PWD/build/emulator linux=build/emulated-linux
tools/unpack_packages.sh $own "$emulator" --release trixie bochs vgabios
tools/unpack_packages.sh amd64 $linux --release "trixie trixie-backports" linux-image-cloud-amd64 busybox-static
cp $linux/usr/bin/busybox $machine/root/bin/
cp "$(find $linux -name 'vmlinuz*' -type f)" $machine/disc/kernel

# What runs there, the trainings with AMX and without. Every line of a result goes to the serial port.
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
export BOCHNER_TARGET=avx3+vnni
bochner --version
$(trainings)
backend_test --gtest_filter="\$(cat /filter)" || echo "avx512: backend_test failed"
unset BOCHNER_TARGET
backend_test --gtest_filter="\$(cat /filter-amx)" || echo "avx512: backend_test failed"
maps_test --gtest_filter='SameBits.*' || echo "avx512: maps_test failed"
echo "avx512: end"
sleep 1000  # nothing switches the machine off without ACPI: the reader of the line above does
SCRIPT
chmod +x $machine/root/init
# Some 40 million instructions a second: what takes a second elsewhere is left to qemu and AVX2.
echo 'ExactProduct.*:*RowIsTheSame*:*SumsInTheSameOrder*:Nearest.*:Bins*:RadialBlock*-*OddSizes' >$machine/root/filter
# Bochs 3.0 takes the digits of AMX for unsigned where C does so with char, as on Arm: bochner leaves that unit out there.
echo "ExactProduct.$signs:Bfloat16.*-ExactProduct.*OddSizes" >$machine/root/filter-amx
cp $build/tests/{backend_test,maps_test} $build/bochner $machine/root/bin/
cp $machine/rows.csv $machine/root/
libraries=("${sysroot:+$sysroot}"/lib/x86_64-linux-gnu "${sysroot:+$sysroot}"/usr/lib/x86_64-linux-gnu
  "${sysroot:+$sysroot}"/usr/lib/x86_64-linux-gnu/openblas-pthread)
copy_libraries() {  # copies the libraries of a program or library, and those that they need
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
# What Bochs 3.0 lacks: XFD, without which Linux leaves AMX alone (setcpuid says that it is there; tiles are then kept for
# one program at a time, which is what runs), and what ACPI, five levels of pages and guarded branches need. Nor does it
# see that a newer Linux has rewritten its clock to read the processor's counter, which is why that counts as unstable.
cat >$machine/disc/isolinux/isolinux.cfg <<'CONFIG'
DEFAULT linux
PROMPT 0
LABEL linux
  KERNEL /kernel
  INITRD /root
  APPEND console=ttyS0 quiet setcpuid=324 clearcpuid=ibt,user_shstk,pku,ospke ibt=off its=off spectre_v2=off retbleed=off mitigations=off acpi=off no5lvl nokaslr nosmp lpj=1000000 tsc=unstable no_timer_check
CONFIG
(cd $machine/root && find . | cpio -o -H newc --quiet) >$machine/disc/root
xorriso -as mkisofs -quiet -o $machine/disc.iso -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot \
  -boot-load-size 4 -boot-info-table $machine/disc
cat >$machine/bochsrc <<CONFIG
cpu: model=sapphire_rapids, count=1, ips=100000000
memory: guest=1536, host=1536
romimage: file=$emulator/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=$emulator/usr/share/bochs/VGABIOS-lgpl-latest
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
timeout 5400 env LTDL_LIBRARY_PATH="$(echo "$emulator"/usr/lib/*/bochs/plugins)" \
  "$(ls "$emulator"/usr/lib*/ld-linux-*.so.*)" --library-path "$(dirname "$(ls "$emulator"/usr/lib/*/libc.so.6)")" \
  "$emulator/usr/bin/bochs-bin" -q -f $machine/bochsrc -rc $machine/go >$machine/said 2>&1 </dev/zero &
while kill -0 $! 2>/dev/null && ! grep -qs '^avx512: end' $machine/serial; do sleep 1; done
kill $! 2>/dev/null || true

tr -d '\r' <$machine/serial | grep -v '^\[' || true
if ! grep -q 'avx512: end' $machine/serial || grep -q 'failed\|FAILED' $machine/serial; then
  echo "avx512: failed; see $machine/serial and $machine/said" >&2
  exit 1
fi
(cd $machine && PATH=$PWD/../release:$PATH bash -c "$(trainings)" | grep '\.model$') >$machine/expected
while read -r sum model; do
  if [ "$(grep -c "$sum  $model" $machine/serial)" != 2 ]; then
    echo "avx512: $model has other bytes with AMX or with VNNI than on this machine ($sum)" >&2
    exit 1
  fi
done <$machine/expected
echo "avx512: the same models as on this machine"
