#!/usr/bin/env bash
# Builds the tests of the dependencies with Thread Sanitizer and runs them: a report or a failing test is a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."

fixture=Tests/Fixtures/ThreadSanitizer
scratch=.build/thread-sanitizer
swift build --package-path "$fixture" --scratch-path "$scratch" --build-tests --sanitize=thread

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A report does not end the run, so that all reports are printed. No report is suppressed.
timeout --kill-after=10 300 \
  swift test --package-path "$fixture" --scratch-path "$scratch" --sanitize=thread --skip-build 2>&1 | tee "$log"
# These modules have hundreds of tests, so a much smaller number is an error.
tests=$(sed -n 's/.*Test run with \([0-9]*\) tests.*/\1/p' "$log" | tail -1)
if [ "${tests:-0}" -lt 200 ]; then
  echo "only ${tests:-0} tests ran under Thread Sanitizer" >&2
  exit 1
fi
if grep -q 'WARNING: ThreadSanitizer' "$log"; then
  echo "Thread Sanitizer has found races" >&2
  exit 1
fi
