#!/usr/bin/env bash
# usage: tests/fuzz/pack.sh BUILD FOLDER: the fuzz programs of BUILD with their seeds, what was found before, the
# libraries they need and run_all.sh, so that they run on another machine of this kind where nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1/tests/fuzz folder=$2
rm -rf "$folder"
mkdir -p "$folder/lib" "$folder/seeds"
for program in "$build"/fuzz_*; do
  name=${program##*/}
  if [ ! -f "$program" ] || [ "$name" = fuzz_seeds ]; then continue; fi
  strip -g -o "$folder/$name" "$program"
  cp -r "$build/seeds/${name#fuzz_}" "$folder/seeds/"
  if [ -d "tests/fuzz/found/${name#fuzz_}" ]; then cp "tests/fuzz/found/${name#fuzz_}"/* "$folder/seeds/${name#fuzz_}/"; fi
  ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
done | sort -u | grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$folder/lib/"
cat >"$folder/run_all.sh" <<'RUN'
#!/usr/bin/env bash
# usage: run_all.sh SECONDS JOBS [TARGET...]: every target for so long, JOBS programs at a time; targets with more than
# one program share what they find. Prints executions of each target; exit 1 if one found something (findings/).
set -uo pipefail
cd "$(dirname "$0")"
seconds=$1 jobs=$2
shift 2
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then for program in fuzz_*; do targets+=("${program#fuzz_}"); done; fi
export LD_LIBRARY_PATH=$PWD/lib ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=16:symbolize=0
export OPENBLAS_NUM_THREADS=1 TMPDIR=${TMPDIR:-/dev/shm}
mkdir -p findings corpus logs
# As many programs of each target as there is room for.
each=$(((jobs + ${#targets[@]} - 1) / ${#targets[@]}))
pids=()
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target"
  for ((copy = 0; copy < each; ++copy)); do
    ./fuzz_"$target" -max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=60 -max_len=32768 \
      -detect_leaks=0 -entropic=0 -reload=10 -print_final_stats=1 -artifact_prefix="findings/$target-" \
      "corpus/$target" "seeds/$target" >"logs/$target.$copy" 2>&1 &
    pids+=($!)
  done
done
failed=0
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
total=0
for target in "${targets[@]}"; do
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' logs/"$target".* | awk '{ sum += $1 } END { print sum + 0 }')
  total=$((total + runs))
  printf '%-11s %10s executions\n' "$target" "$runs"
done
echo "fuzz: $total executions in all"
ls findings
exit $failed
RUN
chmod +x "$folder/run_all.sh"
du -sh "$folder"
