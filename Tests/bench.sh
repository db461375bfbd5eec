#!/usr/bin/env bash
# Builds the benchmarks in release mode and runs them; the options go on to the program, as in `Tests/bench.sh --check`.
set -euo pipefail
cd "$(dirname "$0")/Benchmarks"

swift build --configuration release
"$(swift build --configuration release --show-bin-path)/DependencyBenchmarks" "$@"
