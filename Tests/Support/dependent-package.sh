#!/usr/bin/env bash
# Builds packages that depend on this one. The tests of the first, which uses only ClientDependencies and
# ClientDependenciesTestSupport, must pass or fail as expected. The second is README's program with its test.
set -euo pipefail
cd "$(dirname "$0")/../.."

package=(--package-path Tests/Fixtures/DependentPackage --scratch-path "$PWD/.build/dependent-package")
log=$(mktemp)
trap 'rm -f "$log"' EXIT

build() {
  swift build "${package[@]}" --build-tests >"$log" 2>&1 && return
  cat "$log"
  echo "Tests/Fixtures/DependentPackage does not build" >&2
  exit 1
}

failures=0
complain() {
  echo "FAILED $suite: $1" >&2
  failures=$((failures + 1))
}

# run SUITE: runs the tests of a suite; sets $log to their output and $status to their exit status.
run() {
  suite=$1
  status=0
  timeout --kill-after=10 120 swift test "${package[@]}" --skip-build --filter "Tests.$suite/" \
    --experimental-maximum-parallelization-width 4 >"$log" 2>&1 || status=$?
}

expect_status() {
  case "$1/$status" in
  pass/0) ;;
  pass/*) complain "it should pass, and its status is $status" ;;
  fail/0) complain "it should fail, and it passes" ;;
  esac
}

expect_line() {
  grep -Eq "$1" "$log" || complain "no line of its output matches: $1"
}

# must_pass SUITE LINE: fails unless the suite passes and prints the line.
must_pass() {
  local before=$failures
  run "$1"
  expect_status pass
  expect_line "$2"
  report "$before"
}

# must_fail SUITE LINE...: fails unless the suite fails and prints each of the lines.
must_fail() {
  local before=$failures line
  run "$1"
  expect_status fail
  for line in "${@:2}"; do expect_line "$line"; done
  report "$before"
}

report() {
  if [ "$failures" -gt "$1" ]; then cat "$log" >&2; else echo "ok $suite"; fi
}

build
must_pass PassingXCTestCaches 'Executed 3 tests, with 0 failures'
must_pass PassingCaches 'Test run with 5 tests .*passed'

guilty='Test guilty\(\) failed after .* with 1 issue'
innocent='Test innocent\(\) passed'
for suite in DetachedTask DispatchQueueCall ThreadCall ClientReadOnThread; do
  must_fail "$suite" "$guilty" "$innocent" "Unimplemented: 'SoundClient.play'"
done
must_fail MissingTestValueReadOnThread "$guilty" "$innocent" 'has no test value'
must_fail IssueReportingsUnimplemented "$guilty" "$innocent" 'SoundClient.stop'
must_fail AmongSeveral 'recorded an issue' 'Test guilty\(\) passed' "$innocent" 'SoundClient.stop' \
  '  guilty\(\) at .*AmongSeveral.swift' '  innocent\(\) at .*AmongSeveral.swift'
must_fail AfterTheEnd 'Test guilty\(\) recorded an issue' "$innocent" "Unimplemented: 'SoundClient.play'"
must_fail FailingXCTest "FailingXCTest.testGuilty : .*Unimplemented: 'SoundClient.play'" \
  "'FailingXCTest.testInnocent' passed"

# In a statically linked program, the initializers of a module run before Swift has read the arguments.
suite=PrintArguments
before=$failures
static=(--package-path Tests/Fixtures/DependentPackage --scratch-path "$PWD/.build/static-package" --product "$suite")
swift build "${static[@]}" --static-swift-stdlib >"$log" 2>&1 || complain "it does not build"
"$PWD/.build/static-package/debug/$suite" one two >"$log" 2>&1 || complain "it fails"
expect_line '^true: one two$'
report "$before"

# Without the product, or without the trait, issues cannot fail tests, so the process ends with a message.
ends_with_advice() {
  local suite
  build
  for suite in WithoutSupport ReadWithoutSupport IssueWithoutSupport ClockWithoutSupport; do
    must_fail "$suite" 'Add the product "ClientDependenciesTestSupport"'
    [ "$(grep -c 'Add the product' "$log")" = 1 ] || complain "the advice must be printed exactly once"
  done
}
export WITHOUT_TEST_SUPPORT=1
ends_with_advice
export WITHOUT_TRAITS=1
ends_with_advice

package=(--package-path Samples/Memo --scratch-path "$PWD/.build/memo")
suite=Memo
before=$failures
swift build "${package[@]}" --build-tests >"$log" 2>&1 || complain "it does not build"
# With only the trait Foundation, the packages of the command, the server, the macros, and the reducers are not even fetched.
fetched=$(cd .build/memo/checkouts && echo *)
[ "$fetched" = "swift-log xctest-dynamic-overlay" ] || complain "these packages were fetched: $fetched"
swift test "${package[@]}" --skip-build >"$log" 2>&1 || complain "its test fails"
expect_line 'Test run with 1 test .*passed'
SWIFT_DEPENDENCIES_CONTEXT=preview swift run "${package[@]}" --skip-build Memo >"$log" || complain "it fails"
expect_line '[a-z]'
# Without a sound card, the program ends with a sentence, not with a crash.
status=0
output=$(ALSA_CONFIG_PATH=/dev/null swift run --quiet "${package[@]}" --skip-build Memo 2>"$log") || status=$?
[ "$status" = 1 ] || complain "without a sound card, its status is $status"
[ -z "$output" ] || complain "without a sound card, its output is: $output"
expect_line '^Memo: '
report "$before"

if [ "$failures" -gt 0 ]; then
  echo "$failures expectations about a package that depends on this one are not met" >&2
  exit 1
fi
