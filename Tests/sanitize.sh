#!/usr/bin/env bash
# Builds the engines with Thread Sanitizer and with Address Sanitizer and runs their tests on the virtual card:
#   Tests/sanitize.sh [thread | address]
# A report or a failing test is a failure. The paced plug-in is no part of it: it is loaded by a C library that is
# not built with a sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."

fixture=Tests/Fixtures/Sanitizers
for sanitizer in "${@:-thread address}"; do
  for kind in $sanitizer; do
    scratch=.build/$kind-sanitizer-engines
    echo "== $kind sanitizer"
    swift build --package-path "$fixture" --scratch-path "$scratch" --build-tests "--sanitize=$kind"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    # A report ends nothing, so that all are seen. What is lost at the end of the process is no leak: the pool's
    # threads and the dependencies' caches live as long as it does.
    TSAN_OPTIONS=halt_on_error=0 ASAN_OPTIONS=detect_leaks=0 timeout --kill-after=10 1200 \
      swift test --package-path "$fixture" --scratch-path "$scratch" "--sanitize=$kind" --skip-build 2>&1 |
      tee "$log"
    tests=$(sed -n 's/.*Test run with \([0-9]*\) tests.*/\1/p' "$log" | tail -1)
    if [ "${tests:-0}" -lt 200 ]; then
      echo "only ${tests:-0} tests ran under the $kind sanitizer" >&2
      exit 1
    fi
    if grep -qE 'WARNING: ThreadSanitizer|ERROR: AddressSanitizer' "$log"; then
      echo "the $kind sanitizer has found something" >&2
      exit 1
    fi
    rm -f "$log"
  done
done
