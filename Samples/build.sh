#!/usr/bin/env bash
# Builds the small command, as Building.md in SyrinxCommand.docc explains, and prints its path.
#   Samples/build.sh [OPTION OF swift build]...
# Without debug symbols, with read-only relocations, and without this folder's name in it: two builds of one commit are equal.
set -euo pipefail
cd "$(dirname "$0")/.."

bash Tests/Support/packages.sh build
build=(
  swift build --configuration release --product syrinx --traits Plots --static-swift-stdlib
  -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
  -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
  -Xlinker --strip-all "$@"
)
"${build[@]}" >&2
echo "$("${build[@]}" --show-bin-path)/syrinx"
