#!/usr/bin/env bash
# What takes many minutes and guards little from day to day: the sanitizers over the engines, PocketSphinx 5, the site of
# the documentation, damaged models, the demo, the reproducibility of the release build, its container, clusters, and the Debian
# package from it, and the benchmarks against their limits, for which nothing else may run on the machine.
#   Tests/nightly.sh
# Every part runs, whatever became of those before; the last line says which failed.
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
