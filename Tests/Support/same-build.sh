#!/usr/bin/env bash
# Builds the command of this commit in another folder, and compares it with a built one:
#   Tests/Support/same-build.sh COMMAND
# COMMAND is what Samples/build.sh built from the same commit, with the same Package.resolved.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet . "$folder/another name"
cp Package.resolved "$folder/another name"
again=$(bash "$folder/another name/Samples/build.sh")
if ! cmp "$1" "$again"; then
  echo "same-build.sh: the commands differ; the one of another folder names it $(grep -c "$folder" "$again" || true) times" >&2
  exit 1
fi
echo "two builds in two folders are identical"
