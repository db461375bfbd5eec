#!/usr/bin/env bash
# Checks that take many minutes and rarely fail, in parts: all of them, or those that are named:
#   Tests/nightly.sh [PART]...
# Every part runs, even if earlier ones failed; one that takes more than 45 minutes is ended and has failed. The last line names
# the failed parts. Nothing else may run on the machine while the benchmarks are compared with their limits.
set -uo pipefail
cd "$(dirname "$0")/.."
# SwiftPM orders the traits among the compiler's arguments by their hashes: otherwise each new plan would compile everything.
export SWIFT_DETERMINISTIC_HASHING=1

parts=(
  thread-sanitizer address-sanitizer pocketsphinx5 documentation-site tutorials damaged-models fuzz closed-loops demo
  dependencies point-free cmake benchmarks
  reproducible-build container cluster balancer deb dictation http page
  DependencyBenchmarks EngineBenchmarks ReducerBenchmarks ServerBenchmarks SpeechBenchmarks ToolBenchmarks
)

# part NAME: does the work of a part.
part() {
  case $1 in
  *-sanitizer) bash Tests/sanitize.sh "${1%-sanitizer}" ;;
  pocketsphinx5 | documentation-site | fuzz) bash "Tests/Support/$1.sh" ;;
  # One result in each of many runs, beside other tests.
  closed-loops)
    SYRINX_TEST_LOOPS=200 swift test --traits Development \
      --filter 'SyrinxTestSupportTests|DevicesTests.Virtual|RecordingTests'
    ;;
  damaged-models) SYRINX_TEST_DAMAGED_COPIES=200 swift test --traits Development --filter DamagedModelTests ;;
  tutorials) python3 Tests/Support/tutorials.py ;;
  demo) bash Samples/demo.sh ;;
  # The tests of the dependencies under Thread Sanitizer.
  dependencies) bash Tests/Support/thread-sanitizer.sh ;;
  point-free) bash Tests/Support/point-free.sh ;;
  cmake) bash CMakeLists-notes/check.sh ;;
  benchmarks) bash Tests/bench.sh --build ;;
  *Benchmarks) bash Tests/bench.sh "$1" --check ;;
  # The others check the release build.
  *) command=$(bash Packaging/build.sh) && bash "Tests/Support/$1.sh" "$command" ;;
  esac
}
export -f part

for name in "$@"; do
  if ! printf '%s\n' "${parts[@]}" | grep -qxF -- "$name"; then
    echo "nightly.sh: there is no part \"$name\"; the parts are: ${parts[*]}" >&2
    exit 64
  fi
done
if [ $# -eq 0 ]; then set -- "${parts[@]}"; fi

failed=()
for name in "$@"; do
  printf '\n== %s\n' "$name"
  SECONDS=0 status=0
  timeout --kill-after=60 45m bash -c 'part "$1"' part "$name" </dev/null || status=$?
  case $status in
  0) outcome=passed ;;
  124 | 137) outcome="ended by the time limit" ;;
  *) outcome="failed with status $status" ;;
  esac
  printf '== %s: %s after %d min %d s\n' "$name" "$outcome" $((SECONDS / 60)) $((SECONDS % 60))
  [ "$status" -eq 0 ] || failed+=("$name")
done

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nfailed: %s\n' "${failed[*]}"
  exit 1
fi
printf '\neverything passed\n'
