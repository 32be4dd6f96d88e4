#!/usr/bin/env bash
# usage: tests/fuzz/run.sh BUILD SECONDS: each target for so long, from the seeds and from what earlier runs found
# (BUILD/tests/fuzz/corpus). A finding stays as BUILD/tests/fuzz/findings/*; exit 1.
set -euo pipefail
build=$1/tests/fuzz seconds=$2 total=0 failed=0
mkdir -p "$build/findings"
# 2 GiB: what any file of a few kB may take. A minute: no input does that much work.
limits=(-rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=60 -max_len=131072)
# For more executions: leaks are looked for at the end, not after each; the next input is chosen without a count of
# every feature; a block's origin is told by its last calls.
speed=(-detect_leaks=0 -entropic=0)
export ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}
for target in "$build"/fuzz_*; do
  target=${target##*/fuzz_}
  [ "$target" = seeds ] && continue
  mkdir -p "$build/corpus/$target"
  log=$build/$target.log
  status=0
  "$build/fuzz_$target" -max_total_time="$seconds" "${limits[@]}" "${speed[@]}" -artifact_prefix="$build/findings/$target-" \
    -print_final_stats=1 "$build/corpus/$target" "$build/seeds/$target" >"$log" 2>&1 || status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
  total=$((total + ${runs:-0}))
  printf '%-10s %9s executions%s\n' "$target" "${runs:-?}" "$([ $status -eq 0 ] || echo "  FAILED, see $log")"
  if [ $status -ne 0 ]; then
    failed=1
    grep -m 3 -E 'FINDING|ERROR|runtime error' "$log" || tail -n 3 "$log"
  fi
done
echo "fuzz: $total executions in all"
exit $failed
