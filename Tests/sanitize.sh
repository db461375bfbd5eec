#!/usr/bin/env bash
# Builds the engines with Thread Sanitizer and with Address Sanitizer and runs their tests:
#   Tests/sanitize.sh [thread] [address]
# A report or a failing test is a failure. Each run begins with a fault made on purpose, which must be reported. The
# sound server's tests are excluded, and under Thread Sanitizer also those on the paced plug-in: ALSA locks what it
# touches, and is not built with the sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
bash Packaging/packages.sh test

fixture=Tests/Fixtures/Engines
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# run KIND [OPTION...]: runs the chosen tests, into the log.
run() {
  local kind=$1
  shift
  # A report does not end the run, so that all are seen. Memory that is lost at the end of the process is not a leak:
  # the pool's threads and the dependencies' caches live as long as it does.
  TSAN_OPTIONS=halt_on_error=0 ASAN_OPTIONS=detect_leaks=0 timeout --kill-after=10 1200 \
    swift test --package-path "$fixture" --scratch-path ".build/engines-$kind-sanitizer" "--sanitize=$kind" --skip-build \
    --disable-xctest --experimental-maximum-parallelization-width 2 "$@" >"$log" 2>&1
}

reported() { grep -qE '(WARNING|ERROR): (Thread|Address)Sanitizer' "$log"; }

check() {
  local kind=$1 left=(--skip SeededFaults --skip Pulse)
  if [ "$kind" = thread ]; then left+=(--skip ALSASoundCardTests); fi
  echo "== $kind sanitizer"
  swift build --package-path "$fixture" --scratch-path ".build/engines-$kind-sanitizer" "--sanitize=$kind" --build-tests
  if run "$kind" --filter "SeededFaults.*$kind" || ! reported; then
    cat "$log"
    echo "the $kind sanitizer does not see a fault that was made for it" >&2
    return 1
  fi
  local status=0
  run "$kind" "${left[@]}" || status=$?
  cat "$log"
  if reported; then
    echo "the $kind sanitizer has found something" >&2
    return 1
  fi
  # The engines have hundreds of tests; far fewer are an error.
  local tests
  tests=$(sed -n 's/.*Test run with \([0-9]*\) tests.*/\1/p' "$log" | tail -1)
  if [ "$status" -ne 0 ] || [ "${tests:-0}" -lt 700 ]; then
    echo "the $kind sanitizer's run of ${tests:-0} tests ended with status $status" >&2
    return 1
  fi
}

if [ $# -eq 0 ]; then set -- thread address; fi
for kind in "$@"; do
  case $kind in
    thread | address) check "$kind" ;;
    *)
      echo "there is no $kind sanitizer here: thread or address" >&2
      exit 64
      ;;
  esac
done
