#!/usr/bin/env bash
# Configures, builds, runs, and installs the CMake project in a temporary folder, and checks the output of its programs.
set -euo pipefail
cd "$(dirname "$0")"

for tool in cmake ninja pkg-config swift; do
  if ! command -v "$tool" >/dev/null; then
    echo "$tool is missing: README.md names the packages" >&2
    exit 1
  fi
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
build="$folder/build"
sounds=../Samples/sounds

expect() {
  if [ "$2" != "$3" ]; then
    printf '%s: expected "%s", got "%s"\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  printf 'ok: %s: %s\n' "$1" "$(echo "$3" | paste -sd '|')"
}
status_of() {
  local status=0
  "$@" >/dev/null 2>&1 || status=$?
  echo "$status"
}
libraries_of() {
  readelf -d "$1" | grep -oE 'lib(asound|FLAC|mpg123|sndfile|soxr|pocketsphinx|sphinxbase|tag|vorbisenc)' | LC_ALL=C sort -u | paste -sd ' '
}

cmake -G Ninja -S . -B "$build"
cmake --build "$build"

expect "duration where it is built" "3.000 s" "$("$build/duration" "$sounds/tone.wav")"
cmake --install "$build" --prefix "$folder/installed" >/dev/null
expect "C libraries of the shared library" "libFLAC libasound libmpg123 libpocketsphinx libsndfile libsoxr libsphinxbase libtag libvorbisenc" \
  "$(libraries_of "$folder/installed/lib/libSyrinxForCMake.so")"
# The installed programs must not need their build folder.
rm -r "$build"

duration="$folder/installed/bin/duration"
hear="$folder/installed/bin/hear"
expect "duration of a WAV file" "2.870 s" "$("$duration" "$sounds/go-forward.wav")"
expect "duration of a FLAC file" "2.885 s" "$("$duration" "$sounds/turn-44100-stereo.flac")"
expect "duration without a file, status" 1 "$(status_of "$duration" "$folder/none.wav")"
expect "hear on the virtual card" $'played 2.87 s\ngo forward ten meters' \
  "$("$hear" "$sounds/go-forward.wav" virtual)"
expect "hear on an unknown card, status" 1 "$(status_of "$hear" "$sounds/go-forward.wav" hw:99)"

# Another project uses the installed library, as README.md shows.
mkdir "$folder/other"
sed -n '/^cmake_minimum_required/,/^```/p' README.md | sed '$d' >"$folder/other/CMakeLists.txt"
cp duration.c hear.swift "$folder/other"
cmake -G Ninja -S "$folder/other" -B "$build" -DCMAKE_PREFIX_PATH="$folder/installed" >/dev/null
cmake --build "$build"
expect "duration with the installed library" "3.000 s" "$("$build/duration" "$sounds/tone.wav")"
expect "hear with the installed library" $'played 2.87 s\ngo forward ten meters' \
  "$("$build/hear" "$sounds/go-forward.wav" virtual)"
echo "the CMake project builds, works, and serves another one"
