#!/usr/bin/env bash
# Builds the command of this commit in another folder, and compares it with a built one:
#   Tests/Support/reproducible-build.sh COMMAND
# COMMAND was built by Packaging/build.sh from the same commit, with the same Package.resolved. It must contain no folder that is
# searched first for libraries.
set -euo pipefail
command=$(realpath -e "$1")
cd "$(dirname "$0")/../.."

if readelf -d "$command" | grep -E 'R(UN)?PATH'; then
  echo "reproducible-build.sh: the command looks for libraries beside itself" >&2
  exit 1
fi
if [ "$(cat .build/small/place)" = "$PWD" ]; then
  echo "reproducible-build.sh: this system allows no mounts, so builds in two folders differ" >&2
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet . "$folder/another name"
cp Package.resolved "$folder/another name"
# The manual pages are not compared, so their generator is not built again.
SYRINX_GENERATE_MANUAL=$PWD/.build/debug/generate-manual
export SYRINX_GENERATE_MANUAL
again=$(bash "$folder/another name/Packaging/build.sh")
cmp "$command" "$again"
echo "two builds in two folders are identical"
