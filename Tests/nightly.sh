#!/usr/bin/env bash
# Checks that take many minutes and rarely fail: the sanitizers on the engines, PocketSphinx 5, the documentation's site and
# the packages of its tutorials, damaged models, the demo, the reproducibility of the release build, its container, clusters,
# and Debian package, and the benchmarks against their limits, for which nothing else may run on the machine.
#   Tests/nightly.sh
# Every part runs, even if earlier ones failed; the last line names the failed ones.
set -uo pipefail
cd "$(dirname "$0")/.."

failed=()
part() {
  printf '\n== %s\n' "$*"
  "$@" </dev/null || failed+=("$*")
}

part bash Tests/sanitize.sh thread
part bash Tests/sanitize.sh address
part bash Tests/Support/pocketsphinx5.sh
part bash Tests/Support/documentation-site.sh
part python3 Tests/Support/tutorials.py
part env SYRINX_TEST_DAMAGED_COPIES=200 swift test --filter DamagedModelTests
part bash Samples/demo.sh
command=$(bash Samples/build.sh)
part bash Tests/Support/reproducible-build.sh "$command"
part bash Tests/Support/container.sh "$command"
part bash Tests/Support/cluster.sh "$command"
part bash Tests/Support/balancer.sh "$command"
part bash Tests/Support/deb.sh "$command"
part bash Tests/bench.sh --check

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nfailed:'
  printf ' [%s]' "${failed[@]}"
  printf '\n'
  exit 1
fi
printf '\neverything passed\n'
