#!/usr/bin/env bash
# Prints the path of the real libvosk.so, after fetching it once into .build, from the wheel that pip would install.
set -euo pipefail
cd "$(dirname "$0")/../../.."
version=0.3.45
folder=$PWD/.build/vosk-$version
library=$folder/site-packages/vosk/libvosk.so

if [ ! -f "$library" ]; then
  mkdir -p .build
  work=$(mktemp -d .build/vosk.XXXXXX)
  trap 'rm -rf "$work"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$work" "vosk==$version" >&2 || {
    echo "the wheel vosk $version cannot be fetched from PyPI: it takes python3-pip and the network" >&2
    exit 1
  }
  mkdir "$work/whole"
  python3 -m zipfile -e "$work"/vosk-*.whl "$work/whole/site-packages"
  # If this fails, another run has already created the same files.
  mv -T "$work/whole" "$folder" 2>/dev/null || true
fi
echo "$library"
