#!/usr/bin/env bash
# usage: tests/fuzz/run.sh FOLDER SECONDS JOBS [TARGET...]: each target for so long, JOBS programs at a time, from the
# seeds and from what earlier runs found (FOLDER/corpus). FOLDER has the program fuzz and its seeds: BUILD/tests/fuzz, or
# what pack.sh made. Programs of one target share what they find. Prints the executions of each target; a finding stays
# in FOLDER/findings, exit 1.
set -uo pipefail
cd "$1" || exit 1
seconds=$2 jobs=$3
shift 3
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then for seeds in seeds/*/; do targets+=("$(basename "$seeds")"); done; fi
mkdir -p findings corpus logs
if [ -d lib ]; then export LD_LIBRARY_PATH=$PWD/lib; fi
# A block's origin is told by its last calls; leaks are looked for at the end, not after each execution; the next input
# is chosen without a count of every feature. 2 GiB: what any file of a few kB may take. A minute: no input does that
# much work.
export ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=16:symbolize=0 OPENBLAS_NUM_THREADS=1
options=(-max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=60 -report_slow_units=60
         -detect_leaks=0 -entropic=0 -reload=10 -print_final_stats=1)
each=$((jobs / ${#targets[@]}))
failed=0
rm -f logs/*
# More programs than targets: some of each. Fewer: one after the other as places become free.
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target"
  longest=32768
  if [ "$target" = request ]; then longest=8192; fi  # the server reads no more
  for ((copy = 0; copy < (each > 1 ? each : 1); ++copy)); do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || failed=1; done
    FUZZ_TARGET=$target ./fuzz "${options[@]}" -max_len=$longest -artifact_prefix="findings/$target-" "corpus/$target" "seeds/$target" \
      >"logs/$target.$copy" 2>&1 &
  done
done
while [ "$(jobs -rp | wc -l)" -gt 0 ]; do wait -n || failed=1; done
total=0
for target in "${targets[@]}"; do
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' logs/"$target".* | awk '{ sum += $1 } END { print sum + 0 }')
  total=$((total + runs))
  printf '%-11s %10s executions\n' "$target" "$runs"
done
echo "fuzz: $total executions in all"
if [ -n "$(ls findings)" ]; then
  failed=1
  grep -h -m 3 -E 'FINDING|ERROR|runtime error' logs/*
  ls findings
fi
exit $failed
