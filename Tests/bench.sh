#!/usr/bin/env bash
# Builds the benchmarks in release mode and runs them: all programs, or the one that is named first, as in
# `Tests/bench.sh EngineBenchmarks --only costs`; the options go on to the programs, as in `Tests/bench.sh --check`.
# The measured command is the small one in Building.md of SyrinxCommand.docc.
# `Tests/bench.sh --build` only builds them, in debug mode, so that they keep compiling.
set -euo pipefail
cd "$(dirname "$0")/.."
benchmarks=(--package-path Tests/Benchmarks --scratch-path "$PWD/.build/benchmarks")

if [ "${1:-}" = --build ]; then
  exec swift build "${benchmarks[@]}"
fi
programs=(DependencyBenchmarks EngineBenchmarks ReducerBenchmarks ServerBenchmarks SpeechBenchmarks ToolBenchmarks)
if [ -n "${1:-}" ] && [ "${1#--}" = "$1" ]; then
  programs=("$1")
  shift
fi
bash Packaging/packages.sh bench
case "${programs[*]}" in
DependencyBenchmarks | ReducerBenchmarks) ;;
*) syrinx=$(bash Packaging/build.sh) ;;
esac
swift build "${benchmarks[@]}" --static-swift-stdlib -Xswiftc -use-ld=lld --configuration release
folder=$(swift build "${benchmarks[@]}" --configuration release --show-bin-path)
case "${programs[*]}" in
*ServerBenchmarks* | *SpeechBenchmarks*)
  # The model, the clients of the server, and sherpa-onnx, whose recognizer uses the same model.
  export XDG_DATA_HOME=$PWD/.build/engines
  "$syrinx" engines install all
  bash Tests/Support/python.sh
  bash Tests/Support/python.sh sherpa
  ;;
esac
status=0
for program in "${programs[@]}"; do
  echo "== $program"
  "$folder/$program" "$@" || status=1
done
exit $status
