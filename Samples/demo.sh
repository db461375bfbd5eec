#!/usr/bin/env bash
# Shows the main job from a fresh clone: recognize, record, and play, with hardware or without.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n$ %s\n' "$*"; }
run() {
  say "$@"
  "$@"
}

if ! command -v swift >/dev/null; then
  echo "swift is not on the PATH: install Swift 6.3 from swift.org first" >&2
  exit 1
fi

echo "This builds the command from its sources, which takes some minutes."
say Packaging/build.sh
built=$(dirname "$(bash Packaging/build.sh)")
PATH="$built:$PATH"

spoken=Samples/sounds/two-utterances.wav
recorded=$(mktemp --suffix=.wav)
trap 'rm -f "$recorded"' EXIT

# The recognizer for the next steps; without it, PocketSphinx does the work, which is already installed.
run syrinx engines install moonshine || {
  echo "Moonshine could not be installed (is PyPI reachable?), so this demo uses PocketSphinx."
  echo "To install it later: $built/syrinx engines install moonshine"
}

run syrinx devices

# A microphone that captures a file, in real time: on a terminal the words appear as they are recognized.
printf '\nThe voice says "turn left and go back", and then "go forward ten meters".\n'
run syrinx listen --device "virtual:$spoken"

run syrinx record --device "virtual:$spoken" --seconds 3 "$recorded"

if syrinx devices --json 2>/dev/null | grep '"default":true' | grep -q '"playback":true'; then
  run syrinx play "$recorded"
else
  echo "There is no sound card here: the device \"virtual\" plays, in real time and without a sound."
  run syrinx play --device virtual "$recorded"
fi

run syrinx transcribe Samples/sounds/go-forward.wav Samples/sounds/turn-44100-stereo.flac
run syrinx transcribe --engine pocketsphinx Samples/sounds/go-forward.wav
echo
echo "That was Syrinx. Try it with a microphone: $built/syrinx listen"
