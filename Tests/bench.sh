#!/usr/bin/env bash
# Builds the benchmarks in release mode and runs them; the options go on to the program, as in `Tests/bench.sh --check`.
# `Tests/bench.sh --build` only builds them, in debug mode: so that they do not fall behind what they measure.
set -euo pipefail
cd "$(dirname "$0")/.."
benchmarks=(--package-path Tests/Benchmarks --scratch-path "$PWD/.build/benchmarks")

if [ "${1:-}" = --build ]; then
  exec swift build "${benchmarks[@]}"
fi
swift build "${benchmarks[@]}" --configuration release
"$(swift build "${benchmarks[@]}" --configuration release --show-bin-path)/DependencyBenchmarks" "$@"
