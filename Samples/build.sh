#!/usr/bin/env bash
# Builds the small command, as Building.md in SyrinxCommand.docc explains, and prints its path.
#   Samples/build.sh [OPTION OF swift build]...
# Its symbols are stripped, and all that the loader adjusts is read-only before the program begins.
set -euo pipefail
cd "$(dirname "$0")/.."

bash Tests/Support/packages.sh build
build=(
  swift build --configuration release --product syrinx --traits Plots --static-swift-stdlib
  -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
  -Xlinker --strip-all "$@"
)
"${build[@]}" >&2
echo "$("${build[@]}" --show-bin-path)/syrinx"
