#!/usr/bin/env bash
# Builds the fuzzer, with every module instrumented, and feeds each reader of foreign bytes for a minute:
#   Tests/Support/fuzz.sh [SECONDS [HARNESS]...]
# An input that crashes a reader, takes over 20 seconds, or takes over 1.5 GB makes the run fail at once; the path of the input is
# printed. Inputs that reach new code are kept in .build/fuzz for the next run. It begins with a deliberate fault.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash Packaging/packages.sh build
seconds=${1:-60}
shift || true
if [ $# -eq 0 ]; then set -- file pipe frames forms texts models; fi

folder=$PWD/.build/fuzz
package=(
  --package-path Tests/Fixtures/Fuzz --scratch-path "$folder" --configuration release --product Fuzz
  -Xswiftc -sanitize=fuzzer -Xswiftc -enable-testing -Xswiftc -use-ld=lld
)
swift build "${package[@]}"
program=$(swift build "${package[@]}" --show-bin-path)/Fuzz

# run HARNESS SECONDS: runs a harness without FFmpeg in its PATH, and writes its output to the log.
run() {
  local corpus=$folder/corpus/$1
  mkdir -p "$corpus" "$folder/crashes"
  SYRINX_FUZZ=$1 "$program" --seeds "$corpus" || return
  SYRINX_FUZZ=$1 PATH=/nowhere "$program" "-max_total_time=$2" -max_len=65536 -timeout=20 -rss_limit_mb=1500 \
    -malloc_limit_mb=1000 -print_final_stats=1 -close_fd_mask=1 "-artifact_prefix=$folder/crashes/$1-" \
    -dict=Tests/Fixtures/Fuzz/words.dict "$corpus" >"$log" 2>&1
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if run fault 10 || ! grep -q 'Test unit written to' "$log"; then
  tail -20 "$log"
  echo "the fuzzer does not see a fault that was made for it" >&2
  exit 1
fi

failed=()
for harness in "$@"; do
  status=0
  run "$harness" "$seconds" || status=$?
  if [ "$status" -ne 0 ]; then
    tail -40 "$log"
    failed+=("$harness")
    echo "$harness: ended with status $status by the input $(sed -n 's/.*Test unit written to //p' "$log" | tail -1)" >&2
  else
    echo "$harness: $(sed -n 's/stat::number_of_executed_units: *//p' "$log") inputs, no fault"
  fi
done
[ ${#failed[@]} -eq 0 ] || exit 1
